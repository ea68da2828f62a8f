"""Runs of training on two texts: what each says, whether they agree; recipes at equal time; learning curves."""

from __future__ import annotations

import numpy as np
import pytest
from bs4 import BeautifulSoup

from bertology_utils.cards import family, layout, recipes, tiers
from bertology_utils.cards.card import Card
from bertology_utils.cards.learning import SITTINGS, learning, sittings
from bertology_utils.cards.standing import Standing
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.rules import FAILS, HOLDS
from bertology_utils.family import grid
from bertology_utils.family.record import Record
from bertology_utils.scores.intervals import row, table
from bertology_utils.scores.rows import records as tidy
from bertology_utils.settings import Settings

ID = "trn.hidden_size.wang2019b"
TIER = grid.tiers()["english"]
SETTINGS = Settings(device="cpu", draws=200)


def evidence(data: str, gain: float, below: float = 1.0) -> Evidence:
    """A record of runs whose wider models gain so much, so far below the plateau."""
    rows = [row("loss, narrower - wider", (gain, gain - 0.01, gain + 0.01), 900, step="base to wider")]
    rows.append(row("loss below the unigram plateau", (below, below - 0.01, below + 0.01), 900, group="base"))
    rows.append(row("loss fallen over the last doubling of pieces", (0.05, 0.04, 0.06), 900, group="base"))
    return Evidence(claim=ID, model="family", data=data, kind="rerun", rows=tidy(table(rows)))


@pytest.mark.parametrize(
    ("english", "below", "word", "outcome"),
    [
        (0.2, 1.0, tiers.AGREE, HOLDS),
        (-0.2, 1.0, tiers.CONTRADICT, FAILS),
        (0.03, 1.0, f"{tiers.ALONE}; {tiers.UNCOUNTED}", "open"),
        (-0.2, 0.1, f"{tiers.ALONE}; {tiers.UNCOUNTED}", "untestable"),
    ],
)
def test_a_card_says_what_each_tier_found_and_whether_they_agree(english, below, word, outcome):
    s = Standing(ledger.row(ID), (evidence("builtin", 0.2), evidence("corpus", english, below)), "family")
    said = tiers.in_words(s)
    assert said.endswith(f"The tiers: {word}.") and said.startswith("generated sentences: holds")
    assert f"TIERS      {said}" in repr(Card(s))
    shown = BeautifulSoup(layout.html(s), "html.parser").select(".claim-tiers")
    assert len(shown) == 1 and f" {said[0].upper()}{said[1:]}" in shown[0].get_text()
    assert tiers.tiers(s)["corpus"].decision.outcome == outcome
    assert s.mini.decision.outcome == outcome, "English is the headline"


def test_one_tier_is_no_comparison_and_two_open_ones_decide_nothing():
    lone = Standing(ledger.row(ID), (evidence("builtin", 0.2),), "family")
    assert tiers.in_words(lone) == "" and "claim-tiers" not in layout.html(lone)
    both = Standing(ledger.row(ID), (evidence("builtin", 0.03), evidence("corpus", 0.03)), "family")
    assert tiers.in_words(both).endswith(f"The tiers: {tiers.OPEN}.")


def test_few_words_decide_where_english_is_not_learnt_and_are_said_to_be_generated():
    s = Standing(ledger.row(ID), (evidence("corpus", 0.2, below=0.1), evidence("few_words", -0.2)), "family")
    assert s.mini.label == FAILS and s.mini.demonstration and s.mini.data == ["few_words"]
    assert tiers.in_words(s).endswith(f"The tiers: {tiers.ALONE}.")
    both = Standing(ledger.row(ID), (evidence("corpus", 0.2), evidence("few_words", 0.2)), "family")
    assert both.mini.label == HOLDS and not both.mini.demonstration


def test_a_random_start_inside_the_comparison_stands_for_the_untrained_network():
    row_ = ledger.row("trn.wide_optima.hao2019")
    s = Standing(row_, (), "mini")
    assert layout.without_twin(s) == row_.control and row_.control in repr(Card(s))
    assert layout.without_twin(Standing(ledger.row("trn.more_layers.su2019"), (), "mini")) == ""


@pytest.fixture
def root(tmp_path):
    """Records of the English tier: a doubling of the pieces gains 0.4 nats, AdamW needs as much time and loses 0.1."""

    def save(group: str, loss: float, cost: float = 0.05, seeds: int = 3, precision: str = "bf16") -> None:
        for member in TIER.group(group)[:seeds]:
            noise = np.random.default_rng(member.seed).normal(
                0, 0.2, 40
            )  # of documents, the same in all runs of a seed
            told = {"loss": (30 * (loss + noise)).tolist(), "unigram": [200.0] * 40, "right": [9] * 40, "n": [30] * 40}
            agree = {"simple, 0 attractors": "1110", "pp, 1 attractor": "1100", "pp, 2 attractors": "1000"}
            items = {"heldout": told, "agreement": agree, "probes": {}, "tuned": {}}
            Record(
                key=member.key, tier="english", config=member.config.as_dict(), text=member.text, curve=[], items=items,
                cost={"4": cost + 0.01 * member.seed, "2": cost / 2}, passes=0.2, seconds=1.0,
                provenance={"precision": precision},
            ).save(tmp_path)  # fmt: skip

    for group, loss in (("half pieces", 5.4), ("base", 5.0), ("twice the pieces", 4.6), ("AdamW", 5.1)):
        save(group, loss)
    save("rate 0.4", 4.9, cost=0.05 * 2**0.5)
    save("linear schedule", 4.0, seeds=1)
    save("wider", 4.0, cost=0.05 * 2.5)
    save("rate 0.15", 5.2, cost=0.05 * 4, precision="fp32")
    return tmp_path


