"""What generated items look like, and what the licences of the original data say: the generated parts of the data page.

Of original data nothing is shown: what may not be passed on must not slip into a page.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from html import escape

from ..cards import markup
from ..data import builtin
from ..data.items import Item, Sentence, Span
from ..data.original import registry

SHOWN = 20  # samples a builder
DRAWN = 400  # items they are drawn from


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
            f'<tr id="data-{data.name}"><th scope="row"><code>{data.name}</code><br>{escape(data.title)}<br>'
            f"<small>{len(data.files)} file{'s' * (len(data.files) != 1)}, {data.bytes / 1e6:.1f} MB</small></th>"
            f'<td data-label="from">{where}</td>'
            f'<td data-label="licence, as stated there">{escape(data.licence)}</td>'
            f'<td data-label="may be passed on">{"yes" if data.redistribute else "no"}</td></tr>'
        )
    return markup.table("scoreboard", ("data set", "from", "licence, as stated there", "may be passed on"), rows)


def page() -> str:
    """A fold for every builder, with `SHOWN` of its items drawn at random."""
    text = []
    for task in builtin.tasks():
        items = builtin.build(task, DRAWN, 0)
        drawn = random.Random(f"0 {task}").sample(items, min(SHOWN, len(items)))
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


def describe(item: Item) -> str:
    """An item as HTML: as it describes itself, a sentence with its gold."""
    return _analysed(item) if isinstance(item, Sentence) else escape(item.describe()).replace("\n", "<br>")


def _analysed(item: Sentence) -> str:
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
