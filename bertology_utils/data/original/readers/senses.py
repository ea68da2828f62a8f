"""Words with their senses: SemCor, the all-words tasks, CoarseWSD-20; and WiC's pairs of contexts.

Everywhere `meta["most_frequent"]` says whether the lemma's most frequent sense in the training part is right here (never
so for a lemma that is not in it). Where several senses are accepted, `meta["senses"]` has them, `sense` being the first.
Expressions of several words are left out: their vector would not be one word's.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from bertology_utils.data.items import Labelled, WordInContext
from bertology_utils.data.original.reading import Files, ReaderError, at, lines, reader

SEMCOR, EVALUATION, COARSE = "semcor", "wsd_eval_framework", "coarsewsd20"
TESTS = ("senseval2", "senseval3", "semeval2007", "semeval2013", "semeval2015")
UPOS = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}
_TOKEN = re.compile(r"<(?P<tag>wf|punc)(?P<attributes>[^>]*)>(?P<form>.*)</(?P=tag)>")
_MARKUP = re.compile(r"</?(?:contextfile|context|p|s)\b[^>]*>")
_EXPRESSION = "expressions of several words"


def _with_frequency(items: Iterable[WordInContext]) -> list[WordInContext]:
    """The items with `most_frequent` in their `meta`, counted over the training split; ties go to the first."""
    items = list(items)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for item in items:
        if item.split == "train":
            counts.setdefault((item.lemma, item.upos), Counter())[item.sense] += 1
    best = {word: senses.most_common(1)[0][0] for word, senses in counts.items()}
    right = ((best.get((i.lemma, i.upos)), i.meta.get("senses", (i.sense,))) for i in items)
    return [replace(i, meta={**i.meta, "most_frequent": sense in senses}) for i, (sense, senses) in zip(items, right)]


def _semcor(files: Files, split: Callable[[int], str]) -> Iterator[WordInContext]:
    """All sense-tagged single words of SemCor 3.0 (miller1993); `split` maps a file's place to its split."""
    for place, name in enumerate(files.names("data/semcor3.0/brown*/tagfiles/br-*")):
        part, _, file = name.split("/")[-3:]
        words: list[str] = []
        tagged: list[tuple[int, dict[str, str]]] = []
        sentence = 0
        for _, line in files.lines(name):
            token = _TOKEN.fullmatch(line.strip())
            if token:
                attributes = dict(a.split("=", 1) for a in token["attributes"].split())
                forms = token["form"].split("_") if token["tag"] == "wf" else [token["form"]]
                if "lexsn" in attributes and attributes.get("wnsn") != "0":
                    if len(forms) > 1:
                        files.left_out(_EXPRESSION)
                    else:
                        tagged.append((len(words), attributes))
                words += [form for form in forms if form]
            elif not _MARKUP.fullmatch(line.strip()):
                raise ValueError(f"neither a word nor markup: {line!r}")
            elif line.strip() == "</s>":
                context = tuple(words)
                for target, attributes in tagged:
                    lemma = attributes["lemma"]
                    yield WordInContext(
                        id=f"{part}-{file}-{sentence}-{target}",
                        split=split(place),
                        condition=part,
                        words=context,
                        target=target,
                        lemma=lemma,
                        upos=UPOS.get(attributes["pos"][0], "X"),
                        sense=f"{lemma}%{attributes['lexsn'].split(';')[0]}",
                    )
                words, tagged, sentence = [], [], sentence + 1


@reader(SEMCOR, "senses")
def semcor(files: Files) -> Iterator[WordInContext]:
    """SemCor by itself: of ten files eight are train, one dev, one test. The condition is the part of the corpus."""
    files.note("SemCor: of ten files in order eight are train, one dev, one test")
    yield from _with_frequency(_semcor(files, lambda place: {8: "dev", 9: "test"}.get(place % 10, "train")))


