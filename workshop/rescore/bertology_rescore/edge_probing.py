"""Edge probing: the authors' tables of what BERT's vectors encode, against word-only probes (Tenney et al. 2019b)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import combine, row, table

VIEWS = {"lex": "input embeddings", "cat": "embeddings and last layer", "mix": "mix of all layers"}
SUBJECTS = ("bert-base-uncased", "bert-large-uncased")
CONTROL = "elmo-ortho (base)"  # an ELMo whose upper weights are random: what architecture alone gives
SYNTAX = {
    "pos-ontonotes-_micro_avg_": "POS",
    "nonterminal-ontonotes-_micro_avg_": "constituents",
    "dep-labeling-ewt-_micro_avg_": "dependencies",
}
SEMANTICS = {
    "ner-ontonotes-_micro_avg_": "entities",
    "srl-conll2012-_clean_micro_": "roles",
    "coref-ontonotes-conll-1": "coreference",
    "spr1-_micro_avg_": "proto-roles (SPR1)",
    "spr2-_micro_avg_": "proto-roles (SPR2)",
    "rel-semeval-_clean_micro_": "relations",
}
_FILES = ("iclr_edge_probing_scores.csv", "iclr_edge_probing_errn95.csv")


def edge_scores(files: Files, tasks: dict[str, str]) -> pd.DataFrame:
    """Micro F1 by model, view and task with the released 95 % half-widths, and the gain of each view over words alone.

    The interval of a gain takes the two runs as independent: the square root of the summed squares of both half-widths.
    """
    score, error = (files.csv(path).set_index("display_row") / 100 for path in _FILES)
    rows = []
    for key, task in tasks.items():
        if key not in score.index:
            raise KeyError(f"no task {key!r} in the table; there are {sorted(score.index)}")
        ortho = (score.loc[key, CONTROL], error.loc[key, CONTROL])
        rows.append(_row("F1", *ortho, subject="elmo with random weights", task=task, view="all layers"))
        for subject in SUBJECTS:
            words = None
            for view, name in VIEWS.items():
                column = f"{subject}-{view} (base)"
                value = score.loc[key, column], error.loc[key, column]
                rows.append(_row("F1", *value, subject=subject, task=task, view=name))
                if words is None:
                    words = value
                else:
                    rows.append(
                        _row(
                            "gain over input embeddings",
                            value[0] - words[0],
                            np.hypot(value[1], words[1]),
                            subject=subject,
                            task=task,
                            view=name,
                        )
                    )
    return table(rows)


def _row(measure: str, value: float, half: float, **keys) -> dict:
    return row(measure, (value, value - half, value + half) if np.isfinite(half) else only(value), 0, **keys)


def syntax(files: Files) -> pd.DataFrame:
    """The three syntactic tasks."""
    return edge_scores(files, SYNTAX)


def semantics(files: Files) -> pd.DataFrame:
    """The semantic tasks; F1 over the input embeddings; gains beside those of syntax."""
    found = edge_scores(files, SEMANTICS)
    rows = [found, table(over_baselines(found, "F1 over best baseline"))]
    gains = {kind: _mean_gains(edge_scores(files, tasks)) for kind, tasks in (("syn", SYNTAX), ("sem", SEMANTICS))}
    for subject in SUBJECTS:
        (one, a), (other, b) = gains["syn"][subject], gains["sem"][subject]
        gap = _row("gain over layer 0, syntactic - semantic", one - other, np.hypot(a, b), subject=subject, task="all")
        rows.append(table([gap]))
    return combine(*rows)


def over_baselines(found: pd.DataFrame, measure: str) -> list[dict]:
    """What a mix of all layers adds to the input embeddings, by task, under the name that the ledger's clauses know."""
    gains = found[(found["measure"] == "gain over input embeddings") & (found["view"] == VIEWS["mix"])]
    return gains.assign(measure=measure).to_dict("records")


def _mean_gains(found: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Subject -> mean over tasks of what the mix adds to the input embeddings, and its half-width."""
    gains = found[(found["measure"] == "gain over input embeddings") & (found["view"] == VIEWS["mix"])]
    return {
        subject: (part["value"].mean(), float(np.sqrt(((part["high"] - part["value"]) ** 2).sum())) / len(part))
        for subject, part in gains.groupby("subject")
    }
