"""The configuration of a pretraining run: one frozen record, read from a small YAML file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from ..errors import Refusal

FOLDER = Path(__file__).parent / "configs"
KINDS: dict[str, Any] = {"int": int, "float": (int, float), "bool": bool, "str": str}  # by their annotations


class ConfigError(Refusal):
    """A configuration is missing or contradicts itself; the message names the field."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A stretch of training with one sequence length (devlin2019 train 90% of the steps at 128 pieces).

    Attributes
    ----------
    length : int
        Pieces a row, special symbols and padding included.
    share : float
        Share of the token budget; the shares of a run add up to 1.
    batch_tokens : int, optional
        Positions (rows x length) of the global batch, where it differs from the run's.
    layers : int, optional
        Depth in this phase, where it is not yet the run's: a shallow model is trained first and stacked (gong2019).
    """

    length: int
    share: float
    batch_tokens: int | None = None
    layers: int | None = None


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that determines a run; two runs with equal records and corpora see the same data in the same order.

    Attributes
    ----------
    tokens : int
        The budget: pieces seen, special symbols counted, padding not.
    batch_tokens : int
        Positions of one global batch, whatever the number of processes; rows = batch_tokens // length.
    micro_tokens : int
        Most positions one process handles at a time; larger batches are accumulated. 0: sized to the device's memory.
    mask_rate : float
        Share of a row's pieces to be predicted; of these 80% become [MASK], 10% a random piece, 10% stay.
    nsp : bool
        False: one segment a row, type ids 0, no next-sentence loss.
    by_file : bool
        Each file is a language: negatives come from the same file, files are drawn with their size ** `smoothing`.
    layouts : tuple of (pattern, layout)
        How files are cut into documents, first match on the file's name: ``blank`` (blank line between documents),
        ``line`` (a document a line), ``verse`` (a sentence a line, empty = missing, documents are chapters).
    precision : str
        ``bf16``, ``fp32`` or ``auto`` (bf16 autocast on CUDA, fp32 elsewhere).
    eval_length, eval_mask_rate : int, float
        Pieces a held-out row, and the share to be predicted: the same for recipes that are to be compared. Positions that no
        row of the training has reached yet are noise in the held-out loss.
    exports : int
        Intermediate exports, after budget / 2, / 4, … / 2 ** exports.
    optimiser : str
        ``adamw``, or ``muon`` for the encoder's matrices with AdamW for the rest.
    muon_factor : float
        Muon's learning rate in units of `learning_rate`.
    muon_steps : int
        Iterations that make an update orthogonal.
    schedule : str
        After the warm-up: ``linear`` decay to 0 at the budget, or ``stable`` and then linear decay over the last
        `decay` of the budget, which can be had earlier (`release`).
    generated : int
        Sentences of the package's generated language to train on where no corpus is given (`generated`).
    """

    name: str
    layers: int
    hidden: int
    heads: int
    ffn: int
    vocab: int
    max_positions: int
    phases: tuple[Phase, ...]
    tokens: int
    batch_tokens: int
    learning_rate: float
    micro_tokens: int = 131_072
    lowercase: bool = True
    strip_accents: bool = True
    alphabet: int = 160
    warmup: float = 0.01
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-6
    clip: float = 1.0
    dropout: float = 0.0
    initializer_range: float = 0.02
    mask_rate: float = 0.15
    short_share: float = 0.1
    nsp: bool = True
    by_file: bool = False
    smoothing: float = 1.0
    layouts: tuple[tuple[str, str], ...] = (("*", "blank"),)
    exclude: tuple[str, ...] = ()
    held_out: float = 0.01
    eval_length: int = 128
    eval_mask_rate: float = 0.15
    eval_predictions: int = 4_000
    final_predictions: int = 20_000
    eval_tokens: int = 20_000_000
    log_steps: int = 50
    checkpoint_seconds: float = 120.0
    exports: int = 10
    seed: int = 0
    precision: str = "auto"
    compile: bool = True
    optimiser: str = "adamw"
    muon_factor: float = 1.0
    muon_steps: int = 5
    schedule: str = "linear"
    decay: float = 0.15
    generated: int = 0

    def __post_init__(self) -> None:
        def need(right: bool, message: str) -> None:
            if not right:
                raise ConfigError(f"configuration {self.name!r}: {message}")

        for f in fields(self):
            value, kind = getattr(self, f.name), KINDS.get(str(f.type))
            if kind:
                right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
                hint = " (YAML reads 1e-3 as text: write 1.0e-3)" if isinstance(value, str) else ""
                need(right, f"{f.name} {value!r} is no {f.type}{hint}")
        for name in ("layers", "hidden", "heads", "ffn", "tokens", "learning_rate", "log_steps"):
            need(getattr(self, name) > 0, f"{name} {getattr(self, name)} is not above 0")
        need(self.micro_tokens >= 0, f"micro_tokens {self.micro_tokens} is below 0")
        need(self.hidden % self.heads == 0, f"hidden {self.hidden} is no multiple of heads {self.heads}")
        need(bool(self.phases), "no phases")
        need(abs(sum(p.share for p in self.phases) - 1) < 1e-6, f"the phases' shares do not add up to 1: {self.phases}")
        for p in self.phases:
            need(8 <= p.length <= self.max_positions, f"length {p.length} is outside 8..{self.max_positions}")
            need(self.rows(p) >= 1, f"batch_tokens is smaller than one row of {p.length}")
        depths = [self.depth(p) for p in self.phases]
        stacked = all(n > 0 and m % n == 0 for n, m in pairwise(depths))
        need(stacked and depths[-1] == self.layers, f"layers {depths} of the phases do not stack to {self.layers}")
        need(self.eval_length <= self.max_positions, f"eval_length {self.eval_length} > {self.max_positions}")
        need(5 < self.vocab <= 65_536, f"vocab {self.vocab} does not fit 16 bits")
        need(0 < self.mask_rate < 1 and 0 <= self.held_out < 1, "mask_rate or held_out is no share")
        need(0 < self.eval_mask_rate < 1, "eval_mask_rate is no share")
        need(self.precision in ("auto", "bf16", "fp32"), f"precision {self.precision!r}")
        need(self.optimiser in ("adamw", "muon"), f"optimiser {self.optimiser!r}")
        need(self.schedule in ("linear", "stable"), f"schedule {self.schedule!r}")
        need(0 < self.decay <= 1 - self.warmup, f"decay {self.decay} is no share that warmup {self.warmup} leaves")
        need(self.muon_factor > 0 and self.muon_steps > 0, "muon_factor or muon_steps is not above 0")
        known = {"blank", "line", "verse"}
        need({kind for _, kind in self.layouts} <= known, f"layouts {self.layouts} know only {sorted(known)}")

    def rows(self, phase: Phase) -> int:
        """Rows of the global batch in a phase."""
        return (phase.batch_tokens or self.batch_tokens) // phase.length

    def depth(self, phase: Phase) -> int:
        """Layers of the model in a phase."""
        return phase.layers or self.layers

    def bounds(self) -> list[float]:
        """Token counts at which the phases end."""
        total, out = 0.0, []
        for p in self.phases:
            total += p.share
            out.append(total * self.tokens)
        return out

    def rate(self, tokens: int) -> float:
        """Learning rate after `tokens` pieces: linear warm-up, then as `schedule` says to 0 at the budget."""
        done = tokens / self.tokens
        if done < self.warmup:
            return self.learning_rate * max(done / self.warmup, 1e-3)
        falling = self.decay if self.schedule == "stable" else 1 - self.warmup
        return self.learning_rate * min(1.0, max(0.0, (1 - done) / falling))

    def stable(self, tokens: int) -> bool:
        """Whether the rate is neither rising nor falling after `tokens` pieces."""
        return self.schedule == "stable" and self.warmup <= tokens / self.tokens <= 1 - self.decay + 1e-6

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the YAML file."""
        return json.loads(json.dumps(asdict(self)))

    def digest(self, *names: str) -> str:
        """SHA-256 over the named fields (all where none is named)."""
        values = self.as_dict()
        chosen = {n: values[n] for n in names} if names else values
        return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()


def names() -> list[str]:
    """The configurations that come with the package."""
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def load(name_or_path: str | Path | Config, **changes: Any) -> Config:
    """Read a configuration by name or from a YAML file.

    Parameters
    ----------
    name_or_path : str or Path or Config
        One of `names()`, a ``.yaml`` file, or a record as it is.
    **changes
        Fields to replace; None leaves a field as it is.

    Raises
    ------
    ConfigError
        Unknown name, unknown or missing field, contradiction.
    """
    changes = {k: v for k, v in changes.items() if v is not None}
    if isinstance(name_or_path, Config):
        return replace(name_or_path, **changes)
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        raise ConfigError(f"no configuration {str(name_or_path)!r}: give a .yaml file or one of {', '.join(names())}")
    raw = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(raw, dict):
        raise ConfigError(f"{path} holds no fields")
    if base := raw.pop("base", None):
        beside = path.parent / f"{base}.yaml"
        parent = load(beside if beside.is_file() else base)
        raw = {f.name: getattr(parent, f.name) for f in fields(Config)} | {"name": path.stem} | raw
    raw = {"name": path.stem} | raw | changes
    unknown = set(raw) - {f.name for f in fields(Config)}
    if unknown:
        raise ConfigError(f"{path}: unknown field {', '.join(sorted(unknown))}")
    try:
        raw["phases"] = tuple(p if isinstance(p, Phase) else Phase(**p) for p in raw.get("phases", ()))
        for key in ("betas", "exclude"):
            if key in raw:
                raw[key] = tuple(raw[key])
        if "layouts" in raw:
            raw["layouts"] = tuple(tuple(pair) for pair in raw["layouts"])
        for key in ("tokens", "batch_tokens", "eval_tokens"):  # YAML reads 2.5e+9 as a float
            if key in raw:
                raw[key] = int(float(raw[key]))
        return Config(**raw)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
