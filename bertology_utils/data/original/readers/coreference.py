"""Pronouns and candidate mentions: GAP (webster2018), WinoBias (zhao2018), Winogender (rudinger2018)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bertology_utils.data.items import Coreference
from bertology_utils.data.original.reading import Files, reader
from bertology_utils.data.text import words_and_spans

GAP_HEADER = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL")
GAP_PARTS = {"development": "train", "validation": "dev", "test": "test"}  # as the authors mean them to be used
FEMININE, MASCULINE = {"she", "her", "hers", "herself"}, {"he", "him", "his", "himself"}
NEUTRAL = {"they", "them", "their", "theirs", "themselves"}


def gender(pronoun: str) -> str:
    """``feminine``, ``masculine`` or ``neutral``.

    Raises
    ------
    ValueError
        If it is no such pronoun.
    """
    for name, forms in (("feminine", FEMININE), ("masculine", MASCULINE), ("neutral", NEUTRAL)):
        if pronoun.lower() in forms:
            return name
    raise ValueError(f"{pronoun!r} is no pronoun of the third person")


@reader("gap", "coreference")
def gap(files: Files) -> Iterator[Coreference]:
    """Which of two names a pronoun in a Wikipedia paragraph stands for, if either; `condition` is its gender."""
    for part, split in GAP_PARTS.items():
        for _, row in files.table(f"gap-{part}.tsv", GAP_HEADER):
            spans = []
            for column in ("Pronoun", "A", "B"):
                start = int(row[f"{column}-offset"])
                spans.append((start, start + len(row[column])))
                if (found := row["Text"][slice(*spans[-1])]) != row[column]:
                    raise ValueError(f"{column} is {row[column]!r}, but {found!r} stands at character {start}")
            right = [{"TRUE": True, "FALSE": False}[row[f"{column}-coref"]] for column in "AB"]
            if all(right):
                raise ValueError("both names are marked right")
            words, (pronoun, *candidates) = words_and_spans(row["Text"], spans)
            yield Coreference(
                id=row["ID"],
                split=split,
                condition=gender(row["Pronoun"]),
                words=words,
                pronoun=pronoun,
                candidates=tuple(candidates),
                answer=right.index(True) if any(right) else None,
                meta={"a": row["A"], "b": row["B"]},
            )


def _brackets(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without its square brackets, and the character spans they enclosed."""
    plain, spans, start = "", [], None
    for character in text:
        if character == "[" and start is None:
            start = len(plain)
        elif character == "]" and start is not None:
            spans.append((start, len(plain)))
            start = None
        elif character in "[]":
            raise ValueError(f"brackets do not match: {text!r}")
        else:
            plain += character
    if start is not None:
        raise ValueError(f"brackets do not match: {text!r}")
    return plain, spans


def _mentions(text: str, nouns: list[str]) -> list[tuple[int, int]]:
    """First mention of each noun that occurs, with its article, in the order of the text."""
    found = (re.search(rf"\b((?:the|an?) )?{re.escape(noun)}\b", text, re.IGNORECASE) for noun in nouns)
    return sorted(match.span() for match in found if match)


@reader("winobias", "coreference")
def winobias(files: Files) -> Iterator[Coreference]:
    """Two occupations and a pronoun that follows or contradicts the stereotype of the right one.

    `condition` is ``"type 1 pro"``, ``"type 1 anti"`` (the meaning decides), ``"type 2 pro"`` or ``"type 2 anti"`` (the
    syntax does). Of several marked pronouns the first is asked for.
    """
    folder = "WinoBias/wino/data"
    occupations = [
        name.strip() for sex in ("female", "male") for _, name in files.lines(f"{folder}/{sex}_occupations.txt")
    ]
    for split in ("dev", "test"):
        for kind in ("1", "2"):
            for stereotype in ("pro", "anti"):
                for number, line in files.lines(f"{folder}/{stereotype}_stereotyped_type{kind}.txt.{split}"):
                    label, marked = line.split(" ", 1)
                    if label != str(number):
                        raise ValueError(f"sentence {label!r}")
                    text, (right, pronoun, *_) = _brackets(marked.strip())
                    candidates = _mentions(text, occupations)
                    answer = [i for i, (a, b) in enumerate(candidates) if a < right[1] and right[0] < b]
                    if len(candidates) < 2 or len(answer) != 1:
                        raise ValueError(f"{len(candidates)} occupations, {len(answer)} of them marked: {marked!r}")
                    words, (where, *spans) = words_and_spans(text, [pronoun, *candidates])
                    yield Coreference(
                        id=f"{split}/type{kind}/{stereotype}/{number}",
                        split=split,
                        condition=f"type {kind} {stereotype}",
                        words=words,
                        pronoun=where,
                        candidates=tuple(spans),
                        answer=answer[0],
                        meta={"gender": gender(text[slice(*pronoun)]), "pair": f"{split}/type{kind}/{number}"},
                    )


