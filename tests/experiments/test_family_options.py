"""Rows of the claims on masks, second tasks and replaced pieces, from records made up so that the answer is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bertology_pretrain import load_config
from bertology_utils.claims import registry
from bertology_utils.data import of as data_of
from bertology_utils.experiments import register
from bertology_utils.family import compute, grid
from bertology_utils.family.record import Record
from bertology_utils.settings import Settings

SETTINGS = Settings(device="cpu", draws=200)
DOCUMENTS, PLACES, ITEMS = 30, 10, 200
UNIGRAM = 6.0


def bits(share: float, seed: int = 0) -> str:
    """`ITEMS` truth values, of which this share is true; the same ones for the same seed, more of them for a larger share."""
    order = np.random.default_rng(seed).permutation(ITEMS)
    return "".join("1" if k < round(share * ITEMS) else "0" for k in order)


class Runs:
    """Groups of records by seed: every figure is the group's, moved by the seed's noise."""

    def __init__(self, groups: dict[str, dict[str, Any]]) -> None:
        self.told = groups
        self.tier = SimpleNamespace(says="made up", groups=groups)

    def has(self, name: str) -> bool:
        return name in self.told

    def group(self, name: str) -> dict[int, Record]:
        return {seed: self._record(self.told[name], seed) for seed in range(3)}

    @staticmethod
    def _record(told: dict[str, Any], seed: int) -> Record:
        wobble = 0.001 * np.random.default_rng([seed, len(str(told))]).standard_normal(DOCUMENTS)
        loss = PLACES * (told.get("loss", 4.0) + 0.02 * seed + wobble)
        share = told.get("right", 0.6)
        right = [
            round(1000 * share) + k % 3 - 1 for k in np.random.default_rng([seed, 7]).integers(0, 9, 20) * (share > 0.6)
        ]
        items = {
            "heldout": {"loss": loss.tolist(), "unigram": [PLACES * UNIGRAM] * DOCUMENTS, "n": [PLACES] * DOCUMENTS},
            "agreement": {"simple": bits(share, seed), "pp": bits(share, seed + 9)},
            "facts": {"right": bits(told.get("facts", 0.3), seed), "majority": bits(0.1, seed)},
            "probes": {n: {"right": right, "n": [1000] * 20} for n in ("upos", "deprel")},
            "tuned": {"right": bits(share, seed), "majority": 0.5},
            "relations": {"nsp": bits(told.get("nsp", 0.5), seed), "sop": bits(told.get("sop", 0.5), seed)},
        }
        config = load_config("tiny", seed=seed, **told.get("config", {}))
        first = {"tokens": config.tokens // 2, "heldout_mlm": 4.02 + 0.005 * seed}
        last = {
            "tokens": config.tokens,
            "heldout_mlm": 4.0,
            "heldout_unigram": 6.0,
            "heldout_generator_mlm": 5.0 + 0.01 * seed,
            "heldout_detected": 0.8,
        }
        return Record(
            key="0", tier="made up", config=config.as_dict(), text="0", curve=[first, last], items=items, cost={"2": 0.05},
            passes=told.get("passes", 3.0), seconds=1.0,
        )  # fmt: skip


def rows(claim: str, groups: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """The rows of a claim's experiment on made-up groups."""
    register()
    return registry.get(claim).experiment(Runs(groups), data_of({}, name="builtin"), SETTINGS)


def found(frame: pd.DataFrame, measure: str, **keys: object) -> list[dict]:
    """The rows of a measure with these keys."""
    return [r for r in frame[frame.measure == measure].to_dict("records") if all(r[k] == v for k, v in keys.items())]


def shows(records: list[dict], value: float, count: int = 1, wide: float = 0.02) -> None:
    """So many rows have the figure that was put in, in an interval that is no wider than that."""
    assert len(records) == count
    for r in records:
        assert r["value"] == pytest.approx(value, abs=wide / 4)
        assert r["low"] - wide / 4 <= value <= r["high"] + wide / 4 and r["high"] - r["low"] < wide


def test_rates_are_compared_with_fifteen_per_cent():
    apart = {0.1: 0.03, 0.2: -0.02, 0.3: 0.06, 0.8: 0.7}
    groups = {f"rate {rate}": {"loss": 4 + more} for rate, more in apart.items()}
    frame = rows("trn.masking_rate.raffel2019", {"base": {}} | groups)
    for rate, more in apart.items():
        shows(found(frame, "loss, rate - 15%", rate=rate), more)
    gates = {r["group"] for r in found(frame, "loss below the unigram plateau")}
    assert gates == {"base", "rate 0.1", "rate 0.2", "rate 0.3"}


