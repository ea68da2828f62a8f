"""A reader's own files that do not say what they seem to: a case for each such row of the table of faults."""

from __future__ import annotations

from bench import CASES, GAPS, Bench, Said, case

PAIRS, TREES = "syn.npi.warstadt2019", "syn.structural_probe.hewitt2019"


def _on(bench: Bench, text: str | bytes, claim: str = GAPS, ending: str = "csv") -> Said:
    path = bench.folder / f"own.{ending}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return bench.run("--items", path, "--no-save", claim=claim)


for _id, _text, _claim in (
    ("items-column-misspelt", "text,good,bad,attractor\nThe key [MASK].,is,are,0\n", GAPS),
    ("items-column-twice", "text,good,bad,good\nThe key [MASK].,is,are,is\n", GAPS),
    ("items-truth", "text,good,bad,nonce\nThe key [MASK].,is,are,perhaps\n", GAPS),
    ("items-other-kind", "good,bad\nThe key is here.,The key are here.\n", GAPS),
    ("items-invisible", "good,bad\nThe key is here.,\u200b\n", PAIRS),
    ("items-equal", "good,bad\nThe key is here.,The key is here.\n", PAIRS),
    ("items-latin", "text,good,bad\nThe caf\u00e9 [MASK] old.,is,are\n".encode("latin-1"), GAPS),
    ("items-unknown", "text,good,bad\n" + "猫 犬 鸟 鱼 [MASK] .,is,are\n" * 30, GAPS),
):
    CASES[_id] = lambda bench, text=_text, claim=_claim: _on(bench, text, claim)


@case("items-circle")
def _(bench):
    rows = (("Kim", 2), ("likes", 3), ("old", 2), ("sleeps", 0))
    lines = "".join(f"{k}\t{w}\t{w}\tX\tX\t_\t{head}\tdep\t_\t_\n" for k, (w, head) in enumerate(rows, 1))
    return _on(bench, f"{lines}\n", TREES, "conllu")


@case("items-several")
def _(bench):
    return bench("run", GAPS, PAIRS, "--items", bench.folder / "own.csv")
