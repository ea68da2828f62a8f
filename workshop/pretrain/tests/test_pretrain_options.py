"""Options of a run: what they change, and that a run with them goes on to the same weights after a stop."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration, write
from training_runs import WORLD, power_cut, saved
from transformers import BertForPreTraining

from bertology_pretrain import ConfigError, load_config, loop, train
from bertology_pretrain.instances import RANDOM, row_lengths
from bertology_pretrain.order import rarity
from bertology_utils.family import config as configs
from bertology_utils.family.reading import from_plain
from bertology_utils.subject import variants

SHORT = {"tokens": 16_000, "held_out": 0.2, "checkpoint_seconds": 0.0, "eval_tokens": 10**9}
OPTIONS = {
    "word": {"masking": "word", "mask_symbol": "unk", "pair": "sop", "static_masks": True, "optimiser": "lamb"},
    "span": {"masking": "span", "attention": "preset", "same_rows": True},
    "entity": {"masking": "entity", "mask_symbol": "random", "attention": "uniform", "pair": "none"},
    "order": {"sublayers": "ssff", "order": "rare last"},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder with the corpus and the cache that the runs share."""
    folder = tmp_path_factory.mktemp("options")
    write(folder / "text.txt", documents=40)
    return folder


def begun(base, config) -> loop.Run:
    config = replace(config, held_out=0.2)
    (base / config.name).mkdir(exist_ok=True)
    corpus = train.load_corpus(base / "text.txt", config, base / "cache")
    return train.Run(config, corpus, base / config.name, WORLD, False)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_stopped_run_goes_on_to_the_same_weights(base, name):
    """With every option; and what is exported says what it computes."""
    config = configuration(**SHORT, **OPTIONS[name])

    def run(out):
        return train.run(config, base / "text.txt", base / out, device="cpu", cache=base / "cache")

    model = run(f"{name}-whole")
    with power_cut(lambda run: run.number == 15):
        run(f"{name}-stopped")
    run(f"{name}-stopped")
    one, two = saved(base / f"{name}-whole"), saved(base / f"{name}-stopped")
    assert one["number"] > 15 and one["order"] == two["order"]
    assert all(torch.equal(v, two["model"][k]) for k, v in one["model"].items())
    record = json.loads((model / "training.json").read_text("utf-8"))
    assert record["passes"] == json.loads((base / f"{name}-stopped/model/training.json").read_text())["passes"] > 1
    rows = [json.loads(line) for line in (base / f"{name}-whole/log.jsonl").read_text("utf-8").splitlines()]
    assert rows[-1]["mlm"] < rows[0]["mlm"] and (config.pair in rows[0]) == (config.pair != "none")
    assert from_plain(record["config"]) == config
    told = BertForPreTraining.from_pretrained(model).config
    expected = variants.mark(config.attention, config.sublayers).get(variants.MARK)
    assert getattr(told, variants.MARK, None) == expected


def masked(run: loop.Run, epoch: int) -> dict[bytes, torch.Tensor]:
    """What an epoch's rows of 32 look like after masking, by row."""
    run.stream.epoch, run.number = epoch, run.number + 1
    rows = run.stream.rows(32)
    batch = run._masked(torch.from_numpy(rows), 32)
    return {row.tobytes(): ids for row, ids in zip(rows, batch.ids, strict=True)}


def test_static_masks_repeat_and_others_do_not(base):
    static, same, plain = (
        [masked(begun(base, configuration(name=str(n), **options)), epoch) for epoch in (0, 3)]
        for n, options in enumerate(({"static_masks": True}, {"same_rows": True}, {}))
    )
    assert static[0].keys() == static[1].keys() and list(static[0]) != list(static[1])  # another order
    assert all(torch.equal(ids, static[1][row]) for row, ids in static[0].items())
    assert same[0].keys() == static[0].keys()  # the control: the same rows, other masks
    assert sum(torch.equal(ids, same[1][row]) for row, ids in same[0].items()) < 0.2 * len(same[0])
    assert len(plain[0].keys() & plain[1].keys()) < 0.5 * len(plain[0])


@pytest.mark.parametrize(("order", "part"), [("rare last", 1), ("rare last, then mixed", 0.5)])
def test_simple_rows_first_are_the_rows_that_would_have_been_seen(base, order, part):
    shuffled, sorted_ = (
        begun(base, configuration(name=name, order=name, tokens=2000)).stream for name in ("shuffled", order)
    )
    plain, simple = shuffled.rows(16), sorted_.rows(16)
    hard = rarity(sorted_.corpus, simple)
    share = next(p.share for p in configuration().phases if p.length == 16)
    seen = int(np.searchsorted(row_lengths(plain).cumsum(), share * part * 2000)) + 1
    assert 5 < seen < len(plain)
    assert (np.diff(hard[:seen]) >= 0).all() and hard[0] < hard[seen - 1]
    assert {tuple(r) for r in simple[:seen]} == {tuple(r) for r in plain[:seen]}
    assert (simple[seen:] == plain[seen:]).all()


