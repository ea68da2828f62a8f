"""Examples in docstrings run, and the functions a researcher meets first have one."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITH_EXAMPLES = [
    ".".join(p.relative_to(home.parent).with_suffix("").parts).removesuffix(".__init__")
    for home in (ROOT / "bertology_utils", *sorted(ROOT.glob("workshop/*/bertology_*/")))
    for p in sorted(home.rglob("*.py"))
    if ">>> " in p.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_do_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path))
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and result.attempted > 0
