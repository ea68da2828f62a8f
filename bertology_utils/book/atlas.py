"""A map of BERT: its parts as a picture, each leading to the claims about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..cards.standing import Standing
from ..cards.words import SIGNS
from ..claims.rules import FAILS, HOLDS
from . import landing
from .templates import template

PARTS = {  # part -> its title and what the claims about it begin with; a claim belongs to the first that fits
    # of the layers that the survey's sentence names; what compares lower and upper ones is of all layers
    "upper": ("Upper layers", "lay.task_specific emb.context_specificity trn.last_layers"),
    "middle": ("Middle layers", "lay.tree_depth lay.agreement lay.transferability"),
    "early": ("Early layers", "lay.word_order trn.restore_lower mbt.freeze_bottom"),
    "layers": ("All layers", "lay. emb.token_identity"),
    "tuning": (
        "Tuning for a task",
        "syn.structural_bias syn.intermediate_parsing syn.triggers sem.entity_linking trn.cls_norm trn.pretraining_benefit "
        "trn.wide_optima trn.tuned_sep trn.more_layers trn.two_stage trn.adversarial "
        "trn.domain_pivots trn.mixout trn.adapters trn.features_vs trn.seed_variance trn.heuristics hed.tuned_on_trees",
    ),
    "pretraining": ("Pretraining", "trn."),
    "predictions": (
        "What it predicts",
        "syn.agreement syn.npi syn.negation syn.malformed syn.perturbed_masking sem.roles wld.",
    ),
    "heads": ("Attention heads", "hed. syn.no_tree_in_attention syn.method_favours_model"),
    "vectors": ("What its vectors hold", "syn. sem."),
    "embeddings": ("Word and sentence vectors", "emb."),
    "size": ("Size and compression", "siz."),
    "languages": ("Many languages", "mbt."),
}


ORDER = tuple(
    "predictions upper middle early layers vectors heads embeddings pretraining tuning size languages".split()
)


def part_of(id: str) -> str:
    """The part that a claim is about.

    Examples
    --------
    >>> part_of("syn.agreement.goldberg2019"), part_of("syn.mdl.voita2020"), part_of("trn.nsp.liu2019b")
    ('predictions', 'vectors', 'pretraining')
    """
    return next(part for part, (_, starts) in PARTS.items() if id.startswith(tuple(starts.split())))


def parts(found: Sequence[Standing]) -> Mapping[str, list[Standing]]:
    """Part -> the claims about it, as the picture goes from top to bottom, in the ledger's order."""
    out: dict[str, list[Standing]] = {part: [] for part in ORDER}
    for s in found:
        out[part_of(s.row.id)].append(s)
    return out


def picture(found: Sequence[Standing], page: str = "") -> str:
    """The map as an SVG whose parts are links to their claims on `page`, and under it the same in words."""
    shown = {
        part: {"title": PARTS[part][0], "claims": len(own), "outcomes": landing.outcomes(own), "came": signs(own)}
        for part, own in parts(found).items()
    }
    drawn = template("map.svg").render(parts=shown, page=page)
    listed = "".join(
        f'<li><a href="{page}#{part}">{of["title"]}</a>: {of["claims"]} claims. {of["outcomes"]}</li>'
        for part, of in shown.items()
    )
    drawn += f"<details><summary>The same in words</summary><ul>{listed}</ul></details>"
    return " ".join(drawn.split())  # a blank line would end it in Markdown


def signs(found: Sequence[Standing]) -> list[list[str]]:
    """What came of some claims for whom, as short as a box needs it: a network's name, and counts with their signs."""
    pairs = [(who, ((holds, SIGNS[HOLDS]), (fails, SIGNS[FAILS]))) for who, holds, fails in landing.came(found)]
    return [[who, " ".join(f"{n} {sign}" for n, sign in counts if n)] for who, counts in pairs]


def page(found: Sequence[Standing]) -> str:
    """The map, and under it the claims of each part in lines."""
    folds = [
        f'<h2 id="{part}">{PARTS[part][0]}</h2>\n<p>{landing.outcomes(own)}</p>\n{landing.table(own)}'
        for part, own in parts(found).items()
    ]
    return "\n".join((f'<div class="map-of-bert">{picture(found)}</div>', *folds))
