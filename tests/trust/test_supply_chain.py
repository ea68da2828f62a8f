"""What others could change under us is pinned; who may write is one job; nothing is told to anybody."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from fake_hub import COMMIT, REPO, serving
from support import tiny_folder

from bertology_utils.settings import Settings
from bertology_utils.subject import models

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_actions_are_pinned_by_commit_and_only_deploy_may_write(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: *(.+)", text)
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} +# v\d+\.\d+\.\d+", name) for name in used), used
    raw = yaml.safe_load(text)
    assert raw["permissions"] == {"contents": "read"}
    for name, job in raw["jobs"].items():
        writes = {what for what, how in job.get("permissions", {}).items() if how != "read"}
        assert writes == ({"pages", "id-token"} if name == "deploy" else set()), name


def test_one_commit_per_action():
    pins = {}
    for path in WORKFLOWS:
        for name, commit in re.findall(r"uses: *([\w/-]+)@([0-9a-f]{40})", path.read_text(encoding="utf-8")):
            pins.setdefault(name, set()).add(commit)
    assert all(len(commits) == 1 for commits in pins.values())


def test_constraints_are_exact():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line.strip() and not line.startswith("#")]
    assert pinned and all(re.fullmatch(r"[\w.-]+==[\w.+!]+( ;.*)?", line.split(" #")[0].strip()) for line in pinned)


def test_the_lock_has_hashes_for_every_pin_and_what_is_published_is_made_with_it():
    """Nothing but the files that were looked at: of the pins, and of whatever these need on other machines."""
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    parts = re.split(r"^(?=[\w.-]+==)", re.sub(r"^#.*\n", "", text, flags=re.M), flags=re.M)
    locked = {}
    for part in filter(str.strip, parts):
        name, version = re.match(r"([\w.-]+)==([^\s;]+)", part).groups()
        locked[name] = version
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", part)
        assert hashes and len(hashes) == part.count("--hash="), name
    assert pins.items() <= locked.items()
    assert "://" not in text and "-url" not in text and "-links" not in text  # no place but the index's own
    assert "LOCK=requirements.lock" in (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    dry = subprocess.run(
        ["make", "-n", "book", "LOCK=requirements.lock", "VENV=nowhere"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    assert "--require-hashes -r requirements.lock" in dry and "--no-deps --no-build-isolation -e" in dry


def test_a_hub_model_is_fetched_once_and_then_not_asked_for(tmp_path, monkeypatch):
    """From the cache: no request at all for a pinned commit; for a bare name as it was, on a day without the Hub."""
    with serving(tiny_folder(), tmp_path, monkeypatch) as asked:
        first = models.load(REPO, Settings())
        assert first.source == f"hub@{COMMIT}" and asked
        assert not [a for a in asked if "telemetry" in a or "agent" in a]  # nobody is told who asks
        assert not [a for a in asked if "/resolve/" in a and a.endswith((".bin", ".py", ".jinja"))]
        del asked[:]
        assert models.load(f"{REPO}@{COMMIT}", Settings()).sha256 == first.sha256 and asked == []
    with serving(tiny_folder(), tmp_path, monkeypatch, "500") as asked:
        assert models.load(REPO, Settings()).source == f"hub@{COMMIT}"
        assert len([a for a in asked if "/api/models/" in a]) == 1
