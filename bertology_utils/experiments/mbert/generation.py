"""Does a multilingual model fill gaps worse than a monolingual one, and does it fill auxiliaries? (ronnqvist2019)

English gaps go to the subject and to a monolingual model; only words that are one piece for both are asked. Auxiliaries
are asked in German and Swedish: of the language's auxiliaries the likeliest must be one that fits what follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np

from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import MASK, Cloze, Data, Translation
from ...errors import TooFew
from ...scores import intervals
from ...settings import TWIN, Settings
from ...subject import cloze
from ...subject.companions import companion, how_to_name
from ...subject.models import Subject, load
from .auxiliaries import AUXILIARIES, gapped, made
from .languages import language
from .parallel import ENGLISH, code_of
from .planted import auxiliaries

MONOLINGUAL = "partner"  # the role of the model to compare with
PARTNERS = {"bert-base-multilingual-cased": "bert-base-cased"}  # else `mini`
MOST = 400  # gaps


@claim("mbt.generation.ronnqvist2019", "translations", n=400, nulls=GAPS, planted=auxiliaries)
def generation(subject, data, settings):
    """Words that stood in a gap found again, beside a monolingual model; auxiliaries over the commonest (ronnqvist2019).

    One word of each English sentence is masked. For auxiliaries the commonest is that which would be right most often
    in the items themselves, by language: no constant can do better. Intervals draw sentences, or the main words of generated
    ones.
    """
    other, who = _monolingual(subject, settings)
    gaps = english_gaps((subject, other), data["translations"])
    if not gaps:
        raise TooFew("no English sentence has a word that is one piece for both models")
    right = {name: filled(s, gaps, settings) for name, s in (("multilingual", subject), ("monolingual", other))}
    less = right["monolingual"].astype(int) - right["multilingual"]
    rows = [_row("cloze accuracy, monolingual - multilingual", less, [g.id for g in gaps], settings)]
    rows += [_row("cloze accuracy", r, [g.id for g in gaps], settings, by=name) for name, r in right.items()]
    items = auxiliary_gaps(data)
    rows += _auxiliaries(subject, items, settings)
    spoken = ", ".join(sorted({language(i.condition).name for i in items}))
    notes = [
        f"{len(gaps)} English gaps, of words that are one piece for both models; the monolingual model is {who}",
        f"{len(items)} gaps of auxiliaries in {spoken}",
    ]
    return intervals.table(rows, notes)


def filled(subject: Subject, gaps: Sequence[Cloze], settings: Settings) -> np.ndarray:
    """Whether the likeliest piece of all is the one that stood in the gap, (n,); of equals the first is taken.

    So a subject that has nothing to say, to which all pieces are alike, is not right.
    """
    out = np.zeros(len(gaps), bool)
    for k, logs in cloze.log_probabilities(subject, [gap.text for gap in gaps], settings):
        out[k] = int(logs.argmax()) == cloze.filler_id(subject, gaps[k].answers[0])
    return out


def _monolingual(subject: Subject, settings: Settings) -> tuple[Subject, str]:
    """The monolingual model, or its twin beside a twin; and a word on how alike the two are."""
    default = PARTNERS.get(settings.model.removesuffix(TWIN), "mini")
    found = companion(MONOLINGUAL, settings, twin=subject.is_twin, default=default) or load(default, settings)
    name = found.name.removesuffix(TWIN)
    if name != "mini":
        return found, name
    return (
        found,
        f"mini, which is of another size, blind to case and of other text ({how_to_name(MONOLINGUAL, settings)})",
    )


def english_gaps(subjects: Sequence[Subject], items: Sequence[Translation], most: int = MOST) -> list[Cloze]:
    """One gap in each of the English sentences, at a word of letters that is one piece for all subjects."""
    said: dict[str, Any] = {}
    for item in items:
        for name, sentence in item.sentences.items():
            if code_of(name) == ENGLISH:
                said.setdefault(" ".join(sentence.words), sentence.words)
    out = []
    for text in sorted(said, key=lambda t: crc32(t.encode()))[: 2 * most]:
        words = said[text]
        known = [
            i for i, w in enumerate(words) if w.isalpha() and all(cloze.filler_id(s, w) is not None for s in subjects)
        ]
        if known and MASK not in text:
            at = known[crc32(text.encode()[::-1]) % len(known)]
            gap = " ".join([*words[:at], MASK, *words[at + 1 :]])
            out.append(Cloze(id=text, text=gap, answers=(words[at],), condition=ENGLISH))
    return out[:most]


def auxiliary_gaps(data: Data) -> list[Cloze]:
    """Gaps of auxiliaries: generated ones beside generated sentences, else those of the sentences themselves."""
    if data.name == "builtin" or "concepts" in next(iter(data["translations"][0].sentences.values())).meta:
        return list(made())
    return sorted(_in_text(data["translations"]), key=lambda g: crc32(g.id.encode()))[: 2 * MOST]


def _in_text(items: Sequence[Translation]) -> Iterator[Cloze]:
    seen = set()
    for name, sentence in (said for item in items for said in item.sentences.items()):
        if (code := code_of(name)) in AUXILIARIES and sentence.words not in seen:
            seen.add(sentence.words)
            yield from gapped(code, sentence)


def _auxiliaries(subject: Subject, items: Sequence[Cloze], settings: Settings) -> list[dict]:
    """Accuracy among the auxiliaries of the language, by language, and over the commonest one."""
    ids = {code: {w: cloze.filler_id(subject, w) for w in words} for code, words in AUXILIARIES.items()}
    known = {code: [w for w, i in found.items() if i is not None] for code, found in ids.items()}
    asked = [i for i in items if set(i.answers) & set(known[i.condition])]
    if not asked:
        raise TooFew(f"no auxiliary is one piece of {subject.name}'s vocabulary")
    right = np.zeros(len(asked), bool)
    for k, logs in cloze.log_probabilities(subject, [i.text for i in asked], settings):
        words = known[asked[k].condition]
        scores = {w: float(logs[ids[asked[k].condition][w]]) for w in words}
        best = max(words, key=scores.__getitem__)
        right[k] = best in asked[k].answers
    commonest = constant(asked)
    groups = [i.meta.get("main", i.id) for i in asked]
    rows = [_row("auxiliary cloze over frequency", right.astype(int) - commonest, groups, settings)]
    for code, (by, found) in product(
        sorted({i.condition for i in asked}), (("model", right), ("commonest", commonest))
    ):
        mine = np.array([i.condition == code for i in asked])
        which = [g for g, m in zip(groups, mine) if m]
        rows.append(_row("auxiliary cloze", found[mine], which, settings, by=by, language=language(code).name))
    return rows


def constant(items: Sequence[Cloze]) -> np.ndarray:
    """Which items (n,) the auxiliary is right in that is right most often in their language.

    Examples
    --------
    >>> answers = [("ist",), ("ist", "hat"), ("hat",), ("ist",)]
    >>> constant([Cloze(id=str(k), text="x [MASK]", answers=a, condition="de") for k, a in enumerate(answers)]).tolist()
    [True, True, False, True]
    """
    counted: dict[str, Counter] = {}
    for item in items:
        counted.setdefault(item.condition, Counter()).update(item.answers)
    best = {code: c.most_common(1)[0][0] for code, c in counted.items()}
    return np.array([best[item.condition] in item.answers for item in items])


def _row(measure: str, values: np.ndarray, groups: Sequence, settings: Settings, **keys) -> dict:
    signed = values.dtype != bool
    return intervals.mean_row(measure, values, settings, groups=list(groups), signed=signed, **keys)
