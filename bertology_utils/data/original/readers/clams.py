"""CLAMS: agreement in five languages (mueller2020)."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import MASK, ForcedChoice
from bertology_utils.data.original.reading import Files, ReaderError, reader
from bertology_utils.data.text import capital

LANGUAGES = ("de", "en", "fr", "he", "ru")
# The seven constructions that all five languages have; the English folder also holds Marvin and Linzen's others.
CONSTRUCTIONS = {
    "simple_agrmt": "simple",
    "vp_coord": "short VP coordination",
    "long_vp_coord": "long VP coordination",
    "prep_anim": "across a prepositional phrase",
    "subj_rel": "across a subject relative",
    "obj_rel_across_anim": "across an object relative",
    "obj_rel_within_anim": "in an object relative",
}


def pair(good: str, bad: str) -> tuple[str, str, str]:
    """The sentence with the words that differ masked, and both ways to fill it.

    Raises
    ------
    ValueError
        If the two do not differ in one stretch of words of the same length.
    """
    a, b = good.split(" "), bad.split(" ")
    differing = [i for i, (x, y) in enumerate(zip(a, b)) if x != y]
    if len(a) != len(b) or not differing:
        raise ValueError(f"not a pair that differs in some words: {good!r}, {bad!r}")
    start, end = differing[0], differing[-1] + 1
    text = " ".join([*a[:start], MASK, *a[end:], "."])
    return capital(text), " ".join(a[start:end]), " ".join(b[start:end])


@reader("clams", "multilingual_agreement")
def agreement(files: Files) -> Iterator[ForcedChoice]:
    """Right against wrong form at the masked verb; `condition` is the language, `meta["construction"]` the rest.

    The French predicates whose adjective agrees too differ in two words: both are masked by one gap, which a filter for
    fillers of a single piece leaves out, as the authors do.
    """
    files.note(
        "the seven constructions that all five languages have; sentences begin with a capital and end with a full stop"
    )
    for language in LANGUAGES:
        for name, construction in CONSTRUCTIONS.items():
            rows = files.columns(f"{language}_evalset/{name}.txt", 2)
            for number, (verdict, good) in rows:
                _, (verdict_b, bad) = next(rows, (number, ("", "")))
                if (verdict, verdict_b) != ("True", "False"):
                    problem = f"{verdict!r}, {verdict_b!r} instead of a True and a False line: {good!r}"
                    raise ReaderError(files[f"{language}_evalset/{name}.txt"], number, problem)
                text, right, wrong = pair(good, bad)
                yield ForcedChoice(
                    id=f"{language}/{name}/{number}",
                    condition=language,
                    text=text,
                    good=right,
                    bad=wrong,
                    meta={"construction": construction},
                )
