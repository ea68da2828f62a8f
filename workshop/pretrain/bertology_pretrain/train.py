"""A run from its configuration, corpus and folder: what Python and the command line call (devlin2019)."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bertology_utils.family.config import Config, ConfigError
from bertology_utils.files import writable

from . import checkpoint, signals
from .corpus import cache_folder
from .corpus import load as load_corpus
from .loop import Run
from .parallel import World, join
from .recipes import load as load_config
from .release import begin as release_begin


def run(
    config: str | Path | Config,
    corpus: str | Path | Iterable[str | Path] | None,
    out: str | Path,
    *,
    device: str | None = None,
    resume: bool = True,
    minutes: float | None = None,
    tokens: float | None = None,
    cache: str | Path | None = None,
    release: str | Path | None = None,
    start: str | Path | None = None,
    exits: bool = False,
) -> Path:
    """Pretrain a BERT and export it; under `torchrun`, on all its processes.

    Parameters
    ----------
    config : str or Path or Config
        A configuration's name, YAML file or record.
    corpus : path or paths
        ``.txt`` or ``.txt.xz`` files, or folders of them. None: the generated text, where the configuration asks for it.
    out : str or Path
        Folder of the run: ``checkpoint.pt``, ``log.jsonl``, ``step-…`` (intermediate exports), ``model`` (the result).
    device : str, optional
        ``cpu``, ``cuda``, …; a GPU where there is one.
    resume : bool
        Go on from the folder's checkpoint, if it has one.
    minutes : float, optional
        Stop with a checkpoint after so long; the next call goes on. The schedule depends on tokens alone.
    tokens : float, optional
        Another budget than the configuration's.
    cache : str or Path, optional
        Where tokenised corpora are kept.
    release : str or Path, optional
        Another folder: the checkpoint in `out` is copied there and its learning rate decayed at once (`release.begin`);
        `tokens` is not used.
    start : str or Path, optional
        Another beginning than the configuration's: a bundled model, or a folder with an exported one (`Config.start`).
    exits : bool
        After a signal, raise `signals.Interrupted` once the checkpoint is written; else return as after `minutes`.

    Returns
    -------
    Path
        The exported folder, ``out/model``; its ``training.json`` says whether the budget was used up (``finished``).

    Raises
    ------
    ConfigError, CorpusError, CheckpointError
        What was given contradicts itself or the checkpoint.
    """
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    settings = load_config(
        config, tokens=int(tokens) if tokens and not release else None, start=str(start) if start else None
    )
    if not release:
        writable(Path(out))  # before the corpus is tokenised
    world = join(device)
    try:
        if release:
            settings = _begin_release(settings, Path(out), Path(release), world)
            out = release
        for phase in settings.phases:
            if settings.rows(phase) % world.size:
                raise ConfigError(
                    f"{settings.rows(phase)} rows of {phase.length} do not divide among {world.size} "
                    "processes: change batch_tokens"
                )
        if not world.first:
            world.wait()  # the first process tokenises, the others read what it made
        data = load_corpus(text(corpus, settings, cache), settings, cache)
        if world.first:
            world.wait()
        with checkpoint.claimed(Path(out)) if world.first else nullcontext():
            begun = Run(settings, data, Path(out), world, resume)
            made = begun.go(deadline)
        if begun.stopped_by and exits:
            raise signals.Interrupted(begun.stopped_by, out, begun.seen)
        return made
    finally:
        world.close()


def _begin_release(config: Config, run: Path, folder: Path, world: World) -> Config:
    """`release.begin` in the first process, the others after it."""
    if not world.first:
        world.wait()
    config = release_begin(config, run, folder)
    if world.first:
        world.wait()
    return config


def text(
    corpus: str | Path | Iterable[str | Path] | None, config: Config, cache: str | Path | None
) -> str | Path | Iterable[str | Path]:
    """The corpus given, or the generated one that the configuration asks for, made now where the cache lacks it.

    Raises
    ------
    ConfigError
        Neither is there.
    """
    if corpus:
        return corpus
    if not (config.generated or config.multilingual):
        raise ConfigError(f"configuration {config.name!r} needs a corpus: give text files or folders of them")
    from . import generated, generated_languages

    if config.multilingual:
        folder = cache_folder(cache) / f"languages-{config.multilingual}"
        return generated_languages.write(folder, config.multilingual)
    name = f"generated-{config.generated}" + (f"-{config.words}" if config.words else "")
    return generated.write(cache_folder(cache) / name / "generated.txt", config.generated, words=config.words)


def main(
    config: str | Path,
    corpus: Iterable[str | Path] | None,
    out: str | Path,
    device: str | None = None,
    minutes: float | None = None,
    tokens: float | None = None,
    cache: str | Path | None = None,
    fresh: bool = False,
    prepare: bool = False,
    release: str | Path | None = None,
    start: str | Path | None = None,
) -> None:
    """What the command line does: `run`, and the exported folder on standard output.

    `fresh` starts anew although `out` holds a checkpoint; `prepare` trains the vocabulary and tokenises, no more.

    Raises
    ------
    Refusal
        As `run`; the command line shows it as one line.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    if prepare:
        settings = load_config(config)
        data = load_corpus(text(corpus, settings, cache), settings, cache)
        print(f"{len(data.tokens):,} pieces, {len(data.held):,} documents, {int(data.held.sum()):,} held out")
        return
    options: dict[str, Any] = {
        "device": device,
        "resume": not fresh,
        "minutes": minutes,
        "tokens": tokens,
        "cache": cache,
    }
    sys.stdout.write(
        f"{run(config, corpus, out, **options, release=release, start=start, exits=True)}\n"
    )  # in one piece: several may end at once
