"""Properties and affordances of objects (forbes2019), in the sentences their authors wrote for contextual models.

`abstract.csv` judges an object in general, the situated files one object in one photograph. The splits are by object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.reading import Files, ReaderError, lines, reader, table

PROPERTIES = (
    "uid", "mcrae", "word-embedding", "wording_intrinsic", "wording_extrinsic", "pc", "sentence", "ctx",
    "categorization",
)  # fmt: skip


CSV: dict[str, Any] = {"separator": ",", "quotes": True}


def _sentences(files: Files, kind: str) -> dict[str, str]:
    """``"accordion/a_tool"`` -> its sentence, for one of OP, OA, AP."""
    index, texts = files["data/sentences/index.csv"], files["data/sentences/sentences.txt"]
    pairs, sentences = list(table(index, **CSV)), [text for _, text in lines(texts)]
    if len(pairs) != len(sentences):
        raise ReaderError(texts, len(sentences), f"{len(sentences)} sentences for {len(pairs)} pairs of {index.name}")
    return {row["uids"]: text for (_, row), text in zip(pairs, sentences) if row["task"] == kind}


def _splits(files: Files, kind: str) -> dict[str, str]:
    """Object -> split."""
    return {
        uid.strip(): split
        for split in ("train", "test")
        for _, uid in lines(files[f"data/pc/{kind}-{split}-object-uids.txt"])
    }


def _kinds(files: Files) -> dict[str, str]:
    """Property -> its kind."""
    return {row["uid"]: row["categorization"] for _, row in files.table("data/pc/properties.tsv", PROPERTIES)}


def _label(value: str) -> str:
    """ "1" or "0": like the authors' own code, judgements of -1 and -2 (neither yes nor no) count as 0."""
    if value not in ("-2", "-1", "0", "1"):
        raise ValueError(f"judgement {value!r}")
    return "1" if value == "1" else "0"


def _instances(files: Files) -> dict[str, dict[str, str]]:
    """Properties of each situated object: annotation number -> property -> judgement."""
    return {
        row["cocoAnnID"]: {k: v for k, v in row.items() if k not in ("cocoImgID", "cocoAnnID", "objectUID")}
        for _, row in files.table("data/pc/situated-properties.csv", **CSV)
    }


@reader("forbes2019_physical_commonsense", "properties")
def properties(files: Files) -> Iterator[Labelled]:
    """Does the object have the property? `condition` is the property's kind, `meta["set"]` abstract or situated."""
    category = _kinds(files)
    sentences = _sentences(files, "OP")
    files.note("abstract judgements of -1 and -2, neither yes nor no, count as no, as in the authors' code")
    for kind, name in (("abstract", "abstract.csv"), ("situated", "situated-properties.csv")):
        splits = _splits(files, kind)
        for _, row in files.table(f"data/pc/{name}", **CSV):
            thing, instance = row.pop("objectUID"), row.pop("cocoAnnID", "")
            row.pop("cocoImgID", None)
            for uid, value in row.items():
                yield Labelled(
                    id=f"{kind}/{thing}{instance and '-' + instance}/{uid}",
                    split=splits[thing],
                    condition=category[uid],
                    text=sentences[f"{thing}/{uid}"],
                    label=_label(value),
                    meta={"object": thing, "property": uid, "affordance": None, "kind": category[uid], "set": kind},
                )


def _affordances(files: Files) -> Iterator[tuple[str, str, list[str], list[str]]]:
    for _, row in files.table("data/pc/situated-affordances-sampled.csv", **CSV):
        yes, no = row["affordancesYes"].split(","), row["affordancesNo"].split(",")
        if len(yes) != 3 or len(no) != 3:
            raise ValueError(f"{len(yes)} and {len(no)} affordances instead of three that hold, three not")
        yield row["objectUID"], row["cocoAnnID"], yes, no


@reader("forbes2019_physical_commonsense", "affordances")
def affordances(files: Files) -> Iterator[Labelled]:
    """Can one do that with the object? Three answers named by annotators against three drawn at random."""
    sentences, splits = _sentences(files, "OA"), _splits(files, "situated")
    for thing, instance, yes, no in _affordances(files):
        for i, action in enumerate(yes + no):
            yield Labelled(
                id=f"situated/{thing}-{instance}/{i}",
                split=splits[thing],
                condition="affordance",
                text=sentences[f"{thing}/{action}"],
                label="1" if i < 3 else "0",
                meta={
                    "object": thing,
                    "property": None,
                    "affordance": action,
                    "kind": "affordance",
                    "set": "situated",
                },
            )


@reader("forbes2019_physical_commonsense", "property_affordance")
def property_affordance(files: Files) -> Iterator[Labelled]:
    """Does what affords this have the property? An affordance takes over the properties of its situated object."""
    category = _kinds(files)
    sentences, splits, instances = _sentences(files, "AP"), _splits(files, "situated"), _instances(files)
    for thing, instance, yes, _ in _affordances(files):
        for i, action in enumerate(yes):
            for uid, value in instances[instance].items():
                yield Labelled(
                    id=f"situated/{thing}-{instance}/{i}/{uid}",
                    split=splits[thing],
                    condition=category[uid],
                    text=sentences[f"{action}/{uid}"],
                    label=_label(value),
                    meta={
                        "object": thing,
                        "property": uid,
                        "affordance": action,
                        "kind": category[uid],
                        "set": "situated",
                    },
                )
