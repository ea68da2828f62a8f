"""Pretraining a small BERT: corpus, WordPiece, MLM + NSP instances, training, export (devlin2019).

`run` trains a configuration on a corpus and returns the exported folder; `python -m bertology_pretrain` and
`bertology pretrain` are the same from the command line, `torchrun` runs it on several processes unchanged. Of
`bertology_utils` training needs what configurations, files and provenance are; but for what reaches into the rest:
`generated` and `generated_languages` (text from the builders), `competence`, `curve` and `family` (what runs and their
checkpoints can do). `plan` goes through many runs.
"""

from __future__ import annotations

import importlib

_HOMES = {
    "CheckpointError": "bertology_pretrain.checkpoint",
    "Config": "bertology_utils.family.config",
    "ConfigError": "bertology_utils.family.config",
    "CorpusError": "bertology_pretrain.text",
    "load_config": "bertology_pretrain.recipes",
    "main": "bertology_pretrain.train",
    "names": "bertology_pretrain.recipes",
    "run": "bertology_pretrain.train",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str):
    """Import late: the command line, which has commands of this package, answers at once."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), "load" if name == "load_config" else name)
