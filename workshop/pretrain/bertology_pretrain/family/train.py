"""Going through the grid: runs that have no record yet are trained, measured and recorded, several at a time.

A run's folder below the work folder bears the run's hash. Its checkpoint is what an interrupted run goes on from; once the
record is written, the folder is removed. Two processes that are given the same runs share them: a folder is claimed by one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any

import torch

from bertology_utils.family.config import Config, ConfigError
from bertology_utils.family.grid import Member, tiers
from bertology_utils.family.record import SHIPPED, Record, find, place
from bertology_utils.provenance import commit, sha256, versions

from .. import train as training
from ..checkpoint import CheckpointError, claimed
from ..checks import checked
from ..corpus import Corpus
from ..corpus import load as load_corpus
from ..loop import Run
from ..parallel import join
from ..text import find as find_text
from . import languages, verses
from .measure import measure

WARM, TIMED = 3, 10_000  # steps before the clock starts, pieces timed
TIMES, ONCE, FEW = 5, 1, 3  # how often: of the generated tier; of runs whose times nothing rests on; of costlier runs
KEPT = (
    "tokens",
    "layers",
    "mlm",
    "heldout_mlm",
    "heldout_top1",
    "heldout_nsp",
    "heldout_sop",
    "heldout_rtd",
    "heldout_detected",
    "heldout_generator_mlm",
    "heldout_unigram",
)


def missing(members: Iterable[Member], root: Path = SHIPPED) -> list[Member]:
    """The runs without a record, each hash once, in their order."""
    found = {m.key: m for m in reversed(list(members)) if not place(m, root).is_file()}
    return list(reversed(found.values()))


def run(
    members: Iterable[Member],
    work: Path,
    *,
    root: Path = SHIPPED,
    corpus: Path | None = None,
    jobs: int = 1,
    cache: Path | None = None,
    device: str | None = None,
    minutes: float | None = None,
) -> list[str]:
    """Train, measure and record what has no record yet.

    Parameters
    ----------
    members : iterable of Member
    work : Path
        Folder for checkpoints; what was interrupted goes on from there.
    root : Path
        Folder of the records.
    corpus : Path, optional
        Folder of text, for the tiers that need one.
    jobs : int
        Runs at a time, a process each.
    cache, device
        As of `pretrain.run`.
    minutes : float, optional
        No run is begun after so long.

    Returns
    -------
    list of str
        A line per run: its name and what became of it.
    """
    todo = missing(members, root)
    for member in todo:
        checked(member.config)
    for tier in dict.fromkeys(m.tier for m in todo):  # what is wrong with a text shows before anything is trained
        text_of(next(m for m in todo if m.tier == tier), corpus, cache)
    until = monotonic() + 60 * minutes if minutes else float("inf")
    tasks = [(m, work, root, corpus, cache, device, until) for m in todo]
    if jobs == 1:
        return [_one(task) for task in tasks]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_one, tasks))


def text_of(member: Member, corpus: Path | None, cache: Path | None) -> Corpus:
    """The tokenised text of a run's tier; errors as of `files_of`."""
    return load_corpus(files_of(member, corpus, cache), member.config, cache)


def files_of(member: Member, corpus: Path | None, cache: Path | None) -> list[Path]:
    """The files of text of a run's tier, made where they are generated.

    Raises
    ------
    ConfigError
        The tier needs a folder of text and none is given, or the text is not the one that the grid names.
    """
    tier = tiers()[member.tier]
    if "files" in tier.text:
        if corpus is None:
            raise ConfigError(f"tier {tier.name!r} needs a folder of text: {', '.join(tier.text['files'])}")
        paths = find_text([corpus / name for name in tier.text["files"]])
    else:
        paths = find_text(training.text(None, member.config, cache))
    hashes = [sha256(p) for p in paths]
    whole = hashes[0] if len(hashes) == 1 else _joined(hashes)
    if whole != member.text:
        raise ConfigError(
            f"the text of tier {tier.name!r} has the SHA-256 {whole}, not {member.text}: it is another text"
        )
    return paths


def _joined(hashes: list[str]) -> str:
    from hashlib import sha256 as digest

    return digest("\n".join(hashes).encode()).hexdigest()


