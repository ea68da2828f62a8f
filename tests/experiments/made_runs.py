"""Recorded runs of the family, made by hand with differences that are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from bertology_utils import runs
from bertology_utils.claims.evidence import Evidence
from bertology_utils.data import of as data_of
from bertology_utils.experiments.training.family import HALF
from bertology_utils.family import grid
from bertology_utils.family.record import Record
from bertology_utils.family.recorded import Recorded
from bertology_utils.scores.rows import records as tidy
from bertology_utils.settings import Settings

IDS = [id for id, it in runs.registered().items() if it.family is True]
TIER = grid.tiers()["generated"]
SETTINGS = Settings(device="cpu", draws=300)
DOCUMENTS, PER, ITEMS = 60, 30, 400
BITS = ("32", "8", "4", "3", "2")


@dataclass(frozen=True, eq=False)
class Made(Recorded):
    """Recorded runs by hand: what a group has beyond the base is given; seeds and documents have parts of their own."""

    told: float = 0.8  # of replaced and original pieces
    simple: float = 0.9  # of sentences without attractors
    fallen: float = 0.02  # nats, while the pieces doubled for the last time
    loss: dict[str, float] = field(default_factory=dict)  # group -> nats more than the base
    right: dict[str, float] = field(default_factory=dict)  # group -> share of items right
    probe: dict[str, float] = field(default_factory=dict)
    apart: dict[str, float] = field(default_factory=dict)  # group -> nats that heads of a layer are further apart
    missed: dict[str, float] = field(default_factory=dict)  # group -> share of what it learnt that half the heads hold
    cost: dict[str, float] = field(default_factory=lambda: {"1": 0.5, "2": 1.0})
    seeds: int = 4

    def group(self, name: str) -> dict[int, Record]:
        return {s: self.one(name, s) for s in range(self.seeds)}

    def one(self, name: str, seed: int) -> Record:
        config = self.tier.group(name)[0].config
        own, shared = np.random.default_rng([seed, crc32(name.encode())]), np.random.default_rng([7])
        of_seed = np.random.default_rng([seed]).normal(0, 0.3)  # what runs of a seed share; the rest is a run's own
        noise = shared.normal(0, 0.3, DOCUMENTS) + of_seed + own.normal(0, 0.002) + own.normal(0, 0.02, DOCUMENTS)
        loss = (3.0 + self.loss.get(name, 0.0) + noise) * PER
        easy = shared.random(ITEMS)  # the same items are hard for all

        def told(share: float) -> str:
            return "".join(np.where(easy < share + own.normal(0, 0.01, ITEMS), "1", "0"))

        n = [50] * 100
        hits = own.binomial(50, np.clip(self.probe.get(name, 0.6) + shared.normal(0, 0.1, 100), 0, 1))
        items = {
            "heldout": {"loss": loss.tolist(), "unigram": [5.0 * PER] * DOCUMENTS, "right": [9] * DOCUMENTS},
            "agreement": {
                "pp, 1 attractor": told(self.right.get(name, 0.8)),
                "simple, 0 attractors": told(self.simple),
            },
            "facts": {"right": told(self.right.get(name, 0.5)), "majority": told(0.2)},
            "probes": {p: {"right": hits.astype(int).tolist(), "n": n} for p in ("upos", "deprel")},
            "tuned": {"right": told(self.right.get(name, 0.8)), "majority": 0.5},
            "heads": {
                "divergence": (
                    0.3 + self.apart.get(name, 0.0) + shared.normal(0, 0.05, 100) + own.normal(0, 0.002)
                ).tolist(),
                "loss": (
                    loss + self.missed.get(name, 0.4) * (5.0 * PER - loss).mean() + own.normal(0, 0.02, DOCUMENTS)
                ).tolist(),
            },
            "bits": {b: {"right": told(self.right.get(f"{name} {b}", 0.8)), "bytes": 100 * int(b)} for b in BITS}
            | {"majority": 0.5},
            "relations": {t: told(self.right.get(f"{name} {t}", 0.8)) for t in ("nsp", "sop")},
        }
        items["heldout"]["n"] = [PER] * DOCUMENTS
        first = {"tokens": config.tokens // 2, "heldout_mlm": 3.0 + self.fallen + own.normal(0, 0.005)}
        last = {
            "tokens": config.tokens,
            "heldout_mlm": 3.0 + self.fallen + own.normal(0, 0.005) if name == HALF else 3.0,
            "heldout_generator_mlm": 4.0 + own.normal(0, 0.01),
            "heldout_unigram": 5.0,
            "heldout_detected": self.told + own.normal(0, 0.01),
        }
        raw = {"config": config.as_dict() | {"seed": seed}, "text": "", "curve": [first, last], "items": items}
        raw |= {"cost": self.cost, "passes": 3 + own.normal(0, 0.01), "seconds": 1.0}
        return Record(key=f"{name}-{seed}", tier=self.tier.name, **raw)


def judged(id: str, **given):
    """The rows of a claim on runs made by hand, and what its clauses say of them, by name."""
    rows = runs.get(id).experiment(Made(TIER, **given), data_of({}, name="builtin"), SETTINGS)
    found = Evidence(claim=id, model="family", data="builtin", kind="rerun", rows=tidy(rows)).judged()
    return rows, {c.name: c.outcome for c in found.tested}


WORSE = {
    "three layers, narrower": 0.4,
    "random piece": 0.4,
    "uniform attention": 0.5,
    "half pieces": 0.3,
    "rate 0.8": 0.6,
}
