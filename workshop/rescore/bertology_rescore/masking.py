"""What is masked: whole words, spans, entities (devlin2019, cui2019, joshi2020, sun2019b), from tables of READMEs."""

from __future__ import annotations

import pandas as pd

from bertology_rescore.cells import by_task, gains, mean_of_runs, readme, score
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import mean_interval, row, table

GAIN = "task score, whole word - piece"
GOOGLE = "README_md_02.csv"
CHINESE_TASKS = ("CMRC 2018", "DRCD", "CJRC", "XNLI", "ChnSentiCorp", "LCQMC", "BQ Corpus", "THUCNews")
SPANS = "README_md_02.csv"


def google_scores(files: Files) -> pd.DataFrame:
    """F1 on SQuAD 1.1 and accuracy on MNLI, fractions; rows are (casing, pieces or words)."""
    frame = readme(files, GOOGLE, index="Model")
    rows = {}
    for casing in ("Uncased", "Cased"):
        for masks, name in (("pieces", "Original"), ("words", "Whole Word Masking")):
            cells = frame.loc[f"BERT-Large, {casing} ({name})"]
            f1 = score(cells["SQUAD 1.1 F1/EM"].split("/")[0])
            rows[casing.lower(), masks] = {"SQuAD 1.1": f1, "MNLI": score(cells["Multi NLI Accuracy"])}
    return pd.DataFrame(rows).T


def whole_words(files: Files) -> pd.DataFrame:
    """Scores by masking and casing, gains by task, and the mean gain; tasks and casings are crossed."""
    scores, rows = google_scores(files), []
    for (casing, masks), tasks in scores.iterrows():
        rows += by_task("task score", tasks.to_dict(), subject="bert-large", casing=casing, masks=masks)
    found = (scores.xs("words", level=1) - scores.xs("pieces", level=1)).stack()
    for (casing, task), gain in found.items():
        rows += by_task(GAIN, {task: gain}, subject="bert-large", casing=casing)
    crossed = {"task": found.index.get_level_values(1), "casing": found.index.get_level_values(0)}
    mean = mean_interval(found.to_numpy(), groups=crossed, signed=True)
    rows.append(row(GAIN, mean, len(found), subject="bert-large", casing="all", task="all"))
    return table(rows)


def chinese_scores(files: Files) -> pd.DataFrame:
    """Models x tasks: the mean over ten runs on test (F1 of the reading tasks, accuracy of the others), fractions."""
    tables = {task: readme(files, f"README_EN_md_{k:02}.csv", index="Model") for k, task in enumerate(CHINESE_TASKS, 1)}
    return pd.DataFrame({task: frame["Test"].map(mean_of_runs) for task, frame in tables.items()})


def chinese_words(files: Files) -> pd.DataFrame:
    """Scores by masking, gains by task, and the mean gain over tasks."""
    scores, rows = chinese_scores(files), []
    found = {"pieces": scores.loc["BERT"].to_dict(), "words": scores.loc["BERT-wwm"].to_dict()}
    for masks, tasks in found.items():
        rows += by_task("task score", tasks, subject="bert-base-chinese", masks=masks)
    return table(rows + gains(GAIN, found["words"], found["pieces"], subject="bert-base-chinese"))


def spans(files: Files) -> pd.DataFrame:
    """F1 by task and model, SpanBERT - BERT by task, and the mean over tasks."""
    frame = readme(files, SPANS)
    frame = frame[frame.iloc[:, 0].notna()].set_index(frame.columns[0]).map(score)
    rows = []
    for size in ("base", "large"):
        old, new = (frame.loc[f"{name} ({size})"].to_dict() for name in ("BERT", "SpanBERT"))
        rows += by_task("task score", old, subject=f"bert-{size}")
        rows += by_task("task score", new, subject=f"spanbert-{size}")
        rows += gains("task score, SpanBERT - BERT", new, old, subject=f"spanbert-{size}")
    return table(rows)


def entities(files: Files) -> pd.DataFrame:
    """Scores of both, ERNIE - BERT by task, and the mean over tasks."""
    scores, rows = chinese_scores(files), []
    ernie, bert = (scores.loc[name].to_dict() for name in ("ERNIE", "BERT"))
    rows += by_task("task score", bert, subject="bert-base-chinese") + by_task("task score", ernie, subject="ernie")
    return table(rows + gains("task score, ERNIE - BERT", ernie, bert, subject="ernie"))
