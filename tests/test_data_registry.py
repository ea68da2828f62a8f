"""The registry, verified fetching, what readers share, `load`, `check` and the command line."""

from __future__ import annotations

import hashlib
import http.server
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from support import mirror
from typer.testing import CliRunner

from bertology_utils import data, ledger
from bertology_utils.data import cli, original
from bertology_utils.data.items import Labelled, Sentence, Span
from bertology_utils.data.original import check, fetch, hub, reading, registry
from bertology_utils.settings import Settings

CONTENT = b"right\n" * 1000
ROOT = Path(__file__).resolve().parents[1]

# --- the registry -----------------------------------------------------------------------------------------------------


def test_every_file_is_pinned():
    for dataset in registry.datasets().values():
        assert dataset.files, dataset.name
        for file in dataset.files.values():
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.bytes >= 0, file
            assert ".." not in file.path.split("/") and not file.path.startswith("/"), file
            if file.url:
                assert re.fullmatch(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/\S+", file.url), file


def test_addresses_are_made_of_repository_commit_and_path():
    files = registry.dataset("gulordava2018_linzen2016").files
    assert files["data/linzen_testset/subj_agr_filtered.gold"].url == (
        "https://raw.githubusercontent.com/facebookresearch/colorlessgreenRNNs/"
        "dbffbf0f2ef86c50bac204d7a2292862e1c6036f/data/linzen_testset/subj_agr_filtered.gold"
    )
    # one repository a language: the address is the file's own, not the data set's
    pud = registry.dataset("ud_pud_multilingual").files
    assert {f.url.split("/")[4] for f in pud.values()} >= {"UD_Hindi-PUD", "UD_Finnish-PUD"}
    assert "%20" in registry._address({"repository": "a/b", "commit": "c"}, {"source": "", "path": "d e.txt"})


def test_the_ledger_names_no_data_that_is_not_registered():
    named = {name for row in ledger.rows() for name in row.data} - {"builtin", "corpus", "corpus_multilingual"}
    assert named <= set(registry.datasets()), named - set(registry.datasets())


def test_every_data_set_can_be_cited():
    keys = set(re.findall(r"@\w+\{([^,\s]+)", (ROOT / "book" / "references.bib").read_text(encoding="utf-8")))
    for dataset in registry.datasets().values():
        assert dataset.cite and set(dataset.cite) <= keys, (dataset.name, set(dataset.cite) - keys)


def test_what_states_no_licence_may_not_be_passed_on():
    for dataset in registry.datasets().values():
        if re.match(r"none|not stated", dataset.licence, re.IGNORECASE):
            assert not dataset.redistribute, dataset.name


def test_an_unknown_data_set_is_an_error_that_names_the_known():
    with pytest.raises(original.UnknownDataset, match=r"no data set 'wics'.*wic,"):
        original.read("wics", "sense_pairs")
    with pytest.raises(KeyError, match="wic has no items for 'agreement'; it has: sense_pairs"):
        original.read("wic", "agreement")


# --- fetching ---------------------------------------------------------------------------------------------------------


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT, other content, or CONTENT cut short, by the path asked for; counts requests."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        body = {"/wrong": b"x" * len(CONTENT), "/cut": CONTENT[:100]}.get(self.path, CONTENT)
        if self.path == "/slow":
            time.sleep(0.2)
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def file(server):
    Handler.asked.clear()
    digest = hashlib.sha256(CONTENT).hexdigest()
    return registry.File("set", "folder/file.txt", len(CONTENT), digest, f"{server}/file")


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def put(folder: Path, file: registry.File, content: bytes) -> Path:
    path = registry.below(folder, file)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def left(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def test_the_mirror_comes_first(file, tmp_path, cache):
    path = put(tmp_path / "mirror", file, CONTENT)
    assert fetch.fetch(file, tmp_path / "mirror", cache) == path
    assert Handler.asked == [] and not cache.exists()


def test_the_mirror_is_found_in_the_environment(file, tmp_path, cache, monkeypatch):
    path = put(tmp_path / "mirror", file, CONTENT)
    monkeypatch.setenv("BERTOLOGY_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("BERTOLOGY_CACHE", str(cache))
    assert fetch.fetch(file) == path
    monkeypatch.delenv("BERTOLOGY_MIRROR")
    assert fetch.fetch(file) == registry.below(cache, file)


def test_a_wrong_file_in_the_mirror_is_refused_and_stays(file, tmp_path, cache):
    path = put(tmp_path / "mirror", file, b"wrong")
    with pytest.raises(fetch.HashMismatch, match=f"{re.escape(str(path))} is not the registered file"):
        fetch.fetch(file, tmp_path / "mirror", cache)
    assert path.read_bytes() == b"wrong" and Handler.asked == []


def test_a_download_is_kept_and_not_repeated(file, tmp_path, cache):
    for _ in range(2):
        path = fetch.fetch(file, tmp_path / "no mirror", cache)
        assert path == cache / "set" / "folder" / "file.txt" and path.read_bytes() == CONTENT
    assert Handler.asked == ["/file"] and left(cache) == [path]


def test_a_wrong_file_in_the_cache_is_removed_and_had_again(file, cache):
    put(cache, file, b"wrong")
    assert fetch.fetch(file, None, cache).read_bytes() == CONTENT
    path = registry.below(cache, file)
    path.write_bytes(b"wrong again")
    with pytest.raises(fetch.DataUnavailable):
        fetch.fetch(replace(file, url=None), None, cache)
    assert not path.exists()


@pytest.mark.parametrize("what", ["wrong", "cut", "missing"])
def test_what_does_not_arrive_whole_leaves_nothing(file, cache, server, what):
    with pytest.raises(fetch.DataUnavailable, match=f"{server}/{what}") as caught:
        fetch.fetch(replace(file, url=f"{server}/{what}"), None, cache)
    assert left(cache) == [] and "\n" not in str(caught.value)
    assert isinstance(caught.value, fetch.HashMismatch) == (what == "wrong")


def test_two_may_ask_at_once(file, cache, server):
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: fetch.fetch(replace(file, url=f"{server}/slow"), None, cache), range(4)))
    assert set(paths) == {registry.below(cache, file)} == set(left(cache))
    assert paths[0].read_bytes() == CONTENT


def test_without_a_network_one_line_says_what_and_how(file, tmp_path, cache, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    start = time.perf_counter()
    with pytest.raises(fetch.DataUnavailable) as caught:
        fetch.fetch(replace(file, url="http://127.0.0.1:9/file"), tmp_path / "m", cache)
    message = str(caught.value)
    assert message == (
        f"set/folder/file.txt could not be had: not in the mirror {tmp_path / 'm'}, and http://127.0.0.1:9/file failed "
        "(no connection); give a folder that holds set/folder/file.txt as --mirror or BERTOLOGY_MIRROR"
    )
    assert time.perf_counter() - start < 10
    with pytest.raises(fetch.DataUnavailable, match="no mirror was given, and it has no public address"):
        fetch.fetch(replace(file, url=None), None, cache)


# --- what readers share -----------------------------------------------------------------------------------------------


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("a\tb\n\nc\td\te\n", encoding="utf-8")
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:3: 3 fields instead of 2: 'c\\td\\te'"):
        list(reading.columns(path, 2))
    assert list(reading.columns(path, (2, 3), skip=1)) == [(3, ["c", "d", "e"])]
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:7: ValueError: no number"), reading.at(path, 7):
        raise ValueError("no number")
    path.write_bytes(b"fine\n\xff\n")
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:2: .*utf-8"):
        list(reading.lines(path))
    path.write_text("one\u2028two\n", encoding="utf-8")  # a line separator of Unicode does not end a line
    assert list(reading.lines(path)) == [(1, "one\u2028two")]


def test_files_are_fetched_when_asked_for_and_known_by_name(tmp_path):
    files = reading.Files("wic", tmp_path, tmp_path / "cache")
    assert "README.txt" in files.names("*README.txt")[0] and files.touched == {}
    with pytest.raises(KeyError, match="no registered file 'nothing'"):
        files["nothing"]
    with pytest.raises(KeyError, match="no registered file like"):
        files.names("*.nothing")


def test_notes_count(tmp_path):
    files = reading.Files("wic", tmp_path)
    files.note("said once"), files.note("said once")
    files.left_out("too long"), files.left_out("too long", 2), files.of("semcor").left_out("no sense")
    assert files.notes == ("said once", "3 left out: too long", "1 left out: no sense")


# --- load -------------------------------------------------------------------------------------------------------------


def labelled(n: int, split: str) -> list[Labelled]:
    return [Labelled(id=f"{split}-{i}", split=split, text=f"text {i}", label="1") for i in range(n)]


def test_samples_are_seeded_per_split_and_keep_their_order():
    items = [*labelled(50, "train"), *labelled(5, "dev"), *labelled(20, "test")]
    drawn, notes = data.sample(items, 10, seed=3)
    assert [sum(i.split == s for i in drawn) for s in ("train", "dev", "test")] == [10, 5, 10]
    assert notes == ("10 of 50 train items, drawn with seed 3", "10 of 20 test items, drawn with seed 3")
    assert drawn == sorted(drawn, key=items.index) == data.sample(items, 10, seed=3)[0] != data.sample(items, 10, 4)[0]
    assert data.sample(items, None) == (items, ())


def test_the_hash_sees_every_field():
    base = Sentence(id="a", words=("x", "y"), spans=(Span(start=0, end=1, label="A"),), meta={"k": 1})
    changed = [replace(base, words=("x", "z")), replace(base, spans=(Span(start=0, end=2, label="A"),)),
               replace(base, meta={"k": 2}), replace(base, split="dev")]
    hashes = {data.sha256([item]) for item in [base, *changed]}
    assert len(hashes) == 5 and data.sha256([replace(base)]) in hashes
    assert data.sha256({"a": [base]}) != data.sha256({"b": [base]})
    with pytest.raises(TypeError):
        data.sha256([replace(base, meta={"k": {1, 2}})])


def test_generated_data_are_loaded_in_the_number_asked_for():
    it = data.load("agreement", "builtin", n=7, seed=1)
    assert it.name == "builtin" and len(it["agreement"]) == 7 and it.sha256 == data.sha256(it.items)
    assert it.sha256 == data.load(["agreement"], "builtin", n=7, seed=1).sha256
    assert it.sha256 != data.load("agreement", "builtin", n=7, seed=2).sha256


@pytest.mark.mirror
def test_original_data_are_loaded_with_their_notes():
    settings = Settings.of(mirror=mirror())
    it = data.load(["roles", "negation"], "ettinger2019_lm_diagnostics", n=20, settings=settings)
    assert {task: len(items) for task, items in it.items.items()} == {"roles": 20, "negation": 20}
    assert "negation: 20 of 68 test items, drawn with seed 0" in it.notes


# --- check and the command line ---------------------------------------------------------------------------------------


def test_check_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "_download", lambda file, *_: (_ for _ in ()).throw(fetch.DataUnavailable(file.name)))
    task, files = check.check_dataset("wic", tmp_path, tmp_path / "cache")
    assert task.problem == "DataUnavailable: wic/HW2/WiC_dataset/train/train.data.txt" and task.total == 0
    assert files.problem.startswith("DataUnavailable: wic/") and files.problem.endswith("more)")
    result = CliRunner().invoke(cli.app, ["check", "wic", "--mirror", str(tmp_path), "--cache", str(tmp_path / "c")])
    assert result.exit_code == 1 and "FAILED: DataUnavailable" in result.output and "2 failures" in result.output


def test_check_refuses_a_reader_error_and_ids_given_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "readers", lambda name: {
        "twice": lambda files: iter(labelled(2, "test") * 2),
        "broken": lambda files: (_ for _ in ()).throw(reading.ReaderError("file.tsv", 3, "odd")),
        "empty": lambda files: iter(()),
    })
    monkeypatch.setattr(check, "fetch", lambda *_: None)
    twice, broken, empty, _ = check.check_dataset("wic", tmp_path, tmp_path)
    assert twice.problem == "2 ids are not unique, such as 'test-0'" and twice.counts == {"test": 4}
    assert broken.problem == "ReaderError: file.tsv:3: odd" and empty.problem == "no items"


