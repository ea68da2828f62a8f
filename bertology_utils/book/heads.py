"""The page "Look into heads": attention of ten sentences by five networks, and the heads that claims name.

The maps are stored (`book/_static/heads`, a file per network, fetched when a reader chooses it), since most machines that
render the book have neither mpnet nor the sentences; ``python -m bertology_utils.book look`` makes them again. A reader's own
sentence goes to `mini`, in the page.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ..attention.relations import DIRECTIONS
from ..claims import evidence
from ..data import load as load_data
from ..data.items import Sentence
from ..errors import Refusal
from ..files import write as put
from ..settings import TWIN, Settings
from ..subject import models
from ..subject.attentions import Units, attentions
from .stage import ROOT
from .templates import rendered

STORED = ROOT / "book" / "_static" / "heads"
BERT = "bert-base-uncased"
TITLES = {
    "mpnet": "mpnet",
    "all-MiniLM-L6-v2": "MiniLM",
    "mini": "mini",
    "mini" + TWIN: "mini, untrained",
    BERT: "BERT (released)",
}
NETWORKS = tuple(name for name in TITLES if name != BERT)
TREES = "ud_english_ewt"
SENTENCES = (  # of its test part
    "weblog-juancole.com_juancole_20030914114200_ENG_20030914_114200-0005",
    "weblog-juancole.com_juancole_20040722101300_ENG_20040722_101300-0020",
    "newsgroup-groups.google.com_jokecity_0566f0ba3b5f748f_ENG_20051125_240500-0010",
    "newsgroup-groups.google.com_JokeEruption_df151b356f94881c_ENG_20050819_155700-0026",
    "answers-20111107201117AANg07J_ans-0006",
    "reviews-254908-0001",
    "reviews-001325-0002",
    "reviews-251755-0003",
    "reviews-138249-0001",
    "reviews-101864-0002",
)
MAPS = ("released/bert_attention_maps", "index.json", "bertviz_attention.npz")
SYNTACTIC = "hed.syntactic.clark2019"
RELEASED = "clark2019_released"
RELATIONS = {  # as the treebank, and as the Penn Treebank of the study, calls them
    "nsubj": "subject",
    "obj": "object",
    "dobj": "object",
    "det": "determiner",
    "amod": "adjective",
    "aux": "auxiliary",
    "case": "preposition",
    "pobj": "object of a preposition",
    "poss": "possessive",
    "conj": "conjunct",
    "compound": "compound",
}
NAMED = (  # (claim, data, measure, what the head is best at)
    ("hed.coreference.clark2019", "gap", "best head", "whom a pronoun means"),
    ("hed.no_full_tree.clark2019", TREES, "UAS, best head", "all relations together"),
    ("hed.subwords.correia2019", TREES, "ratio, best head", "pieces of one word"),
    ("syn.no_tree_in_attention.htut2019", TREES, "UUAS when choosing", "a tree without labels"),
    ("hed.patterns.kovaleva2019", "released/bert_attention_maps", "attention to the next token", "the next piece"),
    (
        "hed.frames.kovaleva2019",
        "released/kovaleva2019_notebook_digitised",
        "attention on core links",
        "parts of a frame",
    ),
)
ASKING = (  # a plain form: the page of heads reads the sentence from its address
    '<form class="heads-ask" action="../book/heads.html"><label>Or type a sentence: <input name="own" autocomplete="off" '
    'value="The cat that the dogs chased sleeps."></label> <button type="submit">Show the attention of mini</button></form>'
)
HEAD = re.compile(r"block (\d+), head (\d+)$")


def maps(name: str, trees: Sequence[Sentence], settings: Settings) -> dict[str, Any]:
    """A network's attention between the words of sentences: per sentence its units and a byte per weight, in base64.

    Returns
    -------
    dict
        ``layers``, ``heads``, ``sha256``; ``sentences``: ``units`` (special tokens and words) and ``maps``, of shape
        (layers, heads, units, units), 255 for a weight of one.
    """
    subject = models.load(name, settings)
    out = {}
    for i, units, weights in attentions(subject, [tree.words for tree in trees], settings=settings):
        assert isinstance(units, Units)  # words were asked for
        names = [token or trees[i].words[word] for word, token in zip(units.words, units.tokens, strict=True)]
        out[i] = _packed(names, weights)
    sentences = [out[i] for i in range(len(trees))]  # they come sorted by length
    return {"layers": subject.n_layers, "heads": subject.n_heads, "sha256": subject.sha256, "sentences": sentences}


def _packed(units: Sequence[str], weights: np.ndarray) -> dict[str, Any]:
    whole = np.rint(255 * weights.astype(float)).astype(np.uint8)
    return {"units": list(units), "maps": base64.b64encode(whole.tobytes()).decode()}


def released(mirror: Path) -> dict[str, Any]:
    """The same of the maps of bert-base-uncased that notebooks of others show: four inputs, of pieces."""
    folder, index, arrays = MAPS
    listed = json.loads((mirror / folder / index).read_text("utf-8"))
    with np.load(mirror / folder / arrays) as held:
        own = [e for e in listed if e["model_as_named_in_notebook"] == BERT]
        sentences = [_packed([t.strip() for t in e["tokens"]], held[f"{e['key']}_attn"]) for e in own]
    return {"layers": 12, "heads": 12, "sentences": sentences}


def store() -> Path:
    """Make the stored maps again.

    Raises
    ------
    Refusal
        There is no mirror of the original data, or a network is not here.
    """
    settings = Settings.of()
    if not settings.mirror:
        raise Refusal("the sentences and the released maps are read from a mirror: set BERTOLOGY_MIRROR")
    known = {tree.id: tree for tree in load_data("treebank", TREES, settings=settings)["treebank"]}
    trees = [known[id] for id in SENTENCES]
    arcs = [{"words": tree.words, "arcs": list(_arcs(tree))} for tree in trees]
    put(STORED / "sentences.json", json.dumps(arcs, ensure_ascii=False) + "\n")
    put(STORED / f"{BERT}.json", json.dumps(released(Path(settings.mirror)), ensure_ascii=False) + "\n")
    for name in NETWORKS:
        put(STORED / f"{name}.json", json.dumps(maps(name, trees, settings), ensure_ascii=False) + "\n")
    return STORED


def _arcs(tree: Sentence) -> Iterator[tuple[int, int, str]]:
    """Dependent, head and relation of each word that has a head."""
    for word, (head, relation) in enumerate(zip(tree.heads, tree.deprels, strict=True)):
        if head >= 0:
            yield word, head, relation.split(":")[0]


def named(model: str) -> list[dict[str, Any]]:
    """The heads of a network that claims name: what each is best at, how good it is there, and the claim.

    Examples
    --------
    >>> best = next(head for head in named("mpnet") if head["relation"] == "obj")
    >>> best["block"], best["head"], best["direction"], best["about"]
    (5, 9, 'head to dependent', 'object')
    """
    return [*_relations(model), *_others(model)]


def _record(claim: str, model: str, data: str) -> evidence.Evidence | None:
    found = (r for r in evidence.find(claim, Settings(evidence=evidence.SHIPPED)) if r.model == model)
    # what is released of BERT's heads names them, whether it decides a claim or not
    return next((r for r in found if r.data in (data, RELEASED) or (r.label == "authors" and model == BERT)), None)


def _relations(model: str) -> Iterator[dict[str, Any]]:
    record = _record(SYNTACTIC, model, TREES)
    rows = record.rows if record else []
    offsets = {row.get("relation"): row["value"] for row in rows if row["measure"] == "best offset"}
    for row in rows:
        about, at = RELATIONS.get(row.get("relation") or ""), HEAD.match(row.get("head") or "")
        if row["measure"] == "best head" and about and at:
            block, head = map(int, at.groups())
            yield {
                "claim": SYNTACTIC,
                "about": about,
                "relation": row["relation"],
                "direction": row.get("direction") or DIRECTIONS[0],
                "stated": bool(row.get("direction")),
                "block": block,
                "head": head,
                "value": row["value"],
                "rival": offsets[row["relation"]],
            }


def _others(model: str) -> Iterator[dict[str, Any]]:
    for claim, data, measure, about in NAMED:
        record = _record(claim, model, data)
        rows = [row for row in record.rows if row["measure"] == measure] if record else []
        if not rows:
            continue
        if rows[0].get("layer") is not None:  # a row per head, counted from 0
            row = max(rows, key=lambda row: row["value"])
            block, head = row["layer"] + 1, row["head"] + 1
        else:  # the first names the best
            row, at = rows[0], HEAD.match(rows[0].get("head") or "")
            if not at:
                continue
            block, head = map(int, at.groups())
        yield {"claim": claim, "about": about, "relation": "", "block": block, "head": head, "value": row["value"]}


def links() -> dict[str, str]:
    """Claim -> what leads from its unit to the page: a line to the heads that its records name, and a form for a sentence."""
    out: dict[str, list[str]] = {}
    for network, title in TITLES.items():
        for head in named(network):
            if not head["relation"] or head["about"] == "object":
                where = urlencode({"network": network, **{k: head[k] for k in ("block", "head", "relation")}})
                words = f"{title}, block {head['block']}, head {head['head']}"
                out.setdefault(head["claim"], []).append(f'<a href="../book/heads.html#{escape(where)}">{words}</a>')
    return {claim: f"<p>See the head at work: {'; '.join(found)}.</p>\n{ASKING}" for claim, found in out.items()}


def page(size: int) -> str:
    """The page's controls, with the maps of its first view in it, and as a plain table the heads that claims name.

    The file of weights that one's own sentence asks for has `size` bytes.
    """
    sentences = json.loads((STORED / "sentences.json").read_text("utf-8"))
    networks: dict[str, dict[str, Any]] = {}
    for name, title in TITLES.items():
        whole = json.loads((STORED / f"{name}.json").read_text("utf-8"))
        networks[name] = {"title": title, "layers": whole["layers"], "heads": whole["heads"], "named": named(name)}
        if name == BERT:  # sentences of its own, without trees
            networks[name]["texts"] = [" ".join(sentence["units"]) for sentence in whole["sentences"]]
        if name == NETWORKS[0]:
            first = whole["sentences"][0]
    data = {"sentences": sentences, "networks": networks, "first": first}
    relations = dict.fromkeys(RELATIONS.values())
    units = len(first["units"])
    return rendered("heads.html", data, networks=networks, relations=relations, size=size, units=units)
