"""How easily something is extracted: 13,770 probes of varying complexity (Pimentel et al. 2020)."""

from __future__ import annotations

import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import only, pareto_area
from bertology_utils.scores.intervals import row, table

SUBJECTS = {"bert": "bert-base-multilingual-cased", "fast": "fastText", "onehot": "one-hot", "random": "random vectors"}
TASKS = {"pos_tag": "POS", "dep_label": "dependency labels"}
_PIMENTEL = dict(study="pimentel2020", folder="released/pimentel2020_pareto_probing", files=("all_results.csv.gz",))


def probes(files: Files) -> pd.DataFrame:
    """English probes with `subject`, `task` by their names here."""
    frame = files.csv("all_results.csv.gz")
    frame = frame[(frame.language == "english") & frame.representation.isin(SUBJECTS) & frame.task.isin(TASKS)]
    return frame.assign(subject=frame.representation.map(SUBJECTS), task=frame.task.map(TASKS))


def best_by_dev(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The probe with the highest development accuracy in each group: chosen on one split, scored on another."""
    return frame.loc[frame.groupby(keys).dev_acc.idxmax()]


@released(
    "syn.mdl.voita2020",
    label="authors",
    stance="qualifies",
    **_PIMENTEL,
    note="The authors' grid of probes for mBERT and simple baselines in English (Voita's code lengths were not "
    "released here). A large probe learns even shuffled labels, and with it random vectors do as well on "
    "parts of speech as one-hot ones, so accuracy alone misleads; the area under accuracy against rank "
    "puts mBERT first, as accuracy does.",
)
def pareto(files: Files) -> pd.DataFrame:
    """Best accuracy and loss (nats), control with shuffled labels, and area under accuracy against probe rank."""
    frame = probes(files)
    plain = frame[~frame.shuffle_labels & ~frame.shuffle_input]
    rows = []
    for r in best_by_dev(plain[plain.probe != "rank-max"], ["task", "subject", "probe"]).itertuples():
        keys = dict(subject=r.subject, task=r.task, probe=r.probe)
        rows += [
            row("test accuracy", only(r.test_acc), 0, **keys),
            row("test loss (nats)", only(r.test_loss), 0, **keys),
        ]
    control = frame[(frame.probe == "mlp") & frame.shuffle_labels & ~frame.shuffle_input]
    for r in control.loc[control.groupby(["task", "subject"]).train_acc.idxmax()].itertuples():
        rows.append(
            row(
                "training accuracy on shuffled labels",
                only(r.train_acc),
                0,
                subject=r.subject,
                task=r.task,
                probe=r.probe,
            )
        )
    for task, part in plain[plain.probe == "rank-max"].groupby("task"):
        for subject, group in part.groupby("subject"):
            area = pareto_area(group.max_rank, group.test_acc, most=part.max_rank.max())
            rows.append(row("area under accuracy by rank", only(area), 0, subject=subject, task=task, probe="rank-max"))
    return table(rows)


@released(
    "syn.pos_chunks_deps.tenney2019b",
    label="related",
    stance="supports",
    **_PIMENTEL,
    note="Another study's linear probes of mBERT in English against fastText, one-hot and random vectors; test "
    "accuracy of the probe chosen on development data, no intervals. Context adds most for dependency "
    "labels.",
)
def linear_probes(files: Files) -> pd.DataFrame:
    """Test accuracy of the best linear probe and its lead over the best baseline."""
    frame = probes(files)
    frame = frame[(frame.probe == "linear") & ~frame.shuffle_labels & ~frame.shuffle_input]
    best = best_by_dev(frame, ["task", "subject"])
    rows = [row("test accuracy", only(r.test_acc), 0, subject=r.subject, task=r.task) for r in best.itertuples()]
    for task, part in best.groupby("task"):
        accuracy = part.set_index("subject").test_acc
        lead = accuracy[SUBJECTS["bert"]] - accuracy.drop(SUBJECTS["bert"]).max()
        rows.append(row("lead over the best baseline", only(lead), 0, subject=SUBJECTS["bert"], task=task))
    return table(rows)
