"""Negation and reversed roles: the fillers BERT ranks first, sentence by sentence (a replication of Ettinger 2019).

The stimuli come in pairs of lines: affirmative, then negated (or the two orders of the roles). Each line of a
predictions file lists the twenty likeliest fillers of the last word.
"""

from __future__ import annotations

import ast
import re

import numpy as np
import pandas as pd

from bertology_rescore.counts import overlap
from bertology_rescore.files import Files
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
    """A row per measure; values that are nan (not defined for an item) do not count."""
    rows = []
    for measure, listed in frame.items():
        values = np.asarray(listed, float)
        values = values[~np.isnan(values)]
        rows.append(row(measure, mean_interval(values), len(values), **keys))
    return rows


def negation(files: Files) -> pd.DataFrame:
    """Where the category of the affirmative sentence stands with and without 'not'.

    By set: `true first` / `true in top 5` (affirmative), `false first` / `false in top 5` (negated: the same word, now
    false), `overlap of top 10`. Over all sets: `same first filler`; and, where one of the two categories named is among
    the twenty, `accuracy, affirmative` and `unmoved by not` (the category true of the affirmative sentence ranks higher,
    without and with 'not') and `switched by not` (both sentences decided: the preference turns to the true category,
    less the share in which it turns away). Things and categories are resampled.
    """
    rows = []
    for model in MODELS:
        every = []
        for name in NEGATION_SETS:
            pairs = read_pairs(files, name, model)
            if not (pairs.second.str.contains(" not ").all() and not pairs["first"].str.contains(" not ").any()):
                raise ValueError(f"{name}: lines do not alternate affirmative, negated")
            found = pd.DataFrame([_ranked(p) for p in pairs.itertuples()])
            by_set = ("true first", "true in top 5", "false first", "false in top 5", "overlap of top 10")
            rows += _means({m: found[m] for m in by_set}, subject=model, set=name)
            every.append(found)
        rows += _pooled(pd.concat(every, ignore_index=True), model)
    return table(rows)


def _ranked(p) -> dict:
    """The measures of one pair; nan where the twenty fillers do not say."""
    true, false = _rank(p.first_fillers, p.first_word), _rank(p.second_fillers, p.first_word)
    plain = _above(true, _rank(p.first_fillers, p.second_word))
    still = _above(false, _rank(p.second_fillers, p.second_word))
    return {
        "thing": re.sub(r" (is|was|are|were)( not)?( an?)?$", "", p.first),
        "category": p.first_word,
        "true first": true == 0,
        "true in top 5": true < 5,
        "false first": false == 0,
        "false in top 5": false < 5,
        "overlap of top 10": overlap(p.first_fillers, p.second_fillers, 10),
        "same first filler": float(p.first_fillers[0] == p.second_fillers[0]),
        "accuracy, affirmative": plain,
        "unmoved by not": still,
        "switched by not": plain * (1 - still) - (1 - plain) * still,
    }


def _above(a: float, b: float) -> float:
    """Whether rank a is the better of the two; nan where neither is known."""
    return float(a < b) if np.isfinite(min(a, b)) else np.nan


def _pooled(found: pd.DataFrame, model: str) -> list[dict]:
    rows = []
    for measure in ("same first filler", "accuracy, affirmative", "unmoved by not", "switched by not"):
        known = found.dropna(subset=measure)
        groups, signed = known[["thing", "category"]], measure == "switched by not"
        rows.append(
            row(measure, mean_interval(known[measure], groups=groups, signed=signed), len(known), subject=model)
        )
    return rows


def roles(files: Files) -> pd.DataFrame:
    """Is the expected verb among the likeliest, in its own order of the roles and in the reversed one?

    `sensitivity to reversal`: of a pair, 1 if the expected verb ranks above the other order's in both orders, -1 if in none,
    and half of it for an order that has neither among the twenty; a bag of words has 0.
    """
    rows = []
    for model in MODELS:
        found: dict[str, list] = {f"{m} in top {k}": [] for k in (1, 5, 20) for m in ("expected", "other order's")}
        found |= {"overlap of top 10": [], "sensitivity to reversal": []}
        for p in read_pairs(files, "ROLE-1500", model).itertuples():
            wins = []
            for fillers, own, other in (
                (p.first_fillers, p.first_word, p.second_word),
                (p.second_fillers, p.second_word, p.first_word),
            ):
                above = _above(_rank(fillers, own), _rank(fillers, other))
                wins.append(0.5 if np.isnan(above) else above)
                for k in (1, 5, 20):
                    found[f"expected in top {k}"].append(_rank(fillers, own) < k)
                    found[f"other order's in top {k}"].append(_rank(fillers, other) < k)
            found["overlap of top 10"].append(overlap(p.first_fillers, p.second_fillers, 10))
            found["sensitivity to reversal"].append(sum(wins) - 1)
        rows += _means(found, subject=model, set="ROLE-1500")
    return table(rows)
