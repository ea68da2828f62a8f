"""Style sheets without rules for what the site does not have: what must stay, what goes, and what stays is the same."""

from __future__ import annotations

import pytest

from bertology_utils.book.sheets import shorten, shortened

PAGE = '<html><body class="wide"><p class="note" id="first">The tally</p></body></html>'


def left(rules: str, *scripts: str) -> str:
    return shortened({"a.css": rules}, [PAGE, *scripts])["a.css"]


@pytest.mark.parametrize(
    "rule",
    [
        "p{top:0}",
        ".note{top:0}",
        "#first{top:0}",
        "body.wide>p.note:first-child::before{top:0}",
        "*{top:0}",
        ":root{top:0}",
        "tbody{top:0}",  # a browser puts it into a table that has none
        "::selection{color:red!important}",
        "p:not(.gone){top:0}",
        "p:is(.gone,.note){top:0}",
        "[data-gone]{top:0}",  # may be set
        "@media print{p{top:0}}",
        "@font-face{font-family:x;src:url(x)}",
        "@keyframes turn{from{top:0}to{top:1px}}",
        '.note{background:url("data:image/svg+xml;a,b{}")}',
    ],
)
def test_what_may_match_stays_as_it_is(rule):
    assert left(rule).replace(";}", "}") == rule


@pytest.mark.parametrize("rule", [".gone{top:0}", "#gone{top:0}", "kbd{top:0}", ".note .gone:hover>p{top:0}"])
def test_what_cannot_match_goes(rule):
    assert left(rule + "p{top:0}") == "p{top:0}" == left("@media print{" + rule + "}p{top:0}")
    assert left(rule[:-7] + ",p{top:0}") == "p{top:0}"


def test_states_that_scripts_set_stay():
    rules = ".show{top:0}.bs-tooltip-end{top:0}.late{top:0}"
    assert left(rules) == ""
    assert left(rules, "e.classList.add('show')", "x='bs-tooltip-'+side") == rules.removesuffix(".late{top:0}")
    assert left(rules, "`bs-tooltip-${side}`") == ".bs-tooltip-end{top:0}"


def test_variables_that_nothing_reads_go_and_those_that_only_these_read():
    declared = ":root{--a:1px;--b:var(--a);--c:2px;--d:3px;--e:4px}"
    assert left(declared) == ""
    sheets = {"a.css": declared, "b.css": "p{top:var( --b )}"}
    page = f'{PAGE}<i style="top:var(--d)">'
    kept = shortened(sheets, [page, "getPropertyValue('--e')"])
    assert kept == {"a.css": ":root{--a:1px;--b:var(--a);--d:3px;--e:4px;}", "b.css": sheets["b.css"]}


def test_a_link_has_the_version_of_what_it_leads_to(tmp_path):
    (tmp_path / "_static").mkdir()
    links = '<link href="_static/a.css?v=1" /><link href="https://example.org/b.css?v=1" /><a href="c.html?v=1">'
    for k, rule in enumerate(("p{top:0}", "p{top:1px}")):
        (tmp_path / "_static" / "a.css").write_text(rule + ".gone{top:0}", encoding="utf-8")
        (tmp_path / f"{k}.html").write_text(PAGE + links, encoding="utf-8")
        shorten(tmp_path)
        assert (tmp_path / "_static" / "a.css").read_text(encoding="utf-8") == rule
    old, new = ((tmp_path / f"{k}.html").read_text(encoding="utf-8") for k in (0, 1))
    assert old == new and "a.css?v=1" not in new and links.partition("/>")[2] in new
