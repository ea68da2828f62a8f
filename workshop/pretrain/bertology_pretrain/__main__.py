"""``python -m bertology_pretrain``: `bertology pretrain`, as `torchrun -m` starts it on several processes."""

from __future__ import annotations

import sys

from bertology_utils.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "pretrain")
    main()
