"""Names and sentences for readers: models, data sets and studies as people call them, outcomes as sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

from ..claims.evidence import Evidence
from ..claims.rules import (
    FAILS,
    HOLDS,
    MIXED,
    NOT_RERUN,
    OPEN,
    TAUGHT,
    UNTESTABLE,
    UNTRAINED_TOO,
)
from ..settings import TWIN
from .standing import BUILTIN, FAMILY, LARGER, MINILM, RELATIVE, REPORTED, Slot, Standing

STUDIES = Path(__file__).parents[1] / "assets" / "studies.json"
SIGNS = {
    HOLDS: "✓",
    TAUGHT: "✓",
    UNTRAINED_TOO: "◐",
    MIXED: "◐",
    FAILS: "✕",
    OPEN: "?",
    UNTESTABLE: "?",
    NOT_RERUN: "–",
}
KINDS = {  # the colour of an outcome, and its square on the landing page
    HOLDS: "holds",
    TAUGHT: "holds",
    UNTRAINED_TOO: "part",
    MIXED: "part",
    FAILS: "not",
    OPEN: "open",
    UNTESTABLE: "open",
    NOT_RERUN: "none",
}
TEXTS = {
    BUILTIN: "generated sentences",
    "few_words": "generated sentences of 300 words",
    "corpus": "Simple English Wikipedia",
    "corpus-large": "Simple English Wikipedia, larger runs",
    "corpus_multilingual": "Bibles",
}
OUTPUTS = {  # released outputs whose folder is not called by one study
    "abnar_zuidema2020_attention_flow": "Abnar and Zuidema (2020)",
    "aggarwal_structural_probe_mbert": "Aggarwal's structural probe of multilingual BERT",
    "bacon_regier2019_agreement": "Bacon and Regier (2019)",
    "bert_attention_maps": "maps drawn by BertViz",
    "chronis_erk2020_mprobert": "Chronis and Erk (2020)",
    "gari_soler2021_monopoly": "Garí Soler and Apidianaki (2021)",
    "jain_wallace2019": "Jain and Wallace (2019)",
    "limisiewicz_lsd_heads": "Limisiewicz's ensembles of heads",
    "loureiro_lmms_layers": "Loureiro's senses by layer",
    "misra_minicons_blimp_multiberts": "Misra's BLiMP scores",
    "niven_kao2019_arct": "Niven and Kao (2019)",
    "pires_like_npfl120": "a rerun of zero-shot tagging (NPFL120)",
    "senteval_layers_jklj077": "SentEval by layer (jklj077)",
    "westera_bertology": "Westera's head statistics",
    "zhao_bethard2020_negation_scope": "Zhao and Bethard (2020)",
}
RELEASED = {
    "authors": "authors' outputs",
    "rerun": "outputs of an independent rerun",
    "related": "a related measure",
    "digitised": "read off a released picture",
}
# what was scored, of released outputs whose units are no items
SCORED = {
    **dict.fromkeys(("trn.heuristics.mccoy2019b", "trn.seed_variance.dodge2020"), "tuned networks"),
    **dict.fromkeys(
        (
            "hed.heavy_lifters.prasanna2020",
            "siz.distillation.sanh2019",
            "siz.head_pruning.michel2019",
            "siz.lottery.chen2020",
            "siz.quantization.zafrir2019",
            "siz.token_elimination.goyal2020",
        ),
        "tasks",
    ),
    "syn.structural_probe.hewitt2019": "treebanks",
}


DRAWN = {  # what a square says of one network
    "holds": "holds; where it says “learned”, an untrained network does worse",
    "part": "mixed, or holds but untrained too",
    "not": "does not hold",
    "open": "open, or untestable",
    REPORTED: "of BERT: a study states a figure, which decides nothing here",
    "none": "not rerun; of BERT: neither outputs of its own that decide it nor a study's figure",
}


OWN = "BERT itself, by its own published outputs"  # whose squares the first row is


def drawn(standing: Standing, slot: Slot) -> str:
    """The kind of a slot's square, as of its badge; of BERT without an outcome, whether a study states a figure."""
    if slot is standing.real and standing.known == REPORTED:
        return REPORTED
    holds_untrained = slot is standing.untrained and KINDS[slot.label] == "holds"
    return KINDS[UNTRAINED_TOO if holds_untrained else slot.label]


