"""Negation and reversed roles: the fillers BERT ranks first, sentence by sentence (a replication of Ettinger 2019).

The stimuli come in pairs of lines: affirmative, then negated (or the two orders of the roles). Each line of a
predictions file lists the twenty likeliest fillers of the last word.
"""

from __future__ import annotations

import ast

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import overlap
from bertology_utils.scores.intervals import mean_interval, row, table

MODELS = ("bert-base-uncased", "bert-large-uncased", "distilbert-base-uncased")
NEGATION_SETS = ("NEG-136-SIMP", "NEG-1500-SIMP-GEN", "NEG-1500-SIMP-TEMP")


def read_pairs(files: Files, name: str, model: str) -> pd.DataFrame:
    """Pairs of lines of one stimulus set with the model's fillers.

    Returns
    -------
    DataFrame
        ``first, second`` (contexts without the last word), ``first_word, second_word`` (the last words),
        ``first_fillers, second_fillers`` (lists, likeliest first). Pairs that the file repeats are given once.

    Raises
    ------
    ValueError
        If the two files are not line by line alike, or a predictions line is no list of words.
    """
    stimuli = files.text(f"stimuli/{name}.txt").split("\n")
    stimuli = [line.strip().rstrip(",.").strip() for line in stimuli if line.strip()]
    lines = [line for line in files.text(f"predictions/{name}/{model}.txt").split("\n") if line.strip()]
    if len(stimuli) != len(lines) or len(lines) % 2:
        raise ValueError(
            f"{name}, {model}: {len(stimuli)} stimuli and {len(lines)} predictions; need as many, in pairs"
        )
    fillers = []
    for number, line in enumerate(lines, 1):
        words = ast.literal_eval(line)
        if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
            raise ValueError(f"predictions/{name}/{model}.txt:{number} is no list of words: {line[:80]!r}")
        fillers.append(words)
    split = [s.rsplit(" ", 1) for s in stimuli]
    frame = pd.DataFrame(
        {
            "first": [c for c, _ in split[::2]],
            "second": [c for c, _ in split[1::2]],
            "first_word": [w for _, w in split[::2]],
            "second_word": [w for _, w in split[1::2]],
            "first_fillers": fillers[::2],
            "second_fillers": fillers[1::2],
        }
    )
    return frame.drop_duplicates(["first", "second", "first_word", "second_word"]).reset_index(drop=True)


def _rank(fillers: list[str], word: str) -> float:
    """Place of a word from 0, or infinity where it is not among the twenty."""
    return float(fillers.index(word)) if word in fillers else np.inf


def _means(frame: dict[str, list], **keys) -> list[dict]:
    """A row a measure; values that are nan (not defined for an item) do not count."""
    rows = []
    for measure, values in frame.items():
        values = np.asarray(values, float)
        values = values[~np.isnan(values)]
        rows.append(row(measure, mean_interval(values), len(values), **keys))
    return rows


@released(
    "syn.negation.ettinger2019",
    study="Shivagunde et al. 2023",
    label="rerun",
    stance="qualifies",
    folder="released/shivagunde2023_ettinger_extended",
    files=tuple(
        f"{kind}/{s}{end}" for s in NEGATION_SETS for kind, end in (("stimuli", ".txt"), ("predictions", "/*.txt"))
    ),
    note="Twenty likeliest fillers for Ettinger's negation sentences and about 1,500 new ones a set. In the "
    "negated sentence the category that is now false often stays among the likeliest, as the survey says; "
    "but it drops from first place much of the time and the two lists differ, so 'predictions do not "
    "react' is too strong.",
)
def negation(files: Files) -> pd.DataFrame:
    """Where the category of the affirmative sentence stands with and without 'not'.

    Measures: `true first` / `true in top 5` (affirmative), `false first` / `false in top 5` (negated: the same word,
    now false), `same first filler`, `overlap of top 10`, and `false above true` (negated; the new sets name a true
    category for the negated line: how often the false one ranks higher, where either is among the twenty).
    """
    rows = []
    for name in NEGATION_SETS:
        for model in MODELS:
            pairs = read_pairs(files, name, model)
            if not (pairs.second.str.contains(" not ").all() and not pairs["first"].str.contains(" not ").any()):
                raise ValueError(f"{name}: lines do not alternate affirmative, negated")
            found = {
                m: []
                for m in (
                    "true first",
                    "true in top 5",
                    "false first",
                    "false in top 5",
                    "same first filler",
                    "overlap of top 10",
                    "false above true",
                )
            }
            for p in pairs.itertuples():
                true, false = _rank(p.first_fillers, p.first_word), _rank(p.second_fillers, p.first_word)
                other = _rank(p.second_fillers, p.second_word)
                known = name != "NEG-136-SIMP" and np.isfinite(min(false, other))  # that set names no true category
                found["true first"].append(true == 0)
                found["true in top 5"].append(true < 5)
                found["false first"].append(false == 0)
                found["false in top 5"].append(false < 5)
                found["same first filler"].append(p.first_fillers[0] == p.second_fillers[0])
                found["overlap of top 10"].append(overlap(p.first_fillers, p.second_fillers, 10))
                found["false above true"].append(false < other if known else np.nan)
            found = {m: v for m, v in found.items() if not np.isnan(np.asarray(v, float)).all()}
            rows += _means(found, subject=model, set=name)
    return table(rows)


@released(
    "sem.roles.ettinger2019",
    study="Shivagunde et al. 2023",
    label="rerun",
    stance="supports",
    folder="released/shivagunde2023_ettinger_extended",
    files=("stimuli/ROLE-1500.txt", "predictions/ROLE-1500/*.txt"),
    note="Twenty likeliest verbs for 750 pairs of sentences with the roles in both orders: the expected verb "
    "is more often among them in its own order than in the reversed one, but rarely first, and half of "
    "the ten likeliest are the same in both orders.",
)
def roles(files: Files) -> pd.DataFrame:
    """Is the expected verb among the likeliest, in its own order of the roles and in the reversed one?"""
    rows = []
    for model in MODELS:
        found = {f"{m} in top {k}": [] for k in (1, 5, 20) for m in ("expected", "other order's")}
        found["overlap of top 10"] = []
        for p in read_pairs(files, "ROLE-1500", model).itertuples():
            for fillers, own, other in (
                (p.first_fillers, p.first_word, p.second_word),
                (p.second_fillers, p.second_word, p.first_word),
            ):
                for k in (1, 5, 20):
                    found[f"expected in top {k}"].append(_rank(fillers, own) < k)
                    found[f"other order's in top {k}"].append(_rank(fillers, other) < k)
            found["overlap of top 10"].append(overlap(p.first_fillers, p.second_fillers, 10))
        rows += _means(found, subject=model, set="ROLE-1500")
    return table(rows)
