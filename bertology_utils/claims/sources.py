"""What the data switch stands for with a claim, and the items it is measured on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..data import load as load_data
from ..data import of as data_of
from ..data import sha256
from ..data.items import Data
from ..settings import Settings
from .registry import Claim, NotDefined, NotRunnable

# text that runs of the family were trained on: their records are what is asked
CORPORA = ("few_words", "corpus", "corpus-large", "corpus_multilingual")


def sources(it: Claim, settings: Settings) -> list[str]:
    """What the data switch stands for with this claim.

    ``original`` is all of the row's data sets; of a claim that has none, the generated items.

    Raises
    ------
    NotDefined
        The claim is about recorded runs of training, and no model is measured on data.
    NotRunnable
        The claim has no data set of that name.
    """
    if settings.data == "builtin" or (it.family and settings.data in CORPORA):
        return [settings.data]
    available = it.sources()
    if settings.data != "original":
        if settings.data not in available and not _on_the_hub(it, settings.data):
            raise NotRunnable(
                f"{it.id} has no data {settings.data!r}; it has: {', '.join(['builtin', *available])} "
                f"(those of the data sets under `data` in its row of the ledger that have items for it)"
            )
        return [settings.data]
    if it.family:
        raise NotDefined(f"{it.id} compares recorded training runs with one another and measures no single model")
    return available or ["builtin"]


def _on_the_hub(it: Claim, source: str) -> bool:
    from ..data.original import hub

    name = source.removeprefix(hub.PREFIX)
    return source.startswith(hub.PREFIX) and name in hub.CONFIGS and hub.CONFIGS[name].task in it.tasks


def load_for(it: Claim, source: str, settings: Settings) -> Data:
    """The items of a source for a claim, in its default number unless the settings name one."""
    if it.family:  # what the runs were trained on and asked is in their records
        return data_of({}, name=source)
    if source == "builtin":
        return load_data(it.tasks, source, n=settings.n or it.n, seed=settings.seed, settings=settings)
    from ..data import original

    offered = [t for t in it.tasks if t in original.tasks(source)]
    data = load_data(offered, source, n=settings.n or it.limit, seed=settings.seed, settings=settings)
    for task, others in it.beside.items():
        if task not in offered:
            whole = replace(settings, n=None)
            data = _with(data, task, [load_data(task, other, seed=settings.seed, settings=whole) for other in others])
    return data


def _with(data: Data, task: str, others: Sequence[Data]) -> Data:
    """Items of a task from other sources beside a source's own; notes and hash say so."""
    items = {**data.items, task: [item for other in others for item in other[task]]}
    said = [f"{task} from {other.name}: {len(other[task])} items" for other in others]
    notes = (*data.notes, *said, *(note for other in others for note in other.notes))
    return replace(data, items=items, sha256=sha256(items), notes=notes)
