"""Agreement items made from treebanks: a finite verb of PUD against its form in the other number (bacon2019)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from bertology_utils.data.items import MASK, ForcedChoice
from bertology_utils.data.original.conllu import DEPREL, FEATS, FORM, HEAD, LEMMA, UPOS, Block
from bertology_utils.data.original.reading import Files, at, reader

from .multilingual import pud_blocks

OTHER = {"Sing": "Plur", "Plur": "Sing"}
SINGULAR_ONLY = {"tr"}  # a plural subject takes either form there


def features(row: list[str]) -> dict[str, str]:
    """The features of a word."""
    return dict(part.split("=", 1) for part in row[FEATS].split("|")) if row[FEATS] != "_" else {}


def finite(row: list[str]) -> bool:
    """Whether it is a verb form that agrees with a subject."""
    found = features(row)
    return (
        row[UPOS] in ("VERB", "AUX") and "Number" in found and "Mood" in found and found.get("VerbForm", "Fin") == "Fin"
    )


def _cell(row: list[str]) -> tuple[str, ...]:
    """What two forms of one verb share that differ in number (gender is looked up apart: some plurals have none)."""
    rest = sorted(f"{k}={v}" for k, v in features(row).items() if k not in ("Number", "Gender"))
    return (row[LEMMA], row[UPOS], *rest)


def subject(rows: list[list[str]], verb: int) -> int | None:
    """The word the verb agrees with; None unless there is one nominative, not coordinated subject of the verb's number.

    The subject hangs from the verb, or from the predicate whose auxiliary or copula the verb is.
    """
    head = verb
    if rows[verb][UPOS] == "AUX" and rows[verb][DEPREL].split(":")[0] in ("aux", "cop"):
        head = int(rows[verb][HEAD]) - 1
    found = [i for i, row in enumerate(rows) if int(row[HEAD]) - 1 == head and row[DEPREL].split(":")[0] == "nsubj"]
    if len(found) != 1 or any(int(row[HEAD]) - 1 == found[0] and row[DEPREL] == "conj" for row in rows):
        return None
    own = features(rows[found[0]])
    if own.get("Case", "Nom") != "Nom" or own.get("Number") != features(rows[verb])["Number"]:
        return None
    return found[0]


def masked(block: Block, place: int) -> str | None:
    """The running text with one word masked, None where the word cannot be told apart in it (contracted forms)."""
    form = block.rows[place][FORM]
    there = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", block.comments["text"])]
    rank = [i for i, row in enumerate(block.rows) if row[FORM] == form]
    if len(there) != len(rank):
        return None
    start, end = there[rank.index(place)]
    return block.comments["text"][:start] + MASK + block.comments["text"][end:]


@reader("ud_pud_multilingual", "multilingual_agreement")
def agreement(files: Files) -> Iterator[ForcedChoice]:
    """A finite verb and the form of the other number that the same treebank has.

    `meta["attractors"]` counts nouns of the other number between subject and verb. Chinese has no number, so no items.
    """
    treebanks: dict[str, list[Block]] = defaultdict(list)
    for language, block in pud_blocks(files):
        treebanks[language].append(block)
    for language, sentences in treebanks.items():
        forms: dict[tuple, Counter[str]] = defaultdict(Counter)
        for row in (row for block in sentences for row in block.rows if finite(row)):
            found = features(row)
            forms[_cell(row), found["Number"], found.get("Gender")][row[FORM].lower()] += 1
        for block in sentences:
            with at(block.path, block.line):
                yield from _items(files, language, block, forms)


def _items(files: Files, language: str, block: Block, forms: dict[tuple, Counter[str]]) -> Iterator[ForcedChoice]:
    for place, row in enumerate(block.rows):
        if not finite(row) or (noun := subject(block.rows, place)) is None:
            continue
        number = features(row)["Number"]
        if number not in OTHER or (language in SINGULAR_ONLY and number == "Plur"):
            continue
        gender = features(row).get("Gender") or features(block.rows[noun]).get("Gender")
        cell = _cell(row), OTHER[number]
        counterparts = forms.get((*cell, gender)) or forms.get((*cell, None))
        good, text = row[FORM], masked(block, place)
        bad = counterparts.most_common(1)[0][0] if counterparts else good.lower()
        if bad == good.lower():
            files.left_out(
                "verbs whose form of the other number the treebank does not have, or that have one form for both"
            )
            continue
        if text is None:
            files.left_out("verbs that are part of a contraction, or whose place in the text is not clear")
            continue
        between = block.rows[min(noun, place) + 1 : max(noun, place)]
        yield ForcedChoice(
            id=f"{language}/{block.id}/{place}",
            condition=language,
            text=text,
            good=good,
            bad=bad.capitalize() if good[:1].isupper() else bad,
            meta={
                "construction": "treebank",
                "number": number,
                "attractors": sum(
                    w[UPOS] in ("NOUN", "PROPN") and features(w).get("Number") == OTHER[number] for w in between
                ),
            },
        )