def test_fresh_masks_are_compared_with_fixed_ones_on_the_same_rows():
    frame = rows("trn.dynamic_masking.liu2019b", {"same rows": {"loss": 3.9}, "static masks": {"loss": 4.0}})
    shows(found(frame, "loss, dynamic - static"), -0.1)
    assert found(frame, "passes over the text")[0]["value"] == 3.0


def test_symbols_are_compared_with_mask():
    frame = rows("trn.unk_mask.clinchant2019", {"base": {}, "unk": {"loss": 4.01}, "random piece": {"loss": 4.2}})
    shows(found(frame, "loss, [UNK] - [MASK]"), 0.01)
    shows(found(frame, "loss, random word - [MASK]"), 0.2)


def test_words_are_compared_with_pieces():
    frame = rows("trn.whole_word.devlin2019", {"base": {}, "span": {"right": 0.61}, "whole word": {"right": 0.65}})
    shows(found(frame, "agreement, whole word - piece"), 0.05, wide=0.15)
    shows(found(frame, "probe accuracy, whole word - piece"), 0.05, count=2)
    shows(found(frame, "probe accuracy, span - piece"), 0.01, count=2)


def test_facts_after_entities_and_after_pieces():
    frame = rows("trn.entity_mask.sun2019b", {"base": {}, "entity": {"facts": 0.4}})
    shows(found(frame, "P@1, entity masks - piece masks"), 0.1, wide=0.2)
    shows(found(frame, "P@1 over majority object", group="entity"), 0.3, wide=0.3)
    shows(found(frame, "P@1 over majority object", group="base"), 0.2, wide=0.3)


def test_without_the_second_task():
    frame = rows("trn.nsp.liu2019b", {"base": {"loss": 4.02}, "no second task": {"loss": 4.0, "right": 0.62}})
    shows(found(frame, "downstream accuracy, without - with NSP"), 0.02, wide=0.1)
    shows(found(frame, "loss, with - without NSP"), 0.02)


def test_each_task_is_asked_of_the_other_s_model():
    """Order solves next sentences 0.3 over chance, next sentences order 0.05: the difference is the claim's."""
    groups = {"base": {"nsp": 0.9, "sop": 0.55}, "sentence order": {"nsp": 0.8, "sop": 0.7}}
    frame = rows("trn.sentence_order.lan2020", groups)
    shows(found(frame, "accuracy over chance, order on NSP - NSP on order"), 0.25, wide=0.3)
    shows(found(frame, "accuracy over chance on its own task", group="base"), 0.4, wide=0.3)
    shows(found(frame, "accuracy over chance on its own task", group="sentence order"), 0.2, wide=0.3)


def test_detectors_are_compared_with_masked_models():
    config = {"objective": "rtd", "pair": "none"}
    groups = {
        "base": {},
        "replaced pieces": {"right": 0.63, "config": config},
        "no second task": {"config": {"pair": "none"}},
    }
    frame = rows("trn.replaced_tokens.clark2020", groups)
    shows(found(frame, "probe accuracy, replaced - masked"), 0.03, count=2)
    shows(found(frame, "loss below the unigram plateau", group="replaced pieces: generator"), 0.99, wide=0.2)
    shows(found(frame, "loss below the unigram plateau", group="no second task"), 1.98, wide=0.2)
    assert any("compute, replaced over masked: 1." in note for note in frame.attrs["notes"])


def test_a_base_without_a_second_task_stands_for_none():
    """The signs stay where the tier's base is the other side of the comparison."""
    alone = {"base": {"config": {"pair": "none"}, "right": 0.62}, "next sentence": {"loss": 4.02, "nsp": 0.9}}
    frame = rows("trn.nsp.liu2019b", alone)
    shows(found(frame, "downstream accuracy, without - with NSP"), 0.02, wide=0.1)
    shows(found(frame, "loss, with - without NSP"), 0.02)
    frame = rows("trn.sentence_order.lan2020", alone | {"sentence order": {"sop": 0.7}})
    shows(found(frame, "accuracy over chance on its own task", group="next sentence"), 0.4, wide=0.3)


@pytest.mark.parametrize("name", ["generated", "english"])
def test_the_grid_s_detector_computes_as_much_as_the_masked_model(name):
    tier = grid.tiers()[name]
    alone = "no second task" if name == "generated" else "base"
    detecting, masked = (tier.group(group)[0].config for group in ("replaced pieces", alone))
    assert masked.pair == "none"
    assert compute.total(detecting) == pytest.approx(compute.total(masked), rel=1e-3)
    assert {m.seed for m in tier.group("replaced pieces")} == {m.seed for m in tier.group(alone)}
