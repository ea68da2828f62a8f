"""Examples in docstrings run, and the functions a researcher meets first have one."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import bertology_utils

ROOT = Path(bertology_utils.__file__).parent
WITH_EXAMPLES = [
    ".".join(("bertology_utils", *p.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for p in sorted(ROOT.rglob("*.py"))
    if ">>> " in p.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_do_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path))
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and result.attempted > 0
