"""Texts are true of the evidence, or refused."""

from __future__ import annotations

import re

import pytest
import yaml
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.book.stage import ROOT
from bertology_utils.cards import findings
from bertology_utils.cards.findings import Finding, StaleFinding, five, found
from bertology_utils.cards.standing import MINILM, RELATIVE, standing
from bertology_utils.cards.words import sign
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.rules import FAILS, HOLDS, MIXED, NOT_RERUN, OPEN, TAUGHT, UNTESTABLE, UNTRAINED_TOO
from bertology_utils.settings import TWIN, Settings

# of an earlier text: each says less clearly what a plain sentence says ("compatible with chance", "with an interval from")
PHRASES = (
    "may be a coin",
    "coin's figure",
    r"on the (claim|other)('s)? side",
    "worth no more than",
    "and missed",
    r"anything from \S+ to \S+",
    "(nothing|anything) that shows",
    "learnt out",
)
ID = "syn.malformed.ettinger2019"
SECTIONS = [s.name for s in ledger.sections() if (findings.FINDINGS / f"{s.name}.yaml").is_file()]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_text_is_true_of_the_evidence_that_comes_with_the_package(section):
    settings = Settings(evidence=evidence.SHIPPED)
    for id in findings.entries(section):
        if id == "five":
            assert len(five(section, settings).texts) == 5
        else:
            said = found(id, settings)
            assert 25 <= len(said.text.removesuffix(findings.APART).split()) <= 80, id
            assert not said.relative or 10 <= len(said.relative.split()) <= 45, id


@pytest.mark.parametrize("section", SECTIONS)
def test_each_thing_begins_with_what_came_of_its_claim_and_leads_to_the_card(section):
    page = BeautifulSoup(five(section)._repr_html_(), "html.parser")
    for item, thing in zip(page.select(".five > li"), five(section).things, strict=True):
        s = standing(thing.id)
        shown = dict(name.rsplit(" ", 1) for name in (x.get_text() for x in item.select(".outcome")))
        came = {"BERT": s.real, s.larger: s.sized, MINILM: s.relative, s.own: s.mini}
        assert shown and shown == {name: sign(came[name].label) for name in shown}, thing.id
        assert item.contents[0].name == "span" and item.a["href"] == f"#{thing.id}"
        assert item.get_text().endswith(thing.text) and thing.text.startswith(item.a.get_text())


def test_a_trained_relative_is_spoken_of_where_it_was_measured_and_nowhere_else():
    measured = {s.row.id for s in shipped_standings() if s.relative.decision}
    spoken = {id for section in SECTIONS for id, entry in findings.entries(section).items() if "relative" in entry}
    assert measured == spoken


def test_every_claim_has_a_verdict_that_is_true_of_the_evidence():
    settings, entries = Settings(evidence=evidence.SHIPPED), findings.entries("verdicts")
    assert set(entries) == {row.id for row in ledger.rows()}, (
        "each row of the ledger has a text in findings/verdicts.yaml"
    )
    for s in shipped_standings():
        text = findings.filled(s.row.id, entries[s.row.id], settings)  # raises where it is stale
        assert text == findings.verdict(s) and 8 <= len(text.split()) <= 45, s.row.id


SHOWN = {TAUGHT, HOLDS}
LEFT = {OPEN, UNTESTABLE, NOT_RERUN}
# how a verdict begins, the longer before the shorter, of whom, and for which outcomes: how-to-read.md has the list for readers
OPENINGS = {
    "BERT shows it": ("real", {HOLDS}),
    "BERT has none": ("real", {HOLDS}),
    "BERT shows most of it": ("real", {MIXED}),
    "BERT may": ("real", {OPEN}),
    "A network of": ("sized", SHOWN),
    "mpnet shows it": ("sized", SHOWN),
    "MiniLM shows it": ("relative", SHOWN),
    "Our small runs show it in part": ("mini", {MIXED}),
    "Our small runs show it": ("mini", SHOWN),
    "Our small runs cannot say": ("mini", {UNTESTABLE}),
    "Our small runs speak against it": ("mini", {FAILS}),
    "mini cannot say": ("mini", {UNTESTABLE}),
    "In part": ("row", {MIXED}),
    "It takes no training": ("row", {UNTRAINED_TOO}),
    "It may": ("row", {OPEN}),
    "It is open": ("row", {OPEN}),
    "It cannot be said": ("row", {UNTESTABLE}),
    "No sign": ("row", {FAILS}),
    "Reported": ("row", LEFT),
    "Reports disagree": ("row", LEFT),
    "Not rerun": ("row", {NOT_RERUN}),
}


def test_a_verdict_begins_as_the_outcomes_of_its_line_are():
    """Those that a line of the landing page shows: of BERT, and of the largest network that was rerun."""
    page = (ROOT / "book" / "how-to-read.md").read_text(encoding="utf-8")
    for s in shipped_standings():
        text, (_, nearest, _) = findings.verdict(s), s.nearest
        opening = next((o for o in OPENINGS if re.match(rf"{o}\b", text)), None)
        assert opening, (s.row.id, text)
        whose, outcomes = OPENINGS[opening]
        found = [s.real, nearest] if whose == "row" else [getattr(s, whose)]
        assert outcomes & {slot.label for slot in found}, (s.row.id, text, [slot.label for slot in found])
        assert whose == "row" or found[0] in (s.real, nearest), (s.row.id, text)  # not of a smaller one than is shown
        if opening == "No sign":
            assert not SHOWN & {s.real.label, nearest.label}, (s.row.id, text)
        if opening in ("Reported", "Reports disagree"):
            assert {s.real.label, nearest.label} <= LEFT, (s.row.id, text)
        if opening == "Not rerun":
            assert {slot.label for slot in (s.real, s.sized, s.relative, s.mini)} == {NOT_RERUN}, s.row.id
    said = " ".join(page.split())
    assert [o for o in OPENINGS if f"*{o}" not in said] == []


