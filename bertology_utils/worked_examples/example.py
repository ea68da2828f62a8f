"""One or two items of a claim, and what a network answers to them now: printed as plain text, in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files

import pandas as pd
import yaml

from .. import plotting, runs
from ..claims import ledger
from ..claims.registry import Claim, NotRunnable
from ..claims.sources import load_for, sources
from ..data.items import Data, ItemError
from ..errors import Refusal
from ..settings import Settings
from ..subject.models import Subject
from .table import EXAMPLES
from .text import two

FEW, DRAWS = 60, 200  # items and resamples of an experiment that stands in for an example
INDENT = "    "


def examples(id: str, settings: Settings | None = None) -> None:
    """Print one or two items of a claim and what the settings' model answers to them, computed now.

    Parameters
    ----------
    id : str
        The ledger row.
    settings : Settings, optional
        By default what the environment says. Items are the study's own where the settings ask for them and they can be
        had, else generated ones.

    Examples
    --------
    >>> examples("syn.agreement.goldberg2019", Settings(model="mini"))  # doctest: +ELLIPSIS
    Which form of the verb is likelier in the gap? mini, on generated items:
    ...
    """
    try:
        said = list(lines(id, settings))
    except Refusal as error:
        said = [f"not asked: {runs.in_a_line(error)}"]
    except Exception as error:  # a bug of ours stops no chapter: the next cell runs
        said = [f"failed: {type(error).__name__}: {runs.in_a_line(error)}"]
    print("\n".join(said))


def lines(id: str, settings: Settings | None = None) -> Iterator[str]:
    """What `examples` prints, line by line.

    Raises
    ------
    Refusal
        The claim cannot be asked of the model, or its items cannot be had; the message says why.
    """
    settings = runs.settings_for(id, settings)
    it = runs.get(id)
    if it.family:
        yield f"no live answer: {it.id} compares recorded runs of ours"
        return
    (subject,) = runs.subjects(settings, twin=False)
    refused: list[str] = []
    for source in _sources(it, settings, refused):
        try:
            found = _lines(it, subject, source, settings)
        except Refusal as error:
            if source == "builtin":
                raise
            refused.append(f"{source}: {runs.in_a_line(error)}")
            continue
        yield from (f"({line}; generated items stand in)" for line in refused[:1] if source == "builtin")
        where = "generated items" if source == "builtin" else source
        yield f"{question(id)} {subject.name}, on {where}:"
        yield from (line.replace("\n", f"\n{INDENT}") for line in found)
        return


def question(id: str) -> str:
    """What a network is asked, in words; of a claim without an example its title."""
    return questions()[id] if id in EXAMPLES else ledger.row(id).title + "?"


@cache
def questions() -> dict[str, str]:
    """Claim -> what a network is asked, for a reader who sees the items for the first time."""
    return yaml.safe_load((files("bertology_utils") / "assets" / "questions.yaml").read_text(encoding="utf-8"))


def _sources(it: Claim, settings: Settings, refused: list[str]) -> list[str]:
    """Where items may come from, generated ones last; what there is not is said in `refused`."""
    try:
        found = sources(it, settings)
    except NotRunnable as error:
        refused.append(runs.in_a_line(error))
        found = []
    if found == ["builtin"] != [settings.data]:
        refused.append(f"{it.id} has no original data")
    return list(dict.fromkeys([*found, "builtin"]))


def _lines(it: Claim, subject: Subject, source: str, settings: Settings) -> list[str]:
    """The lines about the items of one source; errors as of `runs.rows_of`."""
    example = EXAMPLES.get(it.id)
    n = example.n if example else min(FEW, it.quick)
    few = replace(settings, n=n, draws=DRAWS)

    def show(subject: Subject, data: Data, settings: Settings) -> pd.DataFrame:
        made = example.show(subject, data, settings) if example else experimented(it, source, data, settings)
        return pd.DataFrame({"line": list(made)})

    try:
        data = load_for(it, source, few)
        return runs.rows_of(replace(it, experiment=show), subject, data, few)["line"].tolist()
    except ItemError as error:  # what the shown items lack, others may have
        raise NotRunnable(f"{it.id}: {error}") from error


def experimented(it: Claim, source: str, data: Data, settings: Settings) -> Iterator[str]:
    """Two items, and the claim's own experiment on few of them: the rows that decide it, of subject and twin."""
    for item in two(next((items for items in data.items.values() if items), [])):
        yield item.describe()
    found = runs.run(it.id, settings, data=source, n=settings.n, save=False)
    yield f"measured now on {len(data)} items:"
    yield plotting.printed(found.deciding())
