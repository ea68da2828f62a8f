"""A reader's own sentence: what fills its gap, which of two is likelier, which word attends to which."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..data.items import MASK, ItemError, MinimalPair, blank
from ..data.text import words
from ..runs import subjects
from ..settings import Settings, SettingsError
from ..subject import cloze
from ..subject.attentions import Units, attentions
from ..subject.models import Subject


def fill(text: str, *, k: int = 5, model: str | None = None, settings: Settings | None = None) -> pd.DataFrame:
    """The likeliest fillers of a text's one `[MASK]`.

    Parameters
    ----------
    text : str
    k : int
        How many.
    model : str, optional
        As of `Settings`; by default what the settings, else the environment, say.

    Returns
    -------
    data frame, a row per filler, the likeliest first
        ``filler``; ``probability``, of the whole vocabulary's.

    Raises
    ------
    ItemError
        If the text has not exactly one gap.
    ModelUnsuitable
        If the model fills none.

    Examples
    --------
    >>> sorted(fill("The keys to the cabinet [MASK] old.", k=4)["filler"])
    ['are', 'is', 'was', 'were']
    """
    found = cloze.likeliest(_subject(model, settings), [text], k, settings)[0]
    return pd.DataFrame(found, columns=["filler", "probability"])


def compare(first: str, second: str, *, model: str | None = None, settings: Settings | None = None) -> pd.DataFrame:
    """Two texts and how likely each is: each piece is masked in turn (salazar2020).

    A sum over more pieces tends to be lower whatever a text says; where the numbers differ, see ``per piece``.

    Returns
    -------
    data frame, a row per text
        ``text``; ``log P``, the pseudo-log-likelihood in nats; ``pieces``; ``per piece``, the one by the other.

    Raises
    ------
    ItemError
        If a text has nothing to read, both are the same, or the model reads them alike.

    Examples
    --------
    >>> table = compare("The keys are old.", "The keys is old.")
    >>> bool(table["log P"][0] > table["log P"][1]), table["pieces"].tolist()
    (True, [6, 6])
    """
    if blank(first) or blank(second) or first == second:
        raise ItemError("needs two different texts, with something to read in each")
    pair = MinimalPair(id="own", good=first, bad=second)
    (found,) = cloze.compare(_subject(model, settings), [pair], settings).to_dict("records")
    table = pd.DataFrame({"text": [first, second], "log P": [found["good"], found["bad"]]})
    table["pieces"] = [found["good_pieces"], found["bad_pieces"]]
    return table.assign(**{"per piece": table["log P"] / table["pieces"]})


def attend(
    text: str,
    *,
    layer: int | None = None,
    head: int | None = None,
    model: str | None = None,
    settings: Settings | None = None,
) -> pd.DataFrame:
    """How much each word of a text attends to each other one.

    Parameters
    ----------
    text : str
    layer, head : int, optional
        Counted from 0; the mean of all where none is named.

    Returns
    -------
    data frame (U, U)
        From the word of a row to the word of a column, special tokens included; each row sums to one.

    Raises
    ------
    SettingsError, ItemError
        If there is no such layer or head; if the text has no word.

    Examples
    --------
    >>> maps = attend("The keys are old.", layer=0, head=1)
    >>> list(maps.columns), round(float(maps.iloc[1].sum()), 3)
    (['[CLS]', 'The', 'keys', 'are', 'old', '.', '[SEP]'], 1.0)
    """
    subject, read = _subject(model, settings), words(text)
    if not read:
        raise ItemError("there is no word in the text")
    for name, number, most in (("layer", layer, subject.n_layers), ("head", head, subject.n_heads)):
        if number is not None and not 0 <= number < most:
            raise SettingsError(f"{name} is {number}; {subject.name} has {most}, counted from 0")
    ((_, units, maps),) = attentions(subject, [read], settings=settings)
    assert isinstance(units, Units)  # words were asked for
    chosen: Any = maps  # (L, A, U, U)
    chosen = chosen.mean(0) if layer is None else chosen[layer]
    chosen = chosen.mean(0) if head is None else chosen[head]
    names = [token or read[word] for word, token in zip(units.words, units.tokens)]
    return pd.DataFrame(chosen, index=names, columns=names)


def try_(
    text: str, other: str | None = None, *, model: str | None = None, settings: Settings | None = None
) -> pd.DataFrame:
    """One's own sentence in one line: fillers of its gap, the likelier of two, or which word attends to which.

    Parameters
    ----------
    text : str
        With one `[MASK]` as of `fill`, without one as of `attend`.
    other : str, optional
        To be compared with (`compare`).

    Returns
    -------
    data frame
        Of the function that answers; its errors are raised too.

    Examples
    --------
    >>> "are" in set(try_("The keys to the cabinet [MASK] old.")["filler"])
    True
    >>> list(try_("The keys are old.", "The keys is old.").columns)
    ['text', 'log P', 'pieces', 'per piece']
    """
    if other is not None:
        return compare(text, other, model=model, settings=settings)
    return (fill if MASK in text else attend)(text, model=model, settings=settings)


def _subject(model: str | None, settings: Settings | None) -> Subject:
    return subjects(Settings.of(settings, model=model), twin=False)[0]
