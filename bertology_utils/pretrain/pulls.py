"""What draws a verb towards the plural: the number of its subject, or that of the noun beside it.

*The king of the towns [MASK] known*: a model that goes by the nearest noun and one that goes by the subject may agree equally
often, and how far either is on its way shows in log odds before it shows in choices. Both nouns are put in both numbers; the
pull of one is half of what its plural adds to log P(are) - log P(is).
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from ..data.builtin import lexicon
from ..data.items import ForcedChoice
from ..scores.intervals import mean_interval
from ..settings import Settings
from ..subject import cloze
from ..subject.models import Subject

CLASSES = ("man", "woman", "group", "text", "building", "city")
VERBS = (("is", "are", ""), ("was", "were", ""), ("has", "have", "been "))
PHRASES = (("of", "known"), ("near", "old"), ("with", "important"))
STEPS = (1, 7)  # from a noun to those it is paired with, in the list of nouns
COLUMNS = ("measure", "value", "low", "high", "n", "clusters")


def items(subject: Subject) -> list[ForcedChoice]:
    """Every sentence in its four numbers: meta `subject` and `nearer` are 1 for a plural, `nouns` names both.

    Nouns are those of some classes of the lexicon that are one piece in both numbers, so that no reader sees parts of words.
    """
    both = [
        (one, many)
        for name in CLASSES
        for (one, _), (many, _) in zip(lexicon.nouns(name, "Sing"), lexicon.nouns(name, "Plur"), strict=True)
        if one != many and all(cloze.filler_id(subject, word) is not None for word in (one, many))
    ]
    both = list(dict.fromkeys(both))
    out = []
    for (at, first), step, (singular, plural, participle), (preposition, end) in product(
        enumerate(both), STEPS, VERBS, PHRASES
    ):
        second = both[(at + step) % len(both)]
        for head, near in product((0, 1), (0, 1)):
            right, wrong = (plural, singular) if head else (singular, plural)
            out.append(
                ForcedChoice(
                    id=f"pull-{len(out)}",
                    condition="other number" if head != near else "same number",
                    text=f"The {first[head]} {preposition} the {second[near]} [MASK] {participle}{end}.",
                    good=right,
                    bad=wrong,
                    meta={"subject": head, "nearer": near, "nouns": (first[0], second[0])},
                )
            )
    return out


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
        Columns `COLUMNS`. ``pull of the subject`` and ``pull of the nearer noun`` are in nats; the two shares are of sentences
        whose nouns have the same number, and of those in which they have not. `n` sentences with `clusters` nouns in each place.
    """
    settings = settings or Settings.of()
    made = items(subject)
    right = cloze.choose(subject, made, settings)
    about = pd.DataFrame([item.meta for item in made])
    towards = right * np.where(about.subject == 1, 1, -1)  # log P(plural) - log P(singular)
    every, same = np.full(len(made), True), (about.subject == about.nearer).to_numpy()
    told = {
        "pull of the subject": (towards * np.where(about.subject == 1, 1, -1), every),
        "pull of the nearer noun": (towards * np.where(about.nearer == 1, 1, -1), every),
        "right where both have the same number": ((right > 0).astype(float), same),
        "right where they have not": ((right > 0).astype(float), ~same),
    }
    out = []
    for measure, (values, of) in told.items():
        nouns = [[pair[place] for pair in about.nouns[of]] for place in (0, 1)]  # each stands in several sentences
        interval = mean_interval(values[of], draws=settings.draws, seed=settings.seed, groups=nouns)
        out.append((measure, *interval, int(of.sum()), interval.clusters))
    return pd.DataFrame(out, columns=list(COLUMNS))
