"""Many runs by one command, in stretches: what is to be trained, in order, each run resumed where it was.

A plan is a short YAML file: stages, each a configuration with a seed and fields of its own, on a folder of text below the
corpus folder. A stage is given a budget in pieces or in minutes; for minutes, the pace is measured first and the pieces they
come to are kept in the stage's folder, so that the schedule of the learning rate knows its end.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
import yaml

from bertology_utils.family.config import Config, ConfigError

from .average import average
from .checkpoint import atomic
from .corpus import Corpus
from .corpus import load as load_corpus
from .loop import Run
from .parallel import World, join, processes
from .recipes import load as load_config
from .train import run as train

FOLDER = Path(__file__).parent / "plans"
WARM, TIMED = 5, 30  # steps before the clock starts (compilation), and steps timed


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One run of a plan.

    Attributes
    ----------
    config : str
        A configuration's name or YAML file.
    corpus : str
        Folder of text below the plan's corpus folder; ``"."`` is that folder itself.
    seed : int
    minutes : float, optional
        A budget in time instead of the configuration's pieces.
    after : str or dict
        The name of an earlier stage, with whose model this one begins, or several with their shares: the average of their
        weights (`average.average`). Empty: as the configuration says.
    set : dict
        Fields of the configuration to replace.
    """

    config: str
    corpus: str = "english"
    seed: int = 0
    minutes: float | None = None
    after: str | dict[str, float] = ""
    set: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The folder of the run."""
        return f"{Path(self.config).stem}-{self.seed}"

    @property
    def before(self) -> list[str]:
        """The stages with whose models this one begins."""
        return list(self.after) if isinstance(self.after, dict) else [self.after] if self.after else []

    def start(self, out: Path) -> Path:
        """Where the model is with which the stage begins."""
        return out / f"{self.name}-start" if isinstance(self.after, dict) else out / self.after / "model"

    def begin(self, out: Path) -> None:
        """Make the average with which the stage begins, if it begins with one."""
        if isinstance(self.after, dict) and not (out / self.name).exists():
            average({out / name / "model": share for name, share in self.after.items()}, self.start(out))

    def configuration(self, out: str | Path, scale: float = 1.0) -> Config:
        """The stage's configuration; with `scale` below 1 that of a dry run, whose batches and evaluations are small too.

        `out` is where the stages' folders are.
        """
        start = {"start": str(self.start(Path(out)))} if self.after else {}
        config = load_config(self.config, seed=self.seed, **self.set | start)
        if scale == 1:
            return config
        longest = max(p.length for p in config.phases)
        return replace(
            config,
            tokens=max(1, int(config.tokens * scale)),
            batch_tokens=min(config.batch_tokens, 2 * longest),
            phases=tuple(replace(p, batch_tokens=None) for p in config.phases),
            eval_predictions=100,
            final_predictions=100,
            log_steps=1,
            exports=0,
        )


def names() -> list[str]:
    """The plans that come with the package."""
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def load(name_or_path: str | Path) -> list[Stage]:
    """Read a plan by name or from a YAML file.

    Raises
    ------
    ConfigError
        Unknown name or field, two stages that would share a folder, or one that begins with no earlier stage's model.
    """
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        raise ConfigError(f"no plan {str(name_or_path)!r}: give a .yaml file or one of {', '.join(names())}")
    try:
        stages = [Stage(**values) for values in yaml.safe_load(path.read_text("utf-8"))["stages"]]
    except (TypeError, KeyError) as error:
        raise ConfigError(f"{path}: {error}") from None
    folders = [s.name for s in stages]
    if twice := {n for n in folders if folders.count(n) > 1}:
        raise ConfigError(f"{path}: two stages are called {', '.join(sorted(twice))}")
    for number, stage in enumerate(stages):
        for name in stage.before:
            if name not in folders[:number]:
                raise ConfigError(f"{path}: {stage.name} begins with {name!r}, which is no stage before it")
    return stages


def run(
    plan: str | Path,
    corpus: str | Path,
    out: str | Path,
    *,
    minutes: float | None = None,
    device: str | None = None,
    cache: str | Path | None = None,
    scale: float = 1.0,
    say: Callable[[str], None] = print,
) -> bool:
    """Go on with a plan for so many minutes; call it again until it is done.

    Parameters
    ----------
    plan : str or Path
    corpus : str or Path
        The folder in which the stages' folders of text are.
    out : str or Path
        A folder per stage is made in it.
    minutes : float, optional
        Of this stretch, tokenising left out: what is tokenised once is kept in the cache. None: until the plan is done.
    device, cache
        As in `train.run`.
    scale : float
        Below 1 a dry run: budgets times `scale`, small batches.
    say : callable
        Told one line per stage.

    Returns
    -------
    bool
        Whether all stages are finished.

    Raises
    ------
    ConfigError
        The plan is no plan (`load`), or `torchrun` has started several processes.
    """
    if processes() > 1:  # the processes' clocks differ, and with them who still goes on
        raise ConfigError("a plan runs in one process: start its configurations under torchrun one by one")
    stages, corpus, out = load(plan), Path(corpus), Path(out)
    settings = [s.configuration(out, scale) for s in stages]
    for stage, config in zip(stages, settings, strict=True):
        load_corpus(corpus / stage.corpus, config, cache)  # all of them first: what is wrong with a text shows now
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    for stage, config in zip(stages, settings, strict=True):
        folder = out / stage.name
        if not finished(folder):
            left = (deadline - time.monotonic()) / 60
            if left <= 0:
                say(f"{stage.name}: waiting")
                continue
            stage.begin(out)
            config = replace(config, tokens=budget(stage, config, corpus, folder, device, cache, scale))
            train(config, corpus / stage.corpus, folder, device=device, minutes=min(left, 1e6), cache=cache, exits=True)
        say(summary(stage, folder))
    return all(finished(out / s.name) for s in stages)


def summary(stage: Stage, folder: Path) -> str:
    """What a stage's run has come to."""
    record = json.loads((folder / "model" / "training.json").read_text("utf-8"))
    seen, whole, minutes = record["tokens"], record["config"]["tokens"], record["seconds"] / 60
    return f"{stage.name}: {seen:,} of {whole:,} pieces, {minutes:.1f} minutes"