@pytest.mark.mirror
def test_check_counts_and_agrees_in_two_processes():
    names = ["ettinger2019_lm_diagnostics", "wic"]
    one, two = ([replace(o, seconds=0) for o in check.check(names, mirror=mirror(), processes=p)] for p in (1, 2))
    assert one == two and not any(o.problem for o in one)
    assert {(o.dataset, o.task): o.total for o in one}["wic", "sense_pairs"] == 7466


SMALL = ("ettinger2019_lm_diagnostics", "goldberg2019_bert_syntax", "gulordava2018_linzen2016", "lama_negated", "may2019_seat",
         "mrpc_msr_paraphrase", "stsb_multi", "ud_english_pud", "wic", "word_similarity")
DOCUMENTS = re.compile(r"(^|/)([^/]*read ?me|licen[cs]e)[^/]*$|^results/", re.IGNORECASE)


@pytest.mark.mirror
@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_registered_that_no_reader_reads(name):
    touched = set()
    for reader in reading.readers(name).values():
        files = reading.Files(name, mirror())
        assert list(reader(files))
        touched |= set(files.touched)
    assert [p for p in registry.dataset(name).files if p not in touched and not DOCUMENTS.search(p)] == []


def test_list_and_licences_name_every_data_set(tmp_path):
    runner = CliRunner()
    listed = runner.invoke(cli.app, ["list", "--mirror", str(tmp_path), "--cache", str(tmp_path)])
    licences = runner.invoke(cli.app, ["licences"])
    assert listed.exit_code == licences.exit_code == 0
    for name in original.datasets():
        assert f"\n{name}" in listed.output and f"{name}: " in licences.output
    assert " yes " not in listed.output  # nothing is there
    only = runner.invoke(cli.app, ["licences", "warstadt2019_npi"])
    assert "NONE STATED" in only.output and "may be passed on:  no" in only.output


def test_get_without_data_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    monkeypatch.setattr(fetch, "_download", lambda file, *_: (_ for _ in ()).throw(fetch.DataUnavailable(file.name)))
    result = CliRunner().invoke(cli.app, ["get", "wic", "--cache", str(tmp_path)])
    assert isinstance(result.exception, original.DataUnavailable) and "wic sense_pairs" in str(result.exception)


# --- GLUE from the Hub ------------------------------------------------------------------------------------------------

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
        ("train", "entailment", "A.", "B."), ("dev", "not_entailment", "A.", "B.")]
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