@reader(EVALUATION, "senses")
def evaluation(files: Files) -> Iterator[WordInContext]:
    """The five all-words test sets (raganato2017), with all of SemCor as their training part, as is usual."""
    files.note("all-words tasks: the training part is SemCor")
    train = _semcor(files.of(SEMCOR), lambda place: "train")
    yield from _with_frequency([*train, *(item for test in TESTS for item in _framework(files, test))])


def _framework(files: Files, test: str) -> Iterator[WordInContext]:
    stem = f"Evaluation_Datasets/{test}/{test}"
    path, keys = files[f"{stem}.data.xml"], files[f"{stem}.gold.key.txt"]
    gold = {fields[0]: fields[1:] for _, line in lines(keys) for fields in [line.split()]}
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ReaderError(path, error.position[0], error) from error
    for sentence in root.iter("sentence"):
        words: list[str] = []
        instances = []
        for token in sentence:
            forms = (token.text or "").split()
            if token.tag == "instance":
                if len(forms) > 1:
                    files.left_out(_EXPRESSION)
                else:
                    instances.append((len(words), token))
            words += forms
        for place, token in instances:
            name = token.get("id", "")
            with at(path, name):
                senses = gold[name]
                yield WordInContext(
                    id=f"{test}-{name}",
                    condition=test,
                    words=tuple(words),
                    target=place,
                    lemma=token.get("lemma", ""),
                    upos=token.get("pos", ""),
                    sense=senses[0],
                    meta={"senses": tuple(senses)},
                )


@reader(COARSE, "senses")
def coarse(files: Files) -> Iterator[WordInContext]:
    """Twenty nouns with 2 to 5 coarse senses (loureiro2021), and a test set from other texts (`out of domain`)."""
    yield from _with_frequency(_coarse(files))


def _coarse(files: Files) -> Iterator[WordInContext]:
    for name in files.names("data/CoarseWSD-20/*/classes_map.txt"):
        folder, word = name.rpartition("/")[0], name.split("/")[-2]
        with at(files[name], 1):
            senses = json.loads(files[name].read_text(encoding="utf-8"))
        for split in ("train", "test"):
            rows = files.together(f"{folder}/{split}.data.txt", f"{folder}/{split}.gold.txt", 2)
            for number, (place, text), answer in rows:
                yield WordInContext(
                    id=f"{word}-{split}-{number}",
                    split=split,
                    condition="in domain",
                    words=tuple(text.split()),
                    target=int(place),
                    lemma=word,
                    upos="NOUN",
                    sense=senses[answer.strip()],
                )
    for number, (word, sense, place, text) in files.columns("data/CoarseWSD-20.outofdomain.tsv", 4):
        yield WordInContext(
            id=f"out-{number}",
            condition="out of domain",
            words=tuple(text.split()),
            target=int(place),
            lemma=word,
            upos="NOUN",
            sense=sense,
        )


@reader("wic", "sense_pairs")
def wic(files: Files) -> Iterator[Labelled]:
    """WiC (pilehvar2019): has the word the same sense (T) in both sentences, or not (F)?"""
    for split in ("train", "dev", "test"):
        folder = f"HW2/WiC_dataset/{split}/{split}"
        rows = files.together(f"{folder}.data.txt", f"{folder}.gold.txt", 5)
        for number, (lemma, part, places, a, b), answer in rows:
            label = answer.strip()
            first, second = a.split(), b.split()
            i, j = map(int, places.split("-"))
            if label not in ("T", "F") or i >= len(first) or j >= len(second):
                raise ValueError(f"label {label!r}, places {places!r}")
            yield Labelled(
                id=f"wic-{split}-{number}",
                split=split,
                condition=part,
                text=a,
                text_b=b,
                label=label,
                meta={
                    "lemma": lemma,
                    "words_a": tuple(first),
                    "words_b": tuple(second),
                    "target_a": i,
                    "target_b": j,
                },
            )
