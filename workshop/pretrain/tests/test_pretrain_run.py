"""Whole runs of the configuration `tiny`: learning, resuming after kill -9, two processes, exports, locks."""

from __future__ import annotations

import json
import math
import os
import runpy
import signal
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import yaml
from pretrain_corpus import configuration, subprocess_python, write
from training_runs import WORLD, saved
from transformers import AutoTokenizer, BertForPreTraining

from bertology_pretrain import CheckpointError, ConfigError, CorpusError, checkpoint, loop, main, train
from bertology_pretrain.export import export
from bertology_pretrain.instances import A_START, B_START, RANDOM
from bertology_pretrain.parallel import World, join


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """A folder with the corpus and the cache that the runs share."""
    folder = tmp_path_factory.mktemp("pretrain")
    write(folder / "text.txt")
    return folder


def run(base: Path, out: str, config=None, **options) -> Path:
    """Run `config` (tiny) into ``base / out``."""
    return train.run(
        config or configuration(), base / "text.txt", base / out, device="cpu", cache=base / "cache", **options
    )


@pytest.fixture(scope="module")
def whole(base) -> Path:
    """The run of `tiny`, uninterrupted."""
    return run(base, "whole", configuration(checkpoint_seconds=0.0))


def log(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]


def same_weights(one: Path, other: Path) -> bool:
    a, b = saved(one)["model"], saved(other)["model"]
    return a.keys() == b.keys() and all(torch.equal(v, b[k]) for k, v in a.items())


def test_a_run_learns_and_says_what_it_did(whole):
    record = json.loads((whole / "training.json").read_text("utf-8"))
    rows = log(whole.parent)
    assert record["finished"] and record["tokens"] >= 40_000 and record["steps"] == saved(whole.parent)["number"]
    assert record["files"][0]["name"] == "text.txt" and record["order"] == saved(whole.parent)["order"]
    assert rows[0]["mlm"] == pytest.approx(math.log(300), abs=0.2) and rows[-1]["mlm"] < rows[0]["mlm"] - 0.5
    assert record["heldout"]["heldout_mlm"] < math.log(300) - 0.5 and 0 < record["heldout"]["heldout_top1"] < 1
    assert [r["length"] for r in rows] == sorted(r["length"] for r in rows) and {r["length"] for r in rows} == {16, 32}
    assert any("heldout_mlm" in r for r in rows) and all(r["layers"] == 2 for r in rows)
    exports = {p.name: json.loads((p / "training.json").read_text("utf-8")) for p in whole.parent.glob("step-*")}
    assert len(exports) == 2  # at a quarter and at half of the budget
    for part, told in zip((0.25, 0.5), sorted(exports.values(), key=lambda t: t["tokens"])):
        assert 0 <= told["tokens"] - part * 40_000 < 1024 and "heldout_mlm" in told["heldout"]
    assert [json.loads(r) for r in (whole / "curves.jsonl").read_text("utf-8").splitlines()] == rows


KILLED = """
import os, signal, sys
import torch
from bertology_pretrain import checkpoint, train
real, saves = torch.save, []
def breaks_off(state, stream):
    saves.append(state)
    if len(saves) == 20:
        stream.write(b"half a checkpoint")
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    real(state, stream)
torch.save = breaks_off
train.run(sys.argv[1], sys.argv[2], sys.argv[3], device="cpu", cache=sys.argv[4])
"""


