"""An average of models: its weights, its record, and what cannot be averaged."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
import torch
from pretrain_corpus import configuration
from safetensors.torch import load_file
from tokenizers import Tokenizer

from bertology_pretrain import ConfigError
from bertology_pretrain.average import average
from bertology_pretrain.export import write
from bertology_pretrain.step import build
from bertology_pretrain.wordpiece import MODELS
from bertology_utils.subject.models import load


@pytest.fixture
def models(tmp_path):
    """Two small models of other weights and one file of text in common, as runs export them."""
    tokenizer = Tokenizer.from_file(str(MODELS / "toy/tokenizer.json"))
    for number, texts in enumerate(("ab", "bc")):
        config = configuration(vocab=tokenizer.get_vocab_size(), seed=number, name=f"run-{number}")
        files = [{"name": t, "sha256": t} for t in texts]
        record = {"config": config.as_dict(), "files": files, "tokens": 10 + number, "heldout": {"heldout_mlm": 2.0}}
        write(build(config), tokenizer, config, tmp_path / f"m{number}", record, [{"tokens": 1, "loss": 2.0}])
    return tmp_path / "m0", tmp_path / "m1"


def test_weights_are_averaged_by_share_whatever_the_order(models, tmp_path):
    few, most = models
    made = average({few: 0.3, most: 0.7}, tmp_path / "average")
    a, b, mean = (load_file(folder / "model.safetensors") for folder in (few, most, made))
    name = "bert.encoder.layer.0.attention.self.query.weight"
    assert not torch.equal(a[name], b[name]) and a.keys() == mean.keys()
    for key, value in mean.items():
        torch.testing.assert_close(value.float(), 0.3 * a[key].float() + 0.7 * b[key].float(), atol=1e-4, rtol=1e-3)
    again = average({most: 0.7, few: 0.3}, tmp_path / "again")
    assert (again / "model.safetensors").read_bytes() == (made / "model.safetensors").read_bytes()
    assert load(str(made)).config.hidden_size == a[name].shape[0]  # it is a model like others


def test_the_record_says_what_it_is_made_of(models, tmp_path):
    made = average(dict(zip(models, (0.3, 0.7), strict=True)), tmp_path / "average")
    record = json.loads((made / "training.json").read_text("utf-8"))
    hashes = [hashlib.sha256((m / "model.safetensors").read_bytes()).hexdigest() for m in models]
    assert record["average"] == [
        {"name": "run-1", "share": 0.7, "sha256": hashes[1]},
        {"name": "run-0", "share": 0.3, "sha256": hashes[0]},
    ]
    assert record["tokens"] == 11 and sorted(f["sha256"] for f in record["files"]) == ["a", "b", "c"]
    assert not (made / "curves.jsonl").exists() and "heldout" not in record  # nobody trained it, nobody measured it


def test_what_cannot_be_averaged_is_refused(models, tmp_path):
    few, most = models
    for shares in ({few: 0.3, most: 0.6}, {few: 0.0, most: 1.0}, {few: -0.5, most: 1.5}):
        with pytest.raises(ConfigError, match="positive and sum to 1"):
            average(shares, tmp_path / "average")
    with pytest.raises(ConfigError, match=r"is no exported model: it has no model\.safetensors"):
        average({few: 0.5, tmp_path: 0.5}, tmp_path / "average")
    other = shutil.copytree(most, tmp_path / "other")
    pieces = (other / "vocab.txt").read_text("utf-8").splitlines()
    (other / "vocab.txt").write_text("\n".join([*pieces[:-1], "another"]) + "\n", "utf-8")
    wider = shutil.copytree(most, tmp_path / "wider")
    config = json.loads((wider / "config.json").read_text("utf-8"))
    (wider / "config.json").write_text(json.dumps(config | {"num_attention_heads": 1}), "utf-8")
    for wrong in (other, wider):
        with pytest.raises(ConfigError, match="is built in another way"):
            average({few: 0.5, wrong: 0.5}, tmp_path / "average")
    assert not (tmp_path / "average").exists()
