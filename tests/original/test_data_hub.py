"""GLUE, PAWS-X and XNLI from the Hub: the same items as from files, without a network in the test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from standin import labelled
from support import tiny_folder

from bertology_utils import card, runs
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data import original
from bertology_utils.data.items import Item
from bertology_utils.data.original import hub
from bertology_utils.settings import Settings

HUB_SPLITS = {"train": "train", "dev": "validation", "test": "test"}

CARD = """---
configs:
- config_name: rte
  data_files:
  - {split: train, path: rte/train.jsonl}
  - {split: validation, path: rte/validation.jsonl}
  - {split: test, path: rte/test.jsonl}
- config_name: stsb
  data_files:
  - {split: train, path: stsb/train.jsonl}
---
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder laid out as the Hub's repository."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "hf"))
    folder = tmp_path / "glue"
    for part, label in (("rte/train", 0), ("rte/validation", 1), ("rte/test", -1), ("stsb/train", 2.5)):
        path = folder / f"{part}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{{"sentence1": "A.", "sentence2": "B.", "label": {label}, "idx": 0}}\n', encoding="utf-8")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


def test_glue_from_the_hub_gives_the_same_items(repository, monkeypatch):
    datasets = pytest.importorskip("datasets")
    cache = str(repository.parent / "hf")
    calls = []

    def load(place, name, **options):
        calls.append((place, name, options))
        return datasets.load_dataset(str(repository), name, cache_dir=cache)

    items, notes = hub.read("hub:rte", "entailment", load=load)
    assert calls == [("nyu-mll/glue", "rte", {"revision": hub.GLUE[1]})]
    assert [(i.split, i.label, i.text, i.text_b) for i in items] == [
        ("train", "entailment", "A.", "B."),
        ("dev", "not_entailment", "A.", "B."),
    ]
    assert notes[1] == "1 left out: they have no label"
    (item,), _ = hub.read("hub:stsb", "sts", load=load)
    assert (item.a, item.b, item.score) == ("A.", "B.", 2.5)
    assert original.tasks("hub:rte") == ["entailment"]


@pytest.mark.parametrize(
    "name, task, labels",
    [("paws-x.de", "paraphrase", ["1", "0"]), ("xnli.sw", "entailment", ["neutral", "entailment"])],
)
def test_other_sets_are_read_from_their_own_repository_in_a_language(tmp_path, name, task, labels):
    datasets = pytest.importorskip("datasets")
    its, calls = hub.CONFIGS[name], []
    rows = [{**dict.fromkeys(its.texts, "A."), "label": its.labels.index(x)} for x in labels]
    table = datasets.DatasetDict({"validation": datasets.Dataset.from_list(rows)})

    def load(place, config, revision):
        calls.append((place, config, revision))
        return table

    items, (note,) = hub.read(f"hub:{name}", task, load=load)
    assert calls == [(its.place[0], name[-2:], its.place[1])] and its.place[0] in note
    assert [(i.split, i.label, i.text, i.text_b) for i in items] == [("dev", x, "A.", "A.") for x in labels]


def test_the_hub_out_of_reach_is_one_line():
    def load(*args, **options):
        raise ConnectionError("no route\nto host")

    with pytest.raises(original.DataUnavailable, match="ConnectionError: no route to host") as caught:
        hub.read("hub:sst2", "sentiment", load=load)
    assert "\n" not in str(caught.value)
    with pytest.raises(KeyError, match="no items for 'sts'; it has: sentiment"):
        hub.read("hub:sst2", "sts", load=load)
    with pytest.raises(KeyError, match="no 'hub:nothing'; there are: hub:sst2"):
        original.tasks("hub:nothing")


def published(items: list[Item], config: str, folder: Path) -> None:
    """Rows as the Hub's repository has them: a parquet file per split; labels are numbers."""
    datasets = pytest.importorskip("datasets")
    its = hub.CONFIGS[config]
    (folder / config).mkdir(parents=True, exist_ok=True)
    for split in sorted({item.split for item in items}):
        here = [i for i in items if i.split == split]
        rows = [{**dict(zip(its.texts, (i.text, i.text_b))), "label": its.labels.index(i.label)} for i in here]
        name = HUB_SPLITS[split]
        datasets.Dataset.from_list(rows).to_parquet(folder / config / f"{name}-00000-of-00001.parquet")


def local(folder: Path):
    """Stands for `datasets.load_dataset`: the repository is a folder."""
    read = pytest.importorskip("datasets").load_dataset

    def load(repository, name, revision):
        assert (repository, revision) == hub.GLUE
        return read(str(folder / name), cache_dir=str(folder / "hf"))

    return load


def test_a_claim_is_measured_on_the_hubs_rows_by_their_name(tmp_path, monkeypatch):
    items = labelled(60, "train") + labelled(30, "dev") + labelled(30, "test")
    mixed = [replace(i, label=str(k % 2), text=f"the dog near the cat {k}") for k, i in enumerate(items)]
    published(mixed, "sst2", tmp_path)
    monkeypatch.setattr("datasets.load_dataset", local(tmp_path))
    settings = Settings(model=str(tiny_folder()), n=24, draws=20, evidence=tmp_path / "evidence", device="cpu")
    id = "trn.pretraining_benefit.kovaleva2019"
    (record,) = runs.run(id, settings, data="hub:sst2", twin=False).records
    assert record.data == "hub:sst2" and hub.GLUE[1][:8] in " ".join(record.notes)
    assert "hub:sst2" in repr(card(id, settings))
    with pytest.raises(NotRunnable, match="hub:stsb"):
        runs.run(id, settings, data="hub:stsb")
