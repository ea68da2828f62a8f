"""What recorded runs on several languages can do, and differences between groups of them.

Runs of two groups with the same seed saw the same text in the same order, and all were asked the same: differences are taken
seed by seed and item by item, seeds and items (sentences, blocks of them) resampled as two factors that cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...family.record import Record
from ...family.recorded import Recorded
from ...scores import intervals
from ...settings import Settings
from ..training import family as runs_of
from ..training.family import PLATEAU, pairs, per_place, truths

TRANSFER, OWN = "transfer", "own"
ABOUT = "languages"  # the tiers that the rows of this section are given


def retrieved(record: Record) -> np.ndarray:
    """Whether each test sentence's translation is nearest, there and back: 0, ½ or 1, (N,)."""
    told = record.items["retrieval"]
    return (truths(told["to"]) + truths(told["back"])) / 2


def over_chance(record: Record) -> np.ndarray:
    """The same less the share that would be found by chance, (N,)."""
    return retrieved(record) - record.items["retrieval"]["chance"]


def over_pieces(record: Record) -> np.ndarray:
    """The same less the share that the pieces find which both languages have, of runs that were asked real text, (N,)."""
    return retrieved(record) - record.items["retrieval"]["pieces"]


def words(record: Record) -> np.ndarray:
    """Whether the embedding next to each word's is that of its translation, (W,)."""
    return truths(record.items["words"])


def tagged(record: Record, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Words whose part of speech is told, and all words, per test sentence, (D,) each; `where`: transfer or own."""
    told = record.items["probes"][where]
    return np.array(told["right"], float), np.array(told["n"], float)


def parts_of_speech(
    runs: Recorded, settings: Settings, measure: str, group: str, where: str, /, **keys: object
) -> dict:
    """Accuracy of a group's probes, fitted in the first language, in the second or the first, as a row."""
    told = [tagged(r, where) for r in runs.group(group).values()]
    n = told[0][1]
    return intervals.row(measure, per_place(np.array([t[0] for t in told]), n, settings), int(n.sum()), **keys)


def transfer(runs: Recorded, settings: Settings, measure: str, a: str, b: str, /, **keys: object) -> dict:
    """Accuracy of group `a`'s probes in the second language less that of group `b`'s, as a row."""
    first, second = pairs(runs, a, b)
    n = tagged(first[0], TRANSFER)[1]
    apart = np.array([tagged(x, TRANSFER)[0] - tagged(y, TRANSFER)[0] for x, y in zip(first, second)])
    return intervals.row(measure, per_place(apart, n, settings), int(n.sum()), **keys)


def languages(record: Record) -> list[str]:
    """The first two languages of a run, those that are asked for anything but gaps, as its losses name them."""
    files = record.config["languages"].split()[:2]
    return [files[0], f"{files[0]} again"] if files[0] == files[-1] else files


def heldout(record: Record, language: str, name: str) -> np.ndarray:
    """Sums per block of held-out sentences of a language, (B,): loss and unigram in nats, right and n counts."""
    return np.array(record.items["heldout"][language][name], float)


def loss(runs: Recorded, settings: Settings, measure: str, a: str, b: str, language: str, /, **keys: object) -> dict:
    """Held-out loss of group `a` in a language less that of group `b`, in nats per masked piece, as a row."""
    first, second = pairs(runs, a, b)
    n = heldout(first[0], language, "n")
    apart = np.array([heldout(x, language, "loss") - heldout(y, language, "loss") for x, y in zip(first, second)])
    return intervals.row(measure, per_place(apart, n, settings), int(n.sum()), **keys)


def plateau(runs: Recorded, settings: Settings, groups: Sequence[str]) -> list[dict]:
    """How far each group's loss lies below that of the pieces' frequencies, and the loss itself, by language: rows.

    Where the body was frozen the second language alone is asked: for half of the run no piece of the first was to be told.
    """
    out = intervals.Rows(settings)
    for group in dict.fromkeys(groups):
        found = list(runs.group(group).values())
        frozen = found[0].config.get("body") == "frozen"
        for language in languages(found[0])[1 if frozen else 0 :]:
            n = heldout(found[0], language, "n")
            of = {"group": group, "language": language}
            levels = {
                PLATEAU: [heldout(r, language, "unigram") - heldout(r, language, "loss") for r in found],
                "loss": [heldout(r, language, "loss") for r in found],
            }
            for measure, sums in levels.items():
                out.add(measure, per_place(np.array(sums), n, settings), int(n.sum()), **of)
    return out


def level(runs: Recorded, settings: Settings, groups: Sequence[str]) -> list[dict]:
    """What each group's runs do: P@1 over chance, of embeddings alone too, words by embeddings, parts of speech; rows."""
    out = []
    for group in dict.fromkeys(groups):
        of: dict[str, Any] = {"group": group}
        found = list(runs.group(group).values())
        out += [
            runs_of.score(runs, settings, "P@1", group, retrieved, **of),
            runs_of.over_seeds(
                "P@1, embeddings alone", [r.items["retrieval"]["layers"][0] for r in found], settings, **of
            ),
        ]
        if found[0].items["words"]:  # real languages have no gold translations of words
            out.append(runs_of.score(runs, settings, "words translated by embeddings", group, words, **of))
        if found[0].items["probes"]:
            out.append(parts_of_speech(runs, settings, "accuracy, second language", group, TRANSFER, **of))
            out.append(parts_of_speech(runs, settings, "accuracy, first language", group, OWN, **of))
        if "pieces" in found[0].items["retrieval"]:  # of the text, the same for every seed: items alone are drawn
            asked = len(retrieved(found[0]))
            out.append(
                _of_text("P@1, shared pieces alone", [r.items["retrieval"]["pieces"] for r in found], asked, **of)
            )
            if usual := [r.items["probes"]["majority"] for r in found if r.items["probes"]]:
                out.append(
                    _of_text("share of the commonest tag", usual, int(tagged(found[0], TRANSFER)[1].sum()), **of)
                )
    # intervals end where shares do: few seeds near an end give wider ones
    return [row | {"low": max(row["low"], 0.0), "high": min(row["high"], 1.0)} for row in out]


def _of_text(measure: str, shares: Sequence[float], n: int, /, **keys: object) -> dict:
    """A share of `n` items that the text alone decides, as a row: seeds, which have the same, tell nothing of its interval."""
    share = float(np.mean(shares))
    _, low, high = intervals.proportion(round(share * n), n)
    return intervals.row(measure, intervals.Interval(share, low, high, clusters=n), n, **keys)


def table(
    runs: Recorded, settings: Settings, rows: Sequence[dict], learnt: Sequence[str], more: Sequence[str] = ()
) -> pd.DataFrame:
    """Rows with what the groups' runs do and, of those that must have learnt something, their distance from the plateau.

    Parameters
    ----------
    learnt, more : sequence of str
        Groups; the latter are controls and others of which nothing is asked.
    """
    here = [g for g in dict.fromkeys([*learnt, *more]) if runs.has(g)]
    beside = [*level(runs, settings, here), *plateau(runs, settings, learnt)]
    frame = runs_of.noted(runs, settings, rows, beside, here)
    frame.attrs["notes"].append(
        f"P@1 by chance: {next(iter(runs.group(here[0]).values())).items['retrieval']['chance']:.3f}"
    )
    return frame