@pytest.mark.parametrize("path", sorted(findings.FINDINGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_untrained_network_stands_beside_the_one_of_its_shape(path):
    """Or the text names the shape: cosines of an untrained mini say nothing of those of mpnet."""

    def texts(node):
        if isinstance(node, dict) and "figures" in node:
            yield node
        elif isinstance(node, (dict, list)):
            for each in node.values() if isinstance(node, dict) else node:
                yield from texts(each)

    for entry in texts(yaml.safe_load(path.read_text("utf-8"))):
        networks = {spec["model"] for spec in entry["figures"].values() if "model" in spec}
        shapes = {name.removesuffix(TWIN) for name in networks if name.endswith(TWIN)}
        assert {s for s in shapes - networks if {RELATIVE: MINILM}.get(s, s) not in entry["text"]} == set(), entry[
            "text"
        ]


def test_figures_of_other_texts_are_said_to_be():
    """One measure, one network on generated texts and one on SST-2: a reader is told, in verdicts too."""
    settings = Settings(evidence=evidence.SHIPPED)
    said = findings.found("siz.lottery.chen2020", settings).text
    assert said.endswith(findings.APART) and not findings.found("hed.redundancy.clark2019", settings).text.endswith(
        findings.APART
    )
    assert findings.verdict(standing("hed.no_full_tree.clark2019", settings)).endswith(findings.APART)


def test_a_text_that_speaks_of_a_fall_is_refused_where_the_figure_rose(settings):
    assert findings.filled(ID, entry(**{"as": "|.2f"}), settings) == "It changed by 0.12."
    with pytest.raises(StaleFinding, match="fall"):
        findings.filled(ID, entry(part="high", **{"as": "|.2f"}), settings)


def test_no_text_speaks_in_phrases_that_readers_stumbled_over():
    texts = [*findings.FINDINGS.glob("*.yaml"), *ledger.LEDGER.glob("*.yaml"), *(ROOT / "notebooks").glob("*.py")]
    assert len(texts) > 25
    found = {}
    for path in texts:
        text = re.sub(r"\s+(# )?", " ", path.read_text(encoding="utf-8"))
        found[path.name] = [match[0] for phrase in PHRASES for match in re.finditer(phrase, text, re.IGNORECASE)]
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_difference_of_shares_is_in_points_and_the_text_says_so(section):
    """Of "6.9% more" nobody knows: it may be of the whole or of what is there already."""
    told = findings.entries(section)
    for entry in [*told.get("five", []), *(v for k, v in told.items() if k != "five")]:
        text = f"{entry['text']} {entry.get('relative', '')}"
        for key, spec in entry.get("figures", {}).items():
            how = spec.get("as", "")
            of = spec["measure"].startswith("share of") or spec["measure"].endswith("as a share")  # in per cent of it
            assert of or not (" - " in spec["measure"] and how.endswith("%")), (text, key)
            assert not how.endswith("p") or " point" in text, (text, key)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "SHIPPED", tmp_path / "none")
    row = {"perturbation": "shuffled", "measure": "overlap over control", "value": -0.123, "low": -0.2, "high": 0.1}
    Evidence(claim=ID, model="mini", data="builtin", kind="rerun", rows=[{**row, "n": 50}]).save(tmp_path)
    return Settings(evidence=tmp_path)


def entry(**change):
    where = {"perturbation": "shuffled"}
    figure = {"model": "mini", "data": "builtin", "measure": "overlap over control", "where": where, "as": ".2f"}
    return {"text": "It changed by {a}.", "figures": {"a": {**figure, **change}}}


def test_a_figure_comes_from_its_row(settings):
    assert findings.filled(ID, entry(), settings) == "It changed by −0.12."
    assert findings.filled(ID, entry(part="low"), settings) == "It changed by −0.20."


@pytest.mark.parametrize(
    "change", [{"model": "maxi"}, {"measure": "overlap"}, {"where": {"perturbation": "truncated"}}]
)
def test_a_figure_that_no_row_gives_is_refused(settings, change):
    with pytest.raises(StaleFinding, match="0 rows"):
        findings.filled(ID, entry(**change), settings)


def test_a_text_on_the_relative_stands_beside_the_first(settings):
    said = Finding("It changed by 1.", "It changed by 2.")
    assert repr(said).splitlines() == ["FOUND  It changed by 1.", "MINILM  It changed by 2."]
    assert (
        "a trained relative.</b> It changed by 2." in said._repr_html_()
        and "relative" not in Finding("x")._repr_html_()
    )


def test_an_outcome_that_is_no_longer_so_is_refused(settings):
    with pytest.raises(StaleFinding, match="not rerun"):
        findings.filled(ID, {**entry(), "outcomes": {"real": "holds"}}, settings)


def test_an_unknown_field_is_refused(settings):
    with pytest.raises(StaleFinding, match="colour"):
        findings.filled(ID, {"text": "x", "colour": "red"}, settings)


def test_a_text_does_not_put_figures_of_two_measures_side_by_side(settings):
    other = entry()["figures"]["a"] | {"measure": "self-similarity"}
    beside = {"text": "It changed by {a} (mpnet {y}).", "figures": entry()["figures"] | {"y": other}}
    with pytest.raises(StaleFinding, match="say what it is of"):
        findings.filled(ID, beside, settings)
