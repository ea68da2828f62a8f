"""One frozen record of every switch; environment, keyword and command line fill the same fields.

Two switches choose what is measured (`model`, `data`); the rest say how. ``BERTOLOGY_MODEL=bert-base-uncased`` in the
environment, ``Settings.of(model=...)`` in code and ``--model`` on the command line mean the same, in rising precedence.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from .errors import Refusal

PREFIX = "BERTOLOGY_"
TWIN = "-untrained"  # what the name of a model's untrained twin ends in
# Tokens per batch by device. A processor is fastest where a batch's states stay in its cache and little is padded: of 128
# to 4,096, 512 took the least time for 500 sentences on one core (1.35 s; 1.69 s with 4,096, which also computes 1.40
# pieces per real one against 1.06, and takes six times the memory). An accelerator wants larger ones.
BUDGET = {"cpu": 512, "cuda": 4096, "mps": 4096}
QUICK = 200  # items per task, and resamples, of a quick try (`--fast`), unless a claim says otherwise

DEVICES = ("cpu", "cuda", "mps", "xpu")
SEEDS = 2**31  # seeds lie below: generators are given a seed and some small number more, and take 32 bits
# Read by others than `Settings`: the book's addresses, and the commit of a copy without git.
ELSEWHERE = ("BERTOLOGY_REPOSITORY", "BERTOLOGY_SITE", "BERTOLOGY_COMMIT")


class SettingsError(Refusal, ValueError):
    """A setting has an impossible value; the message names it and what it may be."""


def watched() -> bool:
    """Whether somebody may watch a cell at work: the environment has no ``NO_PROGRESS``."""
    return "NO_PROGRESS" not in os.environ


def _user_folder(name: str) -> Path:
    from platformdirs import user_cache_path, user_data_path  # imported late: only the defaults need it

    return (user_cache_path if name == "cache" else user_data_path)("bertology") / name


@dataclass(frozen=True)
class Settings:
    """How an experiment is run.

    Attributes
    ----------
    model : str
        ``mini``, a Hub name or a local folder.
    data : str
        ``builtin``, ``original`` (every data set of the claim's ledger row) or one data set's name.
    device : str
        ``auto`` (a GPU where there is one), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
    dtype : str
        ``float32`` (default: figures must not depend on the device), ``bfloat16`` or ``float16``.
    seed : int
        Of generators, bootstrap, probes and twins.
    batch_tokens : int or None
        Token budget per batch (rows x longest row); None takes `BUDGET` of the device.
    n : int | None
        Items a task; None takes the claim's own number for builtin data, and all items of original data.
    draws : int
        Bootstrap draws of each interval.
    noise : float
        Relative size of rounding noise planted in every hidden state: what do figures owe to the last bits? 0 for none;
        1e-6 is what two processors differ by.
    nonsp, partner, shallow : str
        The second models of comparisons (`subject.companions`), where they are named.
    fast : bool
        In a notebook: few items, few draws and no twin, as ``--fast`` of the command line. Does everything run?
    mirror : Path | None
        Folder with the original data, tried before the network.
    cache : Path
        Where downloads go.
    evidence : Path
        Where evidence records are written.
    """

    model: str = "mini"
    data: str = "builtin"
    device: str = "auto"
    dtype: str = "float32"
    seed: int = 0
    batch_tokens: int | None = None
    n: int | None = None
    draws: int = 2000
    noise: float = 0.0
    nonsp: str = ""
    partner: str = ""
    shallow: str = ""
    fast: bool = False
    mirror: Path | None = None
    cache: Path = field(default_factory=lambda: _user_folder("cache"))
    evidence: Path = field(default_factory=lambda: _user_folder("evidence"))

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "bfloat16", "float16"):
            raise SettingsError(f"dtype is {self.dtype!r}; it may be float32, bfloat16 or float16")
        for name, low in (("batch_tokens", 1), ("draws", 10)):
            if getattr(self, name) is not None and getattr(self, name) < low:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must be at least {low}")
        if not self.model.strip() or not self.model.removesuffix(TWIN).strip():
            raise SettingsError(
                f"model is {self.model!r}; it may be mini, a Hub name or a folder, each with {TWIN} behind"
            )
        if not 0 <= self.seed < SEEDS:
            raise SettingsError(f"seed is {self.seed}; it must be at least 0 and below {SEEDS}")
        if not 0 <= self.noise < 1:
            raise SettingsError(f"noise is {self.noise}; it must be at least 0 and below 1")
        if self.n is not None and self.n < 1:
            raise SettingsError(f"n is {self.n}; it must be positive, or left out")

    @classmethod
    def of(cls, base: Settings | None = None, **given: Any) -> Settings:
        """Settings from the environment (or from `base`), changed by the keywords that are not None."""
        given = {k: v for k, v in given.items() if v is not None}
        unknown = set(given) - {f.name for f in fields(cls)}
        if unknown:
            raise SettingsError(f"unknown settings {sorted(unknown)}; there are {[f.name for f in fields(cls)]}")
        start = base if base is not None else cls(**cls._environment())
        return replace(start, **{k: cls._read(k, v) for k, v in given.items()})

    @classmethod
    def _environment(cls) -> dict[str, Any]:
        cls._complain_of_unknown()
        found = {f.name: os.environ.get(PREFIX + f.name.upper(), "").strip() for f in fields(cls)}
        return {name: cls._read(name, text) for name, text in found.items() if text}

    @classmethod
    def _complain_of_unknown(cls) -> None:
        """A misspelt variable would leave a default in force without a word."""
        known = {*ELSEWHERE, *(PREFIX + f.name.upper() for f in fields(cls))}
        for name, value in sorted(os.environ.items()):
            if name.startswith(PREFIX) and name not in known and value.strip():
                near = difflib.get_close_matches(name, sorted(known), 1)
                hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(known))}"
                raise SettingsError(f"environment variable {name} is no setting{hint}")

    @staticmethod
    def _read(name: str, value: Any) -> Any:
        """The value of a field from its text, with an error that names the field."""
        kind: dict[str, Callable[[Any], Any]] = {
            "seed": int,
            "batch_tokens": int,
            "n": int,
            "draws": int,
            "noise": float,
            "fast": lambda v: {"1": True, "0": False, "true": True, "false": False}[str(v).lower()],
            **dict.fromkeys(("mirror", "cache", "evidence"), lambda v: Path(v).expanduser()),
        }
        try:
            return kind.get(name, str)(value)
        except (TypeError, ValueError, KeyError) as error:
            raise SettingsError(f"{name} cannot be {value!r}: {error}") from None

    @property
    def budget(self) -> int:
        """Token budget per batch: what `batch_tokens` says, else the device's default."""
        return self.batch_tokens or BUDGET.get(self.torch_device().type, BUDGET["cpu"])

    def torch_device(self):
        """The `torch.device` that `device` stands for.

        Raises
        ------
        SettingsError
            If torch knows no such device, or this machine has none.
        """
        import torch

        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
        kind = self.device.partition(":")[0]
        try:
            device = torch.device(self.device)
        except RuntimeError:
            kind = ""
        if kind not in DEVICES:
            raise SettingsError(f"device is {self.device!r}; it may be auto, cpu, cuda, cuda:1, mps or xpu")
        if kind == "cuda" and (device.index or 0) >= torch.cuda.device_count():
            raise SettingsError(f"device is {self.device!r}, but torch sees {torch.cuda.device_count()} CUDA devices")
        if kind in ("mps", "xpu") and not getattr(torch, kind).is_available():
            raise SettingsError(f"device is {self.device!r}, but torch sees none on this machine")
        return device