def test_a_run_killed_while_writing_goes_on_to_the_same_weights(base, whole):
    """kill -9 in the middle of the 20th checkpoint: the 19th is whole, and the end is the uninterrupted run's."""
    file = base / "killed.yaml"
    file.write_text(yaml.safe_dump(configuration(checkpoint_seconds=0.0).as_dict()), "utf-8")
    out = base / "killed"
    done = subprocess_python(KILLED, file, base / "text.txt", out, base / "cache")
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (out / "checkpoint.pt.part").read_bytes().endswith(b"half a checkpoint")
    before = saved(out)
    assert before["number"] == 19 and not (out / "model").exists()
    with (out / "log.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"step": 20, "tok')  # a line cut off
    run(base, "killed")
    assert saved(out)["order"] == saved(whole.parent)["order"] != before["order"]
    assert same_weights(out, whole.parent) and not (out / "checkpoint.pt.part").exists()

    def lasting(rows):
        return [{k: v for k, v in r.items() if k != "tokens_per_second"} for r in rows]

    assert lasting(log(out)) == lasting(log(whole.parent))


def test_runs_are_stopped_by_the_clock_or_a_signal_and_go_on(base, whole, monkeypatch):
    run(base, "slices", minutes=1e-9)
    first = saved(base / "slices")
    assert first["number"] == 1 and not json.loads((base / "slices/model/training.json").read_text())["finished"]
    advance = loop.Run.advance

    def interrupted(self):
        if self.number == 30:
            os.kill(os.getpid(), signal.SIGTERM)
        return advance(self)

    monkeypatch.setattr(loop.Run, "advance", interrupted)
    run(base, "slices")
    assert saved(base / "slices")["number"] == 31
    monkeypatch.undo()
    run(base, "slices")
    assert same_weights(base / "slices", whole.parent)


def test_another_seed_is_another_order_and_fresh_starts_anew(base, whole):
    run(base, "other", configuration(seed=1), minutes=1e-9)
    one = saved(base / "other")
    assert one["order"] != saved(whole.parent)["order"]
    run(base, "other", configuration(seed=1), minutes=1e-9)
    assert saved(base / "other")["number"] == 2
    with pytest.raises(CheckpointError, match=r"another run \(seed 1 -> 2\)"):
        run(base, "other", configuration(seed=2), minutes=1e-9)
    run(base, "other", configuration(seed=1), minutes=1e-9, resume=False)
    again = saved(base / "other")
    assert again["number"] == 1 and again["order"] == one["order"] and len(log(base / "other")) == 0


def test_processes_that_do_not_share_the_rows_evenly_are_refused(base, monkeypatch):
    monkeypatch.setattr(train, "join", lambda device: World(0, 3, torch.device("cpu")))
    monkeypatch.setattr(World, "close", lambda self: None)
    with pytest.raises(ConfigError, match="batch_tokens"):
        run(base, "three")


def test_micro_batches_change_nothing_but_rounding(base):
    small = configuration(tokens=4_000, micro_tokens=64)
    run(base, "micro", small)
    run(base, "macro", configuration(tokens=4_000))
    one, two = saved(base / "micro"), saved(base / "macro")
    for name, value in one["model"].items():
        torch.testing.assert_close(two["model"][name], value, atol=1e-3, rtol=0, msg=name)


def test_without_next_sentences_there_is_one_segment(base):
    config = configuration(pair="none", tokens=10_000)
    run(base, "mlm", config)
    rows = log(base / "mlm")
    assert rows[-1]["mlm"] < rows[0]["mlm"] and "nsp" not in rows[0]
    record = json.loads((base / "mlm/model/training.json").read_text())
    assert set(record["heldout"]) == {"heldout_mlm", "heldout_top1", "heldout_predictions"}
    start = train.Run(config, train.load_corpus(base / "text.txt", config, base / "cache"), base / "mlm", WORLD, False)
    weights = saved(base / "mlm")["model"]
    for name, value in start.model.state_dict().items():
        if "seq_relationship" in name or "pooler" in name:
            assert torch.equal(weights[name], value), name  # as initialised: no loss reaches them
    planned = start.stream.batch(32, 50)
    assert not planned[:, [B_START, RANDOM]].any() and planned[:, A_START].any()


def test_the_held_out_rows_are_always_the_same_and_held_out(base, whole):
    config = configuration()
    corpus = train.load_corpus(base / "text.txt", config, base / "cache")
    (base / "eval").mkdir()
    one, two = (train.Run(config, corpus, base / "eval", WORLD, False) for _ in range(2))
    assert torch.equal(one.heldout.batch.ids, two.heldout.batch.ids)
    assert one.evaluate(200) == two.evaluate(200)
    assert one.model.training  # evaluation leaves train mode on
    a, b = one.evaluate(50), one.evaluate(10**9)
    assert 50 <= a["heldout_predictions"] < b["heldout_predictions"] == int(one.heldout.batch.weights.sum())
    held = {s for d, out in enumerate(corpus.held) if out for s in sentences(corpus, d)}
    trained = {s for d, out in enumerate(corpus.held) if not out for s in sentences(corpus, d)}
    found = original(one.heldout.batch)
    assert found and all(any(piece in s for s in held) for piece in found)
    assert not all(any(piece in s for s in trained) for piece in found)
    with pytest.raises(CorpusError, match="held_out"):
        none = configuration(held_out=0.0)
        train.Run(none, train.load_corpus(base / "text.txt", none, base / "cache"), base / "eval", WORLD, False)


def sentences(corpus, document: int) -> list[str]:
    """A document's pieces as one string, so that a segment can be looked for in it."""
    a, b = corpus.sentences[corpus.documents[document]], corpus.sentences[corpus.documents[document + 1]]
    return [" " + " ".join(map(str, corpus.tokens[a:b])) + " "]


def original(batch) -> list[str]:
    """The segments of a batch's first rows before masking, as `sentences` writes them."""
    used = torch.where(batch.weights.bool(), batch.labels, batch.ids.gather(1, batch.slots))
    ids = batch.ids.scatter(1, batch.slots, used)
    out = []
    for row, present in zip(ids[:20], batch.mask[:20, 0, 0]):
        text = " ".join(map(str, row[present][1:-1].tolist()))
        out += [f" {part.strip()} " for part in f" {text} ".split(" 3 ")]  # [SEP]
    return out


def test_an_export_is_a_hugging_face_folder(base, whole):
    model, told = BertForPreTraining.from_pretrained(whole, output_loading_info=True)
    assert not any(told.values()), told
    assert model.dtype == torch.float32 and model.config.architectures == ["BertForPreTraining"]
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight
    weights = saved(whole.parent)["model"]
    trained = BertForPreTraining(model.config)
    trained.load_state_dict(weights)
    tokenizer = AutoTokenizer.from_pretrained(whole)
    text = (base / "text.txt").read_text("utf-8").split("\n")[0]
    encoded = tokenizer(text, "bada bodo", return_tensors="pt", truncation=True, max_length=40)
    with torch.no_grad():
        one, other = model.eval()(**encoded), trained.eval()(**encoded)
    torch.testing.assert_close(one.prediction_logits, other.prediction_logits, atol=2e-2, rtol=0)
    torch.testing.assert_close(one.seq_relationship_logits, other.seq_relationship_logits, atol=2e-2, rtol=0)
    for name, value in weights.items():
        torch.testing.assert_close(model.state_dict()[name], value, atol=1e-6, rtol=2**-10, msg=name)
    assert json.loads((whole / "config.json").read_text())["num_hidden_layers"] == 2


def test_the_exported_tokenizer_is_the_raw_one(base, whole):
    raw = train.load_corpus(base / "text.txt", configuration(), base / "cache").tokenizer
    tokenizer = AutoTokenizer.from_pretrained(whole)
    lines = [s for s in (base / "text.txt").read_text("utf-8").split(".") if len(s) < 100][:30]
    for a, b in pairwise([*lines, "Ünkñown 中文 words! [MASK]"]):
        assert tokenizer(a)["input_ids"] == raw.encode(a).ids
        pair = tokenizer(a, b)
        assert (pair["input_ids"], pair["token_type_ids"]) == (raw.encode(a, b).ids, raw.encode(a, b).type_ids)
    assert tokenizer.mask_token_id == 4 and tokenizer.model_max_length == 64 and len(tokenizer) == 300
    assert (whole / "vocab.txt").read_text("utf-8").splitlines()[:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def test_a_checkpoint_exports_to_the_same_files(base, whole):
    folder = export(whole.parent, base / "again")
    for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    with pytest.raises(CheckpointError, match=r"no checkpoint .*nothing"):
        export(base / "nothing", base / "again")


def test_one_process_a_folder(base):
    with checkpoint.claimed(base / "busy"), pytest.raises(CheckpointError, match="another process is training in"):
        run(base, "busy")
    run(base, "busy", minutes=1e-9)


def test_a_loss_that_grows_without_bound_stops_the_run(base):
    with pytest.raises(ConfigError, match="lower learning_rate, now 1000000000"):
        run(base, "wild", configuration(learning_rate=1e9, clip=1e9, warmup=0.0, name="wild"))


def test_the_command_line_prepares_trains_and_refuses_in_one_line(base, capsys, monkeypatch):
    arguments = {"corpus": [base / "text.txt"], "out": base / "line", "cache": base / "cache", "device": "cpu"}
    main("tiny", **arguments, prepare=True)
    assert "documents" in capsys.readouterr().out and not (base / "line").exists()
    main("tiny", **arguments, tokens=1_000)
    assert capsys.readouterr().out.strip() == str(base / "line" / "model")
    arguments = ["--config", "tiny", "--corpus", str(base / "nowhere"), "--out", str(base / "x"), "--device", "cpu"]
    monkeypatch.setattr(sys, "argv", ["pretrain", *arguments])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("bertology_pretrain", run_name="__main__")
    assert stop.value.code == 2
    assert capsys.readouterr().err.splitlines() == [f"bertology: no such file or folder: {base / 'nowhere'}"]


def test_a_device_left_open_is_a_gpu_where_there_is_one():
    assert join("auto").device == join(None).device and join("cpu").device.type == "cpu"
    assert join().device.type == ("cuda" if torch.cuda.is_available() else "cpu")
