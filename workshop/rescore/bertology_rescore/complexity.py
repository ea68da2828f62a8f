"""How easily something is extracted: 13,770 probes of varying complexity (pimentel2020pareto)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.counts import pareto_area
from bertology_rescore.curves import columns, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import Interval, bootstrap, interval, row, table

SUBJECTS = {"bert": "bert-base-multilingual-cased", "fast": "fastText", "onehot": "one-hot", "random": "random vectors"}
TASKS = {"pos_tag": "POS", "dep_label": "dependency labels"}


def probes(files: Files) -> pd.DataFrame:
    """English probes with `subject`, `task` by their names here."""
    frame = files.csv("all_results.csv.gz")
    frame = frame[(frame.language == "english") & frame.representation.isin(SUBJECTS) & frame.task.isin(TASKS)]
    return frame.assign(subject=frame.representation.map(SUBJECTS), task=frame.task.map(TASKS))


def best_by_dev(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The probe with the highest development accuracy in each group: chosen on one split, scored on another."""
    return frame.loc[frame.groupby(keys).dev_acc.idxmax()]


def pareto(files: Files) -> pd.DataFrame:
    """Best accuracy and loss (nats), control with shuffled labels, and area under accuracy against probe rank.

    The probes are a random search over sizes and penalties: intervals draw the runs of the search anew, and n is their
    number.
    """
    frame = probes(files)
    plain = frame[~frame.shuffle_labels & ~frame.shuffle_input]
    control = frame[(frame.probe == "mlp") & frame.shuffle_labels & ~frame.shuffle_input]
    rows = []
    for (task, subject, probe), runs in plain[plain.probe != "rank-max"].groupby(["task", "subject", "probe"]):
        keys = dict(subject=subject, task=task, probe=probe)
        for measure, column in (("test accuracy", "test_acc"), ("test loss (nats)", "test_loss")):
            rows.append(row(measure, _best(runs, column), len(runs), **keys))
    for (task, subject), runs in control.groupby(["task", "subject"]):
        found = bootstrap(runs.train_acc.to_numpy(), np.max, bounds=(0.0, 1.0))
        keys = dict(subject=subject, task=task, probe="mlp")
        rows.append(row("training accuracy on shuffled labels", found, len(runs), **keys))
    for task, part in plain[plain.probe == "rank-max"].groupby("task"):
        for subject, runs in part.groupby("subject"):
            arrays, most = [runs.max_rank.to_numpy(), runs.test_acc.to_numpy()], part.max_rank.max()
            area = bootstrap(arrays, lambda x, y, most=most: pareto_area(x, y, most=most), bounds=(0.0, 1.0))
            keys = dict(subject=subject, task=task, probe="rank-max")
            rows.append(row("area under accuracy by rank", area, len(runs), **keys))
    rows += [_eased(part, task) for task, part in plain.groupby("task")]
    return table(rows)


def _eased(runs: pd.DataFrame, task: str) -> dict:
    """By how much more BERT is ahead of random vectors in area under accuracy by rank than in its best accuracy.

    Both are accuracies: the area is their mean over budgets of complexity.
    """
    most = runs[runs.probe == "rank-max"].max_rank.max()
    value, drawn, n = 0.0, np.zeros(()), []
    for k, (subject, sign) in enumerate(((SUBJECTS["bert"], 1), (SUBJECTS["random"], -1))):
        own = runs[runs.subject == subject]
        ranked, large = own[own.probe == "rank-max"], own[own.probe == "mlp"]
        arrays = [ranked.max_rank.to_numpy(), ranked.test_acc.to_numpy()]
        area = bootstrap(arrays, lambda x, y: pareto_area(x, y, most=most), seed=2 * k)
        arrays = [large.dev_acc.to_numpy(), large.test_acc.to_numpy()]
        best = bootstrap(arrays, lambda dev, test: test[dev.argmax()], seed=2 * k + 1)
        assert area.draws is not None
        assert best.draws is not None
        value, drawn = value + sign * (area[0] - best[0]), drawn + sign * (area.draws - best.draws)
        n += [len(ranked), len(large)]
    found = interval(float(value), drawn)
    keys = dict(subject=SUBJECTS["bert"], task=task, probe="rank-max")
    return row("lead by ease less lead by accuracy", found, min(n), **keys)


def _best(runs: pd.DataFrame, column: str) -> Interval:
    """A figure of the run that is best on development data, over the runs of the search."""
    arrays = [runs.dev_acc.to_numpy(), runs[column].to_numpy()]
    return bootstrap(arrays, lambda dev, test: test[dev.argmax()])


def linear_probes(files: Files) -> pd.DataFrame:
    """Test accuracy of the best linear probe and its lead over the best baseline."""
    frame = probes(files)
    frame = frame[(frame.probe == "linear") & ~frame.shuffle_labels & ~frame.shuffle_input]
    best = best_by_dev(frame, ["task", "subject"])
    rows = columns(best, {"test accuracy": "test_acc"}, {"subject": "subject", "task": "task"})
    for task, part in best.groupby("task"):
        accuracy = part.set_index("subject").test_acc
        lead = accuracy[SUBJECTS["bert"]] - accuracy.drop(SUBJECTS["bert"]).max()
        rows.append(released_row("lead over the best baseline", lead, subject=SUBJECTS["bert"], task=task))
    return table(rows)
