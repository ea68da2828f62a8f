"""A small corpus of invented words, and configurations that train on it in seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from bertology_pretrain import load_config
from bertology_utils.family.config import Config

ROOT = Path(__file__).parents[1]


def write(path: Path, documents: int = 60, seed: int = 0) -> Path:
    """A text file of `documents` documents: a favoured word per document, sentences of 3 to 12 Zipf-distributed words."""
    rng = np.random.default_rng(seed)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    words = np.array(["".join(rng.choice(syllables, rng.integers(1, 4))) for _ in range(400)])
    odds = 1 / np.arange(1, len(words) + 1)
    lines = []
    for _ in range(documents):
        favoured = rng.choice(words)
        for _ in range(rng.integers(1, 5)):  # paragraphs
            sentences = []
            for _ in range(rng.integers(1, 6)):
                chosen = rng.choice(words, rng.integers(3, 13), p=odds / odds.sum())
                sentences.append(" ".join([favoured.capitalize(), *chosen]) + ".")
            lines.append(" ".join(sentences))
        lines.append("")
    path.write_text("\n".join(lines), "utf-8")
    return path


def configuration(**changes: object) -> Config:
    """The configuration ``tiny`` with other values here and there."""
    return load_config(load_config("tiny"), **changes)


def subprocess_python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, single-threaded, with this checkout's package."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=300
    )