def _one(task: tuple[Member, Path, Path, Path | None, Path | None, str | None, float]) -> str:
    member, work, root, corpus, cache, device, until = task
    if place(member, root).is_file():
        return f"{member.name}: done before"
    if monotonic() > until:
        return f"{member.name}: waiting"
    torch.set_num_threads(1) if device in (None, "cpu") else None
    folder = work / member.key
    try:
        with claimed(folder):
            record = _recorded(member, folder, files_of(member, corpus, cache), cache, device)
            record.save(root)
    except CheckpointError as error:
        if "another process" not in str(error):
            raise
        return f"{member.name}: in other hands"
    shutil.rmtree(folder, ignore_errors=True)
    return f"{member.name}: {record.says}"


def _recorded(member: Member, folder: Path, text: list[Path], cache: Path | None, device: str | None) -> Record:
    """Train (or go on), measure, and put together the record."""
    corpus = load_corpus(text, member.config, cache)
    model = training.run(member.config, text, folder / "run", device=device, cache=cache, exits=True)
    told = json.loads((model / "training.json").read_text("utf-8"))
    if not told["finished"]:  # a signal ends a run early; what is no whole run is no record
        raise CheckpointError(f"{member.name} was stopped after {told['tokens']:,} pieces: the same command goes on")
    curve = [r for r in _lines(folder / "run" / "log.jsonl") if any(k.startswith("heldout_") for k in r)]
    last = {"tokens": told["tokens"], **told["heldout"]}
    if training_loss := [r["mlm"] for r in curve[-1:] if "mlm" in r]:
        last["mlm"] = training_loss[0]
    return Record(
        key=member.key,
        tier=member.tier,
        config=member.config.as_dict(),
        text=member.text,
        curve=[{k: _short(r[k]) for k in KEPT if k in r} for r in (*curve, last)],
        items=_measured(member, model, corpus, text),
        cost=cost(member.config, corpus, device, _times(member)),
        passes=told["passes"],
        seconds=told["seconds"],
        provenance={
            "steps": told["steps"],
            "tokens": told["tokens"],
            "order": told["order"],
            "device": told["device"],
            "precision": told["precision"],
            "versions": versions(),
            "commit": told["commit"] or commit(),
        },
    )


def _measured(member: Member, model: Path, corpus: Corpus, text: list[Path]) -> dict[str, Any]:
    """What a run is asked: of training, of generated languages, or of verse-aligned ones."""
    config = member.config
    if not config.languages:
        return measure(model, corpus, config, member.only)
    return (
        languages.measure(model, corpus, config) if config.multilingual else verses.measure(model, corpus, config, text)
    )


def cost(config: Config, corpus: Corpus, device: str | None = None, times: int = TIMES) -> dict[str, float]:
    """Seconds of processor time per 1,000 pieces of training, by depth, measured on models that are thrown away.

    The least of several stretches, as timings are taken: what others do on the machine only adds. Wall-clock time tells how
    busy it was, and a run that was interrupted has none of its own. Of runs whose times nothing rests on, one stretch will do.
    Rows come as shuffled: where simple ones come first, the first are short too, and a piece costs more there than in the run.
    """
    out: dict[str, float] = {}
    for phase in config.phases:
        depth = config.depth(phase)
        alone = replace(config, layers=depth, sublayers=config.sublayers if depth == config.layers else "", exports=0)
        alone = replace(alone, phases=(replace(phase, share=1.0, layers=None),), body="learned", order="shuffled")
        with TemporaryDirectory() as scratch:
            trial = Run(alone, corpus, Path(scratch), join(device), resume=False)
            for _ in range(WARM):
                trial.advance()
            out[str(depth)] = round(min(_stretch(trial) for _ in range(times)), 5)
    return out


def _times(member: Member) -> int:
    return ONCE if member.config.languages or member.only else TIMES if member.config.generated else FEW


def _stretch(run: Run) -> float:
    start, seen = process_time(), 0
    while seen < TIMED:
        seen += run.advance()
    return 1000 * (process_time() - start) / seen


def again(
    members: Iterable[Member], *, root: Path = SHIPPED, corpus: Path | None = None, cache: Path | None = None
) -> list[str]:
    """Measure again what training costs, one run after the other, and keep the lesser figure: a line per run.

    Runs whose costs are compared should be timed next to one another; runs without a record are left out.
    """
    out = []
    for member in members:
        if (record := find(member, root)) is not None:
            new = cost(member.config, text_of(member, corpus, cache), "cpu")
            least = {k: min(v, record.cost.get(k, v)) for k, v in new.items()}
            replace(record, cost=least).save(root)
            out.append(f"{member.name}: {least}")
    return out


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def _short(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
