"""Shallow heuristics: tuned on MNLI (williams2018), scored on HANS (mccoy2020, prasanna2020); cues of arguments (niven2019)."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.glue import over_runs
from bertology_rescore.seeds import HEURISTICS, SEEDS, runs
from bertology_utils.scores.intervals import bootstrap, difference, mean_interval, row, seeds_by_items, table, unpaired

BASE = "bert-base-uncased"
ENTAILMENT = "bert-base-uncased, not tuned: always entailment"


def hans(files: Files) -> pd.DataFrame:
    """Accuracy where the heuristic is right and where it is wrong, by heuristic; the mean difference over the three."""
    frame, keys = runs(files), {"subject": BASE}
    rows = [row("accuracy, in domain", mean_interval(frame["MNLI dev acc."]), len(frame), **keys, condition="MNLI")]
    gaps = []
    for name, column in HEURISTICS.items():
        right, wrong = (frame[f"{column} ({kind})"] for kind in ("entailed", "nonent"))
        gaps.append(right - wrong)
        for values, meaning in ((right, "heuristic right"), (wrong, "heuristic wrong")):
            rows.append(row("accuracy", mean_interval(values), len(frame), **keys, condition=f"{name}, {meaning}"))
    gap = mean_interval(sum(gaps) / len(gaps), signed=True)
    return table([*rows, row("accuracy, consistent - contradicting", gap, len(frame), **keys, condition="HANS")])


_SUBCASES = "hans_results/hans_results_bert_base_uncased_{}.txt"
_SCORES = "scores.csv"
MNLI_DEV = 9815  # sentence pairs of the matched development set


def subcases(text: str) -> pd.DataFrame:
    """Accuracy on each of the thirty subcases of HANS, from what its evaluation prints.

    Returns
    -------
    DataFrame
        ``subcase, heuristic`` (l, s, c), ``right`` (the heuristic gives the right answer), ``accuracy``.

    Raises
    ------
    ValueError
        If there are not five subcases for each heuristic and answer.
    """
    part = text.split("Subcase results:")[1].split("Template results:")[0]
    found = re.findall(r"^([lsc])([en])_(\S+): ([\d.]+)$", part, flags=re.M)
    frame = pd.DataFrame(found, columns=["heuristic", "label", "subcase", "accuracy"]).astype({"accuracy": float})
    frame["right"] = frame.pop("label") == "e"
    sizes = frame.groupby(["heuristic", "right"]).size()
    if sizes.to_list() != [5] * 6:
        raise ValueError(f"not five subcases for each heuristic and answer: {sizes.to_dict()}")
    return frame


def hans_by_subcase(files: Files) -> pd.DataFrame:
    """As `hans`, over subcases; and the same of the constant answer that the untuned model gives."""
    rows = []
    for name, subject in (("finetuned", BASE), ("pretrained", ENTAILMENT)):
        frame, keys = subcases(files.text(_SUBCASES.format(name))), {"subject": subject}
        for (heuristic, right), part in frame.groupby(["heuristic", "right"]):
            long = next(k for k in HEURISTICS if k.startswith(heuristic))
            mean = bootstrap(part.accuracy, np.mean, bounds=(0, 1)) if subject == BASE else only(part.accuracy.mean())
            meaning = f"{long}, heuristic {'right' if right else 'wrong'}"
            rows.append(row("accuracy", mean, len(part), **keys, condition=meaning))
        right, wrong = (frame[frame.right == is_].accuracy for is_ in (True, False))
        gap = difference(right, wrong, paired=False)
        rows.append(row("accuracy, consistent - contradicting", gap, len(frame), **keys, condition="HANS"))
    scores = files.csv(_SCORES).set_index(["file", "metric"])
    found = scores.loc[("baseline/results.json", "mnli_acc")]
    mean = over_runs(found["mean"], found["std_over_5_seeds"], SEEDS)
    constant = scores.loc[("freq_baseline/results.json", "mnli_acc")].iloc[0]["mean"]
    rows.append(row("accuracy, in domain", mean, MNLI_DEV, subject=BASE, condition="MNLI"))
    rows.append(row("accuracy, in domain", only(constant), MNLI_DEV, subject=ENTAILMENT, condition="MNLI"))
    return table(rows)


def warrants(files: Files) -> pd.DataFrame:
    """Test accuracy by what is seen, whole - part, and original - mirrored items, over runs crossed with items."""
    seen = {"all": "bert_large", "warrants": "bert_large_w", "reason and warrants": "bert_large_rw",
            "claim and warrants": "bert_large_cw"}  # fmt: skip
    right = {name: right_by_run(files, folder) for name, folder in seen.items()}
    rows, large = [], dict(subject="bert-large-uncased", task="ARCT")
    base = right_by_run(files, "bert_base")
    rows.append(row("accuracy", seeds_by_items(base), base.size, subject=BASE, task="ARCT", seen="all"))
    for name, part in right.items():
        rows.append(row("accuracy", seeds_by_items(part), part.size, **large, seen=name))
        rows.append(row("accuracy, best run", only(part.mean(1).max()), part.shape[1], **large, seen=name))
        if name != "all":
            lost = unpaired(mean_interval(right["all"].mean(1)), mean_interval(part.mean(1), seed=1))
            rows.append(row("accuracy over runs, all - part", lost, len(part), **large, seen=name))
    return table(rows + _mirrored(files))


def right_by_run(files: Files, folder: str) -> np.ndarray:
    """(runs, items): 1 where a run is right on a test item.

    Raises
    ------
    ValueError
        If the runs were not tested on the same items.
    """
    frame = files.csv(f"{folder}/preds.csv.gz")
    wide = frame[frame.dataset == "test"].pivot(index="run_no", columns="id", values="correct")
    if wide.isna().any(axis=None):
        raise ValueError(f"{folder}: runs were tested on different items")
    return wide.to_numpy(float)


def _mirrored(files: Files) -> list[dict]:
    """Accuracy on the test items less that on their mirror images, over all runs and over those that fit their data."""
    rows = []
    for name, folder in (("all", "bert_large_adv"), ("warrants", "bert_large_adv_w")):
        runs = files.csv(f"{folder}/accs.csv")
        gap = runs.test - runs.test_adv
        keys = dict(subject="bert-large-uncased", task="ARCT", seen=name)
        for which, part in (("all", gap), ("those right on nine of ten in training", gap[runs.train > 0.9])):
            found = mean_interval(part, signed=True)
            rows.append(row("accuracy, original - mirrored items", found, len(part), **keys, runs=which))
    return rows
