"""Claims about training, on runs made by hand: known differences come out, none where there is none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np
import pytest

from bertology_utils import runs
from bertology_utils.cards import card
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.claims.rules import FAILS, HOLDS, UNDECIDED, UNTESTABLE
from bertology_utils.data import of as data_of
from bertology_utils.experiments.size import trained
from bertology_utils.pretrain.family import grid
from bertology_utils.pretrain.family.record import Record, RecordError
from bertology_utils.pretrain.family.recorded import Recorded
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
    loss: dict[str, float] = field(default_factory=dict)  # group -> nats more than the base
    right: dict[str, float] = field(default_factory=dict)  # group -> share of items right
    probe: dict[str, float] = field(default_factory=dict)
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
            return "".join("1" if e < share + own.normal(0, 0.01) else "0" for e in easy)

        n = [50] * 100
        hits = own.binomial(50, np.clip(self.probe.get(name, 0.6) + shared.normal(0, 0.1, 100), 0, 1))
        items = {
            "heldout": {"loss": loss.tolist(), "unigram": [5.0 * PER] * DOCUMENTS, "right": [9] * DOCUMENTS},
            "agreement": {"pp, 1 attractor": told(self.right.get(name, 0.8)), "simple, 0 attractors": told(0.9)},
            "facts": {"right": told(self.right.get(name, 0.5)), "majority": told(0.2)},
            "probes": {p: {"right": hits.astype(int).tolist(), "n": n} for p in ("upos", "deprel")},
            "tuned": {"right": told(self.right.get(name, 0.8)), "majority": 0.5},
            "bits": {b: {"right": told(self.right.get(f"{name} {b}", 0.8)), "bytes": 100 * int(b)} for b in BITS}
            | {"majority": 0.5},
            "relations": {t: told(self.right.get(f"{name} {t}", 0.8)) for t in ("nsp", "sop")},
        }
        items["heldout"]["n"] = [PER] * DOCUMENTS
        last = {
            "heldout_generator_mlm": 4.0 + own.normal(0, 0.01),
            "heldout_unigram": 5.0,
            "heldout_detected": self.told + own.normal(0, 0.01),
        }
        raw = {"config": config.as_dict() | {"seed": seed}, "text": "", "curve": [last], "items": items}
        raw |= {"cost": self.cost, "passes": 3 + own.normal(0, 0.01), "seconds": 1.0}
        return Record(key=f"{name}-{seed}", tier=self.tier.name, **raw)


def judged(id: str, **given):
    """The rows of a claim on runs made by hand, and what its clauses say of them, by name."""
    rows = runs.get(id).experiment(Made(TIER, **given), data_of({}, name="builtin"), SETTINGS)
    found = Evidence(claim=id, model="family", data="builtin", kind="rerun", rows=tidy(rows)).judged()
    return rows, {c.name: c.outcome for c in found.tested}


def value(rows, measure, part="value", **where):
    chosen = rows[rows["measure"] == measure]
    for key, wanted in where.items():
        chosen = chosen[chosen[key] == wanted]
    (one,) = chosen[part]
    return one


WORSE = {
    "three layers, narrower": 0.4,
    "random piece": 0.4,
    "uniform attention": 0.5,
    "half pieces": 0.3,
    "rate 0.8": 0.6,
}


@pytest.mark.parametrize("id", IDS)
def test_every_experiment_gives_what_its_clauses_ask_for(id):
    rows, outcomes = judged(id, loss={**WORSE, "twice the pieces": -0.3})
    assert outcomes and rows["value"].notna().all() and (rows["n"] > 0).all()
    assert (rows["low"] <= rows["value"]).all() and (rows["value"] <= rows["high"]).all()
    assert any("generated tier" in n for n in rows.attrs["notes"]) and any(
        "seeds per" in n for n in rows.attrs["notes"]
    )


@pytest.mark.parametrize(
    "id, clause, there",
    [
        ("trn.layers_vs_heads.wang2019b", "depth", {"loss": {"half layers": 0.2}}),
        ("trn.hidden_size.wang2019b", "wider", {"loss": {"narrower": 0.2, "wider": -0.2}}),
        ("trn.sublayer_order.press2020", "sandwich", {"loss": {"sandwich": -0.1}}),
        ("trn.whole_word.devlin2019", "agreement", {"right": {"whole word": 0.98, "span": 0.98}}),
        ("trn.whole_word.devlin2019", "probes", {"probe": {"whole word": 0.8, "span": 0.8}}),
        ("trn.entity_mask.sun2019b", "facts", {"right": {"entity": 0.7}}),
        ("trn.replaced_tokens.clark2020", "all_positions", {"probe": {"replaced pieces": 0.8}}),
        ("trn.nsp.liu2019b", "helps", {"loss": {"no second task": -0.1}}),
        ("trn.sentence_order.lan2020", "asymmetric", {"right": {"sentence order nsp": 0.75, "base sop": 0.55}}),
        ("trn.data_volume.liu2019b", "more_data", {"loss": {"half pieces": 0.3, "twice the pieces": -0.3}}),
        (
            "siz.bigger_is_better.liu2019a",
            "bigger",
            {"right": {"narrower": 0.6, "half layers": 0.75, "base": 0.8, "wider": 0.95}},
        ),
        ("siz.train_large.li2020", "large_first", {"right": {"large, fewer bits 4": 0.95}}),
    ],
)
def test_an_effect_that_is_there_is_found_and_none_is_where_there_is_none(id, clause, there):
    assert judged(id, **there)[1][clause] == HOLDS
    assert judged(id)[1][clause] in (FAILS, UNDECIDED)


def test_better_probes_after_a_task_that_was_not_learnt_are_not_put_down_to_it():
    """The null of replaced pieces: a detector at chance whose probes are better for another reason."""
    _, outcomes = judged("trn.replaced_tokens.clark2020", probe={"replaced pieces": 0.8}, told=0.5)
    assert outcomes["all_positions"] == UNTESTABLE


@pytest.mark.parametrize(
    "id, clause, hurting",
    [
        ("trn.fixed_attention.raganato2020", "preset", {"preset attention": 0.4}),
        ("trn.large_batch.liu2019b", "no_loss", {"large batch": 0.4}),
        ("trn.masking_rate.raffel2019", "mild", {"rate 0.1": 0.4, "rate 0.2": -0.4, "rate 0.3": 0.4}),
        ("trn.unk_mask.clinchant2019", "stands_in", {"unk": 0.4}),
        ("siz.albert.lan2020", "scores", {"shared and split": 0.6}),
        ("trn.dynamic_masking.liu2019b", "at_least_as_good", {"same rows": 0.4}),
    ],
)
def test_an_absence_holds_without_an_effect_fails_with_one_and_needs_its_gate(id, clause, hurting):
    assert judged(id, loss=WORSE)[1][clause] == HOLDS
    assert judged(id, loss=WORSE | hurting)[1][clause] == FAILS
    if id != "trn.dynamic_masking.liu2019b":
        assert judged(id)[1][clause] == UNTESTABLE
    assert judged(id, loss=WORSE | {g: 3.0 for g in TIER.groups})[1][clause] == UNTESTABLE, "none has left the plateau"


def test_rates_are_compared_with_fifteen_per_cent_where_the_base_has_another():
    """On English the base hides 30 %: it is then one of the rates, and not what they are compared with."""

    class English(Made):
        def has(self, name):
            return True

    made = English(grid.tiers()["english"], loss={"rate 0.15": 0.2, "rate 0.4": -0.1, "rate 0.8": 0.9}, cost={"4": 1.0})
    rows = runs.get("trn.masking_rate.raffel2019").experiment(made, data_of({}, name="corpus"), SETTINGS)
    told = {rate: value(rows, "loss, rate - 15%", rate=rate) for rate in (0.1, 0.3, 0.4, 0.8)}
    assert told == pytest.approx({0.1: -0.2, 0.3: -0.2, 0.4: -0.3, 0.8: 0.7}, abs=0.01)
    assert set(rows["group"].dropna()) == {"rate 0.15", "rate 0.1", "rate 0.2", "base"}


def test_differences_are_those_that_were_planted_and_paired_by_seed():
    rows, _ = judged("trn.layers_vs_heads.wang2019b", loss={"half layers": 0.25, "half heads": 0.1})
    chosen = rows[rows["measure"] == "loss, half the layers - half the heads"].iloc[0]
    assert chosen["value"] == pytest.approx(0.15, abs=0.01)
    assert chosen["high"] - chosen["low"] < 0.03 < value(rows, "loss", "high", group="base") - 3.2, (
        "what seeds share cancels"
    )
    assert chosen["n"] == DOCUMENTS * PER and value(rows, "loss", group="base") == pytest.approx(3, abs=0.3)


def test_sizes_are_counted_from_the_shapes_and_a_slope_is_per_doubling():
    """An accuracy that rises by a tenth with each doubling of the parameters has a slope of a tenth."""
    x = {g: np.log2(trained.parameters(Made(TIER).one(g, 0))) for g in trained.SIZES}
    assert x["narrower"] < x["half layers"] < x["base"] < x["wider"]
    right = {g: 0.5 + 0.1 * (v - x["narrower"]) for g, v in x.items()}
    rows, _ = judged("siz.bigger_is_better.liu2019a", right=right)
    for task in ("facts", "tuned: sentiment"):
        assert value(rows, f"{trained.DOUBLING}, by task", task=task) == pytest.approx(0.1, abs=0.02)
    assert abs(value(rows, f"{trained.DOUBLING}, by task", task="held-out pieces")) < 1e-9  # the same in all
    each = rows[rows["measure"] == f"{trained.DOUBLING}, by task"]["value"]
    assert value(rows, trained.DOUBLING) == pytest.approx(each.mean(), abs=1e-9), "each score counts the same"


def test_a_shared_layer_counts_once_and_its_null_is_as_small():
    rows, outcomes = judged("siz.albert.lan2020", loss=WORSE | {"shared and split": 0.1})
    assert value(rows, "parameters, shared / plain") == pytest.approx(293_218 / 901_250)
    assert value(rows, "parameters, narrower of that size / plain") == pytest.approx(1 / 3, abs=0.01)
    assert value(rows, "loss, shared - narrower of that size") == pytest.approx(-0.3, abs=0.02)
    assert outcomes == {"parameters": HOLDS, "scores": HOLDS}


def test_what_is_trained_large_is_compared_at_no_more_bytes_and_equal_compute():
    rows, _ = judged("siz.train_large.li2020", right={"large, fewer bits 4": 0.7, "large, fewer bits 3": 0.6})
    assert value(rows, "accuracy, large compressed - small") == pytest.approx(-0.1, abs=0.02)
    assert value(rows, "accuracy, large - small, as trained") == pytest.approx(0, abs=0.02)
    assert value(rows, "accuracy lost, 4 bits", group="large, fewer bits") == pytest.approx(0.1, abs=0.02)
    assert value(rows, "bytes, large compressed / small") == 0.5  # the runs made by hand: 400 by 800
    assert any("compute, large over small: 1.000" in n for n in rows.attrs["notes"])
    shipped = Recorded(TIER)
    if shipped.has("large, fewer bits"):
        large, small = (next(iter(shipped.group(g).values())).items["bits"] for g in (trained.LARGE, trained.SMALL))
        assert 0.9 < large["4"]["bytes"] / small["8"]["bytes"] <= 1, "no larger, and not much smaller"
        sizes = [large[b]["bytes"] for b in BITS]
        assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 5


def test_a_small_model_that_has_not_learnt_the_task_decides_nothing():
    right = {f"small, fewer bits {b}": 0.5 for b in BITS} | {"large, fewer bits 4": 0.95}
    assert judged("siz.train_large.li2020", right=right)[1]["large_first"] == UNTESTABLE


def test_time_saved_is_read_off_between_the_runs_from_scratch():
    falling = {"half pieces": 0.3, "twice the pieces": -0.3}
    # as good as the base at half the layers for half the pieces: a quarter less time
    rows, outcomes = judged("trn.warm_start.gong2019", loss=falling)
    assert value(rows, "time saved to equal loss") == pytest.approx(0.25, abs=0.01)
    assert outcomes == {"saves_time": HOLDS, "a_quarter": HOLDS}
    # as good as twice the pieces: 0.75 of the time where 2 would be needed
    rows, _ = judged("trn.warm_start.gong2019", loss=falling | {"stacked": -0.3})
    assert value(rows, "time saved to equal loss") == pytest.approx(1 - 0.75 / 2, abs=0.01)
    # as good as half the pieces: 0.75 where 0.5 would do
    rows, outcomes = judged("trn.warm_start.gong2019", loss=falling | {"stacked": 0.3})
    assert value(rows, "time saved to equal loss") == pytest.approx(-0.5, abs=0.02)
    assert outcomes["saves_time"] == FAILS


@pytest.mark.parametrize("id", IDS)
def test_one_seed_alone_decides_nothing_about_differences(id):
    """However large they are: what two seeds differ by is unknown."""
    there = {"loss": {**WORSE, "half layers": 2.0, "narrower": 2.0, "wider": -2.0, "twice the pieces": -2.0}}
    there |= {"right": {"entity": 1.0}, "probe": {"replaced pieces": 1.0}}
    rows, outcomes = judged(id, seeds=1, **there)
    outcomes.pop("parameters", None)  # counted from the shapes: they need no seed
    assert set(outcomes.values()) <= {UNDECIDED, UNTESTABLE}
    apart = rows[rows["measure"].str.contains(" - ")]
    assert apart["low"].isna().all() and (apart["clusters"] == 1).all() and apart["value"].notna().all()


def test_large_batches_with_lamb_are_compared_with_small_ones_with_adamw():
    """In a tier that has them; in another the clause is not tested, and with runs on the plateau it cannot be."""

    class English(Made):
        def has(self, name):
            return True

    def told(**loss):
        runs_ = English(grid.tiers()["english"], loss={**WORSE, **loss}, cost={"4": 1.0})
        rows = runs.get("trn.large_batch.liu2019b").experiment(runs_, data_of({}, name="corpus"), SETTINGS)
        found = Evidence(
            claim="trn.large_batch.liu2019b", model="family", data="corpus", kind="rerun", rows=tidy(rows)
        ).judged()
        return rows, {c.name: c.outcome for c in found.tested}

    rows, outcomes = told(**{"large batch, LAMB": 0.1, "AdamW": 0.3})
    measure = "loss, large batch with LAMB - small batch with AdamW"
    assert value(rows, measure) == pytest.approx(-0.2, abs=0.01) and outcomes["lamb"] == HOLDS
    assert told(**{"large batch, LAMB": 0.5})[1]["lamb"] == FAILS
    late = told(**{"large batch, LAMB": 2.0, "AdamW": 2.0})[1]
    assert late["lamb"] == UNTESTABLE and late["no_loss"] == HOLDS, "another optimiser's plateau is its own affair"
    assert "lamb" not in judged("trn.large_batch.liu2019b")[1]


def test_a_claim_about_runs_is_run_from_the_records_and_says_which_is_missing(tmp_path):
    with pytest.raises(RecordError, match="bertology family run 'generated/base'"):
        replace(Recorded.of("builtin"), root=tmp_path).group("base")
    with pytest.raises(RecordError, match="no runs of the family are on elsewhere"):
        Recorded.of("elsewhere")
    with pytest.raises(NotRunnable, match="builtin"):
        runs.run(IDS[0], SETTINGS, data="clams", save=False)
    (found,) = runs.run("trn.hidden_size.wang2019b", SETTINGS, model="no-such-model", save=False).records
    assert (found.model, found.data, found.over_twin) == ("family", "builtin", None)
    assert found.provenance["subject_sha256"] == Recorded.of("builtin").sha256


def test_each_tier_is_asked_by_the_name_of_its_data(tmp_path):
    """A large tier that nobody has trained is refused by its name, not taken for the small one."""
    tiers = {data: replace(Recorded.of(data), root=tmp_path) for data in ("builtin", "corpus", "corpus-large")}
    assert [t.tier.name for t in tiers.values()] == ["generated", "english", "english-large"]
    small, large = (tiers[d].tier.group("base") for d in ("corpus", "corpus-large"))
    assert large[0].config.tokens >= 10 * small[0].config.tokens and len(large) == 5
    with pytest.raises(RecordError, match="bertology family run 'english-large/base'"):
        tiers["corpus-large"].group("base")
    assert not tiers["corpus"].has("a group of another tier") and not tiers["corpus"].has("base")


def test_the_card_of_a_claim_about_runs_shows_them_in_our_column(tmp_path):
    settings = replace(SETTINGS, evidence=tmp_path)
    runs.run("trn.hidden_size.wang2019b", settings)
    said = card("trn.hidden_size.wang2019b", settings)
    assert "FAMILY" in repr(said) and "trained runs are compared with one another" in repr(said)
    shown = said._repr_html_()
    assert "our small pretraining runs" in shown and "slot-mini" in shown and "our pretraining runs" in shown
    assert "mini with random weights" not in shown


def test_a_bug_in_an_experiment_on_recorded_runs_keeps_its_traceback():
    with pytest.raises(AttributeError, match="nothing"):
        runs.run("trn.hidden_size.wang2019b", Settings.of(data="builtin"), experiment=lambda found, *_: found.nothing)
