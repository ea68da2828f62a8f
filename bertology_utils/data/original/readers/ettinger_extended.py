"""NEG-1500-SIMP and ROLE-1500 of shivagunde2023: the diagnostics of ettinger2019 with twenty times their sentences.

Sentences come in pairs of lines, with and without "not" or in both orders of the roles, and end in the word that was expected.
As in Ettinger's own, the gap closes the context and a full stop follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bertology_utils.data.items import Cloze, ForcedChoice
from bertology_utils.data.original.readers.ettinger import article, gap
from bertology_utils.data.original.reading import Files, reader

NAME = "shivagunde2023_ettinger_extended"
NEGATED = ("NEG-1500-SIMP-TEMP", "NEG-1500-SIMP-GEN")  # from templates, and by a language model
ROLE = "ROLE-1500"
CATEGORY = re.compile(r"((?:an? )?(.+) is( not)?) an? ([\w-]+),", re.IGNORECASE)
WHICH = re.compile(r"(.+ which (.+) the (.+) had) ([\w-]+),", re.IGNORECASE)


def _pairs(files: Files, name: str, form: re.Pattern) -> Iterator[tuple[int, re.Match, re.Match]]:
    """Number of the first line and both lines of each pair, as matches; pairs of another form are counted and left out."""
    lines, seen = files.lines(f"stimuli/{name}.txt"), set()
    for (number, first), (_, second) in zip(lines, lines, strict=True):
        a, b = (form.fullmatch(line.strip()) for line in (first, second))
        if a is None or b is None:
            files.left_out(f"pairs of {name} that are not of the diagnostic's form")
        elif (first, second) in seen:
            files.left_out(f"pairs of {name} that stand there twice")
        else:
            seen.add((first, second))
            yield number, a, b


@reader(NAME, "negation")
def negation(files: Files) -> Iterator[ForcedChoice]:
    """Each context with and without "not"; `good` makes it true, `bad` is the category of the pair's other line.

    Articles are as in `ettinger.negation`.
    """
    for name in NEGATED:
        for number, plain, negated in _pairs(files, name, CATEGORY):
            if plain[2].lower() != negated[2].lower() or plain[3] or not negated[3]:
                files.left_out(f"pairs of {name} that are not one thing without and with 'not'")
                continue
            true, false = plain[4], negated[4]
            for condition, found, good, bad in (("affirmative", plain, true, false), ("negated", negated, false, true)):
                texts = [gap(f"{found[1]} {article(word)}") for word in (good, bad)]
                meta = {"pair": f"{name}-{number}", "set": name, "thing": plain[2].lower(), "text_bad": texts[1]}
                yield ForcedChoice(
                    id=f"{name}-{number}-{condition}",
                    condition=condition,
                    text=texts[0],
                    good=good,
                    bad=bad,
                    meta=meta | {"same_article": texts[0] == texts[1]},
                )


def _roles(files: Files) -> list[tuple[str, str, str, str, str]]:
    """(id, pair, context, verb, verb of the reversed roles) of each sentence, the two of a pair one after the other."""
    found = []
    for number, a, b in _pairs(files, ROLE, WHICH):
        one, two = ((m[2].lower(), m[3].lower()) for m in (a, b))
        if one != two[::-1] or a[4] == b[4]:
            files.left_out("pairs of ROLE-1500 that do not reverse the roles, or have one verb for both")
            continue
        for side, m, other in (("a", a, b), ("b", b, a)):
            found.append((f"{ROLE}-{number}-{side}", f"{ROLE}-{number}", m[1], m[4], other[4]))
    return found


def _unrelated(every: list[tuple], place: int) -> str:
    """A verb of the next pair that is neither of this pair's."""
    own = {every[place][3], every[place][4]}
    start = place + 2 - place % 2  # the first sentence of the next pair
    return next(verb for k in range(len(every)) if (verb := every[(start + k) % len(every)][3]) not in own)


@reader(NAME, "roles")
def roles(files: Files) -> Iterator[ForcedChoice]:
    """The verb that was written for a sentence against that of the reversed roles (`related`) and of the next pair."""
    every = _roles(files)
    for place, (name, pair, context, good, reverse) in enumerate(every):
        for condition, bad in (("related", reverse), ("unrelated", _unrelated(every, place))):
            text, meta = gap(context), {"pair": pair, "expected": (good,)}
            yield ForcedChoice(id=f"{name}-{condition}", condition=condition, text=text, good=good, bad=bad, meta=meta)
    files.note("ROLE-1500: the unrelated fillers are the next pair's verbs, a control added here")


@reader(NAME, "plausibility")
def plausibility(files: Files) -> Iterator[Cloze]:
    """The same as graded fillers: the sentence's verb (`right`), that of the reversed roles (`related`), the next pair's."""
    every = _roles(files)
    for place, (name, pair, context, right, related) in enumerate(every):
        meta = {"right": right, "related": related, "unrelated": _unrelated(every, place), "pair": pair}
        yield Cloze(id=name, condition="role", text=gap(context), answers=(right,), meta=meta)
