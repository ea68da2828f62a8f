"""What the survey says, and what is tested: complete, and each gap with a reason."""

from itertools import chain

import pytest

from bertology_utils.book import coverage, studies
from bertology_utils.claims import ledger, reported
from bertology_utils.data.original import registry

STATEMENTS = coverage.statements()


def test_every_claim_is_there_and_every_claim_that_is_named_exists():
    named = {id for s in STATEMENTS for id in s.claims}
    assert named == {row.id for row in ledger.rows()}


@pytest.mark.parametrize("edition", coverage.EDITIONS)
def test_statements_stand_in_the_survey_s_order(edition):
    numbers = [coverage._numbers(s.section) for s in STATEMENTS if s.edition == edition]
    assert numbers == sorted(numbers)


def test_what_is_not_tested_says_why():
    untested = [s for s in STATEMENTS if s.reason]
    assert untested and all(len(s.reason.split()) >= 3 for s in untested), [s for s in untested if len(s.reason) < 20]
    clauses = sum(1 for row in ledger.rows() for c in row.clauses if c.kind == "untested")
    assert len(untested) >= clauses


def test_what_has_no_clause_is_not_called_tested():
    bare = {row.id for row in ledger.rows() if not any(c.tests for c in row.clauses)}
    assert bare and all(s.reason for s in STATEMENTS if s.claims[0] in bare and len(s.claims) == 1)


def test_the_page_has_a_line_per_statement():
    page = coverage.page()
    assert page.count("<tr><td>") == len(STATEMENTS)
    assert f"**{sum(not s.reason for s in STATEMENTS)} of {len(STATEMENTS)}" in page


def test_what_is_cited_without_a_rerun_is_in_the_bibliography_and_in_no_row():
    found = coverage.cited()
    assert set(found) <= set(studies.read())
    assert not {study for row in ledger.rows() for study in row.studies} & set(found)
    assert all(why for _, why in found.values())
    page = coverage.cited_page()
    assert page.count("<tr><td>") == len(found) and 'href=""' not in page


def test_every_study_the_survey_is_known_to_cite_is_in_the_bibliography_and_the_page_says_how_many_are_missing():
    named = coverage.named()
    assert set(named) <= set(studies.read()) and coverage.SURVEY not in named
    rows = {study for row in ledger.rows() for study in row.studies}
    assert set(named) == (rows | set(coverage.cited())) - {coverage.SURVEY}
    assert 0 <= coverage.CITES - len(named) <= 2, "if it grows beyond, the count or the list is wrong"
    assert f"**{len(named)} against {coverage.CITES}**" in coverage.cited_page()


def test_every_study_of_the_bibliography_is_named():
    """In a claim, a data set, a reported figure, the table of what is not rerun, or in the book's and the code's own words."""
    root = studies.BIBLIOGRAPHY.parents[1]
    named = {
        *coverage.cited(),
        *(study for row in ledger.rows() for study in (*row.studies, *(f.study for f in reported.figures(row.id)))),
        *(key for data in registry.datasets().values() for key in data.cite),
    }
    kinds = (
        "book/*.md",
        "notebooks/*.py",
        "bertology_utils/**/*.py",
        "workshop/*/bertology_*/*.py",
        "workshop/*/bertology_*/*.yaml",
    )
    words = "".join(path.read_text(encoding="utf-8") for path in chain.from_iterable(map(root.glob, kinds)))
    bare = [
        key
        for key, study in studies.read().items()
        if key not in named
        and key not in words
        and f"{study['authors'].replace(' and ', ' & ')} {study['year']}" not in words
    ]
    assert bare == []
