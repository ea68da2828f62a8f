"""A Hub on this machine that serves one model, and can fail: answer 500, hang, cut a download off, once or always.

Faults: ``500``, ``hangs``, ``cuts`` (the weights, half way, each time), ``cuts once``, ``stalls`` (half of the weights,
and then nothing for as long as anybody waits).
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/tiny"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder: Path
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
        if self.path.startswith("/api/models/"):
            if REPO not in self.path:
                return self._send(404, b'{"error": "Repository not found"}', body, {"X-Error-Code": "RepoNotFound"})
            return self._send(200, json.dumps(self._model()).encode(), body)
        file = self.folder / self.path.rpartition("/")[2].partition("?")[0]
        if "/resolve/" not in self.path or not file.is_file():
            return self._send(404, b"", body, {"X-Error-Code": "EntryNotFound"})
        content = file.read_bytes()
        told = {"ETag": f'"{sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        weights = body and file.suffix == ".safetensors"
        earlier = sum(a.startswith("GET") and a.endswith(self.path) for a in self.asked) - 1
        cut = weights and (self.fault in ("cuts", "stalls") or (self.fault == "cuts once" and not earlier))
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0] or 0)
        if start and body:  # a download taken up where it was broken off
            told["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.asked.append(f"from {start}")
            return self._send(206, content[start:], body, told, cut)
        self._send(200, content, body, told, cut)

    def _model(self) -> dict:
        files = [{"rfilename": p.name} for p in sorted(self.folder.iterdir())]
        return {"id": REPO, "modelId": REPO, "sha": COMMIT, "siblings": files, "tags": [], "private": False}

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
def serving(folder: Path, cache: Path, patch: pytest.MonkeyPatch, fault: str = ""):
    """The Hub of this process is a server here, with a cache of its own; yields the list of what it was asked."""
    from huggingface_hub import constants, file_download

    from bertology_utils.subject import hub

    made = type("Made", (Handler,), {"folder": folder, "fault": fault, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        patch.delenv(name, raising=False)
    patch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
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
    try:
        yield made.asked
    finally:
        made.fault = ""
        server.shutdown()
        server.server_close()
