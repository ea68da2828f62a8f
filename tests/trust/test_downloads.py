"""Downloads broken off and processes killed in the middle of one: nothing half-written is taken for whole, and it goes on."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from children import in_a_child, litter
from fake_hub import COMMIT, REPO, serving
from support import tiny_folder

from bertology_utils.data.original import fetch, registry
from bertology_utils.settings import Settings
from bertology_utils.subject import hub, models

CONTENT = b"0123456789" * 20_000
WEIGHTS = (tiny_folder() / "model.safetensors").read_bytes()


def asked_for_weights(asked: list[str]) -> int:
    return sum(a.startswith("GET") and a.endswith("model.safetensors") for a in asked)


def until(what) -> None:
    end = time.monotonic() + 20
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def half_written(cache: Path) -> list[Path]:
    return [p for p in cache.rglob("*.incomplete") if p.is_file()]


def test_a_download_of_weights_that_is_cut_once_is_taken_up_where_it_was(tmp_path, monkeypatch):
    with serving(tiny_folder(), tmp_path, monkeypatch, "cuts once") as asked:
        try:
            folder, commit = hub.fetch(REPO)
        except models.ModelUnavailable:  # an older client leaves it to the next run
            folder, commit = hub.fetch(REPO)
    assert commit == COMMIT and (folder / "model.safetensors").read_bytes() == WEIGHTS
    kept = len(WEIGHTS) // 2 // 1000 * 1000
    assert asked_for_weights(asked) == 2 and f"from {kept}" in asked
    assert half_written(tmp_path) == []


def test_one_that_is_always_cut_ends_after_a_few_tries_and_the_next_run_goes_on(tmp_path, monkeypatch):
    with serving(tiny_folder(), tmp_path, monkeypatch, "cuts") as asked:
        began = time.monotonic()
        with pytest.raises(models.ModelUnavailable, match="broke off"):
            models.load(REPO, Settings())
        assert asked_for_weights(asked) <= 20 and time.monotonic() - began < 30
        assert hub.cached(REPO, COMMIT) is None
    with serving(tiny_folder(), tmp_path, monkeypatch) as asked:
        subject = models.load(REPO, Settings())
    assert subject.source == f"hub@{COMMIT}" and half_written(tmp_path) == []
    assert subject.sha256 == models.load(str(tiny_folder()), Settings()).sha256


def test_killed_in_the_middle_of_the_weights(tmp_path, monkeypatch):
    with serving(tiny_folder(), tmp_path, monkeypatch, "stalls") as asked:
        child = in_a_child(lambda: hub.fetch(REPO))
        until(lambda: asked_for_weights(asked) and any(p.stat().st_size for p in half_written(tmp_path)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert hub.cached(REPO, COMMIT) is None  # half of a file is no model
    with serving(tiny_folder(), tmp_path, monkeypatch):
        folder, _ = hub.fetch(REPO)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS and half_written(tmp_path) == []


def test_weights_come_last_so_that_a_folder_with_them_is_whole(tmp_path, monkeypatch):
    with serving(tiny_folder(), tmp_path, monkeypatch, "stalls") as asked:
        child = in_a_child(lambda: hub.fetch(REPO))
        until(lambda: asked_for_weights(asked) and half_written(tmp_path))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    (folder,) = {p.parent for p in tmp_path.rglob("config.json")}
    there, wanted = ({p.name for p in f.iterdir() if p.exists()} for f in (folder, tiny_folder()))
    assert {"config.json", "tokenizer.json", "tokenizer_config.json"} <= there <= wanted - {"model.safetensors"}


def test_two_at_once_have_the_same_model(tmp_path, monkeypatch):
    def tell(name: str) -> None:
        folder, commit = hub.fetch(REPO)
        found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}
        (tmp_path / name).write_text(json.dumps([commit, sorted(found.items())]))

    with serving(tiny_folder(), tmp_path / "cache", monkeypatch) as asked:
        children = [in_a_child(lambda name=name: tell(name)) for name in ("one", "two")]
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()
    assert asked_for_weights(asked) == 1 and half_written(tmp_path) == []


class Slow(http.server.BaseHTTPRequestHandler):
    """Sends the first half of a file, and the other once it is let go."""

    go: threading.Event
    begun: int = 0

    def do_GET(self) -> None:
        type(self).begun += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        half = len(CONTENT) // 2
        self.wfile.write(CONTENT[:half])
        self.wfile.flush()
        self.go.wait(30)
        self.wfile.write(CONTENT[half:])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def slow():
    handler = type("Made", (Slow,), {"go": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # whoever asked was killed
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/file"
    yield handler, registry.File("set", "file.txt", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), address)
    handler.go.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def direct(monkeypatch):
    """No proxy and no mirror between a test and its server."""
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "BERTOLOGY_MIRROR",
    ):
        monkeypatch.delenv(name, raising=False)


def test_a_download_of_data_that_is_killed_leaves_nothing_and_the_next_one_sweeps_up(tmp_path, slow, direct):
    handler, file = slow
    child = in_a_child(lambda: fetch.fetch(file, cache=tmp_path))
    until(lambda: any(p.stat().st_size for p in litter(tmp_path)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(litter(tmp_path)) == 1 and not fetch.here(file, cache=tmp_path)
    handler.go.set()
    path = fetch.fetch(file, cache=tmp_path)
    assert path.read_bytes() == CONTENT and litter(tmp_path) == [] and handler.begun == 2


def test_two_downloads_of_data_at_once_give_one_whole_file(tmp_path, slow, direct):
    handler, file = slow
    children = [in_a_child(lambda: fetch.fetch(file, cache=tmp_path)) for _ in range(2)]
    until(lambda: handler.begun == 2)
    handler.go.set()
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert [p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()] == [CONTENT]
