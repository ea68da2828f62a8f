"""The book: it builds without a warning, every page has content, every link leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

from bertology_utils.book import cards_of_models, notebooks, pages, samples, stage
from bertology_utils.book.__main__ import build
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.rules import LABELS, Verdict
from bertology_utils.data.items import ForcedChoice, Sentence, Span
from bertology_utils.settings import Settings
from tests.conftest import ADDRESS
from tests.support import write_model

PAGES = ("intro", "how-to-run", "scoreboard", "methods", "models", "data", "references")
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
            assert card.select(".verdict"), f"{card['id']} has no verdict"


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
    shown = [code.get_text() for code in page.select("table.scoreboard tbody th code")]
    assert shown == [row.id for row in ledger.rows()]
    assert {tr["data-verdict"] for tr in page.select("table.scoreboard tbody tr")} <= set(LABELS)
    assert all(tr.select(".verdict") for tr in page.select("table.scoreboard tbody tr"))


@pytest.mark.book
def test_site_map_names_the_pages(site):
    text = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "https://example.github.io/bertology-rerun/book/scoreboard.html" in text


def record(model: str, data: str, label: str, kind: str = "rerun") -> Evidence:
    row = {"measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 10}
    verdict = Verdict(label, "a reason", "a rule")
    id = "syn.agreement.goldberg2019"
    return Evidence(claim=id, model=model, data=data, kind=kind, rows=[row], verdict=verdict, n=10)


def test_a_row_is_counted_by_the_books_model_on_generated_data_first():
    original = record("mini", "gulordava2018_linzen2016", "partly")
    generated = record("mini", "builtin", "replicated")
    others = [
        record("mini-untrained", "builtin", "inconclusive"),
        record("bert-base", "aaa", "not replicated", "released"),
    ]
    assert pages.headline([original, *others, generated], "mini") == generated
    assert pages.verdict([*others, original]) == "partly"
    assert pages.verdict(others) == "not rerun"


def test_generated_parts_follow_the_evidence_and_are_the_same_each_time(tmp_path):
    settings = Settings(evidence=tmp_path / "evidence")
    before = pages.scoreboard(settings, {"02_syntax"})
    record("somebert", "builtin", "partly").save(settings.evidence)
    record("somebert-untrained", "builtin", "not replicated").save(settings.evidence)
    after = pages.scoreboard(settings, {"02_syntax"})
    rows = {"before": before, "after": after}
    rows = {
        k: BeautifulSoup(v, "html.parser").find("code", string="syn.agreement.goldberg2019") for k, v in rows.items()
    }
    badges = {k: [b.get_text() for b in v.find_parent("tr").select(".verdict")] for k, v in rows.items()}
    assert {"not replicated", "partly"} <= set(badges["after"])
    assert set(badges["before"]) - {"not rerun"} <= set(badges["after"])
    assert rows["after"].find_parent("th").find("a")["href"].endswith("02_syntax.html#syn.agreement.goldberg2019")
    for folder in ("one", "two"):
        pages.write(tmp_path / folder / "book" / "_generated", settings)
    parts = [{p.name: p.read_bytes() for p in (tmp_path / f).rglob("*.*")} for f in ("one", "two")]
    assert parts[0] == parts[1] and parts[0].keys() >= {"scoreboard.md", "samples.md", "licences.md", "models.md"}


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
    monkeypatch.setattr("bertology_utils.models.bundled", lambda: bundled)
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


@pytest.mark.book
def test_the_book_executes_copies_and_leaves_the_checkout_alone(root, tmp_path, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_MODEL", "something-else")
    before = hashes(root)
    first = build(tmp_path / "html", ("mini", "builtin", "cpu"), root)
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