def test_recipes_are_compared_in_equal_time(root):
    """The base reaches in 1.41 of its time what is half a doubling further: a recipe as good gains nothing."""
    told = recipes.table(SETTINGS, root).rows.set_index("recipe")
    assert list(told["seeds"]) == [3, 3, 3, 3, 3, 1]
    apart = told["loss less the base's"]
    assert apart["AdamW"] == pytest.approx(0.1) and told["time"]["AdamW"] == 1
    assert told["time"]["masking 40 %"] == pytest.approx(2**0.5)
    assert apart["masking 40 %"] == pytest.approx(4.9 - 4.8)
    assert told["one attractor"]["AdamW"] == 0.5 and told["agreement, adjacent"]["AdamW"] == 0.75
    assert told["interval"]["linear schedule"] == "–", "one seed has no interval"
    assert told["time"]["width 192"] == 2.5 and np.isnan(apart["width 192"]), "no run of the base was as long"
    assert 0.5 < told["time"]["masking 15 %"] < 1, "multiplications, not the seconds of a processor four times as slow"
    assert np.isfinite(apart["masking 15 %"])
    page = recipes.markdown(recipes.table(SETTINGS, root)).splitlines()
    assert len(page) == 2 + len(told) and all(line.count("|") == page[0].count("|") for line in page)


def test_runs_in_other_pieces_are_compared_by_the_word(tmp_path):
    """Larger pieces: 30 words are 40 pieces and not 60; of as many nats per piece they leave fewer to a word."""

    def save(group: str, per_piece: float, pieces: int, documents: range) -> None:
        n = len(documents)
        for member in TIER.group(group):
            told = {"loss": [per_piece * pieces + 30 * d for d in documents], "document": [*documents]}  # later, harder
            heldout = told | {"unigram": [9.0 * pieces] * n, "right": [9] * n, "n": [pieces] * n, "words": [30] * n}
            items = {"heldout": heldout, "agreement": {"simple, 0 attractors": "1110", "pp, 1 attractor": "1100"}}
            Record(
                key=member.key, tier="english", config=member.config.as_dict(), text=member.text, curve=[], items=items,
                cost={"4": 0.05}, passes=0.2, seconds=1.0,
            ).save(tmp_path)  # fmt: skip

    save("own pieces, 12,288", 6.0, 40, range(21))
    assert recipes.own_pieces(SETTINGS, tmp_path).rows.empty, "nothing to compare with"
    save("own pieces", 5.0, 60, range(1, 21))  # the first document gives no row in smaller pieces
    told = recipes.own_pieces(SETTINGS, tmp_path).rows.set_index("recipe")
    assert list(told["loss per word"]) == pytest.approx([10 + 10.5, 8 + 10])
    assert told[recipes.OWN_HEAD[-2]]["12,288 pieces"] == pytest.approx(-2), "on the documents that both have"
    assert {*recipes.OWN.values()} <= {*TIER.groups}


def test_without_records_the_page_says_how_to_make_some(tmp_path):
    assert "bertology family run --tier english" in recipes.markdown(recipes.table(SETTINGS, tmp_path))


def test_every_recipe_is_a_group_of_the_tier():
    assert set(recipes.SAID.values()) <= set(TIER.groups) and len(set(recipes.SAID.values())) == len(recipes.SAID)


def test_the_table_of_all_runs_has_every_tier_about_training():
    told = family.table().rows
    shipped = {t.name for t in grid.tiers().values() if t.about == grid.TRAINING}
    assert {"generated", "english", "few-words"} <= set(told["tier"]) <= shipped and told["loss"].isna().sum() <= 1
    one = family.table("generated").rows
    assert set(one["tier"]) == {"generated"} and one["1 attr."].between(0.3, 1).any()


def test_a_learning_curve_is_read_from_kept_figures(tmp_path):
    head = "checkpoint,tokens,steps,heldout_mlm,attractors,measure,value,low,high,n,run"
    lines = [f"step-{t},{t},{t},{9 - t},{k},agreement,0.{5 + k},0.4,0.9,100,mini" for t in (1, 2) for k in (0, 1, 2)]
    (tmp_path / "mini.csv").write_text("\n".join([head, *lines]) + "\n")
    by, loss = learning("mini", tmp_path)
    assert list(by) == ["0 attractors", "1 attractor", "2 attractors"] and list(by["1 attractor"]["value"]) == [
        0.6,
        0.6,
    ]
    assert list(loss["held-out loss"]["value"]) == [8, 7] and loss["held-out loss"]["low"].isna().all()
    assert learning("nonesuch", tmp_path) == ({}, {})


def test_the_pulls_of_the_sittings_end_at_the_bundled_model():
    """No control, no average, nothing of a sitting after it was left; pieces are counted from the first sitting on."""
    told = sittings()
    for rows in told.values():
        assert list(rows["run"].drop_duplicates()) == list(SITTINGS) and rows["tokens"].is_monotonic_increasing
        assert rows["tokens"].iloc[[0, 1, -1]].tolist() == [60_001_178, 134_732_521, 151_494_332] and len(rows) == 11
    other = told["right where they have not"].set_index("run")["value"]
    assert other["first release"] < 0.1 and other["mini-second"] > 0.9
