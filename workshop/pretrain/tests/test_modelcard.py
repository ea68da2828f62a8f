"""A model card's figures are its training record's."""

from __future__ import annotations

import json

import pytest
import yaml

from bertology_pretrain import load_config, modelcard
from bertology_pretrain.checkpoint import FREE
from bertology_utils.subject import models

RECORD = {
    "config": {
        "name": "x",
        "layers": 4,
        "hidden": 8,
        "heads": 2,
        "vocab": 99,
        "held_out": 0.01,
        "nsp": True,
        "mask_rate": 0.15,
        "learning_rate": 0.001,
        "max_positions": 64,
        "batch_tokens": 512,
        "phases": [
            {"length": 32, "share": 0.75, "layers": 2, "batch_tokens": None},
            {"length": 64, "share": 0.25, "layers": None, "batch_tokens": 256},
        ],
    },
    "heldout": {
        "heldout_mlm": 3.14159,
        "heldout_top1": 0.4321,
        "heldout_predictions": 777,
        "heldout_nsp": 0.9,
        "heldout_random": 0.4,
    },
    "files": [{"name": "simplewiki.txt.xz", "words": 2_500_000}, {"name": "mine.txt", "words": 100_000}],
    "tokens": 7_000_000,
    "steps": 1234,
    "seconds": 600.0,
    "device": "cpu",
    "versions": {"torch": "9.9"},
}


def test_every_figure_comes_from_the_record():
    card = modelcard.text("mini", RECORD, yaml.safe_load(modelcard.SOURCES.read_text()), "AGREEMENT")
    for expected in (
        "3.142",
        "0.432",
        "777",
        "7,000,000",
        "1,234",
        "10 minutes",
        "2.5 M",
        "CC BY-SA",
        "| 32 | 75% | 2 | 512 |",
        "| 64 | 25% | 4 | 256 |",
        "0.600",
        "AGREEMENT",
        "| mine.txt | 0.1 M | not recorded | not recorded |",
    ):
        assert expected in card, expected


@pytest.mark.parametrize("name", list(models.bundled()))
def test_bundled_models_have_the_card_their_record_gives(name):
    folder = models.bundled()[name]
    record = json.loads((folder / "training.json").read_text())
    card = (folder / "README.md").read_text()
    assert f"{record['tokens']:,} pieces" in card and f"{record['heldout']['heldout_top1']:.3f}" in card
    several = len(modelcard.languages([f["name"] for f in record["files"]])) > 1
    assert all(f"{f['pieces' if several else 'words'] / 1e6:.1f} M" in card for f in record["files"])
    curves = [json.loads(line) for line in (folder / "curves.jsonl").read_text().splitlines()]
    for length, share, depth, batch in modelcard.schedule(record["config"], curves):
        assert f"| {length} | {share:.0%} | {depth} | {batch:,} |" in card
    assert (folder / "model.safetensors").stat().st_size <= (20e6 if several else 18e6)


@pytest.mark.parametrize("name", list(models.bundled()))
def test_bundled_models_load_whole(name):
    subject = models.load(name)
    assert subject.has_mlm and subject.has_nsp
    assert subject.tokenizer.mask_token == "[MASK]" and subject.tokenizer.is_fast


@pytest.mark.parametrize("name", list(models.bundled()))
def test_bundled_models_are_what_their_command_makes(name):
    """The configuration that the card's command names is the one the model was trained with, or decayed early from."""
    told = json.loads((models.bundled()[name] / "training.json").read_text())["config"]
    now = load_config(told["name"]).as_dict()
    given = set(FREE)
    if now["tokens"] != told["tokens"]:
        assert "--release" in (models.bundled()[name] / "README.md").read_text()
        given.add("tokens")
    assert {k: now[k] for k in told if k not in given} == {k: v for k, v in told.items() if k not in given}
    assert all(now[k] == load_config("tiny").as_dict()[k] for k in now.keys() - told.keys())  # what came since: off


def test_cards_say_what_optimiser_schedule_and_text_there_were():
    run = RECORD["config"] | {
        "optimiser": "muon",
        "muon_factor": 2.0,
        "schedule": "stable",
        "decay": 0.25,
        "generated": 9,
    }
    card = modelcard.text("toy", RECORD | {"config": run}, {})
    assert "Muon for the encoder's matrices (at 2 times the rate)" in card and "over the last 25%, stable" in card
    assert "positive control" in card and "`bertology pretrain --config x --out RUN`" in card
    card = modelcard.text("mini", RECORD, {})
    assert "AdamW, learning rate" in card and "--corpus FOLDER" in card and "positive control" not in card