def squares(name: str, kinds: Iterable[str]) -> str:
    """A square per kind of outcome, behind a network's name; whoever shows them says them in words too."""
    row = "".join(f'<i class="sq sq-{kind}"></i>' for kind in kinds)
    return f'<span class="squares" data-who="{escape(name)}"><b>{escape(name)}</b><span>{row}</span></span>'


def key(signs: bool = False) -> str:
    """What the squares mean, in a line; with `signs`, what these mean in a table."""
    of = {KINDS[label]: sign for label, sign in SIGNS.items()} | {REPORTED: REPORTED}
    looks = {kind: f"<b>{of[kind]}</b>" if signs else f'<i class="sq sq-{kind}"></i>' for kind in DRAWN}
    said = "".join(f"<span>{looks[kind]} {text}</span>" for kind, text in DRAWN.items())
    return f'<span class="grid-key">{said}</span>'


@cache
def _studies() -> dict[str, dict[str, str]]:
    return json.loads(STUDIES.read_text(encoding="utf-8"))


def cited(key: str) -> str:
    """A study as Author (year).

    >>> cited("goldberg2019")
    'Goldberg (2019)'
    """
    study = _studies().get(key)
    return f"{study['authors']} ({study['year']})" if study else key


def link(key: str) -> str:
    """A study as Author (year), with its address if there is one."""
    return f'<a href="{escape(address(key))}">{escape(cited(key))}</a>' if address(key) else escape(cited(key))


def title(key: str) -> str:
    """A study's title."""
    return _studies()[key]["title"]


def address(key: str) -> str:
    """Where a study can be read; empty where the bibliography has no address."""
    return _studies().get(key, {}).get("url", "")


def model_name(name: str) -> str:
    """A model as a reader would call it.

    >>> model_name("bert-base-uncased"), model_name("mini-untrained")
    ('BERT base, uncased', 'mini, untrained')
    """
    if name.endswith(TWIN):
        return f"{model_name(name.removesuffix(TWIN))}, untrained"
    short = name.rpartition("/")[2]
    if short == RELATIVE:
        return MINILM
    match = re.fullmatch(r"bert-(base|large)(?:-(multilingual))?(?:-(cased|uncased))?(.*)", short)
    if not match:
        return short
    size, many, case, rest = match.groups()
    words = ["multilingual BERT" if many else "BERT", size, case and f", {case}", rest and f" ({rest.strip('- ,')})"]
    return " ".join(w for w in words[:2] if w) + "".join(w for w in words[2:] if w)


@cache
def data_name(name: str) -> str:
    """A data set as a card names it; files released beside a study by its authors and year."""
    if name in TEXTS:
        return TEXTS[name]
    from ..data.original import registry

    known = registry.datasets()
    key = name.removeprefix("released/").removeprefix("readme_tables/")
    if key in known:
        return known[key].short
    if key in OUTPUTS:
        return OUTPUTS[key]
    owner, of, repository = key.partition("__")
    if of:
        return f"{repository.replace('_', ' ')} (table of {owner}'s README)"
    study, _, rest = key.partition("_")
    if study in _studies():
        return cited(study)
    meant = {cited(k) for k in _studies() if re.fullmatch(rf"{re.escape(study)}[a-z]", k)}  # tenney2019: a, b
    if len(meant) == 1 and re.search(r"\d{4}$", study):
        return f"{meant.pop()}, {rest.replace('_', ' ')}"
    return key.replace("_", " ")


