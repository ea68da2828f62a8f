"""Facts as cloze questions: LAMA (petroni2019) and LAMA-UHN (poerner2019).

All right objects of a subject are answers of one item, as in the builtin fact base; LAMA asks for each of them in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bertology_utils.data.items import MASK, Cloze
from bertology_utils.data.original.reading import Files, reader

# How LAMA types its relations; the file with this is in some of the data sets only, and all other relations are N-1.
ONE_TO_ONE = {"P36", "P1376"}
MANY_TO_MANY = {
    "P166", "P69", "P47", "P463", "P101", "P1923", "P106", "P527", "P530", "P27", "P178", "P1412", "P108", "P39",
    "P937", "P1303", "P190", "P1001", "P31",
}  # fmt: skip
GOOGLE_RE = {
    "place_of_birth": "[X] was born in [Y] .",
    "date_of_birth": "[X] (born [Y]).",
    "place_of_death": "[X] died in [Y] .",
}


@dataclass(frozen=True)
class Template:
    """A wording with ``[X]`` and ``[Y]``; `weight` is the study's own for ensembles, `origin` how it was found."""

    text: str
    origin: str = "manual"
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.text.count("[X]") != 1 or self.text.count("[Y]") != 1:
            raise ValueError(f"a template needs one [X] and one [Y]: {self.text!r}")


@dataclass
class Facts:
    """The facts of one relation, gathered in the order of their file: subject -> its right objects."""

    relation: str
    objects: dict[str, list[str]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    twice: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.objects.values()))

    def add(self, subject: object, object_: object, id_: str) -> None:
        if not (isinstance(subject, str) and isinstance(object_, str) and subject.strip() and object_.strip()):
            raise ValueError(f"subject {subject!r}, object {object_!r}")
        known = self.objects.setdefault(subject, [])
        self.ids.setdefault(subject, id_)
        if object_ in known:
            self.twice += 1
        else:
            known.append(object_)

    def items(
        self, template: Template, turn: int = 0, prefix: str = "", split: str = "test", **meta
    ) -> Iterator[Cloze]:
        """One item per subject, worded by a template."""
        for subject, objects in self.objects.items():
            yield Cloze(
                id=f"{prefix}{self.relation}/{self.ids[subject]}" + (f"/{turn}" if turn else ""),
                split=split,
                condition=self.relation,
                text=template.text.replace("[X]", subject).replace("[Y]", MASK),
                answers=tuple(objects),
                meta={
                    "subject": subject,
                    "object": objects[0],
                    "cardinality": cardinality(self.relation),
                    "template": template.text,
                    "origin": template.origin,
                    "weight": template.weight,
                    **meta,
                },
            )


def cardinality(relation: str) -> str:
    """``"1-1"``, ``"N-1"`` or ``"N-M"``; empty for what is no Wikidata relation."""
    if relation in ONE_TO_ONE:
        return "1-1"
    return "" if not relation.startswith("P") else "N-M" if relation in MANY_TO_MANY else "N-1"


def relation_of(name: str) -> str:
    """``"data/TREx/P19.jsonl"`` -> ``"P19"``."""
    return name.rsplit("/", 1)[-1].split(".")[0]


def read(files: Files, name: str, relation: str) -> Facts:
    """The facts of a file of LAMA's kind, without those that it leaves out itself."""
    files.note("one item a subject and relation: all its right objects are answers")
    facts = Facts(relation)
    for _, entry in files.json_lines(name):
        if "judgments" in entry:  # Google-RE: raters said whether the text supports the fact
            votes = [vote["judgment"] == "yes" for vote in entry["judgments"]]
            if votes.count(False) > votes.count(True):
                files.left_out("facts that most raters did not find in the text")
                continue
        facts.add(entry["sub_label"], entry["obj_label"], entry["uuid"])
    files.left_out("facts that their file has twice", facts.twice)
    return facts


def _templates(files: Files) -> dict[str, Template]:
    """LAMA's template of each relation."""
    result = {}
    for _, entry in files.json_lines("data/relations.jsonl"):
        if entry["type"] != cardinality(entry["relation"]):
            raise ValueError(f"{entry['relation']} is {entry['type']}, not {cardinality(entry['relation'])}")
        result[entry["relation"]] = Template(entry["template"])
    return result


@reader("lama_original", "facts")
def lama(files: Files) -> Iterator[Cloze]:
    """T-REx, Google-RE and SQuAD of LAMA; `meta["corpus"]` says which. ConceptNet's part is not in this copy."""
    templates = _templates(files)
    trex = files.names("data/TREx/*.jsonl")
    files.note(f"{len(trex)} of LAMA's 41 T-REx relations are in this copy, ConceptNet is not")
    for name in trex:
        relation = relation_of(name)
        yield from read(files, name, relation).items(templates[relation], corpus="T-REx")
    for relation, text in GOOGLE_RE.items():
        name = f"data/Google_RE/{relation}_test.jsonl"
        yield from read(files, name, relation).items(Template(text), corpus="Google-RE")
    for _, entry in files.json_lines("data/Squad/test.jsonl"):
        (text,) = entry["masked_sentences"]
        if text.count(MASK) > 1:
            files.left_out("SQuAD sentences with two gaps")
            continue
        yield Cloze(
            id=f"SQuAD/{entry['id']}",
            condition="SQuAD",
            text=text,
            answers=(entry["obj_label"],),
            meta={
                "subject": "",
                "object": entry["obj_label"],
                "cardinality": "",
                "template": text,
                "origin": "manual",
                "weight": 1.0,
                "corpus": "SQuAD",
            },
        )


@reader("lama_uhn", "facts")
def uhn(files: Files) -> Iterator[Cloze]:
    """T-REx without the facts that a name gives away (`meta["set"]` ``"UHN"``) and, where they are to be had, with them
    (``"LAMA"``): the same relations, whole, from `lama_original`.
    """
    templates = _templates(files)
    original = files.of("lama_original")
    names = files.names("data/test_datasets/TREx_UHN/*.jsonl")
    whole = {relation_of(name): name for name in original.names("data/TREx/*.jsonl")}
    relations = [relation_of(name) for name in names]
    files.note(
        f"{len(relations)} relations, {len(set(relations) & set(whole))} of them also as they were before the filter"
    )
    for name, relation in zip(names, relations):
        yield from read(files, name, relation).items(templates[relation], prefix="UHN/", corpus="T-REx", set="UHN")
        if relation in whole:
            facts = read(original, whole[relation], relation)
            yield from facts.items(templates[relation], prefix="LAMA/", corpus="T-REx", set="LAMA")
