"""What a measurement costs by its size, and what half the precision saves and moves: ``python -m tests.costs scale | dtype``.

Processor seconds on one thread. Results go to ``assets/costs.json``, from which the book's tables are made.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertForMaskedLM

import bertology_utils
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import decide
from bertology_utils.claims.sources import load_for
from bertology_utils.errors import Refusal
from bertology_utils.runs import get, registered, rows_of
from bertology_utils.settings import Settings
from bertology_utils.subject import encode
from bertology_utils.subject.models import Subject
from bertology_utils.sweep import plan, planned

STORED = Path(bertology_utils.__file__).parent / "assets" / "costs.json"
TERMS = ("sentences", "length", "layers", "width")
GRID = ((4, 16), (8, 32, 128), (2, 4, 8), (128, 256, 512))  # of the terms
BASE = (12, 768)
READS = 120_000  # pieces per second that 12 layers of 768 would read on a GPU, by arithmetic: see book/how-to-run.md
# A claim and a data set for each kind of measure.
CLAIMS = {
    "syn.agreement.goldberg2019": "goldberg2019_bert_syntax",
    "syn.negation.ettinger2019": "ettinger2019_lm_diagnostics",
    "wld.attributes.da2019": "forbes2019_physical_commonsense",
    "syn.npi.warstadt2019": "warstadt2019_npi",
    "emb.anisotropy.ethayarajh2019": "sts_semeval_2012_2016",
    "emb.bleached.may2019": "may2019_seat",
    "hed.syntactic.clark2019": "ud_english_pud",
    "syn.no_tree_in_attention.htut2019": "ud_english_pud",
    "hed.norms.kobayashi2020": "ud_english_ewt",
    "sem.edge_probing.tenney2019b": "wnut17_ner",
}


def of_shape(subject: Subject, layers: int, width: int) -> Subject:
    """A random network of a shape, with the subject's vocabulary; heads of 64, as BERT's."""
    sizes = {"num_hidden_layers": layers, "hidden_size": width, "intermediate_size": 4 * width}
    config = BertConfig(vocab_size=8192, num_attention_heads=width // 64, attn_implementation="eager", **sizes)
    return replace(subject, model=BertForMaskedLM(config).eval())


def reading(subject: Subject, sentences: int, length: int, turns: int = 2) -> float:
    """Processor seconds that the hidden states of all layers take: the least of some turns."""
    drawn = np.random.default_rng(0).integers(5, 8192, (sentences, length))
    rows = [encode.Row(tuple(ids), (0,) * length, (-1,) * length, 0) for ids in drawn.tolist()]
    took = []
    for _ in range(turns):
        start = time.process_time()
        for batch in encode.batches(subject, rows, None):
            encode.forward(subject, batch, output_hidden_states=True)
        took.append(time.process_time() - start)
    return min(took)


def fitted(shapes: Sequence[Sequence[float]], seconds: Sequence[float]) -> np.ndarray:
    """Least squares of log seconds: the logarithm of a factor, and a power for each term of the shapes; (1 + terms,)."""
    design = np.column_stack([np.ones(len(shapes)), np.log(shapes)])
    return np.linalg.lstsq(design, np.log(seconds), rcond=None)[0]


def predicted(powers: np.ndarray, shapes: Sequence[Sequence[float]]) -> np.ndarray:
    """Seconds of shapes by a fit."""
    return np.exp(powers[0] + np.log(shapes) @ powers[1:])


def scale() -> dict[str, Any]:
    """Seconds by sentences, length, layers and width; what the fit says of BERT-base's shape; the whole survey by that."""
    mini = bertology_utils.load("mini")
    shapes, seconds = [], []
    for layers, width in itertools.product(*GRID[2:]):
        subject = of_shape(mini, layers, width)
        for sentences, length in itertools.product(*GRID[:2]):
            shapes.append((sentences, length, layers, width))
            seconds.append(reading(subject, sentences, length))
    powers = fitted(shapes, seconds)
    off = np.exp(np.abs(np.log(predicted(powers, shapes) / seconds)))
    base = of_shape(mini, *BASE)
    beyond = [(GRID[0][-1], length, *BASE) for length in GRID[1]]
    found = [reading(base, *shape[:2]) for shape in beyond]
    paces = {name: _pace(base, name) for name in ("float32", "bfloat16")}
    return {
        "grid": dict(zip(TERMS, GRID)),
        "powers": dict(zip(TERMS, powers[1:].round(2).tolist())),
        "off": [round(float(np.median(off)), 2), round(float(off.max()), 2)],
        "beyond": [
            {"length": s[1], "seconds": round(f, 3), "predicted": round(float(p), 3)}
            for s, f, p in zip(beyond, found, predicted(powers, beyond))
        ],
        "pace": paces,
        "survey": survey(paces),
        "sections": sections(),
    }


