"""The command line in this process and a folder to spoil things in: what the cases of the table of faults run on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Said, say, tiny_folder, write_model

from bertology_utils.claims.evidence import Evidence

GAPS = "syn.agreement.goldberg2019"  # a claim about predictions at a gap
LAYERS = "hed.norms.kobayashi2020"  # one that reaches into single layers


class Bench:
    """A folder to spoil things in, and the command line in this process."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture) -> None:
        self.folder, self.patch, self.capture = folder, patch, capture
        for name in [n for n in os.environ if n.startswith("BERTOLOGY_")]:
            patch.delenv(name)
        patch.setenv("BERTOLOGY_EVIDENCE", str(folder / "evidence"))
        patch.setenv("BERTOLOGY_CACHE", str(folder / "cache"))

    def __call__(self, *words: object) -> Said:
        return say(self.patch, self.capture, *words)

    def run(self, *words: object, claim: str = GAPS) -> Said:
        """``bertology run`` on few items of the tiny model, unless another is named."""
        model = () if "--model" in words else ("--model", tiny_folder())
        return self("run", claim, "--n", 30, "--no-twin", *model, *words)

    def model(self, **config: object) -> Path:
        """A copy of the tiny model to be spoilt."""
        return write_model(self.folder / "model", **config)

    def on(self, folder: Path, claim: str = GAPS) -> Said:
        return self.run("--model", folder, "--no-save", claim=claim)


CASES: dict[str, Callable[[Bench], Said]] = {}


def case(id: str) -> Callable:
    def keep(function: Callable[[Bench], Said]) -> Callable[[Bench], Said]:
        assert id not in CASES
        CASES[id] = function
        return function

    return keep


def edit(path: Path, change: Callable[[dict], object]) -> None:
    """Change a JSON file in place."""
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))


def record(**change: object) -> Evidence:
    row = {"condition": "simple", "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 30}
    given = {"claim": GAPS, "model": "mini", "data": "builtin", "kind": "rerun", "rows": [row], "over_twin": []}
    return Evidence(**{**given, "provenance": {"asked": 30, "seed": 0, "dtype": "float32"}, **change})
