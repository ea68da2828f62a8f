"""Pretraining a small BERT: corpus, WordPiece, MLM + NSP instances, training, export (devlin2019).

`run` trains a configuration on a corpus and returns the exported folder; `python -m bertology_utils.pretrain` and
`bertology pretrain` are the same from the command line, `torchrun` runs it on several processes unchanged. The
package stands alone: it needs torch, transformers, tokenizers, safetensors, numpy, filelock, tqdm and PyYAML, nothing else.
But for what reaches into the rest: `generated` and `generated_languages` (text from the builders), `competence`, `curve` and
`family` (what runs and their checkpoints can do). `plan` goes through many runs.
"""

from __future__ import annotations

from . import plan
from .checkpoint import CheckpointError
from .config import Config, ConfigError
from .corpus import CorpusError
from .export import export
from .recipes import load as load_config
from .recipes import names
from .train import main, run

__all__ = [
    "CheckpointError",
    "Config",
    "ConfigError",
    "CorpusError",
    "export",
    "load_config",
    "main",
    "names",
    "plan",
    "run",
]
