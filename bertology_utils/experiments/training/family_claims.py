"""What runs of pretraining differ in: masks, second tasks, shape, schedule, what is replaced; a claim about each."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family import compute
from ...family.reading import from_plain
from ...family.record import PROBES, Record
from ...family.recorded import Recorded
from ...settings import Settings
from . import family

USUAL, RATES = 0.15, (0.1, 0.2, 0.3, 0.8)
SHOWN = 0.4  # a rate beside them, in tiers that have it: of recipes for larger models


@claim("trn.masking_rate.raffel2019", family=True)
def masking_rate(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss at other masking rates less that at 15 %, all asked under masks of 15 % (raffel2019).

    Who hides less has fewer pieces to learn from and learns later: each rate that is compared must have come near its plateau.
    """
    usual, rates = at_rate(runs, USUAL), [r for r in sorted({*RATES, SHOWN}) if runs.has(at_rate(runs, r))]
    rows = [family.loss(runs, settings, "loss, rate - 15%", at_rate(runs, r), usual, rate=r) for r in rates]
    compared = (usual, *(at_rate(runs, r) for r in rates if r in RATES[:-1]))
    beside = [family.fall(runs, settings, group) for group in compared if group != "base"]
    return family.noted(runs, settings, rows, [*family.plateau(runs, settings, compared), *beside], compared)


def at_rate(runs: Recorded, rate: float) -> str:
    """The group that hides this share of the pieces: the base, where that is its rate."""
    base = next(iter(runs.group("base").values()))
    return "base" if base.config["mask_rate"] == rate else f"rate {rate}"