def test_rarity_is_the_mean_surprise_of_a_rows_pieces(base):
    corpus = begun(base, configuration(name="rarity")).corpus
    share = np.bincount(corpus.tokens) / len(corpus.tokens)
    a, b = corpus.tokens[3:8], corpus.tokens[20:24]
    expected = -np.log(share[np.concatenate([a, b])]).mean()
    assert rarity(corpus, np.array([[3, 5, 20, 4, 0], [3, 5, 0, 0, 0]])) == pytest.approx(
        [expected, -np.log(share[a]).mean()]
    )


def test_passes_count_the_text_that_was_shown(base):
    """An epoch of rows of one segment shows the text once, but for what is cut off of rows that are too long."""
    run = begun(base, configuration(name="passes", pair="none"))
    pieces = int(run.corpus.sizes()[~run.corpus.held].sum())
    assert run.passes() == 0
    while run.stream.epoch == 0:
        run.advance()
    later = run.stream.rows(16)[: run.stream.place]  # a last batch may reach into the next epoch
    shown = (run.stream._plan(0, 16)[:, [1, 3]].sum() + later[:, [1, 3]].sum()) / pieces
    assert run.passes() == pytest.approx(shown) and 0.6 < shown < 1


@pytest.mark.parametrize("kind", ["word", "span", "entity"])
def test_kinds_of_masks_are_measured_at_the_same_places(base, kind):
    plain = begun(base, configuration(name="plain")).heldout.batch
    other = begun(base, configuration(name=kind, masking=kind, mask_rate=0.3, mask_symbol="unk")).heldout.batch
    assert torch.equal(plain.slots, other.slots) and torch.equal(plain.weights, other.weights)
    assert torch.equal(plain.labels, other.labels)
    assert (other.ids[plain.ids != other.ids] == 1).all() and (plain.ids != other.ids).any()


def test_the_second_task_s_figures_are_told_by_its_name(base):
    for pair in ("nsp", "sop"):
        run = begun(base, configuration(name=pair, pair=pair))
        found = run.evaluate(200)
        count = found["heldout_rows"]
        assert found["heldout_random"] == pytest.approx(float(run.heldout.batch.random[:count].double().mean()))
        assert 0.2 < found["heldout_random"] < 0.8 and f"heldout_{pair}" in found
        assert 0.2 < run.stream.batch(32, 200)[:, RANDOM].mean() < 0.8


def test_one_field_says_what_the_second_task_is():
    names = ("mini", "mini-nonsp-cpu")
    assert [load_config(n).pair for n in names] == ["nsp", "none"]
    assert load_config("mini-nonsp-cpu", pair="sop").pair == "sop" and load_config("mini", nsp=False).pair == "none"
    for wrong in ({"nsp": False, "pair": "sop"}, {"nsp": True, "pair": "none"}, {"nsp": "no"}):
        with pytest.raises(ConfigError, match="name the second task once"):
            load_config("tiny", **wrong)
    for pair in ("nsp", "sop", "none"):
        config = configuration(pair=pair)
        assert from_plain(config.as_dict()) == config
    assert len({configuration(pair=pair).digest() for pair in ("nsp", "sop", "none")}) == 3


def test_digests_of_recorded_runs_stay():
    """Those of `tiny` and of the bundled models' recipe before there were options."""
    assert configuration().digest() == "c247945fc3b7aa312ce43562904eee7e7772df51f03c347e5d9e0ef3d60197e1"
    assert load_config("mini-cpu").digest() == "afec2d3b1c8f0449f819ee94cba1cddb0fa45f6d4b973df08d82191830b5b74b"
    assert load_config("mini-nonsp-cpu").digest() == "d900def7a68dea4c4b227b96443b4e0d5633cb9176092235ffe05c7df6548ff7"
    options = ({"masking": "word"}, {"mask_symbol": "unk"}, {"static_masks": True}, {"attention": "preset"})
    assert len({configuration(**o).digest() for o in (*options, {}, {"sublayers": "ssff"}, {"same_rows": True})}) == 7


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"masking": "letter"}, "masking 'letter' is none of piece, word, span, entity"),
        ({"mask_symbol": "blank"}, "mask_symbol"),
        ({"attention": "sparse"}, "attention"),
        ({"pair": "mlm"}, "pair"),
        ({"sublayers": "sff"}, "are not s and f, 2 of each"),
        ({"static_masks": 1}, "static_masks 1 is no bool"),
        ({"words": 300, "generated": 0}, "words 300 is for generated text"),
        (
            {
                "sublayers": "ssff",
                "phases": (configs.Phase(length=16, share=0.5, layers=1), configs.Phase(length=16, share=0.5)),
            },
            "all layers from the start",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(changes, says):
    with pytest.raises(ConfigError, match=says):
        configuration(**changes)
