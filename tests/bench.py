"""Ours beside what others offer for the same task: ``python -m tests.bench [--model NAME] [--out FILE]``, or ``make bench``.

One thread, processor seconds, in turns, since a machine's speed changes under other work; every pair of results must agree before
its times count. Memory is what a call adds at its peak to what the process holds (Linux alone tells). The machine's own matrix
products are the ceiling. minicons is measured where it is installed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import torch
import transformers

import bertology_utils
from bertology_utils.attention.collect import collect
from bertology_utils.data import load as load_data
from bertology_utils.probes import linear, mdl
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze, models
from bertology_utils.subject.encode import hidden_states

ROOT = Path(__file__).parents[1]
TURNS = 5
L2 = 1e-3
SENTENCES, PROBED, CODED = 200, 3000, 1500


@dataclass(frozen=True)
class Pair:
    """A task: ours and a peer's way, and how far their results may lie apart."""

    task: str
    peer: str
    ours: Callable[[], np.ndarray]
    theirs: Callable[[], np.ndarray]
    apart: float = 1e-4


def timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def peak(run: Callable[[], np.ndarray]) -> float | None:
    """MiB that a call adds at its peak to what the process holds; None where the system does not tell."""

    def held(name: str) -> int:
        return int(re.findall(rf"{name}:\s*(\d+)", Path("/proc/self/status").read_text("ascii"))[0])

    try:
        ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system, else a call would be given it again
        Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak begins anew
        before = held("VmRSS")
    except (OSError, AttributeError):
        return None
    run()
    return round((held("VmHWM") - before) / 1024, 1)


def measured(pair: Pair, turns: int = TURNS) -> dict:
    """Seconds of both, median of turns; ratios (peer over ours) with their range; memory; how far the results lie apart."""
    (_, ours), (_, theirs) = timed(pair.ours), timed(pair.theirs)  # warm
    apart = float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float))))
    if not apart <= pair.apart:
        raise AssertionError(f"{pair.task}, {pair.peer}: results lie {apart:.2g} apart, {pair.apart:g} is allowed")
    memory = [peak(pair.ours), peak(pair.theirs)]
    times = [(timed(pair.ours)[0], timed(pair.theirs)[0]) for _ in range(turns)]
    ratios = sorted(b / a for a, b in times)
    return {
        "task": pair.task,
        "peer": pair.peer,
        "ours": round(median(a for a, _ in times), 4),
        "theirs": round(median(b for _, b in times), 4),
        "ratio": round(median(ratios), 2),
        "range": [round(ratios[0], 2), round(ratios[-1], 2)],
        "apart": apart,
        "MiB": memory,
    }


def pairs(name: str) -> Iterator[Pair]:
    """The tasks on one network; peers are what transformers, scikit-learn, numpy and minicons offer."""
    subject = bertology_utils.load(name)
    words = _sentences()
    folder = models.bundled().get(name) or subject.name
    yield from _reading(subject, words)
    yield from _scoring(subject, _texts(), str(folder))
    yield from _fitting(subject)
    yield from _training()
    values = np.random.default_rng(0).normal(size=2000)
    yield Pair("interval of a mean, 2,000 items", "numpy", *_bootstraps(values), apart=0.02)


def _sentences() -> list[tuple[str, ...]]:
    return [i.words for i in load_data("sentences", "builtin", n=SENTENCES)["sentences"]][:SENTENCES]


def _texts() -> list[str]:
    return [" ".join(words) for words in _sentences()[:60]]


def _reading(subject, words) -> Iterator[Pair]:
    tokenizer, model = subject.tokenizer, subject.model

    def ours() -> np.ndarray:
        states = dict(hidden_states(subject, words, pool=None))
        return np.array([states[i][-1, 0].sum() for i in range(len(words))])

    @torch.inference_mode()
    def automodel(order: list[int]) -> np.ndarray:
        sums = np.zeros(len(words))
        for k in range(0, len(order), 32):
            part = order[k : k + 32]
            batch = tokenizer(
                [list(words[i]) for i in part], is_split_into_words=True, padding=True, return_tensors="pt"
            )
            states = model.base_model(**batch, output_hidden_states=True).hidden_states
            sums[part] = torch.stack(states)[-1, :, 0].sum(-1).numpy()
        return sums

    plain, by_length = list(range(len(words))), sorted(range(len(words)), key=lambda i: len(words[i]))
    yield Pair("hidden states", "AutoModel, batches of 32", ours, lambda: automodel(plain), 1e-3)
    yield Pair("hidden states", "the same, sorted by length", ours, lambda: automodel(by_length), 1e-3)

    @torch.inference_mode()
    def naive() -> np.ndarray:
        found = []
        for sentence in words:
            batch = tokenizer(list(sentence), is_split_into_words=True, return_tensors="pt")
            maps = torch.stack(model.base_model(**batch, output_attentions=True).attentions)[:, 0]  # (L, A, T, T)
            -(maps * maps.clamp_min(1e-12).log()).sum(-1).mean(-1)  # one more of the dozen statistics that ours gives
            found.append(maps[..., 0].mean(-1).numpy())
        return np.stack(found)

    # ours is of words, the naive one of pieces: they agree where each word is one piece
    def statistics() -> np.ndarray:
        return np.array([collect(subject, words, settings=None).values["[CLS]"].mean()])

    yield Pair(
        "attention statistics", "output_attentions, two of twelve", statistics, lambda: naive().mean()[None], 0.02
    )


