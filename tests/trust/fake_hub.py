"""A Hub on this machine that serves models, and can fail: answer 500, hang, cut a download off, once or always.

Faults: ``500``, ``hangs``, ``cuts`` (the weights, half way, each time), ``cuts once``, ``stalls`` (half of the weights,
and then nothing for as long as anybody waits).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/tiny"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    repos: Mapping[str, tuple[Path, str]]  # repository -> its files and the commit they are of
    fault = ""
    asked: list[str]

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        self.asked.append(f"{self.command} {self.path}")
        if self.fault == "hangs":
            time.sleep(3)
            self.close_connection = True
            return
        if self.fault == "500":
            return self._send(500, b"{}", body)
        repo = next((r for r in self.repos if f"/{r}/" in f"{self.path.partition('?')[0]}/"), "")
        if not repo:
            return self._send(404, b'{"error": "Repository not found"}', body, {"X-Error-Code": "RepoNotFound"})
        if self.path.startswith("/api/models/"):
            return self._send(200, json.dumps(self._model(repo)).encode(), body)
        folder, commit = self.repos[repo]
        file = folder / self.path.rpartition("/")[2].partition("?")[0]
        if "/resolve/" not in self.path or not file.is_file():
            return self._send(404, b"", body, {"X-Error-Code": "EntryNotFound"})
        content = file.read_bytes()
        told = {"ETag": f'"{sha256(content).hexdigest()}"', "X-Repo-Commit": commit}
        weights = body and file.suffix == ".safetensors"
        earlier = sum(a.startswith("GET") and a.endswith(self.path) for a in self.asked) - 1
        cut = weights and (self.fault in ("cuts", "stalls") or (self.fault == "cuts once" and not earlier))
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0] or 0)
        if start and body:  # a download taken up where it was broken off
            told["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.asked.append(f"from {start}")
            return self._send(206, content[start:], body, told, cut)
        self._send(200, content, body, told, cut)

    def _model(self, repo: str) -> dict:
        folder, commit = self.repos[repo]
        files = [{"rfilename": p.name} for p in sorted(folder.iterdir())]
        return {"id": repo, "modelId": repo, "sha": commit, "siblings": files, "tags": [], "private": False}

    def _send(self, code: int, content: bytes, body: bool, told: dict | None = None, cut: bool = False) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **(told or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if body:
            self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.wfile.flush()
            while self.fault == "stalls":
                time.sleep(0.05)
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening(repos: Mapping[str, tuple[Path, str]], fault: str = ""):
    """A server on this machine; yields its address and the handler with what it was asked."""
    made = type("Made", (Handler,), {"repos": repos, "fault": fault, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # whoever asked was killed
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", made
    finally:
        made.fault = ""
        server.shutdown()
        server.server_close()


@contextmanager
def serving(served: Path | Mapping[str, tuple[Path, str]], cache: Path, patch: pytest.MonkeyPatch, fault: str = ""):
    """The Hub of this process is a server here, with a cache of its own; yields the list of what it was asked.

    `served` is the folder of the one model, or every repository with its folder and commit.
    """
    from huggingface_hub import constants, file_download

    from bertology_utils.subject import hub

    repos = {REPO: (served, COMMIT)} if isinstance(served, Path) else served
    with listening(repos, fault) as (address, made):
        for name in PROXIES:
            patch.delenv(name, raising=False)
        patch.setattr(constants, "ENDPOINT", address)
        template = constants.ENDPOINT + "/{repo_id}/resolve/{revision}/{filename}"
        patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        patch.setattr(constants, "HF_HUB_CACHE", str(cache))
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 1)
        patch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)  # what is kept of a download that is cut: whole chunks
        patch.setattr(hub, "TIMEOUT", 0.5)
        # between two tries the client waits for seconds; nothing is gained by that here
        patch.setattr(file_download, "time", SimpleNamespace(**{**vars(time), "sleep": lambda _: time.sleep(0.01)}))
        yield made.asked
