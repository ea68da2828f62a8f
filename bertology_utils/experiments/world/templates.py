"""Better wordings retrieve more facts: templates chosen on other facts, and several together (jiang2019b)."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from ...claims.registry import claim
from ...data.items import Cloze
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...scores.relations import macro
from ...settings import Settings
from ...subject import retrieval
from ...subject.cloze import log_probabilities
from . import plants
from .facts import of_others

FACTS = 30  # of a relation, on either side
TEMPLATES = 8  # mined, and as many paraphrased ones, with the greatest weights of the study
LEAST = 4  # facts of a relation on either side, or it is left out
CANDIDATES = 10  # likeliest pieces of each template that weights are fitted over, beside the right ones
PULL = 1.0  # of the weights towards equal ones, beside the mean loss of a fact


@dataclass(frozen=True)
class Relation:
    """A relation's facts in all of its wordings, dev and test apart: items ``[fact][template]``."""

    name: str
    templates: tuple[Cloze, ...]  # an item of each wording, the manual one first
    dev: list[list[Cloze]]
    test: list[list[Cloze]]


def relations(items: list[Cloze], settings: Settings) -> list[Relation]:
    """Relations with enough facts that are asked in every wording; dev facts are the train split's, or else half."""
    found: dict[str, dict[tuple, dict[str, Cloze]]] = defaultdict(lambda: defaultdict(dict))
    for item in items:
        found[item.condition][item.split, item.meta["subject"]][item.meta["template"]] = item
    out = []
    for name, facts in sorted(found.items()):
        wordings = {t: i for of in facts.values() for t, i in of.items()}
        kept = _wordings(list(wordings.values()))
        whole = {k: [of[i.meta["template"]] for i in kept] for k, of in facts.items()
                 if all(i.meta["template"] in of for i in kept)}  # fmt: skip
        dev, test = ([k for k in whole if (k[0] == "train") is side] for side in (True, False))
        draw = random.Random(f"{settings.seed} {name}")
        if not dev:
            test = draw.sample(test, len(test))
            dev, test = test[::2], test[1::2]
        dev, test = (draw.sample(k, min(FACTS, len(k))) for k in (dev, test))
        if len(kept) > 1 and min(len(dev), len(test)) >= LEAST:
            out.append(Relation(name, tuple(kept), [whole[k] for k in dev], [whole[k] for k in test]))
    return out


def _wordings(items: list[Cloze]) -> list[Cloze]:
    """The manual wording, then the others: at most `TEMPLATES` of each origin, by weight."""
    groups = defaultdict(list)
    for item in items:
        groups["manual" if plants.manual(item) else item.meta.get("origin", "other")].append(item)
    ordered = [sorted(groups[k], key=lambda i: -i.meta.get("weight", 1.0)) for k in sorted(groups) if k != "manual"]
    return groups["manual"][:1] + [i for of in ordered for i in of[:TEMPLATES]]


def fit_weights(logs: np.ndarray, right: np.ndarray, pull: float = PULL) -> np.ndarray:
    """Weights of templates under which the right candidates are likeliest, drawn towards equal ones.

    Parameters
    ----------
    logs : float array (facts, templates, candidates)
        Log-probabilities; -inf where a fact has fewer candidates.
    right : int array (facts,)
        Which candidate is right.

    Returns
    -------
    float array (templates,)
        At the one optimum of a convex loss, of weights of zero or more (a template that misleads must not speak for the
        pieces it finds unlikely): mean of -log softmax(weights @ logs)[right] + pull / 2 |weights - 1/T|^2.
    """
    facts, many, _ = logs.shape
    there = np.isfinite(logs).all(1)  # (facts, candidates)
    x = np.where(there[:, None], logs, 0.0)
    even, at = np.full(many, 1 / many), np.arange(facts)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.where(there, np.einsum("t,ftc->fc", w, x), -np.inf)
        scores -= scores.max(1, keepdims=True)
        p = np.exp(scores)
        p /= p.sum(1, keepdims=True)
        slope = np.einsum("fc,ftc->t", p, x) - x[at, :, right].sum(0)
        value = -np.log(np.maximum(p[at, right], 1e-300)).mean() + pull / 2 * ((w - even) ** 2).sum()
        return value, slope / facts + pull * (w - even)

    options = {"maxiter": 500, "gtol": 1e-9, "ftol": 1e-15}
    return minimize(loss, even, jac=True, method="L-BFGS-B", bounds=[(0, None)] * many, options=options).x


def _distributions(subject, facts: list[list[Cloze]], settings) -> np.ndarray:
    """Log-probabilities (facts, templates, V)."""
    texts = [i.text for of in facts for i in of]
    out = np.empty((len(texts), subject.config.vocab_size), np.float32)
    for k, logs in log_probabilities(subject, texts, settings):
        out[k] = logs
    return out.reshape(len(facts), -1, out.shape[1])


