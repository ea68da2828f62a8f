"""Main auxiliary, subject noun, agreement and reflexives in generated English (lin2019)."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Ambiguity
from bertology_utils.data.original.reading import Files, ReaderError, reader

NAME = "lin2019_open_sesame"
ROOT = "pytorch_pretrained_bert"
AUXILIARIES, NOUNS = ("Aux", "MAux"), ("N", "MN")


def _tagged(files: Files, name: str) -> Iterator[tuple[int, list[str], list[str], list[str]]]:
    """Line number, words, tags and the other fields of two files that run line by line."""
    for number, (text, *fields), (tag_text, *same) in files.together(name, f"{name}.pos", (2, 4), (2, 4)):
        words, kinds = text.split(), tag_text.split()
        if len(words) != len(kinds) or fields != same:
            raise ReaderError(files[f"{name}.pos"], number, f"does not fit the sentence {text!r}: {tag_text!r}")
        yield number, words, kinds, fields


@reader(NAME, "ambiguity")
def ambiguity(files: Files) -> Iterator[Ambiguity]:
    """Which auxiliary is the main one, which noun the subject's.

    In train and dev the linear rule (the first auxiliary, the first noun) gives the same answer; in test, the study's
    generalisation set, it does not. `label` and `linear` are the word indices the two rules give.
    """
    sets = [
        ("main_auxiliary", "data_aux/aux", AUXILIARIES, "gen"),
        ("subject_noun", "data_sbjn-join/sbjn-join", NOUNS, "gen_comp"),
        ("subject_noun", "data_sbjn-join/sbjn-join", NOUNS, "gen_apost"),
    ]
    for condition, stem, kinds, generalisation in sets:
        parts = [("train", "train"), ("dev", "test")] if generalisation != "gen_apost" else []
        for split, part in (*parts, ("test", generalisation)):
            for number, words, tagged, (place,) in _tagged(files, f"{ROOT}/{stem}.{part}"):
                candidates = tuple(i for i, tag in enumerate(tagged) if tag in kinds)
                (target,) = (i for i in candidates if tagged[i][0] == "M")
                pieces = target + 2 * sum("'" in word for word in words[:target])  # the file counts ' and s too
                if int(place) != pieces or (split == "test") == (target == candidates[0]):
                    raise ValueError(f"word {target} cannot be the answer in {words}, {tagged}")
                yield Ambiguity(
                    id=f"{condition}-{part}-{number}",
                    split=split,
                    condition=condition,
                    words=tuple(words),
                    label=target,
                    linear=candidates[0],
                    candidates=candidates,
                    target=target,
                    meta={"set": part},
                )


@reader(NAME, "agreement_attention")
def agreement_attention(files: Files) -> Iterator[Ambiguity]:
    """Does a verb (or reflexive) attend to its subject's head rather than to other nouns before it?

    The condition says what stands between (`none`, `pp`, `relative`, `object`), with `reflexive` before it for reflexives.
    `meta["from"]` is the verb's (reflexive's) word index, `linear` the noun nearest to it, `label` and `target` the
    right one.
    """
    for folder, stem, prefix in (("data_agr", "agr", ""), ("data_refl", "refl", "reflexive ")):
        tables = (name for name in files.names(f"{ROOT}/{folder}/{stem}.*") if not name.endswith(".pos"))
        for name in sorted(tables, key=lambda name: int(name.rpartition(".")[2])):
            table = name.rpartition("/")[2]
            for number, words, tags, (place, subject, distractors) in _tagged(files, name):
                source = int(place)
                nouns = tuple(i for i, tag in enumerate(tags[:source]) if tag.startswith("N_"))
                others = {int(i) for i in distractors.split()} & set(nouns)
                (target,) = {int(i) for i in subject.split()} & set(nouns)
                if others != set(nouns) - {target} or not 0 < source < len(words):
                    raise ValueError(f"subject {subject!r} and distractors {distractors!r} in {words}, {tags}")
                between = (
                    "relative"
                    if "Rel" in tags[:source]
                    else "pp"
                    if "Prep" in tags[: source - 1]
                    else "object"
                    if others
                    else "none"
                )
                yield Ambiguity(
                    id=f"{table}-{number}",
                    condition=prefix + between,
                    words=tuple(words),
                    label=target,
                    linear=nouns[-1],
                    candidates=nouns,
                    target=target,
                    meta={"from": source, "set": table, "distractors": len(others)},
                )