WINOGENDER_PRONOUNS = {
    "male": {"NOM": "he", "POSS": "his", "ACC": "him"},
    "female": {"NOM": "she", "POSS": "her", "ACC": "her"},
    "neutral": {"NOM": "they", "POSS": "their", "ACC": "them"},
}
PLURAL = {"was": "were", "is": "are", "has": "have"}  # what the verb after "they" becomes


@reader("winogender", "coreference")
def winogender(files: Files) -> Iterator[Coreference]:
    """An occupation, a participant (or "someone") and a pronoun; `condition` is which of the two it stands for.

    The candidates are the occupation and the participant, in this order, whatever their order in the sentence.
    """
    rows = files.table("data/all_sentences.tsv", ("sentid", "sentence"))
    sentences = {row["sentid"]: row["sentence"] for _, row in rows}
    header = ("occupation(0)", "other-participant(1)", "answer", "sentence")
    for _, row in files.table("data/templates.tsv", header):
        occupation, participant, answer, template = row.values()
        for other in (participant, "someone"):
            for sex, forms in WINOGENDER_PRONOUNS.items():
                name = f"{occupation}.{other}.{answer}.{sex}.txt"
                plain = template
                if sex == "neutral":
                    plain = re.sub(r"(\$NOM_PRONOUN) (was|is|has)\b", lambda m: f"{m[1]} {PLURAL[m[2]]}", template)
                text, spans = _fill(plain, occupation, other, forms)
                if text != sentences[name]:
                    raise ValueError(f"the template gives {text!r}, the sentences say {sentences[name]!r}")
                words, (pronoun, *candidates) = words_and_spans(text, spans)
                yield Coreference(
                    id=name.removesuffix(".txt"),
                    condition=("occupation", "participant")[int(answer)],
                    words=words,
                    pronoun=pronoun,
                    candidates=tuple(candidates),
                    answer=int(answer),
                    meta={
                        "occupation": occupation,
                        "participant": other,
                        "gender": sex,
                        "pair": f"{occupation}.{answer}",
                    },
                )


def _fill(template: str, occupation: str, participant: str, forms: dict[str, str]) -> tuple[str, list[tuple[int, int]]]:
    """The template's sentence, and the character spans of pronoun, occupation and participant with their articles."""
    if participant == "someone":
        template = re.sub(r"\b(?:the|an?) \$PARTICIPANT", "$PARTICIPANT", template, flags=re.IGNORECASE)
    filled, places = "", {}
    for piece in re.split(r"((?:\b(?:[Tt]he|[Aa]n?) )?\$[A-Z_]+)", template):
        article, _, slot = piece.rpartition("$")
        kind = {"OCCUPATION": "occupation", "PARTICIPANT": "participant"}.get(slot, "pronoun")
        value = {"occupation": occupation, "participant": participant}.get(kind)
        if piece and "$" in piece:
            value = article + (value or forms[slot.removesuffix("_PRONOUN")])
            value = value if filled else value[:1].upper() + value[1:]
            places[kind] = (len(filled), len(filled) + len(value))
            filled += value
        else:
            filled += piece
    return filled, [places["pronoun"], places["occupation"], places["participant"]]
