"""Items of every live claim and what a network answers to them: each with its own text, figures and another's answers."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from support import write_model

from bertology_utils import runs
from bertology_utils.claims import ledger
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.claims.sources import load_for
from bertology_utils.data import builtin
from bertology_utils.data.items import Item, MinimalPair
from bertology_utils.data.original import DataUnavailable
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load
from bertology_utils.worked_examples import example, examples, lines
from bertology_utils.worked_examples.table import EXAMPLES

DOC = Path(__file__).parents[2] / "book" / "how-to-run.md"
AGREEMENT = "syn.agreement.goldberg2019"
RUN = 3  # words in a row by which an item is known
# Claims that ask what the bundled networks are not: each says so in a line where they are run by default.
OTHERS = ("syn.method_favours_model.htut2019", "wld.closed_book.roberts2020")
# Those of which something is computed when the book is executed with its defaults
LIVE = [id for id, it in runs.registered().items() if not it.family and id not in OTHERS]


@cache
def small() -> Settings:
    """A narrow network of random weights with the words of mini: it matters that something is shown, not what."""
    words = load("mini", Settings(device="cpu")).tokenizer.get_vocab()
    folder = write_model(Path(mkdtemp(prefix="bertology-small-")), words=sorted(words, key=words.__getitem__))
    return Settings(model=str(folder), device="cpu")


def words_of(text: str) -> str:
    """Its words in small letters with a blank around each; without marks of any kind, and numbers behind brackets."""
    bare = re.sub(r"\]\d+", "]", text).replace("[", "").replace("]", "").lower()
    return " " + " ".join(re.findall(r"[^\W_]+", bare)) + " "


def texts(item: Item):
    """The texts that an item holds: what it is about, and not how it is labelled."""
    for name in ("text", "text_b", "words", "a", "b", "x", *(["good"] if isinstance(item, MinimalPair) else [])):
        if value := getattr(item, name, None):
            yield value if isinstance(value, str) else " ".join(value)
    yield from (" ".join(s.words) for s in getattr(item, "sentences", {}).values())


def shows(said: list[str], item: Item) -> bool:
    """Whether some line has as many words in a row of some text of the item as `RUN`, or all that it has."""
    lines_ = [words_of(line) for line in said]
    for text in texts(item):
        own = words_of(text).split()
        stretches = [own[k : k + RUN] for k in range(max(1, len(own) - RUN + 1))]
        if any(f" {' '.join(run)} " in line for run in stretches if run for line in lines_):
            return True
    return False


def test_the_examples_are_of_claims_that_are_measured():
    assert set(EXAMPLES) <= {*LIVE, *OTHERS} and len(EXAMPLES) > 100
    assert set(example.questions()) == set(EXAMPLES)
    assert all(asked.endswith(("?", ".)")) for asked in example.questions().values())


@pytest.mark.parametrize("id", LIVE)
def test_an_example_shows_an_item_and_what_this_network_answers(id):
    said = list(lines(id, small()))
    it, shown = runs.get(id), EXAMPLES.get(id)
    data = load_for(it, "builtin", replace(small(), n=shown.n if shown else example.FEW))
    assert example.question(id) in said[0] and "generated items" in said[0]
    assert any(shows(said[1:], item) for items in data.items.values() for item in items), (
        "no item's own words are shown"
    )
    assert any(re.search(r"\d\.\d|likeliest|nearest|: (right|wrong)", line) for line in said[1:]), "nothing is answered"
    other = list(lines(id, replace(small(), model=f"{small().model}-untrained")))
    assert other[1:] != said[1:], "another network answers the same"


@pytest.mark.parametrize("id", OTHERS)
def test_what_a_network_cannot_be_asked_is_said_in_a_line(id, capsys):
    examples(id, small())
    said = capsys.readouterr().out
    assert said.startswith(f"not asked: {id}") and said.count("\n") == 1


def test_of_recorded_runs_a_line_says_that_nothing_is_asked(capsys):
    examples("trn.nsp.liu2019b", small())
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "trn.nsp.liu2019b compares recorded runs" in said


def test_a_network_without_a_mask_head_is_refused_in_a_line(tmp_path, capsys):
    examples(AGREEMENT, Settings(model=str(write_model(tmp_path / "headless", mlm=False)), device="cpu"))
    said = capsys.readouterr().out
    assert said.startswith("not asked: ") and "head" in said and said.count("\n") == 1


def test_generated_items_stand_in_where_the_claim_has_no_other_and_a_line_says_so():
    said = list(lines("sem.numbers.wallace2019b", replace(small(), data="original")))
    assert "has no original data" in said[0] and "generated items" in said[1]
    said = list(lines(AGREEMENT, replace(small(), data="glue_sst2")))
    assert "glue_sst2" in said[0] and "generated items" in said[1]


def test_generated_items_stand_in_where_data_cannot_be_had(monkeypatch):
    def without_network(it, source, settings):
        if source != "builtin":
            raise DataUnavailable("no network")
        return load_for(it, source, settings)

    monkeypatch.setattr(example, "load_for", without_network)
    said = list(lines(AGREEMENT, replace(small(), data="original")))
    assert "no network" in said[0] and "generated items" in said[1]


def test_a_fault_of_ours_stops_no_chapter(monkeypatch, capsys):
    def broken(subject, data, settings):
        yield "an item"
        raise RuntimeError("a shape\nis wrong")

    monkeypatch.setitem(EXAMPLES, AGREEMENT, replace(EXAMPLES[AGREEMENT], show=broken))
    examples(AGREEMENT, small())
    assert capsys.readouterr().out == "failed: RuntimeError: a shape is wrong\n"
    with pytest.raises(RuntimeError):
        list(lines(AGREEMENT, small()))


def test_a_claim_without_an_example_is_shown_by_its_own_experiment(monkeypatch):
    id = "syn.malformed.ettinger2019"
    monkeypatch.delitem(EXAMPLES, id)
    said = "\n".join(lines(id, small()))
    assert ledger.row(id).title in said and "measured now on 60 items" in said
    assert re.search(r"survival.*: -?\d\.\d+ \[", said) and "-untrained" in said


def test_an_unknown_claim_is_named_with_the_nearest(capsys):
    examples("syn.agreement")
    assert AGREEMENT in capsys.readouterr().out


def test_what_is_live_is_said_in_the_book():
    text = " ".join(DOC.read_text(encoding="utf-8").split())
    rows, family = len(ledger.rows()), sum(bool(it.family) for it in runs.registered().values())
    assert f"{len(LIVE)} of the {rows} claims" in text and f"{family} claims" in text
    assert f"{len(LIVE) / rows:.0%}" in text


@pytest.mark.parametrize("task", builtin.tasks())
def test_an_item_says_what_it_asks_in_a_line_or_two(task):
    for item in builtin.build(task, 30):
        said = item.describe()
        assert 1 <= len(said.split("\n")) <= 2 and said == said.strip()
        assert shows([said], item)


def test_a_kind_of_item_that_does_not_describe_itself_says_so():
    with pytest.raises(NotImplementedError, match="Item"):
        Item(id="x").describe()


def test_lines_raise_what_examples_say():
    with pytest.raises(NotRunnable):
        list(lines(OTHERS[0], small()))
