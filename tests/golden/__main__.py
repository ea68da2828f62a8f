"""``python -m tests.golden write | compare [PART …]``: what the code gives, stored, or held against what is stored."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import torch

from bertology_utils.settings import Settings

from . import golden


def main(action: str, *names: str) -> int:
    """Write these parts (all where none is named), or compare and print what differs: 1 if anything does."""
    torch.set_num_threads(1)
    stored = golden.load() if golden.FILE.is_file() else {}
    found = {**stored, "machine": golden.machine()}
    wrong = [f"note: {line}" for line in golden.differences(stored.get("machine"), found["machine"], "machine")]
    for part in names or golden.PARTS:
        start, there = time.process_time(), stored.get(part, {})
        with tempfile.TemporaryDirectory() as empty:  # shipped records alone
            settings = Settings.of(evidence=Path(empty))
            found[part] = dict(golden.PARTS[part](settings, there if action == "compare" else {}))
        at_hand = {k: v for k, v in there.items() if part != "original" or k in found[part]}
        wrong += golden.differences(at_hand, found[part], part)
        print(f"{part}: {len(found[part])} names, {time.process_time() - start:.0f} s of processor time", flush=True)
    if action == "write":
        golden.save(found)
        return 0
    print("\n".join(wrong) or "the same")
    return bool([line for line in wrong if not line.startswith("note")])


if __name__ == "__main__":
    if sys.argv[1:2] not in (["write"], ["compare"]) or set(sys.argv[2:]) - golden.PARTS.keys():
        sys.exit(f"{__doc__}\nparts: {', '.join(golden.PARTS)}")
    sys.exit(main(*sys.argv[1:]))
