"""How claims become numbers: the method of every claim, and a small drawing of each, shown wherever the method is met."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import yaml

from ..cards import markup
from ..claims import ledger
from ..settings import TWIN
from . import trying
from .survey_figures import NETWORK, STORED, TREES, arcs, by_layer
from .templates import template

PROBED, CONTROLLED, MIXED = "syn.pos_chunks_deps.tenney2019b", "syn.mdl.voita2020", "lay.pipeline.tenney2019a"
ROLES = "up_english_ewt"
STEP, LOW = 26, 10  # pixels from word to word in the tree, and below its arcs
OPENING = "How this becomes a number"


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way of measuring: what it does in a sentence, what its drawing shows, and the rows of the ledger measured so."""

    key: str
    name: str
    says: str
    draws: str
    claims: tuple[str, ...] = ()
    how: str = ""


@cache
def methods() -> tuple[Method, ...]:
    """All methods, in the order in which they are explained."""
    return tuple(Method(**{**m, "claims": tuple(m.get("claims", ()))}) for m in _asset()["methods"])


@cache
def _asset() -> Mapping[str, Any]:
    return yaml.safe_load((files("bertology_utils") / "assets" / "methods.yaml").read_text(encoding="utf-8"))


def of(row: ledger.Row) -> Method | None:
    """The method of a claim: the one that names it, else that of all rows of its kind; None where there is a reason.

    Examples
    --------
    >>> of(ledger.row("hed.syntactic.clark2019")).name, of(ledger.row("trn.nsp.liu2019b")).name
    ('Head against relation', 'Family of runs')
    >>> of(ledger.row("siz.table1")) is None
    True
    """
    naming = [m for m in methods() if row.id in m.claims]
    kind = [m for m in methods() if m.how == row.how and not reason(row)]
    return next(iter(naming + kind), None)


def reason(row: ledger.Row) -> str:
    """Why a claim has no method that is drawn; empty if it has one."""
    return reasons().get(row.id, (row.reason or "") if row.how == "cite" else "")


def reasons() -> Mapping[str, str]:
    """Of claims that are rerun and have no drawing: why."""
    return _asset()["without"]


@cache
def items() -> dict[str, Any]:
    """What is drawn of the book's own: stored answers, a stored tree, curves of shipped records."""
    asked = json.loads(trying.STORED.read_text("utf-8"))
    gap = {fill["text"]: fill for fill in asked["fill"]}
    tree = json.loads(STORED.read_text("utf-8"))
    gold, best = {tuple(e) for e in tree["gold"]}, max(tree["layers"], key=lambda of: of["uuas"])
    return {
        "pair": asked["pairs"][0],
        "gap": gap["A robin is a [MASK]."],
        "plain": gap["The keys to the cabinet [MASK] old."],
        "shuffled": gap["Cabinet the to keys the [MASK] old."],
        "arcs": {"words": len(tree["words"]), "edges": arcs(best["edges"], gold, STEP, LOW)},
        "probe": {
            "real": by_layer(PROBED, NETWORK, TREES, "accuracy", task="relations"),
            "untrained": by_layer(PROBED, NETWORK + TWIN, TREES, "accuracy", task="relations"),
            "majority": by_layer(PROBED, NETWORK, TREES, "majority", task="relations")[0],
        },
        "control": {
            "real": by_layer(CONTROLLED, NETWORK, TREES, "accuracy", labels="real"),
            "random": by_layer(CONTROLLED, NETWORK, TREES, "accuracy", labels="control"),
        },
        "mix": {
            "weights": by_layer(MIXED, NETWORK, ROLES, "mixing weight", task="dependencies"),
            "centre": by_layer(MIXED, NETWORK, ROLES, "centre of gravity", task="dependencies")[0],
        },
    }


@cache
def drawing(method: Method) -> str:
    """A method's drawing as SVG, in one piece of HTML without blank lines."""
    lines = template(f"methods/{method.key}.svg").render(method=method, **items()).splitlines()
    return '<div class="drawn method">' + "".join(line.strip() for line in lines) + "</div>"


def folded(method: Method, section: str) -> str:
    """A method's drawing for a chapter, where links of later claims lead; closed where another has most of its claims."""
    rows = [row.section for row in ledger.rows() if of(row) == method]
    most, count = Counter(rows).most_common(1)[0]
    state = "" if most != section and 2 * count > len(rows) else " open"
    summary = f"<summary>{OPENING}: {escape(method.name.lower())}</summary>"
    return (
        f'<details class="unit-fold method-fold" id="method-{method.key}"{state}>{summary}{drawing(method)}</details>'
    )


def link(method: Method) -> str:
    """A line that leads to the drawing on the same page."""
    return f'<a class="method-link" href="#method-{method.key}">Method: {escape(method.name.lower())}</a>'


def beside_rule(row: ledger.Row) -> str:
    """A claim's method for its page, with a link to all methods; empty where there is none."""
    if (method := of(row)) is None:
        return ""
    link = f'<a href="../book/methods.html#method-{method.key}">{escape(method.name.lower())}</a>'
    return f'<figure class="claim-method"><figcaption>{OPENING}: {link}</figcaption>{drawing(method)}</figure>'


def page() -> str:
    """All methods with a sentence each, and why the other claims have none."""
    rows = ledger.rows()
    shown = "".join(
        f'<figure id="method-{m.key}">{drawing(m)}<figcaption><b>{escape(m.name)}.</b> {escape(m.says)} '
        f"<small>{sum(of(row) == m for row in rows)} claims.</small></figcaption></figure>"
        for m in methods()
    )
    others = [row for row in rows if of(row) is None]
    links = "".join(f"<li>{markup.link(row.id, row.title)}: {escape(reason(row))}</li>" for row in others)
    return f'<div class="methods-drawn">{shown}</div>\n\nWithout a drawing:\n\n<ul>{links}</ul>'