@claim("trn.dynamic_masking.liu2019b", family=True)
def dynamic_masking(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with masks drawn afresh at every pass less that with the same ones, on the same rows (liu2019b)."""
    fresh, fixed = family.pairs(runs, "same rows", "static masks")
    rows = [
        family.loss(runs, settings, "loss, dynamic - static", "same rows", "static masks"),
        family.over_seeds("passes over the text", [r.passes for r in (*fresh, *fixed)], settings),
    ]
    return family.table(runs, settings, rows, ("same rows", "static masks"))


@claim("trn.unk_mask.clinchant2019", family=True)
def unk_mask(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with [UNK] or with random pieces in place of [MASK], in training and when asked (clinchant2019)."""
    rows = [
        family.loss(runs, settings, "loss, [UNK] - [MASK]", "unk", "base"),
        family.loss(runs, settings, "loss, random word - [MASK]", "random piece", "base"),
    ]
    return family.table(runs, settings, rows, ("base", "unk"))


@claim("trn.whole_word.devlin2019", family=True)
def whole_word(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Agreement and linear probes after masking whole words or spans, less those after masking pieces (devlin2019)."""
    groups = ("whole word", *(["span"] if runs.has("span") else []))
    rows = [family.score(runs, settings, "agreement", g, family.agreeing, group=g) for g in ("base", *groups)]
    for group in groups:
        said = f"agreement, {group} - piece"
        rows.append(family.difference(runs, settings, said, group, "base", family.agreeing))
        for name in PROBES:
            said = f"probe accuracy, {group} - piece"
            rows.append(family.probes(runs, settings, said, group, "base", name, probe=name))
    return family.table(runs, settings, rows, ("base", *groups))


@claim("trn.entity_mask.sun2019b", family=True)
def entity_mask(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Facts told right after masking entities, less those after masking pieces (sun2019b)."""

    def over_majority(record: Record) -> np.ndarray:
        told = record.items["facts"]
        return family.truths(told["right"]) - family.truths(told["majority"])

    def right(record: Record) -> np.ndarray:
        return family.truths(record.items["facts"]["right"])

    rows = [
        family.difference(runs, settings, "P@1, entity masks - piece masks", "entity", "base", right),
        *(
            family.score(runs, settings, "P@1 over majority object", group, over_majority, signed=True, group=group)
            for group in ("entity", "base")
        ),
    ]
    return family.table(runs, settings, rows, ("base", "entity"))


def tuned(record: Record) -> np.ndarray:
    """Whether the tuned copy was right, item by item, (N,)."""
    return family.truths(record.items["tuned"]["right"])


def over_chance(record: Record, task: str) -> np.ndarray:
    """Whether the second head was right, less a half, (N,); `task` is nsp or sop."""
    return family.truths(record.items["relations"][task]) - 0.5


@claim("trn.nsp.liu2019b", family=True)
def nsp(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Accuracy of tuned copies and held-out loss without and with next-sentence prediction (liu2019b)."""
    both = with_, without = family.with_task(runs, "nsp"), family.with_task(runs, "none")
    rows = [
        family.difference(runs, settings, "downstream accuracy, without - with NSP", without, with_, tuned),
        family.loss(runs, settings, "loss, with - without NSP", with_, without),
        *(
            family.score(
                runs,
                settings,
                "accuracy over majority",
                group,
                lambda r: tuned(r) - r.items["tuned"]["majority"],
                group=group,
                task=task,
            )
            for group, task in zip(both, ("nsp", "none"))
        ),
    ]
    return family.table(runs, settings, rows, both)


@claim("trn.sentence_order.lan2020", family=True)
def sentence_order(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Accuracy of the head for sentence order on random next sentences, less that the other way round (lan2020).

    Neither head is trained on the other's task: what says "changed places" says "from another document", and back.
    """
    order, nsp_ = family.with_task(runs, "sop"), family.with_task(runs, "nsp")
    rows = [
        family.difference(
            runs,
            settings,
            "accuracy over chance, order on NSP - NSP on order",
            order,
            nsp_,
            lambda r: over_chance(r, "nsp"),
            lambda r: over_chance(r, "sop"),
        )
    ]
    for group, own, other in ((order, "sop", "nsp"), (nsp_, "nsp", "sop")):
        for task, measure in (
            (own, "accuracy over chance on its own task"),
            (other, "accuracy over chance on the other's task"),
        ):
            read = partial(over_chance, task=task)
            rows.append(family.score(runs, settings, measure, group, read, group=group))
    return family.table(runs, settings, rows, (order, nsp_))


WIDTHS = ("narrower", "base", "wider")  # 64, 128 and 192 where the base is 128 wide


@claim("trn.layers_vs_heads.wang2019b", family=True)
def layers_vs_heads(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with half the layers less that with half the heads, at equal width and pieces (wang2019b)."""
    half = "half layers", "half heads"
    rows = [
        family.loss(runs, settings, "loss, half the layers - half the heads", *half),
        family.loss(runs, settings, "loss, half the layers - all", half[0], "base"),
        family.loss(runs, settings, "loss, half the heads - all", half[1], "base"),
    ]
    return family.table(runs, settings, rows, ("base", *half))


@claim("trn.hidden_size.wang2019b", family=True)
def hidden_size(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss of each width less that of the next wider one, depth and size of a head the same (wang2019b)."""
    steps = pairwise(WIDTHS)
    rows = [family.loss(runs, settings, "loss, narrower - wider", a, b, step=f"{a} to {b}") for a, b in steps]
    return family.table(runs, settings, rows, WIDTHS)


@claim("trn.fixed_attention.raganato2020", family=True)
def fixed_attention(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with all heads of a layer but one preset, or all uniform, less that with learnt ones (raganato2020)."""
    rows = [
        family.loss(runs, settings, "loss, preset - learned", "preset attention", "base"),
        family.loss(runs, settings, "loss, uniform attention - learned", "uniform attention", "base"),
    ]
    return family.table(runs, settings, rows, ("base", "preset attention"))


@claim("trn.sublayer_order.press2020", family=True)
def sublayer_order(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss of interleaved sublayers less that of attention low and feed-forward high (press2020).

    Beside it what a wider or a deeper network gains: where more of everything gains nothing, no order can.
    """
    rows = [family.loss(runs, settings, "loss, interleaved - sandwich", "base", "sandwich")]
    larger = [group for group in ("wider", "three layers") if runs.has(group)]
    rows += [family.loss(runs, settings, "loss, base - larger", "base", group, group=group) for group in larger]
    return family.table(runs, settings, rows, ("base", "sandwich"))


DOUBLINGS = ("half pieces", "base", "twice the pieces")
LAMB, ADAMW = "large batch, LAMB", "AdamW"


@claim("trn.large_batch.liu2019b", family=True)
def large_batch(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss and processor time of batches four times as large at twice the learning rate, equal pieces (liu2019b).

    In a tier that has them, large batches with LAMB against small ones with AdamW beside that (you2019).
    """
    large, small = family.pairs(runs, "large batch", "base")
    saved = [1 - family.seconds(a) / family.seconds(b) for a, b in zip(large, small)]
    rows = [
        family.loss(runs, settings, "loss, large batch - small batch", "large batch", "base"),
        family.loss(runs, settings, "loss, half the pieces - all", "half pieces", "base"),
        family.over_seeds("seconds, small batch - large batch, as a share", saved, settings),
    ]
    groups = ("base", "large batch", "half pieces")
    if not (runs.has(LAMB) and runs.has(ADAMW)):
        return family.table(runs, settings, rows, groups)
    rows.append(family.loss(runs, settings, "loss, large batch with LAMB - small batch with AdamW", LAMB, ADAMW))
    adam, muon = "loss, small batch with AdamW - with Muon", "loss, large batch with LAMB - with Muon"
    rows += [
        family.loss(runs, settings, adam, ADAMW, "base"),
        family.loss(runs, settings, muon, LAMB, "large batch"),
    ]
    beside = family.plateau(runs, settings, groups)
    for row in family.plateau(runs, settings, (LAMB, ADAMW)):  # of another optimiser, with a gate of its own
        own = row["measure"] == family.PLATEAU
        beside.append(row | {"measure": f"{family.PLATEAU}, other optimisers"} if own else row)
    return family.noted(runs, settings, rows, beside, (*groups, LAMB, ADAMW))


@claim("trn.warm_start.gong2019", family=True)
def warm_start(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Processor time that stacking saves to the loss it ends at (gong2019).

    What a run from scratch needs for that loss is read off, seed by seed, between those with half, all and twice the
    pieces, along the logarithm of their pieces; each of them ends its own schedule. Beyond them the nearest two go on.
    """
    curve = [runs.group(name) for name in DOUBLINGS]
    stacked = runs.group("stacked")
    seeds = sorted(set(stacked).intersection(*curve))
    costs = [family.least(list(group.values())) for group in (stacked, curve[1])]
    saved = [_saved(stacked[s], [group[s] for group in curve], costs) for s in seeds]
    rows = [
        family.over_seeds("time saved to equal loss", saved, settings),
        family.loss(runs, settings, "loss, stacked - from scratch", "stacked", "base"),
    ]
    return family.table(runs, settings, rows, ("stacked", *DOUBLINGS))


def _saved(stacked: Record, scratch: list[Record], costs: list[dict[str, float]]) -> float:
    """1 - the stacked run's time over that from scratch to the same loss; pieces from scratch all cost the base's."""
    losses = np.array([_mean_loss(r) for r in scratch])
    at = np.log2([r.config["tokens"] for r in scratch])
    target = _mean_loss(stacked)
    left = 0 if target >= losses[1] else 1
    slope = (losses[left + 1] - losses[left]) / (at[left + 1] - at[left])
    pieces = 2 ** (at[left] + (target - losses[left]) / slope)
    base = scratch[1]
    return 1 - family.seconds(stacked, costs[0]) / (family.seconds(base, costs[1]) * pieces / base.config["tokens"])


def _mean_loss(record: Record) -> float:
    return float(family.heldout(record, "loss").sum() / family.heldout(record, "n").sum())


@claim("trn.data_volume.liu2019b", family=True)
def data_volume(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """What a doubling of the pieces does to held-out loss and to agreement (liu2019b, vanschijndel2019)."""
    a, b, c = DOUBLINGS
    told = [{s: family.agreeing(r) for s, r in runs.group(name).items()} for name in DOUBLINGS]
    seeds = sorted(set.intersection(*map(set, told)))  # what shrinks is a seed's own gain
    if not seeds:
        raise ValueError(f"no seed has been run of all of {', '.join(DOUBLINGS)}")
    half, whole, twice = (np.array([of_seed[s] for s in seeds]) for of_seed in told)
    of = "agreement gain per doubling, first half - second half"
    rows = [
        *(
            family.loss(runs, settings, "loss per doubling of pieces", y, x, step=f"{x} to {y}")
            for x, y in ((a, b), (b, c))
        ),
        family.apart_by(of, (whole - half) - (twice - whole), settings),
        family.score(runs, settings, "agreement, adjacent", c, lambda r: family.agreeing(r, "simple")),
        *(family.score(runs, settings, "agreement", g, family.agreeing, group=g) for g in DOUBLINGS),
    ]
    return family.table(runs, settings, rows, DOUBLINGS)


DETECTING = "replaced pieces"


@claim("trn.replaced_tokens.clark2020", family=True)
def replaced_tokens(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Linear probes on detectors of replaced pieces less those on masked models, at equal compute (clark2020).

    A detector has no loss on masked pieces: whether its run has left the unigram plateau is asked of its generator, on
    held-out places of the run's own seed. The masked models have no second task either.
    """
    said, masked = "probe accuracy, replaced - masked", family.with_task(runs, "none")
    rows = [family.probes(runs, settings, said, DETECTING, masked, name, probe=name) for name in PROBES]
    rows.append(family.difference(runs, settings, "tuned accuracy, replaced - masked", DETECTING, masked, tuned))
    found = list(runs.group(DETECTING).values())
    of = {"group": f"{DETECTING}: generator"}
    last = [r.curve[-1] for r in found]
    below = [p["heldout_unigram"] - p["heldout_generator_mlm"] for p in last]  # nats per masked piece, of generators
    rows.append(family.over_seeds(family.PLATEAU, below, settings, **of))
    detected = [p["heldout_detected"] for p in last]
    rows.append(family.over_seeds("replaced and original pieces told", detected, settings, group=DETECTING))
    frame = family.table(runs, settings, rows, (masked,))
    other = next(iter(runs.group(masked).values()))
    ratio = compute.total(from_plain(found[0].config)) / compute.total(from_plain(other.config))
    clock = (
        f"; processor time: {family.seconds(found[0]) / family.seconds(other):.2f}, since a small generator's matrices are "
        "too small for a processor's full speed"
        if found[0].precision == other.precision  # else they ran on other processors
        else ""
    )
    frame.attrs["notes"] += [
        f"compute, replaced over masked: {ratio:.3f} (multiplications, counted from the shapes){clock}",
        "generator and detector share no embeddings; in the study they do, and gain by it",
    ]
    return frame
