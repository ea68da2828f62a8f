"""Fetching: the mirror first, then the cache, then the address; only registered contents are kept."""

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

from bertology_utils.data.original import fetch, registry

CONTENT = b"right\n" * 1000


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