def _scoring(subject, texts: list[str], folder: str) -> Iterator[Pair]:
    def ours() -> np.ndarray:
        return cloze.pseudo_log_likelihood(subject, texts)

    if find_spec("minicons") is None:
        return
    peer = import_module("minicons.scorer").MaskedLMScorer(folder, "cpu")
    if not hasattr(peer.tokenizer, "batch_encode_plus"):  # gone from transformers 5
        peer.tokenizer.batch_encode_plus = peer.tokenizer.__call__

    def minicons(size: int) -> np.ndarray:
        options = {"reduction": lambda x: x.sum().item(), "PLL_metric": "within_word_l2r"}
        parts = (peer.sequence_score(texts[k : k + size], **options) for k in range(0, len(texts), size))
        return np.array([value for part in parts for value in part])

    yield Pair("pseudo-log-likelihood", "minicons, batches of 8", ours, lambda: minicons(8), 1e-3)
    yield Pair("pseudo-log-likelihood", "minicons, one by one", ours, lambda: minicons(1), 1e-3)


def _fitting(subject) -> Iterator[Pair]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    items = load_data("treebank", "builtin", n=1000)["treebank"]
    states = dict(hidden_states(subject, [i.words for i in items]))
    x = np.concatenate([states[k] for k in range(len(items))], 1)[:, :PROBED].astype(float)  # (layers, words, H)
    y = np.array([tag for i in items for tag in i.upos])[:PROBED]

    def sklearn(layer: np.ndarray, labels: np.ndarray, tol: float) -> LogisticRegression:
        probe = LogisticRegression(C=1 / (L2 * len(labels)), tol=tol, max_iter=100 if tol == 1e-4 else 20_000)
        return probe.fit(StandardScaler().fit_transform(layer), labels)

    def share_right(predicted) -> np.ndarray:
        return np.array([np.mean(p == y) for p in predicted])

    def ours() -> np.ndarray:
        return share_right(p.predict(layer) for p, layer in zip(linear.fit_each(x, y, l2=L2), x))

    def theirs(tol: float) -> np.ndarray:
        return share_right(sklearn(layer, y, tol).predict(StandardScaler().fit_transform(layer)) for layer in x)

    yield Pair("probes of all layers", "scikit-learn, tol 1e-8", ours, lambda: theirs(1e-8), 2e-3)
    yield Pair("probes of all layers", "scikit-learn's default, not converged", ours, lambda: theirs(1e-4), 2e-2)

    def length(tol: float) -> np.ndarray:
        layer, labels = x[0, :CODED], y[:CODED]
        order = mdl._order(CODED, None, 0)
        ends = np.unique([max(1, round(share * CODED)) for share in mdl.BLOCKS])
        bits, classes = ends[0] * np.log2(len(set(labels))), np.unique(labels)
        for start, end in pairwise(ends):
            sent, block = order[:start], order[start:end]
            if len(set(labels[sent])) < 2:
                bits += (end - start) * np.log2(len(classes))
                continue
            scale = StandardScaler().fit(layer[sent])
            probe = LogisticRegression(C=1 / (L2 * start), tol=tol, max_iter=20_000).fit(
                scale.transform(layer[sent]), labels[sent]
            )
            chance = np.full((len(block), len(classes)), 1e-3)  # of classes that were not seen
            chance[:, np.searchsorted(classes, probe.classes_)] = probe.predict_proba(scale.transform(layer[block]))
            bits -= np.log2(chance[np.arange(len(block)), np.searchsorted(classes, labels[block])]).sum()
        return np.array([bits / CODED])

    def code() -> np.ndarray:
        return mdl.online_codes(x[:1, :CODED], y[:CODED], [L2])[0].sum(1) / CODED

    # how a class that was not seen is coded differs, so a length agrees in the first digit only
    yield Pair("description length", "scikit-learn, tol 1e-8", code, lambda: length(1e-8), 0.3)


def _training() -> Iterator[Pair]:
    """A few steps from the same weights on the same batches; the mean loss, of masked pieces and of the pair."""
    sys.path += [str(ROOT / part) for part in ("tests", "workshop/pretrain", "workshop/pretrain/tests")]
    if find_spec("bertology_pretrain") is None:
        return
    loops = import_module("test_pretrain_speed")
    with tempfile.TemporaryDirectory(prefix="bertology-bench-") as folder:
        run, batches = loops.begun(Path(folder), "english")
        bare, other = loops.Bare(run, batches), loops.Bare(run, batches).model
        start = {name: value.clone() for name, value in run.model.state_dict().items()}
        bare.model.load_state_dict(start), other.load_state_dict(start)
        trainer = _trainer(other, batches, folder)

        def ours() -> np.ndarray:
            for _ in batches:
                run.advance()
            return np.array([sum(run.step.means())])

        def theirs() -> np.ndarray:
            return np.array([np.mean([float(bare.advance()) for _ in batches])])

        yield Pair("steps of pretraining", "a bare loop", ours, theirs, 0.05)
        run.model.load_state_dict(start)
        yield Pair(
            "steps of pretraining", "transformers' Trainer", ours, lambda: np.array([trainer().training_loss]), 0.05
        )


