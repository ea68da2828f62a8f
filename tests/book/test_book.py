"""The book: it builds without a warning, every page has content, every link leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

from bertology_utils.book import cards_of_models, landing, notebooks, pages, samples, stage
from bertology_utils.book.__main__ import build
from bertology_utils.cards.standing import Slot, Standing, standings
from bertology_utils.cards.standing import standing as standing_of
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import SHIPPED, Evidence
from bertology_utils.claims.evidence import read as read_record
from bertology_utils.claims.rules import LABELS
from bertology_utils.data.items import ForcedChoice, Sentence, Span
from bertology_utils.settings import Settings
from tests.conftest import ADDRESS
from tests.support import write_model

PAGES = (
    "intro",
    "how-to-read",
    "how-to-run",
    "scoreboard",
    "methods",
    "models",
    "data",
    "faults",
    "api",
    "glossary",
    "cite",
    "references",
)
CHAPTERS = [path.stem for path in notebooks.found(stage.ROOT / "notebooks")]
CONFIG = yaml.safe_load((stage.ROOT / "_config.yml").read_text(encoding="utf-8"))


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="session")
def read(site: Path) -> dict[str, BeautifulSoup]:
    found = (page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts)  # there: a theme's templates
    return {page.relative_to(site).as_posix(): soup(page) for page in found}


@pytest.mark.book
def test_every_page_is_there_and_has_content(read):
    expected = {f"book/{name}.html" for name in PAGES} | {f"notebooks/{name}.html" for name in CHAPTERS}
    expected |= {f"claims/{row.id}.html" for row in ledger.rows()}
    assert expected <= read.keys()
    for name in expected:
        words = read[name].find("article").get_text(" ").split()
        assert len(words) > 100, f"{name} has {len(words)} words"


@pytest.mark.book
def test_the_contents_list_exactly_the_chapters_that_exist(read):
    listed = [a["href"] for a in read["book/intro.html"].select("nav.bd-links a.internal")]
    assert [Path(h).stem for h in listed if "notebooks/" in h] == CHAPTERS
    assert set(CHAPTERS) <= {s.chapter for s in ledger.sections()}


@pytest.mark.book
def test_internal_links_lead_to_pages_and_places_that_exist(read, site):
    broken = []
    for name, page in read.items():
        for link in page.select("[href], [src]"):
            target = urlsplit(link.get("href") or link.get("src"))
            if target.scheme or target.netloc:
                continue
            path = ((site / name).parent / unquote(target.path)).resolve() if target.path else site.resolve() / name
            if not path.exists():
                broken.append(f"{name}: {target.geturl()}")
            elif target.fragment and path.suffix == ".html":
                whole = read[path.relative_to(site.resolve()).as_posix()]
                if not whole.find(id=unquote(target.fragment)):
                    broken.append(f"{name}: {target.geturl()} has no such place")
    assert not broken


@pytest.mark.book
def test_nothing_is_loaded_from_another_site(read):
    loaded = [
        f"{name}: {tag}"
        for name, page in read.items()
        for tag in page.select("script[src], link[rel~=stylesheet], link[rel~=preload], img, iframe, video, source")
        if urlsplit(tag.get("src") or tag.get("href") or "").netloc
    ]
    assert not loaded


@pytest.mark.book
def test_pictures_have_words_for_those_who_do_not_see_them(read):
    for name, page in read.items():
        for image in page.find("article").select("img") if page.find("article") else ():
            alt = image.get("alt", "")
            assert len(alt.split()) > 2 and not re.search(r"[0-9a-f]{16}", alt), f"{name}: alt text {alt!r}"


@pytest.mark.book
def test_chapters_show_their_cards_with_verdicts(read):
    by_chapter = {s.chapter: {row.id for row in s.rows} for s in ledger.sections()}
    for chapter in CHAPTERS:
        cards = read[f"notebooks/{chapter}.html"].select("section.claim-card")
        assert cards, f"{chapter} has no card"
        assert {card["id"] for card in cards} <= by_chapter[chapter]
        for card in cards:
            assert len(card.select(".claim-slot .outcome")) == 3, f"{card['id']} has not three outcomes"


@pytest.mark.book
def test_cards_and_claim_pages_lead_to_one_another(read):
    for chapter in CHAPTERS:
        for card in read[f"notebooks/{chapter}.html"].select("section.claim-card"):
            assert card.select_one("a.claim-page")["href"] == f"../claims/{card['id']}.html"
    for row in ledger.rows():
        page = read[f"claims/{row.id}.html"]
        assert page.select_one(f"section.claim-card[id='{row.id}']") and "@misc{bertology-" in page.get_text()
        assert page.select_one("table.history") and page.select_one("meta[name=description]")["content"]


@pytest.mark.book
def test_evidence_can_be_downloaded(read, site):
    """Whole and by claim, and each record as it is."""
    with zipfile.ZipFile(site / "_static" / "evidence.zip") as archive:
        assert archive.testzip() is None
        names = {n for n in archive.namelist() if n.startswith("evidence/")}
        shipped = {f"evidence/{p.relative_to(SHIPPED).as_posix()}" for p in SHIPPED.glob("*/*.json")}
        assert names == shipped and {"README.txt", "claims.csv"} <= set(archive.namelist())
    for row in ledger.rows():
        own = json.loads((site / "_static" / "claims" / f"{row.id}.json").read_text(encoding="utf-8"))
        assert len(own) == sum(name.startswith(f"evidence/{row.id}/") for name in names)
        page = read[f"claims/{row.id}.html"]
        assert page.find(id="evidence") and page.find(id="disagree")


@pytest.mark.book
def test_the_book_can_be_cited(read, site):
    assert "@misc{bertology-rerun" in read["book/cite.html"].get_text()
    assert (site / "_static" / "CITATION.cff").read_bytes() == (stage.ROOT / "CITATION.cff").read_bytes()
    assert read["book/intro.html"].select("a[href='cite.html']")


@pytest.mark.book
def test_every_page_has_a_description_and_a_picture_to_be_linked_with(read, site):
    base = "https://example.github.io/bertology-rerun/"
    for name, page in read.items():
        if not name.startswith(("book/", "claims/", "notebooks/")):
            continue
        assert len(page.select("meta[name=description]")) == 1, name
        assert len(page.select_one("meta[name=description]")["content"]) > 30, name
        (picture,) = page.select("meta[property='og:image']")
        assert (site / picture["content"].removeprefix(base)).is_file(), name


@pytest.mark.book
def test_words_of_the_glossary_are_explained_where_they_are_used(read):
    terms = read["book/glossary.html"].select("dt[id]")
    for chapter in CHAPTERS:
        links = read[f"notebooks/{chapter}.html"].select("a.term")
        assert links and all(len(a["title"]) > 20 for a in links)
        assert {a["href"].partition("#")[2] for a in links} <= {dt["id"] for dt in terms}
        assert not [a for a in links if a.find_parent(["a", "code", "pre", "h1", "h2", "h3"])]


@pytest.mark.book
def test_every_square_of_the_landing_page_is_a_claim(read):
    squares = read["book/intro.html"].select(".claim-grid a.sq")
    assert [a["href"] for a in squares] == [f"../claims/{row.id}.html" for row in ledger.rows()]
    assert all(a["aria-label"] for a in squares)


@pytest.mark.book
def test_pages_are_light(site):
    """A chapter's own page, without its pictures, stays under 900 KB, and no page loads the icons' script."""
    for chapter in CHAPTERS:
        assert (site / "notebooks" / f"{chapter}.html").stat().st_size < 900_000, chapter
    assert not list(site.rglob("fontawesome*.js"))
    assert "fontawesome" not in (site / "book" / "intro.html").read_text(encoding="utf-8")


@pytest.mark.book
def test_the_same_table_as_csv_and_json(site):
    rows = json.loads((site / "_static" / "claims.json").read_text(encoding="utf-8"))
    lines = (site / "_static" / "claims.csv").read_text(encoding="utf-8").splitlines()
    assert [r["id"] for r in rows] == [line.split(",")[0] for line in lines[1:]] == [r.id for r in ledger.rows()]


@pytest.mark.book
def test_chapters_can_be_downloaded_and_opened_on_colab(read, site):
    for chapter in CHAPTERS:
        hrefs = [a["href"] for a in read[f"notebooks/{chapter}.html"].select("a[href]")]
        colab = ADDRESS.replace("https://github.com", "https://colab.research.google.com/github")
        assert f"{colab}/blob/main/notebooks/{chapter}.ipynb" in hrefs
        assert (site / "_sources" / "notebooks" / f"{chapter}.ipynb").is_file()
        assert any(h.endswith(f"{chapter}.ipynb") and "_sources" in h for h in hrefs)


@pytest.mark.book
def test_scoreboard_has_every_row_of_the_ledger(read):
    page = read["book/scoreboard.html"]
    rows = page.select("table.scoreboard.claims tbody tr")
    assert [tr.th.a["href"] for tr in rows] == [f"../claims/{row.id}.html" for row in ledger.rows()]
    assert {tr[f"data-{who}"] for tr in rows for who in ("real", "mini", "untrained")} <= set(LABELS)
    assert all(len(tr.select(".outcome")) == 3 for tr in rows)


@pytest.mark.book
def test_site_map_names_the_pages(site):
    text = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "https://example.github.io/bertology-rerun/book/scoreboard.html" in text


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
    ("labels", "kind"),
    [
        (("holds", "learned", "does not hold"), "holds"),
        (("holds", "holds, untrained too", "holds"), "part"),
        (("does not hold", "learned", "does not hold"), "not"),
        (("not rerun", "learned", "does not hold"), "holds"),
        (("undecided", "not found at this size", "does not hold"), "not"),
        (("not rerun", "cannot be tested here", "undecided"), "open"),
        (("not rerun", "not rerun", "not rerun"), "none"),
    ],
)
def test_a_square_is_full_only_where_training_taught_it(labels, kind):
    assert landing.square(standing(*labels)) == kind


def test_the_result_is_counted():
    found = [standing("holds", "learned", "does not hold"), standing("not rerun", "not rerun", "not rerun")]
    said = BeautifulSoup(landing.result(found), "html.parser")
    assert "2 claims" in said.get_text() and "1 of them has not been rerun" in said.get_text()
    assert [box.get_text() for box in said.select(".tally-count")] == ["1 of 1", "1 of 1"]
    assert "claim holds for the real BERT" in said.get_text() and "Of the others" not in said.get_text()


def test_results_to_begin_with_are_picked_by_what_came_out():
    found = standings(settings=Settings(evidence=SHIPPED))
    chosen = landing.picked(found)
    assert 1 <= len(chosen) <= 3 and len({s.row.id for _, s in chosen}) == len(chosen)
    by_heading = {heading: (real, mini) for heading, real, mini in landing.KINDS_OF_RESULT}
    for heading, s in chosen:
        real, mini = by_heading[heading]
        assert (real is None or s.real.label in real) and (mini is None or s.mini.label in mini)
    assert landing.picked([standing("not rerun", "not rerun", "not rerun")]) == []


def test_a_model_is_described_from_its_own_files(tmp_path, monkeypatch):
    model = write_model(tmp_path / "somebert")
    assert "without a model" in described(tmp_path, monkeypatch, {})
    with pytest.raises(FileNotFoundError, match=r"training\.json"):
        described(tmp_path, monkeypatch, {"somebert": model})
    run = {"name": "tiny", "lowercase": True, "nsp": True, "tokens": 2000}
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
    assert (tmp_path / "_generated" / "curve-somebert.png").stat().st_size > 5000


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
    choice = samples.describe(ForcedChoice(id="2", text="It [MASK] .", good="is", bad="are"))
    assert "[MASK]" not in choice and '<b class="good">is</b>' in choice and '<s class="bad">are</s>' in choice
    assert samples.marked(words, (1, 3, "A1")) == "the <b>&lt;old&gt; key</b><sub>A1</sub> opens"


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


@pytest.fixture
def root(tmp_path) -> Path:
    """A checkout with one short notebook, stored without outputs."""
    root = tmp_path / "checkout"
    (root / "notebooks").mkdir(parents=True)
    shutil.copytree(stage.ROOT / "book", root / "book", ignore=shutil.ignore_patterns("_build"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy2(stage.ROOT / name, root)
    code = "import os\nprint('executed with', os.environ['BERTOLOGY_MODEL'], 6 * 7)"
    cells = [nbformat.v4.new_markdown_cell("# Syntax\n\n$x^2$"), nbformat.v4.new_code_cell(code)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "notebooks" / "02_syntax.ipynb")
    return root


def hashes(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_that_holds_no_book_is_not_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(stage.BookError, match="holds no book"):
        stage.render(tmp_path / "source", tmp_path)
    assert (tmp_path / "thesis.tex").is_file()


def measured_here(folder: Path, model: str) -> None:
    """A full run of a model of the Hub in a reader's own evidence folder (its figures are mini's)."""
    full = read_record(SHIPPED / ID / "rerun--mini--builtin.json")
    replace(full, model=model, provenance={**full.provenance, "subject_source": "hub@86b5e09"}).save(folder)


@pytest.mark.book
def test_the_book_executes_copies_and_leaves_the_checkout_alone(root, tmp_path, monkeypatch):
    """And it shows the reader's own records of the model that is named (`make real`), of no other."""
    monkeypatch.setenv("BERTOLOGY_MODEL", "something-else")
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path / "mine"))
    for model in ("bert-base-uncased", "bert-base-uncased-untrained", "bert-large-uncased"):
        measured_here(tmp_path / "mine", model)
    before = hashes(root)
    first = build(tmp_path / "html", ("mini", "builtin", "cpu"), root, own="bert-base-uncased")
    (listed,) = [c for c in json.loads((first.parent / "_static/claims.json").read_text()) if c["id"] == ID]
    shown = {e["model"] for e in listed["evidence"] if e["kind"] == "rerun"}
    assert {"bert-base-uncased", "bert-base-uncased-untrained"} <= shown and "bert-large-uncased" not in shown
    assert (
        listed["outcomes"]["real"]["data"]
        == ["builtin"]
        != standing_of(ID, Settings(evidence=tmp_path / "none")).real.data
    )
    assert "(our rerun" in first.parent.joinpath("claims", f"{ID}.html").read_text()
    page = soup(first.parent / "notebooks" / "02_syntax.html")
    assert "executed with mini 42" in page.get_text()
    assert page.select_one("article math msup") and not page.select("script[src*=mathjax], script[src*=thebe]")
    assert hashes(root) == before
    assert json.loads((root / "notebooks" / "02_syntax.ipynb").read_text())["cells"][1]["outputs"] == []


@pytest.mark.book
def test_a_reference_to_nothing_is_an_error(root, tmp_path):
    page = root / "book" / "how-to-run.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n{cite:p}`nobody1900`\n", encoding="utf-8")
    with pytest.raises(stage.BookError, match="nobody1900"):
        build(tmp_path / "html", None, root)
    assert not (tmp_path / "html").exists()
