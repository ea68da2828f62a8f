"""Facts in many wordings: ParaRel's paraphrases (elazar2021), LPAQA's mined and paraphrased templates (jiang2019b)."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from bertology_utils.data.items import Cloze
from bertology_utils.data.original.reading import Files, ReaderError, at, reader

from .facts import Facts, Template, read, relation_of


def _turns(relations: Iterable[tuple[Facts, list[Template]]], **meta) -> Iterator[Cloze]:
    """All facts in their relation's first template, then all in its second, …: a cut keeps different facts."""
    relations = list(relations)
    for turn in range(max(len(templates) for _, templates in relations)):
        for facts, templates in relations:
            if turn < len(templates):
                yield from facts.items(templates[turn], turn, **meta)


@reader("lama_trex_pararel", "facts")
def pararel(files: Files) -> Iterator[Cloze]:
    """T-REx facts whose object is one piece for BERT, RoBERTa and ALBERT, in LAMA's template and its paraphrases."""
    relations = []
    for name in files.names("data/trex_lms_vocab/*.jsonl"):
        relation = relation_of(name)
        patterns = f"data/pattern_data/graphs_json/{relation}.jsonl"
        facts = read(files, name, relation)
        if patterns not in files:
            files.left_out(f"subjects of {relation}, which has no template here", len(facts.objects))
            continue
        templates: list[Template] = []
        for _, entry in files.json_lines(patterns):
            templates.append(Template(entry["pattern"], "paraphrased" if templates else "manual"))
        relations.append((facts, templates))
    yield from _turns(relations, corpus="T-REx")


FACTS_A_RELATION = 25  # some sixty templates a relation make a hundred thousand items of these


@reader("lpaqa", "facts")
def lpaqa(files: Files) -> Iterator[Cloze]:
    """Facts in the manual, mined and paraphrased templates of LPAQA; `meta["weight"]` is for the ensemble of an origin.

    The train split holds the study's own training facts, on which the weights were fitted, the test split LAMA's facts
    as `lama_trex_pararel` has them.
    """
    test, archive = files.of("lama_trex_pararel"), files["TREx_train.tar.gz"]
    train_facts, relations = _members(archive), []
    for name in files.names("prompt/manual_paraphrase/*.txt"):
        relation = relation_of(name)
        first = next(files.lines(name), None)
        if first is None:
            raise ReaderError(files[name], 1, "no template")
        templates = [Template(first[1])]
        for folder, origin in (("mine", "mined"), ("paraphrase", "paraphrased")):
            for _, entry in files.json_lines(f"prompt/{folder}/{relation}.jsonl"):
                templates.append(Template(entry["template"], origin, float(entry["weight"])))
        relations.append((relation, templates))
    for split in ("train", "test"):
        chosen = []
        for relation, templates in relations:
            facts = (
                train_facts[relation]
                if split == "train"
                else read(test, f"data/trex_lms_vocab/{relation}.jsonl", relation)
            )
            beyond = list(facts.objects)[FACTS_A_RELATION:]
            files.left_out(f"facts beyond the first {FACTS_A_RELATION} of a relation", len(beyond))
            for subject in beyond:
                del facts.objects[subject]
            chosen.append((facts, templates))
        yield from _turns(chosen, prefix=f"{split}/", split=split, corpus="T-REx")


def _members(archive: Path) -> dict[str, Facts]:
    """The facts of each relation of an archive of JSON lines."""
    result: dict[str, Facts] = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if not member.isfile():
                continue
            relation = relation_of(member.name)
            facts = result[relation] = Facts(relation)
            content = tar.extractfile(member)
            assert content is not None  # it is a file
            for number, line in enumerate(io.TextIOWrapper(content, encoding="utf-8"), 1):
                with at(archive / member.name, number):
                    entry = json.loads(line)
                    facts.add(entry["sub_label"], entry["obj_label"], str(number))
    return result
