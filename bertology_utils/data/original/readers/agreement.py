"""Subject-verb agreement and reflexives: Gulordava et al., Linzen et al., Goldberg's stimuli, Marvin & Linzen.

Every item is a sentence with the verb (or reflexive) masked and its right and wrong form. Whether both forms are
single pieces of a vocabulary is a matter of the model: that filter of goldberg2019 is `cloze.single_piece`'s.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

from bertology_utils.data.items import MASK, ForcedChoice
from bertology_utils.data.original.reading import Files, ReaderError, at, one_gap, reader, table

END = "<eos>"
# Condition of goldberg2019's table <- Marvin & Linzen's template files; animate and inanimate subjects are one.
CONDITIONS = {
    "simple": ("simple_agrmt",),
    "sentential complement": ("sent_comp",),
    "short VP coordination": ("vp_coord",),
    "long VP coordination": ("long_vp_coord",),
    "across a prepositional phrase": ("prep_anim", "prep_inanim"),
    "across a subject relative": ("subj_rel",),
    "across an object relative": ("obj_rel_across_anim", "obj_rel_across_inanim"),
    "across an object relative (no that)": ("obj_rel_no_comp_across_anim", "obj_rel_no_comp_across_inanim"),
    "in an object relative": ("obj_rel_within_anim", "obj_rel_within_inanim"),
    "in an object relative (no that)": ("obj_rel_no_comp_within_anim", "obj_rel_no_comp_within_inanim"),
    "reflexive: simple": ("simple_reflexives",),
    "reflexive: sentential complement": ("reflexive_sent_comp",),
    "reflexive: across a relative clause": ("reflexives_across",),
}


def _generated(files: Files, name: str) -> Iterator[ForcedChoice]:
    """The Gulordava table: two rows per item, the right and the wrong form of the verb at word `len_prefix`."""
    path = files[name]
    rows = table(path, separator="\t", quotes=True)
    for number, right in rows:
        with at(path, number):  # the first of the two
            _, wrong = next(rows, (0, {"class": "", "sent": ""}))
            if (right["class"], wrong["class"], right["sent"]) != ("correct", "wrong", wrong["sent"]):
                raise ValueError(f"not a correct form and the wrong one of the same sentence: {right['sent']!r}")
            words, gap = right["sent"].split(), int(right["len_prefix"])
            if words.pop() != END or len(right["prefix"].split()) != gap or gap >= len(words):
                raise ValueError(f"sentence and prefix do not fit: {right['sent']!r}, {right['prefix']!r}")
            words[gap] = MASK
            nonce = {"generated": int(right["sent_id"]), "original": 0}[right["type"]]
            yield ForcedChoice(
                id=f"{right['pattern']}-{right['constr_id']}-{nonce}",
                condition="nonce" if nonce else "original",
                text=" ".join(words),
                good=right["form"],
                bad=wrong["form"],
                meta={
                    "attractors": int(right["n_attr"]),
                    "nonce": bool(nonce),
                    "set": "gulordava",
                    "construction": right["pattern"],
                },
            )


@reader("gulordava2018_linzen2016", "agreement")
def agreement(files: Files) -> Iterator[ForcedChoice]:
    """Gulordava's 410 items (369 nonce, 41 original) and the Linzen test set with 0 to 4 attractors (linzen2016)."""
    yield from _generated(files, "data/agreement/English/generated.tab")
    text, gold = (f"data/linzen_testset/subj_agr_filtered.{part}" for part in ("text", "gold"))
    for number, (place, good, bad, attractors), sentence in files.together(gold, text, 4):
        words, gap = sentence.split(), int(place)
        good, bad = good.lower(), bad.lower()  # the sentences are in lower case, the answers not always
        if words.pop() != END or words[gap] != good:
            raise ValueError(f"word {gap} is not {good!r} in {sentence!r}")
        if good == bad:
            files.left_out("the Linzen test set gives one form twice")
            continue
        words[gap] = MASK
        yield ForcedChoice(
            id=f"linzen-{number}",
            condition="natural",
            text=" ".join(words),
            good=good,
            bad=bad,
            meta={"attractors": int(attractors), "nonce": False, "set": "linzen"},
        )


@reader("goldberg2019_bert_syntax", "agreement")
def goldberg(files: Files) -> Iterator[ForcedChoice]:
    """The Gulordava items as goldberg2019 ran them: without those on is/are (the vocabulary of his BERT leaves 383)."""
    for item in _generated(files, "generated.tab"):
        if item.good in ("is", "are"):
            files.left_out("the verb is is/are (the study's filter)")
        else:
            yield item


class _Plain(pickle.Unpickler):
    """Unpickles strings in dicts, lists and tuples; anything that would import a name is refused."""

    def find_class(self, module: str, name: str):
        raise pickle.UnpicklingError(f"it would import {module}.{name}")


def plain_pickle(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """A dict of lists of tuples of strings from a pickle.

    Raises
    ------
    ReaderError
        If it holds anything else, executable names above all.
    """
    with path.open("rb") as stream:
        try:
            content = _Plain(stream).load()
        except Exception as error:  # a malformed pickle may raise nearly anything
            raise ReaderError(path, "pickle", f"{type(error).__name__}: {error}") from error
    if not isinstance(content, dict):
        raise ReaderError(path, "pickle", f"{type(content).__name__} instead of dict")
    for key, rows in content.items():
        if not isinstance(rows, list) or not all(isinstance(r, tuple) and {*map(type, r)} == {str} for r in rows):
            raise ReaderError(path, key, "not a list of tuples of strings")
    return content


def _attractors(case: str) -> int:
    """1 if the template's other noun differs in number from the one agreed with: ``sing_MS_MV_plur_ES`` -> 1."""
    numbers = [part for part in case.split("_") if part in ("sing", "plur")]
    return int(len(set(numbers)) == 2)


@reader("marvin_linzen2018", "agreement")
def marvin_linzen(files: Files) -> Iterator[ForcedChoice]:
    """The 13 agreement and reflexive conditions of marvin2018 as goldberg2019 ran them, a full stop added.

    `attractors` counts nouns of the other number before the gap, whether or not they stand between subject and verb.
    """
    for condition, templates in CONDITIONS.items():
        for template in templates:
            path = files[f"data/templates/{template}.pickle"]
            for case, pairs in sorted(plain_pickle(path).items()):
                attractors = _attractors(case)
                for number, pair in enumerate(pairs):
                    with at(path, f"{case}[{number}]"):
                        text, good, bad = one_gap(*(sentence.split() for sentence in pair))
                        yield ForcedChoice(
                            id=f"{template}-{case}-{number}",
                            condition=condition,
                            text=f"{text} .",
                            good=good,
                            bad=bad,
                            meta={
                                "attractors": attractors,
                                "nonce": False,
                                "set": "marvin_linzen",
                                "template": template,
                                "case": case,
                            },
                        )