def _trainer(model, batches: list, folder: str) -> Callable:
    """The batches' rows by transformers' own loop, which scores every position."""
    rows = []
    for b in batches:
        labels = torch.full_like(b.ids, -100)
        labels[b.row, b.place] = b.labels
        names = ("input_ids", "token_type_ids", "attention_mask", "next_sentence_label", "labels")
        rows += [dict(zip(names, row)) for row in zip(b.ids, b.types, b.seen, b.random, labels)]
    options = transformers.TrainingArguments(
        folder, max_steps=len(batches), per_device_train_batch_size=len(batches[0].ids), learning_rate=1e-3,
        lr_scheduler_type="constant", weight_decay=0.01, adam_beta2=0.98, optim="adamw_torch_fused", use_cpu=True,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True, dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = transformers.Trainer(model, options, train_dataset=rows)
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer.train


def _bootstraps(values: np.ndarray) -> tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]:
    def ours() -> np.ndarray:
        return np.array(intervals.mean_interval(values, draws=2000))[1:]

    def theirs() -> np.ndarray:
        rng = np.random.default_rng(0)
        means = [values[rng.integers(0, len(values), len(values))].mean() for _ in range(2000)]
        return np.percentile(means, [2.5, 97.5])

    return ours, theirs


def matmul_rate(size: int = 768, rows: int = 2048) -> float:
    """GFLOP per processor second of a product as large as a layer's."""
    a, b = torch.randn(rows, size), torch.randn(size, 4 * size)
    a @ b
    seconds = median(timed(lambda: (a @ b).numpy())[0] for _ in range(9))
    return round(2 * rows * size * 4 * size / seconds / 1e9, 1)


def products(run: Callable[[], np.ndarray], model: torch.nn.Module, turns: int = TURNS) -> dict[str, float]:
    """GFLOP of the linear layers in a call, and GFLOP per processor second: of the call, and of those products alone.

    The same products at the same shapes are the ceiling of every way that computes what the call computes.
    """
    seen: list[tuple[torch.nn.Linear, torch.Size]] = []
    linear = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    hooks = [m.register_forward_hook(lambda m, given, _: seen.append((m, given[0].shape))) for m in linear]
    run()
    for hook in hooks:
        hook.remove()
    work = 2e-9 * sum(shape.numel() * m.out_features for m, shape in seen)
    made = [(m, torch.randn(shape)) for m, shape in seen]

    @torch.inference_mode()
    def alone() -> np.ndarray:
        for m, x in made:
            torch.nn.functional.linear(x, m.weight, m.bias)
        return np.zeros(0)

    alone()
    times = [(timed(run)[0], timed(alone)[0]) for _ in range(turns)]
    whole, bare = (median(t) for t in zip(*times))
    return {"GFLOP": round(work, 1), "ours": round(work / whole, 1), "products alone": round(work / bare, 1)}


def slower(rows: list[dict], before: list[dict], most: float = 0.15) -> list[str]:
    """Tasks whose ratio fell by more than a share, in words; a ratio is of two runs in turns, so machines compare."""
    known = {(row["task"], row["peer"]): row["ratio"] for row in before}
    fallen = [r for r in rows if r["ratio"] < (1 - most) * known.get((r["task"], r["peer"]), 0.0)]
    return [
        f"{r['task']}, {r['peer']}: {r['ratio']} times as fast, {known[r['task'], r['peer']]} before" for r in fallen
    ]


def _of_products(name: str, turns: int) -> dict[str, float]:
    subject = bertology_utils.load(name)
    return products(lambda: cloze.pseudo_log_likelihood(subject, _texts()), subject.model, turns)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--against", type=Path, help="an earlier file: exit code 1 where a ratio fell by more than 15 %%"
    )
    given = parser.parse_args(words)
    torch.set_num_threads(1)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, of not having converged
        for pair in pairs(given.model):
            rows.append(measured(pair, given.turns))
            print(
                "{task:34} {peer:40} {ratio:6.2f}  {range}  ours {ours} s, apart {apart:.1e}".format(**rows[-1]),
                flush=True,
            )
    made = {
        "package": bertology_utils.__version__,
        "model": given.model,
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "capability": torch.backends.cpu.get_cpu_capability(),
        },
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "matmul GFLOP/s": matmul_rate(),
        "budget": Settings.of().budget,
        "pseudo-log-likelihood GFLOP/s": _of_products(given.model, given.turns),
        "rows": rows,
    }
    print(f"matrix products: {made['matmul GFLOP/s']} GFLOP per processor second")
    if given.out:
        given.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    fallen = slower(rows, json.loads(given.against.read_text("utf-8"))["rows"]) if given.against else []
    print("\n".join(fallen), end="\n" if fallen else "")
    return bool(fallen)


if __name__ == "__main__":
    raise SystemExit(main())
