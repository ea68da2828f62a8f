"""What compression is for: bytes of a saved file, and time side by side with the original.

Times belong to the machine and the minute in which they were taken, so that both models run in turn, batch by batch, and
what is reported is the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from ..data.items import Labelled
from ..finetune import Classifier, text_rows
from ..scores import intervals
from ..scores.intervals import Interval
from ..subject.encode import batches
from .quantize import GroupedLinear


def file_bytes(module: nn.Module) -> int:
    """Bytes of a module's weights, saved in a file.

    Examples
    --------
    >>> 4 * 100 <= file_bytes(nn.Linear(10, 10, bias=False)) < 4 * 100 + 4096
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.pt"
        torch.save(module.state_dict(), path)
        return path.stat().st_size


def linear_bytes(module: nn.Module) -> int:
    """Bytes of the weights of all linear layers, quantized ones with their scales; without biases."""
    total = 0
    for part in module.modules():
        if isinstance(part, nn.Linear):
            total += part.weight.numel() * part.weight.element_size()
        elif isinstance(part, GroupedLinear):
            total += part.weight_bytes()
        elif isinstance(part, torch.ao.nn.quantized.dynamic.Linear):
            weight = part.weight()
            total += weight.numel() * weight.element_size()
            total += weight.q_per_channel_scales().numel() * 4 if "channel" in str(weight.qscheme()) else 8
    return total


def sparse_bytes(weights: Sequence[torch.Tensor]) -> int:
    """Bytes of sparse matrices: a float32 per weight that is not zero, and a bit per place that says which those are."""
    return int(sum(int((w != 0).sum()) * 4 + (w.numel() + 7) // 8 for w in weights))


def runner(classifier: Classifier, items: Sequence[Labelled], batch: int) -> Callable[[], None]:
    """A call that classifies the items in batches of so many, tokenised beforehand."""
    rows = text_rows(classifier.subject, items)
    cut = [rows[i : i + batch] for i in range(0, len(rows), batch)]
    ready = [b for part in cut for b in batches(classifier.subject, part, budget=10**9)]

    def run() -> None:
        with torch.inference_mode():
            for one in ready:
                classifier.head(classifier.read(classifier.subject, one).float())

    return run


def speed(
    original: Callable[[], object], compressed: Callable[[], object], *, pairs: int = 15, warm: int = 2
) -> Interval:
    """Time of the original by that of the compressed model: median of paired ratios, and its interval over pairs.

    Which of the two comes first alternates. The interval is the binomial one of a median, between two of the
    ordered ratios.

    Examples
    --------
    >>> ratio = speed(lambda: time.sleep(0.02), lambda: None, pairs=5)
    >>> bool(ratio[0] > 2)
    True
    """
    for _ in range(warm):
        original()
        compressed()
    ratios = []
    for k in range(pairs):
        taken = {}
        for name, call in (("a", original), ("b", compressed)) if k % 2 else (("b", compressed), ("a", original)):
            _wait()
            start = time.perf_counter()
            call()
            _wait()
            taken[name] = time.perf_counter() - start
        ratios.append(taken["a"] / taken["b"])
    ordered = np.sort(ratios)
    low = int(np.floor(pairs / 2 - 1.96 * np.sqrt(pairs) / 2))  # the normal approximation of the binomial
    return Interval(
        float(np.median(ordered)),
        float(ordered[max(low, 0)]),
        float(ordered[min(pairs - 1 - low, pairs - 1)]),
        clusters=pairs,
    )


def _wait() -> None:
    """Until an accelerator has done what it was asked to: a call that asks is back long before."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    elif torch.backends.mps.is_available():
        torch.mps.synchronize()


def retention(compressed: np.ndarray, original: np.ndarray, *, seed: int = 0, draws: int = 2000) -> Interval:
    """What a compressed model keeps of the original's score: ratio of the means of paired (seeds, items) scores.

    Examples
    --------
    >>> whole = np.ones((2, 40)); half = whole.copy(); half[:, ::2] = 0
    >>> round(retention(half, whole)[0], 3)
    0.5
    """
    compressed, original = np.asarray(compressed, float), np.asarray(original, float)
    groups = intervals.crossed(*original.shape)
    return intervals.ratio(compressed.ravel(), original.ravel(), seed=seed, draws=draws, groups=groups)