def is_data(name: str) -> bool:
    """Whether a name is a data set's of the registry, which the data page has a line for."""
    from ..data.original import registry

    return name in registry.datasets()


def count(n: int) -> str:
    """A number of items with groups of thousands: 12,345; a dash where none was published."""
    return f"{n:,}" if n else "–"


def untrained(who: str) -> bool:
    """Whether what readers call a network is the name of an untrained one."""
    return who.endswith("untrained")


def sign(label: str, who: str = "") -> str:
    """The sign of an outcome. A tick is for what was learned, or is true of BERT: none for a network without training."""
    return SIGNS[UNTRAINED_TOO] if untrained(who) and KINDS[label] == "holds" else SIGNS[label]


def badge(label: str, reason: str = "", *, who: str = "") -> str:
    """The HTML of an outcome: its words and a sign, never colour alone; the reason on hover.

    Parameters
    ----------
    who : str
        Of the untrained network an outcome has other colours: that it fails is as it should be, that it passes is not;
        and that a claim holds of it is no merit, but says that nothing had to be learned.

    >>> badge(FAILS, who="untrained")
    '<span class="outcome outcome-open">✕ does not hold</span>'
    >>> badge(TAUGHT)
    '<span class="outcome outcome-holds">✓ holds<b>, learned</b></span>'
    >>> badge(HOLDS, who="untrained")
    '<span class="outcome outcome-part">◐ holds without training</span>'
    """
    kind, said = outcome(label, who)
    title = f' title="{escape(reason)}"' if reason else ""
    word, comma, training = said.partition(", ")
    training = f"<b>{comma}{training}</b>" if comma else ""
    return f'<span class="outcome outcome-{kind}"{title}>{escape(word)}{training}</span>'


def short(who: str, label: str) -> str:
    """A network's name and the sign of its outcome, in words on hover.

    >>> short("mpnet", OPEN)
    '<span class="outcome outcome-open" title="mpnet: open">mpnet ?</span>'
    """
    kind, said = outcome(label, who)
    title = f"{who}: {said.partition(' ')[2]}"
    return f'<span class="outcome outcome-{kind}" title="{escape(title)}">{escape(who)} {sign(label, who)}</span>'


def outcome(label: str, who: str = "") -> tuple[str, str]:
    """The kind of an outcome, which has a colour, and its sign and words; parameters as of `badge`.

    >>> outcome(FAILS), outcome(TAUGHT)
    (('not', '✕ does not hold'), ('holds', '✓ holds, learned'))
    """
    kind, said = KINDS[label], label
    if untrained(who):
        said = "holds without training" if kind == "holds" else said
        kind = {"holds": "part", "not": "open"}.get(kind, kind)
    return kind, f"{sign(label, who)} {said}"


def share(value: float, places: int = 2) -> str:
    """A figure without its leading zero, and nought without a sign.

    >>> share(0.83), share(-0.05), share(1.27), share(-0.004), share(0.345, 3)
    ('.83', '−.05', '1.27', '.00', '.345')
    """
    text = f"{round(value, places) or 0:.{places}f}".replace("-", "−")
    return re.sub(r"^(−?)0\.", r"\1.", text)


def related(standing: Standing) -> str:
    """What released outputs that decide nothing have to say of a claim: ``support it``, ``support and qualify it``."""
    verbs = [{"supports": "support", "qualifies": "qualify", "contradicts": "contradict"}[s] for s in standing.related]
    return f"{' and '.join(verbs)} it" if verbs else ""


def related_label(standing: Standing) -> str:
    """The same in a narrow column: ``related: supports, qualifies``."""
    return f"related: {', '.join(standing.related)}" if standing.related else ""


def related_badge(standing: Standing) -> str:
    """Its HTML, with what it means on hover: not an outcome, so without a sign of one. Empty where there is nothing."""
    title = f"No outputs of the real BERT decide it; related ones {related(standing)}."
    said = related_label(standing)
    return f'<span class="outcome outcome-none" title="{title}">{said}</span>' if said else ""


