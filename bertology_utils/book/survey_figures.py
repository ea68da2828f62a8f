"""The page "The survey's figures": one sentence's trees by layer, and languages in a plane; the rest of the page is links.

The trees are stored (`book/_static/trees.json`), since they take mpnet and a treebank; ``python -m bertology_utils.book look``
makes them again. The plane is of the distances in a shipped record.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..claims import evidence
from ..data import load as load_data
from ..experiments.mbert.centroids import square
from ..experiments.mbert.languages import named
from ..experiments.syntax import probing_trees
from ..files import write as put
from ..settings import Settings
from ..subject import models
from .stage import ROOT
from .templates import template

STORED = ROOT / "book" / "_static" / "trees.json"
NETWORK, TREES, SENTENCE = "mpnet", "ud_english_ewt", 4  # of its test sentences of 7 to 12 words
STRUCTURAL = "syn.structural_probe.hewitt2019"
LEARNT = 3_000  # sentences, as the claim has them
IDENTITY, MULTILINGUAL, SENTENCES = "mbt.language_identity.libovicky2019", "me5-q4", "tatoeba_laser"
STEP, LOW = 62, 14  # pixels from word to word, and below the arcs


def store() -> Path:
    """Make the stored trees again; errors as of `models.load` and of the data, where either is not here."""
    settings = Settings.of()
    subject = models.load(NETWORK, settings)
    items = load_data("treebank", TREES, n=LEARNT, settings=settings)["treebank"]
    accuracy = over_all("UUAS")
    best = max(range(1, len(accuracy)), key=lambda k: accuracy[k])
    found = [probing_trees.example(subject, items, k, SENTENCE, settings) for k in (0, best, len(accuracy) - 1)]
    made: dict[str, Any] = {"words": found[0]["words"], "gold": found[0]["gold"], "sha256": subject.sha256}
    made["chain"] = over_all("UUAS of the chain")[0]
    made["layers"] = [
        {"layer": k, "uuas": accuracy[k], "edges": f["predicted"]}
        for k, f in zip((0, best, len(accuracy) - 1), found, strict=True)
    ]
    return put(STORED, json.dumps(made, ensure_ascii=False) + "\n")


def over_all(measure: str) -> list[float]:
    """A measure of the claim's record, over the whole test set, by layer where it has layers."""
    return [round(value, 2) for value in by_layer(STRUCTURAL, NETWORK, TREES, measure)]


def by_layer(claim: str, model: str, data: str, measure: str, **where: str) -> list[float]:
    """A measure of a shipped record, by layer where it has layers; `where` says what other columns must hold."""
    asked = {"measure": measure, **where}
    rows = [r for r in _record(claim, model, data) if asked.items() <= r.items()]
    return [r["value"] for r in sorted(rows, key=lambda r: r.get("layer") or 0)]


def _record(claim: str, model: str, data: str) -> list[dict[str, Any]]:
    return json.loads((evidence.SHIPPED / claim / f"rerun--{model}--{data}.json").read_text("utf-8"))["rows"]


def page() -> dict[str, str]:
    """The drawn parts of the page: ``tuning``, ``trees`` and ``plane``."""
    stored = json.loads(STORED.read_text("utf-8"))
    gold = {tuple(e) for e in stored["gold"]}
    drawn = [
        (
            f"gold; linking neighbours finds {stored['chain']:.2f} of all test sentences' edges",
            arcs(stored["gold"], gold),
        )
    ]
    drawn += [
        (f"layer {of['layer']}: {len(gold & set(map(tuple, of['edges'])))} of {len(gold)} edges; over all test sentences"
         f" {of['uuas']:.2f}", arcs(of["edges"], gold))
        for of in stored["layers"]
    ]  # fmt: skip
    width = STEP * len(stored["words"])
    return {
        "tuning": _svg("tuning.svg"),
        "trees": _svg("trees.svg", words=stored["words"], drawn=drawn, step=STEP, width=width),
        "plane": _svg("plane.svg", points=_points()),
    }


def _svg(name: str, **given: Any) -> str:
    lines = template(name).render(**given).splitlines()
    return '<div class="drawn" tabindex="0">' + "\n".join(line for line in lines if line.strip()) + "</div>"


def arcs(
    edges: Sequence[Sequence[int]], gold: set[tuple[int, int]], step: int = STEP, low: int = LOW
) -> list[dict[str, Any]]:
    """Half ellipses from word to word, which are `step` pixels apart: the higher, the longer."""
    out = []
    for a, b in sorted(map(tuple, edges)):
        x, y = step * (a + 0.5), step * (b + 0.5)
        out.append({"d": f"M{x:g} 0A{(y - x) / 2:g} {low + 11 * (b - a):g} 0 0 1 {y:g} 0", "right": (a, b) in gold})
    return out


def _points() -> list[dict[str, Any]]:
    """Languages in the plane of their two main directions (classical scaling of the recorded distances), in pixels."""
    rows = [r for r in _record(IDENTITY, MULTILINGUAL, SENTENCES) if r["measure"] == "distance of centroids"]
    distances, names = square([(r["language"], r["other"], r["value"]) for r in rows])
    x = in_plane(distances)
    x = (x - x.min(0)) / np.ptp(x, axis=0).max()
    several = [g for g in dict.fromkeys(named(n).genus for n in names) if [named(m).genus for m in names].count(g) > 1]
    return [
        {
            "name": name,
            "x": round(40 + 520 * float(a)),
            "y": round(24 + 520 * float(b)),
            "genus": several.index(g) + 1 if (g := named(name).genus) in several else 0,
            "title": g,
        }
        for name, (a, b) in zip(names, x, strict=True)
    ]


def in_plane(distances: np.ndarray) -> np.ndarray:
    """The plane (K, 2) whose distances come nearest to those given (K, K), by their two main directions.

    Examples
    --------
    >>> x = in_plane(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]]))
    >>> float(np.linalg.norm(x[1] - x[2]).round(6))
    5.0
    """
    centred = distances**2 - (distances**2).mean(0) - (distances**2).mean(1, keepdims=True) + (distances**2).mean()
    values, directions = np.linalg.eigh(-centred / 2)
    directions = directions[:, -2:][:, ::-1]
    directions = directions * np.where(directions.sum(0) < 0, -1, 1)  # the same way up on every processor
    return directions * np.sqrt(np.maximum(values[-2:][::-1], 0))
