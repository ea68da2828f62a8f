"""Parts of the book that are made from the evidence: squares, results to begin with, models, items, the address."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image
from support import shipped_standings, write_model

from bertology_utils.book import cards_of_models, claim_pages, landing, pages, picture, samples, scoreboard, stage
from bertology_utils.cards import words
from bertology_utils.cards.findings import entries
from bertology_utils.cards.standing import Slot, Standing, standings
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import SHIPPED, Evidence
from bertology_utils.data.items import MinimalPair, Sentence, Span
from bertology_utils.settings import Settings

CONFIG = yaml.safe_load((stage.ROOT / "_config.yml").read_text(encoding="utf-8"))
ID = "syn.malformed.ettinger2019"


def record(model: str, data: str = "builtin", kind: str = "rerun", **change) -> Evidence:
    row = {"measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 10}
    return Evidence(claim=ID, model=model, data=data, kind=kind, rows=[row], **change)


def test_generated_parts_follow_the_evidence_and_are_the_same_each_time(tmp_path):
    settings = Settings(evidence=tmp_path / "evidence")
    (before,) = [s for s in standings("syntax", settings) if s.row.id == ID]
    record("somebert").save(settings.evidence)
    (after,) = [s for s in standings("syntax", settings) if s.row.id == ID]
    assert len(after.records) == len(before.records) + 1
    for folder in ("one", "two"):
        pages.write(tmp_path / folder / "book" / "_generated", settings)
    parts = [{p.name: p.read_bytes() for p in (tmp_path / f).rglob("*.*")} for f in ("one", "two")]
    assert parts[0] == parts[1] and parts[0].keys() >= {"scoreboard.md", "samples.md", "licences.md", f"{ID}.md"}


def standing(real: str, mini: str, untrained: str) -> Standing:
    made = Standing(ledger.row(ID), (record("mini"),))
    made.__dict__.update(real=Slot(real), mini=Slot(mini), untrained=Slot(untrained))
    return made


@pytest.mark.parametrize(
    ("real", "kind"),
    [("holds", "holds"), ("mixed", "part"), ("does not hold", "not"), ("open", "open"), ("not rerun", "none")],
)
def test_a_square_is_the_real_berts_alone(real, kind):
    made = standing(real, "holds, learned", "holds")
    made.__dict__.update(reported=())
    assert words.drawn(made, made.real) == kind


def test_squares_and_signs_are_explained_in_words_and_bert_is_the_first_of_each_row():
    found = shipped_standings()
    page = BeautifulSoup(landing.lines(found), "html.parser")
    shown = {i["class"][1] for i in page.select("summary .sq")}
    assert {i["class"][1] for i in page.select(".grid-key .sq")} >= shown >= {"sq-reported", "sq-holds"}
    assert all(row.select_one(".squares b").get_text() == "BERT" for row in page.select("summary"))
    named = page.select_one(".overview-names").get_text()
    assert all(f"{name.get_text()} is " in named for name in page.select(".squares b"))
    table = BeautifulSoup(scoreboard.table(found), "html.parser")
    signs = {span.get_text().split()[0] for span in table.select(".grid-key span")}
    assert signs >= {cell["data-sign"] for cell in table.select("td[data-sign]")}


def test_a_line_has_berts_outcome_or_what_is_known_of_it_and_never_another_networks():
    found = shipped_standings()
    page = BeautifulSoup(landing.lines(found), "html.parser")
    rows = page.select("table.lines tbody tr")
    assert [row.a["href"] for row in rows] == [f"../claims/{s.row.id}.html" for s in found]
    for row, s in zip(rows, found):
        real = row.select_one("td").get_text()
        beside = {"reported": "reported", "related": "related"}.get(s.known, "")
        assert (s.real.label in real) if s.real.decision else (beside in real or real == "–"), (s.row.id, real)
        assert row["data-known"] == s.known


def test_the_answer_is_written_from_what_came_out_for_bert():
    settings = Settings(evidence=SHIPPED)
    said = BeautifulSoup(landing.answer(standings(settings=settings), settings), "html.parser")
    (settled,) = re.findall(r"outputs settle (\d+) of them: ([^.]+)\.", said.get_text())
    assert sum(map(int, re.findall(r"\d+", settled[1]))) == int(settled[0])  # what became of each is said at once
    assert "a coin: 50%" in said.get_text() and len(said.get_text().split()) < 160
    assert all(a["href"].startswith("../claims/") for a in said.select("a"))


def test_the_result_is_counted():
    found = [standing("holds", "holds, learned", "does not hold"), standing("not rerun", "not rerun", "not rerun")]
    said = BeautifulSoup(landing.result(found), "html.parser")
    assert "2 claims" in said.get_text()
    assert [box.get_text() for box in said.select(".tally-count")] == ["1 of 1", "1 of 1"]
    assert (
        "claim that published outputs of BERT bear on holds" in said.get_text()
        and "Of the others" not in said.get_text()
    )


def test_the_readmes_picture_shows_what_the_evidence_counts():
    """Where not: `make html`, then `python -m bertology_utils.book picture`."""
    with Image.open(picture.TARGET) as shown:
        assert shown.info[picture.COUNTS] == picture.counts(landing.result(shipped_standings()))


@pytest.mark.parametrize("entry", entries("surprises")["three"], ids=lambda entry: entry["id"])
def test_a_surprise_is_drawn_by_the_figures_that_its_text_names(entry):
    keys = [key for key, *_ in entry["bars"]]
    assert len(keys) == len(set(keys)) and set(keys) == set(entry["figures"])
    for bar in BeautifulSoup(landing.bars(entry), "html.parser").select("li"):
        low, high = (float(end) for end in re.findall(r"--(?:low|high): ([\d.]+)%", bar["style"]))
        assert low <= float(bar.b.get_text().rstrip("%")) + 0.5 and high >= float(bar.b.get_text().rstrip("%")) - 0.5


def test_a_model_is_described_from_its_own_files(tmp_path, monkeypatch):
    model = write_model(tmp_path / "somebert")
    with pytest.raises(FileNotFoundError, match=r"training\.json"):
        described(tmp_path, monkeypatch, {"somebert": model})
    run = {"name": "tiny", "lowercase": True, "nsp": True, "seed": 0, "tokens": 2000}
    training = {"config": run, "config_sha256": "ab" * 32, "tokens": 1000, "steps": 10, "finished": False}
    training |= {"seconds": 7200.0, "device": "cpu, 2 threads", "heldout": {"heldout_mlm": 3.21}}
    (model / "training.json").write_text(json.dumps(training))
    curve = [{"tokens": t, "mlm": 9 - t / 1000, "heldout_mlm": 9.5 - t / 1000} for t in (10, 100, 1000)]
    (model / "curves.jsonl").write_text("".join(json.dumps(row) + "\n" for row in curve))
    (model / "README.md").write_text("---\nlicense: mit\n---\n# somebert\n\n## Sources\n\n```\n# a comment\n```\n")
    page = described(tmp_path, monkeypatch, {"somebert": model})
    assert "3 layers, 4 heads each, hidden size 32" in page and "2.0 h on cpu, 2 threads" in page
    assert "1,000 pieces in 10 steps of 2,000 planned" in page and "3.210" in page and "8.500 nats" in page
    assert "### Sources" in page and "\n# a comment" in page and "license" not in page and "# somebert" not in page
    assert (tmp_path / "_generated" / "curve-somebert.svg").stat().st_size > 5000


def described(folder: Path, monkeypatch, bundled: dict[str, Path]) -> str:
    monkeypatch.setattr("bertology_utils.subject.models.bundled", lambda: bundled)
    (folder / "_generated").mkdir(exist_ok=True)
    return cards_of_models.page(folder / "_generated")


def test_items_are_shown_with_their_gold():
    words = ("the", "<old>", "key", "opens")
    tree = (Span(start=0, end=4, label="S"), Span(start=0, end=3, label="NP"))
    sentence = Sentence(id="1", words=words, upos=("DET", "ADJ", "NOUN", "VERB"), heads=(2, 2, 3, -1), brackets=tree)
    shown = samples.describe(sentence)
    assert "<ruby>&lt;old&gt;<rt>ADJ</rt></ruby>" in shown and "opens←root" in shown and "key←opens" in shown
    assert "[<sub>S</sub> [<sub>NP</sub> the &lt;old&gt; key] opens]" in shown
    pair = MinimalPair(id="2", good="<b> is", bad="<b> are")
    assert samples.describe(pair) == "&lt;b&gt; is<br>not: &lt;b&gt; are"


@pytest.mark.parametrize(
    "given",
    ["https://github.com/example/bert.git", "git@github.com:example/bert.git", "https://github.com/example/bert/"],
)
def test_address_of_the_repository(given, monkeypatch):
    monkeypatch.setenv(stage.REPOSITORY, given)
    assert stage.repository() == "https://github.com/example/bert"
    monkeypatch.setenv(stage.REPOSITORY, "example")
    with pytest.raises(stage.BookError, match="OWNER/NAME"):
        stage.repository()


def test_without_an_address_there_are_no_buttons_that_lead_nowhere():
    bare = stage.settle(CONFIG, "")
    assert "launch_buttons" not in bare and not bare["html"]["use_repository_button"]
    assert "sphinx_sitemap" not in bare["sphinx"]["extra_extensions"]
    assert not any(key.startswith(("ogp_", "sitemap_")) for key in bare["sphinx"]["config"])
    full = stage.settle(CONFIG, "https://github.com/Example/bert")
    assert full["html"]["baseurl"] == "https://example.github.io/bert/" == full["sphinx"]["config"]["ogp_site_url"]
    assert full["launch_buttons"]["colab_url"] and full["repository"]["url"].endswith("Example/bert")
    assert stage.settle(CONFIG, "", "https://example.org/x")["html"]["baseurl"] == "https://example.org/x/"
    assert CONFIG["repository"]["url"] == ""  # the configuration itself is left alone


def test_a_claims_page_leads_to_the_function_that_measures_it():
    file, line = (
        "bertology_utils/experiments/syntax/agreement.py",
        claim_pages.measured_by("syn.agreement.goldberg2019", "https://github.com/a/b"),
    )
    assert file in line and re.search(r"/blob/\w+/" + re.escape(file) + r"#L\d+", line)
    number = int(re.search(r"#L(\d+)", line)[1])
    assert (stage.ROOT / file).read_text("utf-8").splitlines()[number - 1].startswith(("@claim(", "def "))
    assert claim_pages.measured_by("siz.table1") == ""


def test_a_claim_s_page_shows_an_item_between_its_verdict_and_its_figure():
    """One that a chapter prints, with what counts as right; claims about recorded runs have none to be asked now."""
    items = claim_pages.items_in(stage.ROOT / "notebooks")
    asked = {s.row.id: s for s in shipped_standings() if s.row.id in items}
    assert len(asked) == len(items) > 100 and "trn.nsp.liu2019b" not in items
    for id, text in items.items():
        page = BeautifulSoup(claim_pages.page(asked[id], {}, item=text), "html.parser")
        (item,) = page.select(".claim-card > .claim-verdict + .claim-item")
        assert [li.get_text() for li in item.select("li")] == [line.strip() for line in text.splitlines()[1:]], id
        first = [li.get("class") for li in item.select("li") if not li.find_parents("details")]
        assert len(first) <= 12 and not (figure := item.find_all_previous("svg")), (id, figure)


def test_an_item_ends_where_the_next_begins():
    said = "Which? mini, on x:\nA [MASK].   right: is\n  is: 1\nB [MASK].\n  was: 2\n"
    page = BeautifulSoup(claim_pages._item(said), "html.parser")
    assert [li.get_text() for li in page.select("div > ul li")] == ["A [MASK].   right: is", "is: 1"]
    assert [li.get_text() for li in page.select("details li")] == ["B [MASK].", "was: 2"]
    assert page.p.get_text() == "One item. Which? mini, on x"
    assert not BeautifulSoup(claim_pages._item("Which? mini, on x:\nA\n  1\n"), "html.parser").details