def _items(records: list[Evidence]) -> str:
    """How many items, or what else, were scored, of how many networks; empty where that was not published."""
    n, networks = sum(r.n for r in records), len({r.model for r in records})
    what = SCORED.get(records[0].claim, "items")
    return f", {count(n)} {what}{f' of {networks} networks' if networks > 1 else ''}" if n else ""


def _real(standing: Standing) -> str:
    slot = standing.real
    told: dict[str, list[Evidence]] = {}  # of whom
    for record in slot.records:
        source = "our rerun" if record.kind == "rerun" else RELEASED.get(record.label, "released outputs")
        told.setdefault(source, []).append(record)
    sources = "; ".join(f"{source}{_items(own)}" for source, own in told.items())
    of, beside = f"({sources})", related(standing)
    return {
        HOLDS: f"Holds for the real BERT {of}.",
        MIXED: f"Mixed for the real BERT: parts hold, parts do not {of}.",
        FAILS: f"Does not hold for the real BERT {of}.",
        OPEN: f"The real BERT's outputs leave it open {of}.",
        UNTESTABLE: f"The real BERT's outputs cannot decide it {of}.",
    }.get(slot.label, f"No outputs of the real BERT decide it{f'; related ones {beside}' if beside else ''}.")


def ours(standing: Standing) -> str:
    """Our own model, or models, inside a sentence."""
    return "our pretraining runs" if standing.ours == FAMILY else standing.ours


def _came_out(slot: Slot, who: str, unmeasured: str = "") -> str:
    on = " on generated sentences" if slot.demonstration else ""
    return {
        TAUGHT: f"For {who} it holds{on}",
        HOLDS: f"For {who} it holds{on}",
        UNTRAINED_TOO: f"For {who} it holds{on}, but no better than without training",
        MIXED: f"For {who} parts of it hold and parts do not{on}",
        FAILS: f"For {who} it does not hold{on}",
        OPEN: f"For {who} it stays open{on}",
        UNTESTABLE: f"It cannot be tested with {who}{on}",
    }.get(slot.label, unmeasured)


def _twin(ours: Slot, twin: Slot) -> str:
    if ours.decision is None or twin.decision is None:
        return "."
    if ours.label == TAUGHT:
        if twin.label in (HOLDS, UNTRAINED_TOO):
            return "; an untrained network does it too, but less: training added to it."
        return "; an untrained network does not do it: training taught it."
    if ours.label == UNTRAINED_TOO:
        return ": the measurement does not need training."
    verb = {
        HOLDS: "passes",
        MIXED: "passes parts of it and fails others",
        FAILS: "fails",
        OPEN: "leaves it open",
        UNTESTABLE: "",
    }
    said = verb.get(twin.label, "")
    return f"; an untrained network {said}." if said else "."


def own_run(record: Evidence) -> str:
    """One of the reader's own runs in a line: of what, on how many items, under which conditions, what came out."""
    how = [
        f"n = {record.n}",
        f"seed {record.provenance.get('seed', 'unknown')}",
        str(record.provenance.get("dtype", "")),
    ]
    label = record.decision.label if record.decision else record.stance or "not decided"
    return f"{record.model} on {data_name(record.data)} ({', '.join(filter(None, how))}): {label}"


def sentence(standing: Standing) -> str:
    """What came of a claim, in short sentences from its outcomes: for BERT, its relatives and ours."""
    who = ours(standing)
    mine = _came_out(standing.mini, who, f"It was not rerun with {who}") + _twin(standing.mini, standing.untrained)
    relatives = (
        (standing.sized, f"{standing.larger} ({LARGER.get(standing.larger, '')})"),
        (standing.relative, f"{MINILM} (a smaller relative)"),
    )
    told = (f"{said}." for said in (_came_out(*each) for each in relatives) if said)
    return " ".join((_real(standing), *told, mine))
