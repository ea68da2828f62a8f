"""GLUE from the Hub: the same items as from files, without a network in the test."""

from __future__ import annotations

import pytest

from bertology_utils.data import original
from bertology_utils.data.original import hub

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
    assert calls == [("nyu-mll/glue", "rte", {"revision": hub.REVISION})]
    assert [(i.split, i.label, i.text, i.text_b) for i in items] == [
        ("train", "entailment", "A.", "B."),
        ("dev", "not_entailment", "A.", "B."),
    ]
    assert notes[1] == "1 left out: they have no label"
    (item,), _ = hub.read("hub:stsb", "sts", load=load)
    assert (item.a, item.b, item.score) == ("A.", "B.", 2.5)
    assert original.tasks("hub:rte") == ["entailment"]


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
