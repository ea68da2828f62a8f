"""Gaps of main auxiliaries in German and Swedish: generated sentences, and any sentence that has one (ronnqvist2019).

What follows says which auxiliary fits: a participle asks for that of the perfect, an adjective for the copula, an
infinitive for a modal; in German the subject's number counts too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...data.items import MASK, Cloze, Sentence

AUXILIARIES = {
    "de": ("hat", "haben", "ist", "sind", "kann", "können", "wird", "werden", "will", "wollen", "soll", "sollen"),
    "sv": ("har", "är", "kan", "ska", "vill", "skall", "måste"),
}
_FITS = {  # what a main word of a kind asks for: in the singular, in the plural
    ("de", "participle"): (("hat",), ("haben",)),
    ("de", "adjective"): (("ist",), ("sind",)),
    ("de", "infinitive"): (("kann", "wird", "will", "soll"), ("können", "werden", "wollen", "sollen")),
    ("sv", "participle"): (("har",), ("har",)),
    ("sv", "adjective"): (("är",), ("är",)),
    ("sv", "infinitive"): (("kan", "ska", "vill", "skall", "måste"),) * 2,
}
_ALIKE = {(code, form): forms for (code, _), both in _FITS.items() for forms in both for form in forms}
_SUBJECTS = {
    "de": (("Der Mann", "Die Frau", "Das Kind", "Der König", "Der Vater"), ("Die Männer", "Die Frauen", "Die Kinder")),
    "sv": (("Mannen", "Kvinnan", "Barnet", "Kungen", "Fadern"), ("Männen", "Kvinnorna", "Barnen")),
}
_MAIN = {
    ("de", "participle"): "das Haus gesehen;das Haus gefunden;den Vater gehört;das Brot gegessen;das Wasser getrunken",
    ("de", "adjective"): "alt;gut;klein;weise;müde",
    ("de", "infinitive"): "das Haus sehen;das Haus finden;den Vater hören;das Brot essen;das Wasser trinken",
    ("sv", "participle"): "sett huset;funnit huset;hört fadern;ätit brödet;druckit vattnet",
    ("sv", "adjective"): "här;där;god;glad;hemma",
    ("sv", "infinitive"): "se huset;finna huset;höra fadern;äta brödet;dricka vattnet",
}


def made() -> Iterator[Cloze]:
    """Generated sentences with a gap for the auxiliary; ``meta["main"]`` is the main word, which they are drawn by.

    Examples
    --------
    >>> first = next(made())
    >>> first.text, first.answers
    ('Der Mann [MASK] das Haus gesehen .', ('hat',))
    """
    for (code, kind), ends in _MAIN.items():
        for end in ends.split(";"):
            for plural, subjects in enumerate(_SUBJECTS[code]):
                for subject in subjects:
                    text = f"{subject} {MASK} {end} ."
                    yield Cloze(
                        id=text, text=text, answers=_FITS[code, kind][plural], condition=code,
                        meta={"main": f"{code} {end}", "kind": kind},
                    )  # fmt: skip


def gapped(code: str, sentence: Sentence) -> Iterator[Cloze]:
    """The sentence with its auxiliary masked, if it has exactly one; a question's first word is one too.

    Who fits as well as the one that stood there is right as well: before an infinitive any modal verb of that number.

    Examples
    --------
    >>> [(g.text, g.answers) for g in gapped("sv", Sentence(id="a", words=("Hon", "ska", "se", "det", ".")))]
    [('Hon [MASK] se det .', ('kan', 'ska', 'vill', 'skall', 'måste'))]
    >>> list(gapped("sv", Sentence(id="a", words=("Hon", "ser", "det", "."))))
    []
    """
    found = [i for i, w in enumerate(sentence.words) if w in AUXILIARIES[code]]
    text = " ".join(sentence.words)
    if len(found) == 1 and MASK not in text:
        at = found[0]
        gap = " ".join([*sentence.words[:at], MASK, *sentence.words[at + 1 :]])
        yield Cloze(id=text, text=gap, answers=_ALIKE[code, sentence.words[at]], condition=code)
