"""Agreement by language: the right form of a verb against the other one, at a gap (bacon2019, mueller2020).

Both forms must have as many pieces of the vocabulary, one or several, so that neither is the likelier for being shorter:
the gap then has as many masks, and a form the sum of its pieces' log-probabilities there. In each language, and of each
pair of forms, as many items are kept in which the one is right as in which the other is: whoever always prefers one of
the two is right in exactly one half.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import torch

from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import MASK, Data, ForcedChoice
from ...scores import intervals
from ...scores.choices import by_class
from ...settings import Settings
from ...subject import cloze, encode
from ...subject.models import Subject
from . import plants

MOST = 240  # items of a language
OF_PAIR = 30  # of a pair of forms: most sentences of a treebank have forms of "be"
FEWEST = 20  # items below which a language is left out


def pieces(subject: Subject, form: str) -> tuple[int, ...]:
    """The pieces of a form as vocabulary ids; none where part of it is unknown to the vocabulary, or it is two words."""
    ids = subject.tokenizer([form], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    return () if subject.tokenizer.unk_token_id in ids or " " in form else tuple(ids)


def comparable(subject: Subject, items: Sequence[ForcedChoice]) -> list[ForcedChoice]:
    """Those of which both forms have as many pieces, and whose sentence the model takes whole."""
    of = {form: pieces(subject, form) for item in items for form in (item.good, item.bad)}
    alike = [i for i in items if len(of[i.good]) == len(of[i.bad]) > 0 and of[i.good] != of[i.bad]]
    return encode.fitting(subject, alike, lambda i: i.text.replace(MASK, i.good).split())[0]


def margins(subject: Subject, items: Sequence[ForcedChoice], settings: Settings) -> np.ndarray:
    """log P(good) - log P(bad) in nats, (n,), of forms of as many pieces, each at a mask of its own."""
    mask, out = subject.tokenizer.mask_token_id, np.empty(len(items))
    of = [(pieces(subject, i.good), pieces(subject, i.bad)) for i in items]
    rows, starts = [], []
    for item, (good, _) in zip(items, of):
        row, at = cloze.gap_row(subject, item.text)
        wide: dict[str, Any] = {
            "ids": (mask,) * len(good),
            "types": (row.types[at],) * len(good),
            "words": (row.words[at],) * len(good),
        }
        wide = {k: (*getattr(row, k)[:at], *v, *getattr(row, k)[at + 1 :]) for k, v in wide.items()}
        rows.append(replace(row, **wide))
        starts.append(at)
    for batch in encode.batches(subject, rows, settings.budget):
        hidden = encode.forward(subject, batch).last_hidden_state
        for b, i in enumerate(batch.index):
            good, bad = of[i]
            with torch.inference_mode():
                logits = subject.predict(hidden[b, starts[i] : starts[i] + len(good)])  # (pieces, V)
            logs = torch.log_softmax(logits.float(), -1).cpu().numpy().astype(float)
            each = np.arange(len(good))
            out[i] = logs[each, good].sum() - logs[each, bad].sum()
    return out


def both(item: ForcedChoice) -> str:
    """The pair of forms, whichever is right."""
    return " / ".join(sorted((item.good, item.bad)))


def evened(items: Sequence[ForcedChoice], settings: Settings) -> list[ForcedChoice]:
    """Of each language and pair of forms as many items of either form, up to `MOST` of a language.

    Of a pair up to `OF_PAIR`, or an even share of them where a language has few pairs.
    """
    groups: dict[tuple[str, str], dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for item in sorted(items, key=lambda i: crc32(f"{settings.seed} {i.id}".encode())):
        groups[item.condition, both(item)][item.good].append(item)
    left: dict[str, int] = defaultdict(lambda: MOST)
    pairs = Counter(language for (language, _), found in groups.items() if len(found) > 1)
    kept = []
    for (language, _), found in sorted(groups.items(), key=lambda g: crc32(f"{settings.seed} {g[0]}".encode())):
        if len(found) < 2:
            continue
        n = min(*map(len, found.values()), max(OF_PAIR, MOST // pairs[language]) // 2, left[language] // 2)
        left[language] -= 2 * n
        kept += [item for part in found.values() for item in part[:n]]
    return kept


def scored(alike: Sequence[ForcedChoice], settings: Settings) -> list[ForcedChoice]:
    """Of comparable items those that are put to the model: evened, in languages that have enough."""
    items = evened(alike, settings)
    counted = Counter(i.condition for i in items)
    return [i for i in items if counted[i.condition] >= FEWEST]


def asked(subject: Subject, data: Data, settings: Settings) -> Data:
    """The items that are scored: CLAMS has 230,000, of which 240 of a language are."""
    items = scored(comparable(subject, data["multilingual_agreement"]), settings)
    return replace(data, items={**data.items, "multilingual_agreement": items})


@claim(
    "mbt.agreement.bacon2019",
    ("multilingual_agreement", "multilingual_treebank"),
    n=3300,
    nulls=(*GAPS, plants.one_form),
    planted=plants.agreeing,
    asked=asked,
)
def agreement(subject, data, settings):
    """P(right form) > P(other form) at the gap, by language (bacon2019; mueller2020 for CLAMS).

    Pairs of forms and sentence frames are crossed in the intervals. Items whose forms differ in their number of pieces are
    left out and counted. A language of fewer than 20 items is left out.
    """
    every = data["multilingual_agreement"]
    alike = comparable(subject, every)
    items = scored(alike, settings)
    if not items:
        return pd.DataFrame()
    frame = pd.DataFrame(
        {
            "language": [i.condition for i in items],
            "gold": ["first" if i.good < i.bad else "second" for i in items],
            "forms": [both(i) for i in items],
            "frame": [i.text for i in items],
            "right": margins(subject, items, settings) > 0,
        }
    )
    rows = by_language(frame, settings)
    return intervals.table(rows, [dropped(every, alike, items)])


def by_language(frame: pd.DataFrame, settings: Settings) -> list[dict]:
    """Balanced accuracy and the share right in each language, and the means over languages."""
    rows, shares = intervals.Rows(settings), []
    for language, part in frame.groupby("language"):
        units = ["forms", "frame"] if part["forms"].nunique() > 1 else ["frame"]
        found = by_class(part, settings=settings, groups=units)
        found = found[found["measure"] == "balanced accuracy"].assign(language=language, pairs=part["forms"].nunique())
        found[["low", "high"]] = found[["low", "high"]].clip(0, 1)  # few pairs of forms: limits of t know no bounds
        rows += found.drop(columns="gold").to_dict("records")
        shares.append(found["value"].iloc[0])
    rows.mean("balanced accuracy, mean over languages", np.array(shares))
    return rows


def dropped(every: Sequence, alike: Sequence, items: Sequence) -> str:
    """How many items of each language there were, how many with forms of as many pieces, how many are scored."""
    counts = [Counter(i.condition for i in part) for part in (every, alike, items)]
    said = ", ".join(f"{c} {counts[0][c]} > {counts[1][c]} > {counts[2][c]}" for c in sorted(counts[0]))
    return f"items, of them with forms of as many pieces in a sentence that fits, of them scored, either form as often: {said}"
