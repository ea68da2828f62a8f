"""Models of few and of many languages on XNLI, and masking across sentence pairs: the tables of XLM and of BERT."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.counts import accuracy_difference
from bertology_rescore.crosslingual import XNLI
from bertology_rescore.files import Files
from bertology_rescore.glue import figure, readme_table, task_rows
from bertology_utils.scores.intervals import row, table


def xlm_scores(files: Files) -> pd.DataFrame:
    """XNLI accuracy, model with its number of languages x language tested."""
    frame = readme_table(files, "README_md_02.csv")
    frame.index = [f"{name}, {count}" for name, count in zip(frame.index, frame["lg"])]
    return frame.drop(columns="lg").map(lambda c: np.nan if c == "-" else figure(c))


def _right(pair: pd.Series) -> tuple[int, int]:
    """How many of XNLI's items two models have right."""
    first, second = (round(share * XNLI) for share in pair)
    return first, second


def lead_rows(measure: str, scores: pd.DataFrame, first: str, second: str, **keys) -> list[dict]:
    """One model's lead over another on XNLI: the mean over languages, and by language with intervals over test items."""
    both = scores.loc[[first, second]].dropna(axis=1)
    by_language = {code: accuracy_difference(*_right(both[code]), XNLI) for code in both}
    rows = task_rows(measure, both.loc[first] - both.loc[second], by_language, **keys)
    return [r | {"n": XNLI if "by task" in r["measure"] else r["n"]} for r in rows]


def tlm(files: Files) -> pd.DataFrame:
    """Zero-shot accuracy with TLM less without."""
    lead = lead_rows(
        "XNLI accuracy, TLM - MLM", xlm_scores(files), "XLM (MLM+TLM), 15", "XLM (MLM), 15", subject="xlm-15"
    )
    return table(lead)


def hundred_languages(files: Files) -> pd.DataFrame:
    """Accuracy with 17 languages less with 100."""
    name = "XNLI accuracy, 17 - 100 languages"
    return table(lead_rows(name, xlm_scores(files), "XLM (MLM), 17", "XLM (MLM), 100", subject="xlm-17 and xlm-100"))


def chinese_alone(files: Files) -> pd.DataFrame:
    """Accuracy of the Chinese model less that of the multilingual one."""
    scores = readme_table(files, "multilingual_md_02.csv")["Chinese"].map(figure)
    right = _right(scores[["BERT Chinese-only Model", "BERT Multilingual Model"]])
    keys = dict(subject="bert-base-chinese and bert-base-multilingual-uncased", language="zh")
    return table([row("XNLI accuracy, one language - many", accuracy_difference(*right, XNLI), XNLI, **keys)])
