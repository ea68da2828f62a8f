"""``python -m bertology_pretrain --config mini --corpus DIR_OR_FILES --out DIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bertology_utils.errors import Refusal

from . import main, names
from .signals import Interrupted

parser = argparse.ArgumentParser(prog="python -m bertology_pretrain", description="Pretrain a small BERT.")
parser.add_argument("--config", default="mini", help=f"one of {', '.join(names())}, or a YAML file")
parser.add_argument(
    "--corpus",
    nargs="+",
    type=Path,
    help=".txt or .txt.xz files, or folders of them (toy: none, its text is generated)",
)
parser.add_argument("--out", type=Path, required=True, help="checkpoints, log, intermediate exports and final model")
parser.add_argument("--device", help="cpu, cuda, cuda:1, …; default: a GPU where there is one")
parser.add_argument("--minutes", type=float, help="stop with a checkpoint after so long; the same command goes on")
parser.add_argument("--tokens", type=float, help="another budget than the configuration's, in pieces")
parser.add_argument("--cache", type=Path, help="where the tokenised corpus is kept (default BERTOLOGY_CACHE)")
parser.add_argument("--fresh", action="store_true", help="start anew although OUT holds a checkpoint")
parser.add_argument("--release", type=Path, help="decay the stable run in OUT at once, in this folder")
parser.add_argument("--start", type=Path, help="an exported model whose weights the run begins with")
parser.add_argument("--prepare", action="store_true", help="train the vocabulary and tokenise the corpus only")

if __name__ == "__main__":
    try:
        main(**vars(parser.parse_args()))
    except Refusal as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except Interrupted as stopped:
        print(stopped.says, file=sys.stderr)
        raise
