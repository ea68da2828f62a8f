"""What draws a verb towards the plural: the number of its subject, or that of the noun beside it.

*The king of the towns [MASK] known*: a model that goes by the nearest noun and one that goes by the subject may agree equally
often, and how far either is on its way shows in log odds before it shows in choices. Both nouns are put in both numbers; the
pull of one is half of what its plural adds to log P(are) - log P(is).
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from bertology_utils.data.items import ForcedChoice
from bertology_utils.scores.intervals import mean_interval
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import Subject
from bertology_world import lexicon

CLASSES = ("man", "woman", "group", "text", "building", "city")
VERBS = (("is", "are", ""), ("was", "were", ""), ("has", "have", "been "))
PHRASES = (("of", "known"), ("near", "old"), ("with", "important"))
STEPS = (1, 7)  # from a noun to those it is paired with, in the list of nouns
COLUMNS = ("measure", "value", "low", "high", "n", "clusters")


def items(subject: Subject) -> list[ForcedChoice]:
    """Every sentence in its four numbers: meta `subject` and `other` are 1 for a plural, `nouns` names both.

    The phrase stands behind the subject or, as a control, at the sentence's beginning (meta `first`), so that whoever goes by
    the first noun of a sentence is wrong there.

    Nouns are those of some classes of the lexicon that are one piece in both numbers, so that no reader sees parts of words.
    """
    both = [
        (one, many)
        for name in CLASSES
        for (one, _), (many, _) in zip(lexicon.nouns(name, "Sing"), lexicon.nouns(name, "Plur"), strict=True)
        if one != many and all(cloze.filler_id(subject, word) is not None for word in (one, many))
    ]
    both = list(dict.fromkeys(both))
    out: list[ForcedChoice] = []
    for (at, first), step, verb, (preposition, end) in product(enumerate(both), STEPS, VERBS, PHRASES):
        second = both[(at + step) % len(both)]
        phrases = (f"The {{}} {preposition} the {{}}", f"{preposition.capitalize()} the {{1}} the {{0}}")
        for place, phrase in enumerate(phrases[: 1 + (preposition != "of")]):  # *of the towns the king* is no English
            for head, near in product((0, 1), (0, 1)):
                out.append(_item(phrase, verb, end, (first, second), (head, near), place, len(out)))
    return out


def _item(phrase: str, verb: tuple, end: str, nouns: tuple, numbers: tuple, place: int, number: int) -> ForcedChoice:
    """One sentence; `nouns` in both numbers, the subject first, and which `numbers` they have here."""
    singular, plural, participle = verb
    right, wrong = (plural, singular) if numbers[0] else (singular, plural)
    words = [noun[n] for noun, n in zip(nouns, numbers, strict=True)]
    return ForcedChoice(
        id=f"pull-{number}",
        condition="phrase first" if place else "phrase behind the subject",
        text=f"{phrase.format(*words)} [MASK] {participle}{end}.",
        good=right,
        bad=wrong,
        meta={"subject": numbers[0], "other": numbers[1], "first": place, "nouns": (nouns[0][0], nouns[1][0])},
    )


def rows(subject: Subject, settings: Settings | None = None) -> pd.DataFrame:
    """Both pulls, and how often the right form is preferred, with 95 % intervals over both nouns, crossed (linzen2016).

    Parameters
    ----------
    subject : Subject
        With a masked-language-model head.
    settings : Settings, optional

    Returns
    -------
    DataFrame
        Columns `COLUMNS`. ``pull of the subject`` and ``pull of the nearer noun`` are in nats; the shares are of sentences whose
        nouns have the same number, and of those in which they have not: with the phrase behind the subject, and before it. Each
        is over `n` sentences with `clusters` nouns in each place.
    """
    settings = settings or Settings.of()
    made = items(subject)
    right = cloze.choose(subject, made, settings)
    about = pd.DataFrame([item.meta for item in made])
    towards = right * np.where(about.subject == 1, 1, -1)  # log P(plural) - log P(singular)
    behind, same = (about["first"] == 0).to_numpy(), (about.subject == about.other).to_numpy()
    told = {
        "pull of the subject": (towards * np.where(about.subject == 1, 1, -1), behind),
        "pull of the nearer noun": (towards * np.where(about.other == 1, 1, -1), behind),
        "right where both have the same number": ((right > 0).astype(float), behind & same),
        "right where they have not": ((right > 0).astype(float), behind & ~same),
        "right where they have not, phrase first": ((right > 0).astype(float), ~behind & ~same),
    }
    out = []
    for measure, (values, of) in told.items():
        nouns = [[pair[place] for pair in about.nouns[of]] for place in (0, 1)]  # each stands in several sentences
        interval = mean_interval(values[of], draws=settings.draws, seed=settings.seed, groups=nouns)
        out.append((measure, *interval, int(of.sum()), interval.clusters))
    return pd.DataFrame(out, columns=list(COLUMNS))
