"""What generated items look like, and what the licences of the original data say: the generated parts of the data page.

Of original data nothing is shown: what may not be passed on must not slip into a page.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import fields
from functools import singledispatch
from html import escape
from typing import Any

from ..cards import markup
from ..data import builtin
from ..data.items import (
    MASK,
    Ambiguity,
    Association,
    Cloze,
    Coreference,
    EdgeItem,
    ForcedChoice,
    Item,
    Labelled,
    MinimalPair,
    NumberItem,
    Sentence,
    Span,
    Translation,
    WordInContext,
)
from ..data.original import registry

SHOWN = 20  # samples a builder
DRAWN = 400  # items they are drawn from
_COMMON = {f.name for f in fields(Item)}


def licences() -> str:
    """One row a data set: what it is, how large, where from, what its licence says, and whether it may be passed on."""
    rows = []
    for data in registry.datasets().values():
        where = (
            f'<a href="https://github.com/{data.repository}/tree/{data.commit}">{escape(data.repository)}</a>'
            if data.repository and data.commit
            else "several, see the registry"
        )
        rows.append(
            f'<tr id="data-{data.name}"><th scope="row"><code>{data.name}</code><br>{escape(data.title)}</th>'
            f'<td data-label="from">{where}</td>'
            f'<td data-label="size">{len(data.files)} files, {data.bytes / 1e6:.1f} MB</td>'
            f'<td data-label="licence, as stated there">{escape(data.licence)}</td>'
            f'<td data-label="may be passed on">{"yes" if data.redistribute else "no"}</td></tr>'
        )
    return markup.table(
        "scoreboard", ("data set", "from", "size", "licence, as stated there", "may be passed on"), rows
    )


def page(seed: int = 0) -> str:
    """A fold for every builder, with `SHOWN` of its items drawn at random."""
    text = []
    for task in builtin.tasks():
        items = builtin.build(task, DRAWN, seed)
        drawn = random.Random(f"{seed} {task}").sample(items, min(SHOWN, len(items)))
        lines = "".join(f"<li>{_condition(item)}{describe(item)}</li>" for item in drawn)
        text += [
            f'<details class="samples" id="samples-{task}"><summary><code>{task}</code> '
            f"<small>{type(items[0]).__name__}, {len(drawn)} of {len(items)} drawn</small></summary>"
            f"<ol>{lines}</ol></details>",
            "",
        ]
    return "\n".join(text)


def _condition(item: Item) -> str:
    return f'<span class="condition">{escape(item.condition)}</span> ' if item.condition else ""


@singledispatch
def describe(item: Any) -> str:
    """An item as one line of HTML: by default, its own fields by name."""
    own = [(f.name, getattr(item, f.name)) for f in fields(item) if f.name not in _COMMON]
    return " ".join(f"<small>{name}</small> {_value(value)}" for name, value in own if value not in (None, "", ()))


def _value(value: Any) -> str:
    if isinstance(value, tuple) and all(isinstance(v, str) for v in value):
        return escape(" ".join(value) if len(value) > 8 else ", ".join(value))
    return escape(f"{value:g}" if isinstance(value, float) else str(value))


def _filled(text: str, *fillers: str) -> str:
    return escape(text).replace(escape(MASK), f'<span class="gap">{" / ".join(fillers)}</span>')


def _good(word: str) -> str:
    return f'<b class="good">{escape(word)}</b>'


def _bad(word: str) -> str:
    return f'<s class="bad">{escape(word)}</s>'


def marked(words: tuple[str, ...], *spans: tuple[int, int, str]) -> str:
    """Words with some stretches in bold, each followed by its label."""
    out = [escape(w) for w in words]
    for start, end, label in spans:
        out[start] = f"<b>{out[start]}"
        out[end - 1] += "</b>" + (f"<sub>{escape(label)}</sub>" if label else "")
    return " ".join(out)


@describe.register
def _(item: ForcedChoice) -> str:
    return _filled(item.text, _good(item.good), _bad(item.bad))


@describe.register
def _(item: Cloze) -> str:
    return _filled(item.text, *map(_good, item.answers))


@describe.register
def _(item: MinimalPair) -> str:
    return f"{_good('✓')} {escape(item.good)} — {_bad('✗')} {escape(item.bad)}"


@describe.register
def _(item: Labelled) -> str:
    texts = " / ".join(escape(text) for text in (item.text, item.text_b) if text is not None)
    return f"{texts} → <b>{escape(item.label)}</b>"


@describe.register
def _(item: Sentence) -> str:
    """The words; below them whatever gold the item has, each layer on a line of its own."""
    senses = item.senses if any(item.senses) else ()
    lines = [_tagged(item.words, layer) for layer in (item.upos, item.chunks, senses) if layer]
    if item.heads:
        arcs = (
            f"{word}←{'root' if head < 0 else item.words[head]}" + (f" ({item.deprels[i]})" if item.deprels else "")
            for i, (word, head) in enumerate(zip(item.words, item.heads))
        )
        lines.append(f"<small>{escape(', '.join(arcs))}</small>")
    if item.brackets:
        lines.append(_bracketed(item.words, item.brackets))
    kinds = sorted({span.kind for span in item.spans})
    lines += [f"<small>{escape(kind)}: {_listed(item.words, item.of(kind))}</small>" for kind in kinds]
    return "<br>".join(lines if item.upos or item.chunks or item.brackets else [escape(" ".join(item.words)), *lines])


def _tagged(words: tuple[str, ...], tags: tuple[str, ...]) -> str:
    """Each word with its tag above it."""
    return " ".join(f"<ruby>{escape(w)}<rt>{escape(t)}</rt></ruby>" for w, t in zip(words, tags))


def _bracketed(words: tuple[str, ...], brackets: tuple[Span, ...]) -> str:
    """A tree as labelled brackets."""
    out = list(map(escape, words))
    for span in sorted(brackets, key=lambda s: s.end - s.start):  # inner ones first, so that outer ones enclose them
        out[span.start] = f"[<sub>{escape(span.label)}</sub> {out[span.start]}"
        out[span.end - 1] += "]"
    return " ".join(out)


def _listed(words: tuple[str, ...], spans: Iterable[Span]) -> str:
    named = (
        f"[{' '.join(words[s.start : s.end])}]{f' {s.label}' if s.label else ''}{'' if s.head is None else f' ({s.head})'}"
        for s in spans
    )
    return escape("; ".join(named))


@describe.register
def _(item: WordInContext) -> str:
    return marked(item.words, (item.target, item.target + 1, item.sense))


@describe.register
def _(item: EdgeItem) -> str:
    spans = sorted(((*s, str(n)) for n, s in enumerate((item.span1, item.span2), 1) if s), key=lambda s: s[:2])
    text = marked(item.words, *spans) if len(spans) < 2 or spans[0][1] <= spans[1][0] else escape(" ".join(item.words))
    return f"{text} → {escape(', '.join(item.labels))}"


@describe.register
def _(item: Association) -> str:
    return "; ".join(f"<small>{n}</small> {escape(', '.join(getattr(item, n.lower())[:6]))} …" for n in "XYAB")


@describe.register
def _(item: Ambiguity) -> str:
    target = () if item.target is None else ((item.target, item.target + 1, ""),)
    return f"{marked(item.words, *target)} <small>structure {item.label}, surface {item.linear} ({item.split})</small>"


@describe.register
def _(item: Translation) -> str:
    return "<br>".join(
        f"<small>{escape(lang)}</small> {escape(' '.join(s.words))}" for lang, s in item.sentences.items()
    )


@describe.register
def _(item: NumberItem) -> str:
    return f"{escape(' '.join(item.words))} → {item.target:g}"


@describe.register
def _(item: Coreference) -> str:
    spans = [(*c, "✓" if n == item.answer else "") for n, c in enumerate(item.candidates)]
    return marked(item.words, *sorted([*spans, (*item.pronoun, "?")]))
