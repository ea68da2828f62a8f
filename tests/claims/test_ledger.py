"""The ledger covers what it must, its bibliography is complete, and its reader refuses what does not fit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import yaml

from bertology_utils.claims import ledger
from bertology_utils.data.original import registry

BIBLIOGRAPHY = Path(__file__).parents[2] / "book" / "references.bib"
SECTIONS = ("embeddings", "syntax", "semantics", "world", "heads", "layers", "training", "size", "mbert")
PREFIXES = dict(zip(SECTIONS, ("emb", "syn", "sem", "wld", "hed", "lay", "trn", "siz", "mbt")))


@pytest.fixture(scope="module")
def bibliography():
    pybtex = pytest.importorskip("pybtex.database")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return pybtex.parse_file(str(BIBLIOGRAPHY))


# -- what the ledger holds


def test_no_row_is_lost_in_reading():
    written = {p.stem: p.read_text("utf-8").count("\n  - id: ") for p in sorted(ledger.LEDGER.glob("*.yaml"))}
    assert {s.chapter: len(s.rows) for s in ledger.sections()} == written and sum(written.values()) > 130
    assert tuple(s.name for s in ledger.sections()) == SECTIONS
    assert [s.chapter[:2] for s in ledger.sections()] == [f"0{n}" for n in range(1, 10)]
    assert ledger.rows("heads") == next(s.rows for s in ledger.sections() if s.name == "heads")


def test_ids_are_unique_and_start_with_their_section():
    ids = [r.id for r in ledger.rows()]
    assert len(set(ids)) == len(ids)
    assert all(r.id.split(".")[0] == PREFIXES[r.section] for r in ledger.rows())


def test_titles_are_short_unique_and_headings():
    titles = [r.title for r in ledger.rows()]
    assert len(set(titles)) == len(titles)
    assert [t for t in titles if len(t) > 70 or t.endswith(".") or t != t.strip()] == []


@pytest.mark.parametrize("r", ledger.rows(), ids=lambda r: r.id)
def test_a_row_says_how_it_is_measured_or_why_not(r):
    assert r.how in {"live", "family", "tuned", "hub", "cite"}
    if r.how == "cite":
        assert r.reason and r.rerun is None and r.predict is None and not r.data
    else:
        assert r.rerun and r.predict and (r.reason is None or r.how == "hub")
    assert r.claim.endswith(".") or r.id == "emb.postprocessing.mu2018"


@pytest.mark.parametrize("r", ledger.rows(), ids=lambda r: r.id)
def test_every_row_says_what_of_its_sentence_is_tested(r):
    assert r.clauses, "no part of the survey's sentence may be dropped in silence"
    assert not any("TODO" in text for c in r.clauses for text in (c.says, *(t.unit + t.why for t in c.tests)))


def test_how_many_rows_run_how():
    by_how = {how: sum(r.how == how for r in ledger.rows()) for how in get_args(get_type_hints(ledger.Row)["how"])}
    assert by_how["cite"] == 4
    assert by_how["hub"] == 2
    assert by_how["live"] > by_how["tuned"] > by_how["family"]


def test_live_rows_need_no_more_than_builtin_data_or_a_named_set():
    assert [r.id for r in ledger.rows() if r.how == "live" and not r.data] == ["siz.table1"]


def test_reported_figures_are_sourced():
    row = ledger.row("syn.agreement.goldberg2019")
    assert [(r.source, r.dataset) for r in row.reported] == [("released", "goldberg2019_bert_syntax")] * 2
    assert row.reported[0].figures == {"base": 0.833, "large": 0.796}
    assert row.reported[1].figures["large"] == (0.804, 0.746, 0.889)
    assert len(ledger.row("emb.anisotropy.ethayarajh2019").reported[0].figures["mean cosine"]) == 13  # layers 0 to 12


def test_data_sets_are_known_to_the_registry():
    known = set(registry.datasets()) | {"builtin", "corpus", "corpus-large", "corpus_multilingual"}
    assert {name for r in ledger.rows() for name in r.data} <= known
    assert {p.dataset for r in ledger.rows() for p in r.reported if p.dataset} <= known


def test_rows_can_be_keys():
    assert len(set(ledger.rows())) == len(ledger.rows())


def test_places_read_as_text():
    places = [str(p) for p in ledger.row("lay.transferability.liu2019a").survey]
    assert places == ["TACL 2020, section 4.3, fig. 4", "arXiv v1, fig. 5"]
    assert "direction" in str(ledger.row("emb.postprocessing.mu2018").survey[0])


def test_studies():
    row = ledger.row("siz.lottery.chen2020")
    assert (row.study, *row.studies[1:]) == ("chen2020", "prasanna2020", "frankle2019")
    assert ledger.row("siz.table1").studies == ("rogers2020",)


# -- looking up


def test_an_unknown_row_names_its_neighbours():
    with pytest.raises(KeyError, match=r"syn\.agreement\.goldberg2019"):
        ledger.row("syn.agremeent.goldberg2019")
    with pytest.raises(KeyError, match=r"nearest: syn\.negation\.ettinger2019"):
        ledger.row("negation.ettinger2019")


def test_an_unknown_section_lists_the_sections():
    with pytest.raises(KeyError, match="embeddings, syntax"):
        ledger.rows("syntaxx")


# -- the bibliography


def test_every_study_is_in_the_bibliography(bibliography):
    named = {study for r in ledger.rows() for study in r.studies} | {"rogers2020", "devlin2019", "vaswani2017"}
    assert sorted(named - set(bibliography.entries)) == []


def test_every_data_set_cites_the_bibliography(bibliography):
    cited = {(name, key) for name, entry in registry.datasets().items() for key in entry.cite}
    assert {name for name, _ in cited} == set(registry.datasets())
    assert sorted((name, key) for name, key in cited if key not in bibliography.entries) == []


def test_every_entry_says_who_what_when_and_where(bibliography):
    for key, entry in bibliography.entries.items():
        assert entry.persons.get("author"), key
        assert entry.fields.get("title"), key
        assert entry.fields["year"].isdigit() and 1900 < int(entry.fields["year"]) < 2030, key
        assert {"booktitle", "journal", "publisher", "eprint"} & set(entry.fields), key
        assert all(link.startswith("https://") for link in [entry.fields.get("url", "https://")]), key
        assert ("eprint" in entry.fields) == ("archiveprefix" in entry.fields), key


def test_the_bibliography_formats_without_a_warning(bibliography):
    pybtex = pytest.importorskip("pybtex")
    style = pybtex.plugin.find_plugin("pybtex.style.formatting", "unsrt")()
    with pybtex.errors.capture() as problems:
        formatted = list(style.format_bibliography(bibliography))
    assert problems == []
    assert len(formatted) == len(bibliography.entries)


def test_no_paper_stands_twice_in_the_bibliography(bibliography):
    for field in ("eprint", "url", "doi"):
        seen = [e.fields[field] for e in bibliography.entries.values() if field in e.fields]
        assert sorted(v for v in set(seen) if seen.count(v) > 1) == []


# -- strictness

GOOD = {
    "id": "syn.words.doe2020",
    "title": "A title",
    "survey": [{"edition": "tacl2020", "section": "3.1"}],
    "studies": ["doe2020"],
    "how": "live",
    "data": ["builtin"],
    "claim": "A claim.",
    "rerun": "so",
    "predict": "x > 0",
    "reported": [{"source": "survey", "text": "half", "figures": {"share": [0.5, 1]}}],
}


def text(*rows, **section):
    return yaml.safe_dump({"name": "syntax", "title": "Syntax", "chapter": "02_syntax", **section, "rows": list(rows)})


def test_a_row_about_models_from_the_hub_may_say_what_it_waits_for():
    (section,) = ledger.parse(text({**GOOD, "how": "hub", "reason": "needs two models"}))
    assert section.rows[0].reason == "needs two models"


def test_a_good_row_is_read():
    (section,) = ledger.parse(text(GOOD))
    assert section.rows[0].reported[0].figures == {"share": (0.5, 1)}
    assert section.rows[0].section == "syntax"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, r"syn\.words\.doe2020: unknown field 'colour'"),
        ({"section": "syntax"}, "unknown field 'section'"),
        ({"claim": None}, "claim is None"),
        ({"title": "x" * 71}, "title does not fit"),
        ({"how": "maybe"}, "how is 'maybe'"),
        ({"how": "cite"}, "data does not fit"),
        ({"how": "cite", "data": []}, "rerun does not fit"),
        ({"reason": "none needed"}, "reason does not fit"),
        ({"predict": ""}, "predict is ''"),
        ({"data": "builtin"}, "data is 'builtin'"),
        ({"data": ["builtin", "builtin"]}, "data does not fit"),
        ({"studies": []}, "studies does not fit"),
        ({"studies": ["roe2020"]}, "studies does not fit"),
        ({"survey": []}, "survey does not fit"),
        ({"survey": [{"edition": "tacl2020", "section": 3.1}]}, "survey, 1, section is 3.1"),
        ({"survey": [{"edition": "book", "section": "3"}]}, "edition is 'book'"),
        ({"survey": [{"section": "3"}]}, "missing field 'edition'"),
        ({"reported": [{"source": "memory", "text": "half"}]}, "source is 'memory'"),
        (
            {"reported": [{"source": "survey", "text": "half", "figures": {"share": "half"}}]},
            r"share is 'half'.*number",
        ),
        ({"reported": [{"source": "survey", "text": "half", "dataset": "cola"}]}, "reported does not fit"),
        ({"moved": False}, "moved does not fit"),
        ({"id": "words"}, "id does not fit"),
    ],
)
def test_a_bad_row_raises_and_is_named(change, message):
    with pytest.raises(ledger.LedgerError, match=message):
        ledger.parse(text({**GOOD, **change}))


TEST = {"measure": "accuracy", "above": 0.5, "by": 0.05, "unit": "share of items", "why": "less is luck"}
CLAUSE = {"name": "main", "says": "it does", "kind": "learned", "tests": [TEST]}
GATE = {**TEST, "says": "the instrument sees it"}


def test_a_good_clause_is_read():
    (section,) = ledger.parse(text({**GOOD, "clauses": [{**CLAUSE, "gates": [GATE]}]}))
    (clause,) = section.rows[0].clauses
    assert (clause.tests[0].side, clause.tests[0].bound(), clause.tests[0].bound(absence=True)) == ("above", 0.55, 0.45)
    assert clause.gates[0].says == "the instrument sees it"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "wish"}, r"clauses, main, kind is 'wish'"),
        ({"tests": []}, "tests does not fit"),
        ({"kind": "untested"}, "tests does not fit"),
        ({"kind": "untested", "tests": []}, "reason does not fit"),
        ({"reason": "none"}, "reason does not fit"),
        ({"kind": "absence"}, "an absence needs a gate"),
        ({"gates": [TEST]}, "gates does not fit"),
        ({"tests": [{**TEST, "below": 0.1}]}, "exactly one of above, below, within"),
        ({"tests": [{**TEST, "by": -0.1}]}, "smallest effect of interest is -0.1"),
        ({"tests": [{**TEST, "by": "much"}]}, r"by is 'much': .*number"),
        ({"tests": [{**TEST, "need": "some"}]}, "need is 'some'"),
        ({"tests": [{**TEST, "need": 0}]}, "need is 0"),
        ({"tests": [{k: v for k, v in TEST.items() if k != "why"}]}, "missing field 'why'"),
        ({"tests": [{"measure": "x", "within": 0.0, "by": 0.1, "unit": "u", "why": "w"}]}, "only an absence"),
    ],
)
def test_a_bad_clause_raises_and_is_named(change, message):
    with pytest.raises(ledger.LedgerError, match=message):
        ledger.parse(text({**GOOD, "clauses": [{**CLAUSE, **change}]}))


def test_two_clauses_of_one_name_are_refused():
    with pytest.raises(ledger.LedgerError, match="clauses does not fit"):
        ledger.parse(text({**GOOD, "clauses": [CLAUSE, CLAUSE]}))


@pytest.mark.parametrize("field", ["id", "title", "survey", "studies", "how", "claim"])
def test_a_missing_field_is_named(field):
    with pytest.raises(ledger.LedgerError, match=f"missing field '{field}'"):
        ledger.parse(text({k: v for k, v in GOOD.items() if k != field}))


def test_duplicates_are_named():
    with pytest.raises(ledger.LedgerError, match=r"duplicate id: syn\.words\.doe2020"):
        ledger.parse(text(GOOD, {**GOOD, "title": "Another"}))
    with pytest.raises(ledger.LedgerError, match="duplicate title: A title"):
        ledger.parse(text(GOOD, {**GOOD, "id": "syn.more.doe2020"}))


def test_a_bad_section_or_file_raises():
    with pytest.raises(ledger.LedgerError, match="line 2: field 'name' is there twice"):
        ledger.parse("name: syntax\nname: semantics\n")
    with pytest.raises(ledger.LedgerError, match="section 1: unknown field 'colour'"):
        ledger.parse(text(GOOD, colour="red"))
    with pytest.raises(ledger.LedgerError, match="unknown field 'syntax'"):
        ledger.parse("syntax: []")
    with pytest.raises(ledger.LedgerError, match=r"rows, 1 is 'words': .*object"):
        ledger.parse(text("words"))
    with pytest.raises(yaml.YAMLError):
        ledger.parse("!!python/object/apply:os.getcwd []")
