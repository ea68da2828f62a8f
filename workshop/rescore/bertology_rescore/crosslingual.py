"""A task learnt in English and done in other languages: XNLI, XQuAD and parts of speech with multilingual BERT."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.glue import figure, readme_table
from bertology_utils.scores.intervals import Interval, difference, mean_interval, proportion, row, table

XNLI = 5010  # test items of each language, a third of them of each class
CODES = {"English": "en", "Chinese": "zh", "Spanish": "es", "German": "de", "Arabic": "ar", "Urdu": "ur"}
LATIN = {
    "cs",
    "de",
    "en",
    "es",
    "fi",
    "fr",
    "it",
    "pt",
    "ro",
    "sv",
    "sw",
    "tr",
    "vi",
}  # not written otherwise than English
BRANCHES = {  # of the languages that were tested
    "Germanic": {"de", "en", "sv"},
    "Romance": {"es", "fr", "it", "pt", "ro"},
    "Slavic": {"bg", "cs", "ru"},
    "Indo-Aryan": {"hi", "ur"},
}


def script(code: str) -> str:
    """Whether a language is written in the letters of English."""
    return "same" if code in LATIN else "other"


def branch(code: str) -> str:
    """The branch of the Indo-European family, or the language itself.

    Examples
    --------
    >>> branch("sv"), branch("tr")
    ('Germanic', 'tr')
    """
    return next((name for name, members in BRANCHES.items() if code in members), code)


def xnli_rows(scores: pd.Series, **keys) -> list[dict]:
    """Accuracy by language less a third, the share of every class, with intervals over the test items."""
    rows = []
    for code, score in scores.items():
        right = round(score * XNLI)
        found = Interval(*(x - 1 / 3 for x in proportion(right, XNLI)), clusters=XNLI)
        name, pair = ("accuracy over majority", "same language") if code == "en" else (MEASURE, "other language")
        rows.append(row(name, found, XNLI, **keys, language=code, pair=pair, script=script(code)))
    return rows


MEASURE = "zero-shot accuracy over majority"


def xnli_uncased(files: Files) -> pd.DataFrame:
    """Accuracy over a third by language."""
    scores = readme_table(files, "multilingual_md_01.csv").loc["BERT - Zero Shot Uncased"].rename(CODES).map(figure)
    return table(xnli_rows(scores, subject="bert-base-multilingual-uncased"))


def xnli_fifteen(files: Files) -> pd.DataFrame:
    """Accuracy over a third by language, for languages in Latin letters and in others."""
    scores = readme_table(files, "xnli.csv").loc["mBERT"].drop("average").map(figure)
    rows = xnli_rows(scores, subject="bert-base-multilingual-cased")
    for which in ("same", "other"):
        values = [r["value"] for r in rows if r["measure"] == MEASURE and r["script"] == which]
        name = f"{MEASURE}, mean over languages"
        rows.append(row(name, mean_interval(values), len(values), subject="bert-base-multilingual-cased", script=which))
    return table(rows)


def xquad(files: Files) -> pd.DataFrame:
    """F1 by language and its mean over languages in Latin letters and in others."""
    scores = readme_table(files, "README_md_02.csv").loc["mBERT"].drop("avg").map(figure)
    keys = dict(subject="bert-base-multilingual-cased")
    rows = [row("F1", only(v), 0, **keys, language=code, script=script(code)) for code, v in scores.items()]
    for which in ("same", "other"):
        values = [v for code, v in scores.items() if code != "en" and script(code) == which]
        rows.append(row("F1, mean over languages", mean_interval(values), len(values), **keys, script=which))
    return table(rows)


def pos_matrix(files: Files) -> pd.DataFrame:
    """Accuracy, language of training x language of the test; Chinese is left out, of which a handful of tokens was scored."""
    frame = files.csv("pud_pos_zero_shot.csv", index_col="src") / 100
    return frame.drop(index="zh", columns="zh")


def pos_zero_shot(files: Files) -> pd.DataFrame:
    """Mean accuracy over pairs of languages, with the same and with another script, and the least."""
    frame = pos_matrix(files)
    pairs = pd.DataFrame(
        [(a, b, frame.loc[a, b]) for a, b in permutations(frame.index, 2)], columns=["a", "b", "score"]
    )
    keys, rows = dict(subject="bert-base-multilingual-cased"), []
    same = pairs.a.map(script) == pairs.b.map(script)
    alike = same & pairs.a.map(script).eq("same")
    for which, part in (("both Latin", pairs[alike]), ("others", pairs[~alike])):
        found = mean_interval(part.score, groups=part[["a", "b"]])
        rows.append(row("zero-shot accuracy, parts of speech", found, len(part), **keys, script=which))
    return table([*rows, row("least zero-shot accuracy", only(pairs.score.min()), len(pairs), **keys, script="all")])


def pos_by_branch(files: Files) -> pd.DataFrame:
    """Mantel correlation of transfer with sharing a branch, and accuracy within a branch less across branches."""
    frame = pos_matrix(files)
    names, scores = list(frame.index), frame.to_numpy(float)
    same = np.array([[branch(a) == branch(b) for b in names] for a in names], float)
    mutual = (scores + scores.T) / 2
    upper = np.triu_indices(len(names), 1)
    r, p = mantel(mutual, same)
    within, across = mutual[upper][same[upper] == 1], mutual[upper][same[upper] == 0]
    keys = dict(subject="bert-base-multilingual-cased")
    return table(
        [
            row("Mantel correlation with branch", only(r), len(upper[0]), **keys),
            row("Mantel p, branch", only(p), len(upper[0]), **keys),
            row("accuracy, same branch - other", difference(within, across, paired=False), len(upper[0]), **keys),
        ]
    )


def mantel(a: np.ndarray, b: np.ndarray, draws: int = 2000, seed: int = 0) -> tuple[float, float]:
    """Correlation of two symmetric matrices off the diagonal, and how often permuted languages correlate as well.

    Examples
    --------
    >>> m = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    >>> mantel(m, m, draws=200)[0]
    1.0
    """
    rng, upper = np.random.default_rng(seed), np.triu_indices(len(a), 1)

    def r(order: np.ndarray) -> float:
        return float(round(np.corrcoef(a[np.ix_(order, order)][upper], b[upper])[0, 1], 12))

    found = r(np.arange(len(a)))
    beaten = sum(r(rng.permutation(len(a))) >= found for _ in range(draws))
    return found, (beaten + 1) / (draws + 1)


def xquad_by_branch(files: Files) -> pd.DataFrame:
    """F1 in Germanic and Romance languages less that in the others."""
    scores = readme_table(files, "README_md_02.csv").loc["mBERT"].drop(["avg", "en"]).map(figure)
    near = [v for code, v in scores.items() if branch(code) in ("Germanic", "Romance")]
    far = [v for code, v in scores.items() if branch(code) not in ("Germanic", "Romance")]
    gap = difference(near, far, paired=False)
    return table([row("F1, Germanic and Romance - others", gap, len(scores), subject="bert-base-multilingual-cased")])
