"""ConceptNet triples for knowledge base completion (li2016ckbc), as davison2019 and cui2020 use them.

The files write relation, second concept, first concept: ``AtLocation  pet store  ferret  1``.
"""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import EdgeItem, Labelled
from bertology_utils.data.original.reading import Files, reader
from bertology_utils.data.text import capital, words_and_spans

# The 100,000 training triples are not part of this copy, so the first dev set trains what has to be trained.
SPLITS = {"dev1": "train", "dev2": "dev", "test": "test"}
# One plain wording a relation. The concepts are lemmas ("wake up in morning"), so no wording is right for all of them.
TEMPLATES = {
    "AtLocation": "you can find {h} at {t}",
    "CapableOf": "{h} can {t}",
    "Causes": "{h} causes {t}",
    "CausesDesire": "{h} makes you want to {t}",
    "CreatedBy": "{h} is created by {t}",
    "DefinedAs": "{h} is defined as {t}",
    "Desires": "{h} wants {t}",
    "HasA": "{h} has {t}",
    "HasFirstSubevent": "the first thing you do when you {h} is {t}",
    "HasLastSubevent": "the last thing you do when you {h} is {t}",
    "HasPrerequisite": "before you {h} you have to {t}",
    "HasProperty": "{h} is {t}",
    "HasSubevent": "when you {h} you {t}",
    "IsA": "{h} is a kind of {t}",
    "MadeOf": "{h} is made of {t}",
    "MotivatedByGoal": "you would {h} because {t}",
    "NotCapableOf": "{h} cannot {t}",
    "NotDesires": "{h} does not want {t}",
    "NotHasProperty": "{h} is not {t}",
    "NotIsA": "{h} is not a kind of {t}",
    "NotMadeOf": "{h} is not made of {t}",
    "PartOf": "{h} is part of {t}",
    "ReceivesAction": "{h} can be {t}",
    "RelatedTo": "{h} is related to {t}",
    "SymbolOf": "{h} is a symbol of {t}",
    "UsedFor": "{h} is used for {t}",
}


def _triples(files: Files) -> Iterator[tuple[int, str, str, str, str, str, str]]:
    files.note("the training triples are not public here: dev1 is the train split, dev2 the dev split")
    for part, split in SPLITS.items():
        for number, (relation, tail, head, label) in files.columns(f"data/conceptnet/{part}.txt", 4):
            if label not in ("0", "1") or not head or not tail:
                raise ValueError(f"label {label!r}, concepts {head!r} and {tail!r}")
            TEMPLATES[relation]  # an unknown relation is an error of the line
            yield number, part, split, relation, head, tail, label


@reader("ckbc_conceptnet", "triples")
def triples(files: Files) -> Iterator[Labelled]:
    """True and corrupted triples, half and half, in one plain wording each."""
    for number, part, split, relation, head, tail, label in _triples(files):
        template = TEMPLATES[relation]
        yield Labelled(
            id=f"{part}/{number}",
            split=split,
            condition=relation,
            text=capital(template.format(h=head, t=tail)) + ".",
            label=label,
            meta={
                "relation": relation,
                "head": head,
                "tail": tail,
                "template": capital(template.format(h="[X]", t="[Y]")) + ".",
            },
        )


@reader("ckbc_conceptnet", "concept_pairs")
def concept_pairs(files: Files) -> Iterator[EdgeItem]:
    """The two concepts of a true triple; the label is the relation.

    The sentence is the same for all relations: a wording of the relation itself would give the label away.
    """
    for number, part, split, relation, head, tail, label in _triples(files):
        if label == "0":
            files.left_out("corrupted triples, which hold no relation")
            continue
        before, between = "Think of ", " and of "
        text = f"{before}{head}{between}{tail}."
        a, b = len(before), len(before + head + between)
        words, (span1, span2) = words_and_spans(text, [(a, a + len(head)), (b, b + len(tail))])
        yield EdgeItem(
            id=f"{part}/{number}",
            split=split,
            condition=relation,
            words=words,
            span1=span1,
            span2=span2,
            labels=(relation,),
            meta={"head": head, "tail": tail},
        )
