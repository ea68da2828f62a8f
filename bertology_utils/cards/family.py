"""The whole family of pretraining runs as one table, and its learning curves as rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import metadata

import numpy as np
import pandas as pd

from ..claims import evidence
from ..experiments.training import family as differences
from ..family.grid import TRAINING, Member, Tier, members, tiers
from ..family.record import Record, find
from ..family.recorded import NAME, Recorded
from ..settings import Settings
from .tables import Table
from .words import data_name

ATTRACTORS = (0, 1, 2)
HEAD = (
    *("runs", "tier", "seeds", "loss", "± seeds", "top-1"),
    *(f"{k} attr." for k in ATTRACTORS),
    *("probe", "tuned", "core s", "differ from the base in"),
)
FIGURES = {name: "{:.2f}" for name in HEAD[3:-2]} | {HEAD[-2]: "{:.0f}"}


def table(tier: str | None = None) -> Table:
    """Every group that has records and its held-out loss, of all tiers about training or of one: means over its seeds.

    Columns: held-out loss in nats per masked piece at the same places for all runs of a tier, its standard deviation over
    seeds, and the share of those pieces that are guessed; share of agreement items right with 0, 1 and 2 attractors; accuracy
    of a linear probe of dependency relations; accuracy of tuned copies; seconds of one processor core per run.
    """
    chosen = [Recorded(t) for t in tiers().values() if t.about == TRAINING and tier in (None, t.name)]
    whole = [(runs, g) for runs in chosen for g in runs.tier.groups if runs.has(g) and _whole(runs, g)]
    return Table(pd.DataFrame([_row(*w) for w in whole], columns=list(HEAD)), FIGURES, "runs of the family")


def _whole(runs: Recorded, name: str) -> bool:
    """Whether a group was asked all that its tier is asked, rather than what fills a gap."""
    return runs.tier.group(name)[0].only == runs.tier.group("base")[0].only


def _row(runs: Recorded, name: str) -> tuple:
    found = list(runs.group(name).values())
    losses = [loss(r) for r in found]
    spread = float(np.std(losses, ddof=1)) if len(losses) > 1 else float("nan")
    agree = [float(np.mean([agreement(r, k) for r in found])) for k in ATTRACTORS]
    top, *means = (float(np.mean([f(r) for r in found])) for f in (top1, _probe, _tuned, differences.seconds))
    said = changes(runs.tier, name)
    if (own := {r.precision for r in found}) != {r.precision for r in runs.group("base").values()}:
        said += f"; timed on another processor, in {' and '.join(sorted(own))}"
    return name, runs.tier.name, len(found), float(np.mean(losses)), spread, top, *agree, *means, said


def beside() -> dict[str, pd.DataFrame]:
    """What each choice does to held-out loss, in the tiers on generated language, on few of its words, and on English.

    Tier -> rows by ``group``, 95 % intervals over seeds and documents: a group less the base, a second task less next
    sentences; groups of which the first and another tier have recorded both sides.
    """
    every = {name: Recorded(tiers()[name]) for name in ("generated", "few-words", "english")}
    first, settings = every["generated"], Settings.of()
    groups = {
        group: {name: pair for name, runs in every.items() if all(map(runs.has, pair := _sides(runs, group)))}
        for group in first.tier.groups
        if group != "base" and first.has(group)
        if all("heldout" in r.items for r in first.group(group).values())  # its runs fill gaps
    }
    told = {g: by for g, by in groups.items() if "generated" in by and len(by) > 1}
    rows = {
        name: [differences.loss(runs, settings, "loss", *by[name], group=g) for g, by in told.items() if name in by]
        for name, runs in every.items()
    }
    return {name: pd.DataFrame(found) for name, found in rows.items() if found}


def _sides(runs: Recorded, group: str) -> tuple[str, str]:
    """The groups of a tier whose difference is that of a group of the generated tier."""
    task = {name: task for task, name in differences.TASKS.items()}.get(group)
    return (group, "base") if task is None else (differences.with_task(runs, task), differences.with_task(runs, "nsp"))


def recall(id: str) -> dict[str, pd.DataFrame]:
    """What is recorded of a claim about runs: the text that they learnt -> rows, generated language first.

    Raises
    ------
    KeyError
        If the ledger has no such row.
    """
    found = [r for r in evidence.find(id) if r.kind == "rerun" and r.model == NAME]
    return {data_name(r.data): r.frame for r in sorted(found, key=lambda r: r.data != "builtin")}


def changes(tier: Tier, name: str) -> str:
    """What a group has that the base has not, in words.

    >>> changes(tiers()["generated"], "half layers")
    'layers 1'
    """
    base, own = (tier.group(g)[0].config.as_dict() for g in ("base", name))
    apart = [k for k in own if own[k] != base.get(k) and k not in ("name", "seed", "exports", "nsp")]
    if "phases" in apart:
        apart.remove("phases")
        depths = " then ".join(str(p["layers"] or own["layers"]) for p in own["phases"])
        return ", ".join([*(f"{k} {_plain(own[k])}" for k in apart), f"layers {depths}"])
    told = [f"{k.replace('_', ' ')} {_plain(own[k])}" for k in apart]
    if own["nsp"] != base["nsp"]:
        told.append("a second task" if own["nsp"] else "no second task")
    return ", ".join(told)


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def loss(record: Record) -> float:
    """Held-out loss of a run in nats per masked piece, at the places that all runs of its tier were asked for."""
    return _over_n(record.items.get("heldout"), "loss")


def top1(record: Record) -> float:
    """Share of the hidden pieces that a run guesses."""
    return _over_n(record.items.get("heldout"), "right")


def agreement(record: Record, attractors: int) -> float:
    """Share of agreement items with so many attractors (more count as two) that a run has right."""
    asked = record.items.get("agreement", {})
    told = "".join(v for k, v in asked.items() if f" {attractors} attractor" in k)
    return told.count("1") / len(told) if told else float("nan")


def _probe(record: Record) -> float:
    return _over_n(record.items.get("probes", {}).get("deprel"), "right")


def _over_n(told: dict | None, name: str) -> float:
    return sum(told[name]) / sum(told["n"]) if told else float("nan")


def _tuned(record: Record) -> float:
    told = record.items.get("tuned", {}).get("right", "")
    return told.count("1") / len(told) if told else float("nan")


def curves(groups: list[str], tier: str = "generated") -> dict[str, pd.DataFrame]:
    """Learning curves: group -> pieces seen, mean held-out loss over seeds, and the least and the most of them.

    Groups that have no record in the tier are left out.
    """
    runs, out = Recorded(tiers()[tier]), {}
    for name in filter(runs.has, groups):
        told = [pd.DataFrame(r.curve)[["tokens", "heldout_mlm"]].dropna() for r in runs.group(name).values()]
        length = min(map(len, told))
        losses = np.array([t["heldout_mlm"].to_numpy()[:length] for t in told])  # (S, points)
        pieces = np.mean([t["tokens"].to_numpy()[:length] for t in told], 0)
        frame = {"tokens": pieces, "value": losses.mean(0), "low": losses.min(0), "high": losses.max(0), "n": len(told)}
        out[name] = pd.DataFrame(frame).assign(measure="held-out loss")
    return out


def growth(group: str) -> dict[str, pd.DataFrame]:
    """Agreement at the exported checkpoints of a group's runs on generated language, mean over seeds.

    Number of attractors -> rows by pieces.
    """
    runs = Recorded(tiers()["generated"]).group(group)
    whole = pd.concat(pd.DataFrame(r.items["checkpoints"]).assign(seed=s) for s, r in runs.items())
    whole["point"] = whole.groupby(["seed", "attractors"])["tokens"].rank().astype(int)
    out = {}
    for attractors, part in whole.groupby("attractors"):
        by = part.groupby("point")
        frame = pd.DataFrame({"tokens": by["tokens"].mean(), "value": by["value"].mean()})
        frame = frame.assign(low=by["value"].min(), high=by["value"].max(), n=by["n"].sum(), measure="agreement")
        out[f"{attractors} attractor{'s' * (attractors != 1)}"] = frame.reset_index(drop=True)
    return out


def live(groups: list[str], pieces: int) -> dict[str, pd.DataFrame]:
    """Seed 0 of each group, on generated language, trained again here up to `pieces`: its recorded curve, and that of now.

    Rows as those of `curves`, under ``GROUP, recorded`` and ``GROUP, now``. What trains is the distribution bertology-pretrain;
    where it is not installed a warning says so, and the losses of now are missing (nan).
    """
    retrace, out = trainer(), {}
    for group in groups:
        (member,) = members([f"{group}-0"], "generated")
        told = retrace(member, pieces).assign(n=1, measure="held-out loss")
        for name, column in (("recorded", "recorded"), ("now", "value")):
            frame = told.assign(value=told[column], low=told[column], high=told[column])
            out[f"{group}, {name}"] = frame.drop(columns="recorded")
    return out


def trainer() -> Callable[[Member, int], pd.DataFrame]:
    """What trains a run again: points of its record with ``tokens``, ``recorded`` and ``value``, the loss of now."""
    for point in metadata.entry_points(group="bertology.training"):
        return point.load()
    warnings.warn(
        "nothing is trained here: that is done by bertology-pretrain (in a checkout: make setup)", stacklevel=3
    )
    return _untrained


def _untrained(member: Member, pieces: int) -> pd.DataFrame:
    record = find(member)
    points = [p for p in (record.curve if record else ()) if p["tokens"] <= pieces]
    told = {"tokens": [p["tokens"] for p in points], "recorded": [p["heldout_mlm"] for p in points]}
    return pd.DataFrame(told).assign(value=float("nan"))