def main(
    plan: str | Path,
    corpus: list[Path] | None,
    out: str | Path,
    minutes: float | None = None,
    device: str | None = None,
    cache: str | Path | None = None,
    scale: float = 1.0,
    release: str | Path | None = None,
) -> None:
    """What the command line does: `run`, or `release` where a folder is given, a line per stage on standard output.

    Raises
    ------
    ConfigError
        Not exactly one corpus folder.
    """
    if not corpus or len(corpus) != 1:
        raise ConfigError("a plan needs one corpus folder: the one that holds the stages' folders of text")
    if release:
        from .unfinished import decayed  # which goes by what is here

        decayed(plan, corpus[0], out, release, minutes=minutes, device=device, cache=cache, scale=scale)
    elif not run(plan, corpus[0], out, minutes=minutes, device=device, cache=cache, scale=scale):
        print("not done yet: the same command goes on")


def finished(folder: Path) -> bool:
    """Whether a stage's run has used up its budget."""
    path = folder / "model" / "training.json"
    return path.is_file() and json.loads(path.read_text("utf-8"))["finished"]


def budget(
    stage: Stage, config: Config, corpus: Path, folder: Path, device: str | None, cache: str | Path | None, scale: float
) -> int:
    """The stage's pieces: the configuration's, or what its minutes come to; decided once per folder."""
    if stage.minutes is None:
        return config.tokens
    path = folder / "budget.json"
    if not path.is_file():
        data = load_corpus(corpus / stage.corpus, config, cache)
        pieces = int(pace(config, data, join(device)) * 60 * stage.minutes * scale)
        folder.mkdir(parents=True, exist_ok=True)
        atomic(path, lambda stream: stream.write(json.dumps({"tokens": max(pieces, 1)}).encode()))
    return json.loads(path.read_text("utf-8"))["tokens"]


def pace(config: Config, corpus: Corpus, world: World) -> float:
    """Pieces per second that training takes at the longest rows, measured on a model that is thrown away."""
    longest = max(config.phases, key=lambda p: p.length)
    config = replace(config, phases=(replace(longest, share=1.0, layers=None),))
    with tempfile.TemporaryDirectory() as scratch:
        trial = Run(config, corpus, Path(scratch), world, resume=False)
        for _ in range(WARM):
            trial.advance()
        _wait(world)
        start = time.monotonic()
        seen = sum(trial.advance() for _ in range(TIMED))
        _wait(world)
    return seen / (time.monotonic() - start)


def _wait(world: World) -> None:
    if world.device.type == "cuda":
        torch.cuda.synchronize(world.device)