def _answers(subject, facts: list[list[Cloze]]) -> list[np.ndarray]:
    return [retrieval.pieces(subject, of[:1]).answers[0] for of in facts]


def _fitted(logs: np.ndarray, answers: list[np.ndarray]) -> np.ndarray:
    """Weights from dev facts: logs (facts, templates, V)."""
    chosen = [
        np.unique(np.concatenate([right, np.argpartition(own, -CANDIDATES, axis=1)[:, -CANDIDATES:].ravel()]))
        for own, right in zip(logs, answers)
    ]
    table = np.full((*logs.shape[:2], max(map(len, chosen))), -np.inf)
    places = []
    for f, (own, pieces, right) in enumerate(zip(logs, chosen, answers)):
        table[f, :, : len(pieces)] = own[:, pieces]
        best = right[own[:, right].mean(0).argmax()]  # of several right ones the likeliest
        places.append(int(np.searchsorted(pieces, best)))
    return fit_weights(table, np.array(places))


def retrieved(subject, relation: Relation, settings) -> pd.DataFrame:
    """A row per test fact: is the object first by the manual wording, by the one chosen on dev, by several together?"""
    dev, test = (_distributions(subject, facts, settings) for facts in (relation.dev, relation.test))
    known, asked = _answers(subject, relation.dev), _answers(subject, relation.test)
    reciprocal = np.array([[1 / (1 + retrieval.rank(x, right)) for x in own] for own, right in zip(dev, known)])
    on_dev = reciprocal.mean(0)  # (templates,)
    groups = ["manual" if plants.manual(i) else i.meta.get("origin", "other") for i in relation.templates]
    best = {"chosen on dev": choose(on_dev)}
    for kind in sorted(set(groups) - {"manual"}):
        members = [k for k, g in enumerate(groups) if g == kind]
        best[f"best {kind}"] = members[choose(on_dev[members])]
    weights = {"equal weights": np.full(len(groups), 1 / len(groups)), "fitted weights": _fitted(dev, known)}
    rows = []
    for own, right, of in zip(test, asked, relation.test):
        hit = [float(retrieval.rank(x, right) == 0) for x in own]
        row = {"manual": hit[0], "any wording": max(hit)} | {name: hit[k] for name, k in best.items()}
        row |= {name: float(retrieval.rank(w @ own, right) == 0) for name, w in weights.items()}
        rows.append({"relation": relation.name, "subject": of[0].meta["subject"], **row})
    out = pd.DataFrame(rows)
    out["majority object"] = retrieval.majority(out["relation"], [a.tolist() for a in asked]).astype(float)
    first = test[:, best["chosen on dev"]].argmax(1)
    out["another subject"] = of_others(out["relation"], first, asked)
    return out


@claim(
    "wld.templates.jiang2019b",
    "facts",
    n=1814,
    quick=1814,
    nulls=("untrained", "constant", plants.commonest_object, plants.commonest_by_wording, plants.ALL_WORDINGS_ALIKE),
    planted=plants.by_wording,
)
def templates(subject, data, settings):
    """P@1 by the manual wording, by the one chosen on other facts, and by all of them together (jiang2019b).

    On dev facts a wording is chosen by its mean reciprocal rank, and weights are fitted for a sum of the wordings'
    log-probabilities. `any wording` is what an oracle would get that knew which one is right, `another subject` the share
    of a relation's other facts whose answer, by the wording chosen, is right of this one.
    """
    items, _, note = retrieval.answerable(subject, data["facts"])
    found = relations(items, settings)
    if not found:
        raise TooFew(f"no relation has {LEAST} facts on either side in several wordings: {note}")
    frame = pd.concat([retrieved(subject, r, settings) for r in found], ignore_index=True)
    units = frame["relation"], frame["subject"]
    kinds = [c for c in frame.columns if c not in ("relation", "subject")]
    kinds = [c for c in kinds if frame[c].notna().all()]
    rows = [intervals.row("P@1", macro(frame[c], *units, settings), len(frame), prompts=c) for c in kinds]
    differences = {
        "P@1, chosen on dev - manual": ("chosen on dev", "manual"),
        "P@1, ensemble - best single": ("fitted weights", "chosen on dev"),
        "P@1 over majority object": ("chosen on dev", "majority object"),
        "P@1, own subject - another subject": ("chosen on dev", "another subject"),
    }
    for measure, (a, b) in differences.items():
        interval = macro(frame[a] - frame[b], *units, settings, signed=True)
        rows.append(intervals.row(measure, interval, len(frame)))
    wordings = np.mean([len(r.templates) for r in found])
    more = f"{len(found)} relations with {wordings:.0f} wordings on average; at most {FACTS} facts on either side"
    return intervals.table(rows, [note, more])