def _pace(subject: Subject, dtype: str) -> float:
    """Processor seconds per piece, rows of 32 pieces in batches as long texts are read."""
    other = replace(subject, model=subject.model.to(getattr(torch, dtype)))
    return float(f"{reading(other, 16, plan.LENGTH, turns=5) / (16 * plan.LENGTH):.3g}")


def survey(paces: dict[str, float]) -> dict[str, Any]:
    """Hours of `make real` for a network that reads a piece in so long, on one machine and on ten, and on GPUs by arithmetic."""
    work, _ = planned(list(registered()), Settings.of(model="mpnet", data="original"))
    out: dict[str, Any] = {"measurements": len(work), "guessed": plan.total(work, 1.0)[1]}
    for name, pace in {**paces, "a GPU, by arithmetic": 1 / READS}.items():
        each = [plan.seconds(*one, pace) or 0.0 for one in work]
        whole = plan.total(work, pace)[0]
        out[name] = {"one": round(whole / 3600, 1), "ten": round(max(whole / 10, *each) / 3600, 1)}
    return out


def sections() -> list[dict[str, Any]]:
    """Seconds of mpnet's records, chapter by chapter, beside a prediction that knows the smaller networks' records of the
    chapter and, of mpnet, the other chapters' alone: they tell the pace."""
    smaller = [name for name in plan.PACE if name != "mpnet"]
    found: dict[str, list[tuple[float, float, float]]] = {}  # took; what does not go with the pace; what goes with it
    for section in ledger.sections():
        for id in (row.id for row in section.rows if row.id in registered()):
            for path in sorted(plan.evidence.SHIPPED.glob(f"{id}/rerun--mpnet--*.json")):
                record = plan.evidence.read(path)
                none, one = (plan.seconds(id, record.data, pace, twin=False, by=smaller) for pace in (0.0, 1.0))
                if none is not None and one is not None:
                    told = (record.provenance["seconds"], none, one - none)
                    found.setdefault(section.name, []).append(told)
    out = []
    for name, own in found.items():
        took, none, one = np.sum([told for other in found if other != name for told in found[other]], 0)
        pace = (took - none) / one
        each = np.array([(seconds, none + pace * one) for seconds, none, one in own])
        apart = np.quantile(each[:, 1] / each[:, 0], (0.1, 0.5, 0.9)).round(2).tolist()
        seconds, expected = each.sum(0).round().astype(int).tolist()
        out.append(
            {"section": name, "measurements": len(own), "seconds": seconds, "predicted": expected, "pace": float(f"{pace:.2g}"),
             "predicted over measured": apart}
        )  # fmt: skip
    return out


def precision(model: str, n: int) -> list[dict[str, Any]]:
    """Of each claim: how far bfloat16 moves the figures that decide, in halves of their intervals, and what it saves."""
    subjects = {}
    for dtype in ("float32", "bfloat16"):
        settings = Settings.of(model=model, dtype=dtype, n=n)
        subjects[dtype] = (bertology_utils.load(model, settings), settings)
    out = []
    for id, source in CLAIMS.items():
        it, checks, seconds = get(id), [], []
        for subject, settings in subjects.values():
            data = load_for(it, source, settings)
            start = time.process_time()
            try:
                rows = rows_of(it, subject, data, settings)
            except Refusal as error:  # too few items for it, say
                print(error, flush=True)
                break
            seconds.append(time.process_time() - start)
            decided = decide(ledger.row(id).clauses, rows, None, source)
            checks.append({(k, c.measure, c.key): c for k, c in enumerate(decided.checks)})
        if len(checks) < len(subjects):
            continue
        whole, half = checks
        both = {key: (c, half[key]) for key, c in whole.items() if key in half}
        moved = {key: abs(a.value - b.value) / ((a.high - a.low) / 2) for key, (a, b) in both.items() if a.high > a.low}
        most = max(moved, key=lambda key: moved[key])
        out.append(
            {"claim": id, "data": source, "n": n, "measure": most[1], "figures": len(whole), "moved": round(moved[most], 3),
             "decided otherwise": sum(key not in both or c.holds is not half[key].holds for key, c in whole.items()),
             "times as fast": round(seconds[0] / seconds[1], 2)}
        )  # fmt: skip
        print(model, out[-1], flush=True)
    return out


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.costs", description=__doc__)
    parser.add_argument("what", choices=("scale", "dtype"))
    parser.add_argument("--model", default="mini", help="of dtype")
    parser.add_argument("--n", type=int, default=100, help="items per task, of dtype")
    parser.add_argument("--out", type=Path, default=STORED)
    given = parser.parse_args(words)
    torch.set_num_threads(1)
    made = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
    if given.what == "scale":
        made["scale"] = scale()
    else:
        made.setdefault("dtype", {})[given.model] = precision(given.model, given.n)
    made["machine"] = {"capability": torch.backends.cpu.get_cpu_capability(), "torch": torch.__version__}
    given.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
