"""A quick try never displaces a shipped record; what was recorded counts as done only if it was measured as asked."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
import typer
from bench import GAPS, Bench, record
from support import tiny, tiny_folder, write_model

from bertology_utils import cards, cli, runs
from bertology_utils.claims import evidence, ledger, listing
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.cli import base
from bertology_utils.errors import TooFew
from bertology_utils.settings import Settings
from bertology_utils.subject import progress


def shipped(model: str = "mini") -> evidence.Evidence:
    return evidence.read(evidence.SHIPPED / evidence.place(GAPS, "rerun", model, "builtin"))


def rows(found) -> dict:
    return {r.key: r.rows for r in found}


def test_a_quick_try_is_shown_beside_and_never_counts(tmp_path):
    settings = Settings(evidence=tmp_path)
    before = cards.card(GAPS, settings)
    quick = record()
    quick.save(tmp_path)
    counting, beside = evidence.shelves(GAPS, settings)
    assert rows(counting)[quick.key] == shipped().rows and [r.n for r in beside] == [30]
    after = cards.card(GAPS, settings)
    assert repr(after).startswith(repr(before)) and "YOUR RUN   mini" in repr(after) and "n = 30" in repr(after)
    assert [slot.label for _, slot in after.standing.slots] == [slot.label for _, slot in before.standing.slots]
    assert "Your own runs" in after._repr_html_() and "Your own runs" not in before._repr_html_()


@pytest.mark.parametrize("change", [{"seed": 1}, {"dtype": "float16"}, {"subject_sha256": "0" * 64}, {"noise": 1e-3}])
def test_other_conditions_never_count(tmp_path, change):
    full = shipped()
    replace(full, provenance={**full.provenance, **change}).save(tmp_path)
    assert [r.key for r in evidence.shelves(GAPS, Settings(evidence=tmp_path))[1]] == [full.key]


def test_the_same_conditions_are_the_record_measured_again(tmp_path):
    again = replace(shipped(), notes=("measured here",))
    again.save(tmp_path)
    found = {r.key: r for r in evidence.find(GAPS, Settings(evidence=tmp_path))}
    assert found[again.key].notes == ("measured here",) and evidence.shelves(GAPS, Settings(evidence=tmp_path))[1] == []


def test_a_full_run_of_another_model_counts_and_a_quick_one_does_not(tmp_path):
    asked = {"seed": 0, "dtype": "float32"}
    record(model="somebert", provenance={**asked, "asked": None}).save(tmp_path)
    record(model="otherbert", provenance={**asked, "asked": 30}).save(tmp_path)
    counting, beside = evidence.shelves(GAPS, Settings(evidence=tmp_path))
    assert "somebert" in {r.model for r in counting} and [r.model for r in beside] == ["otherbert"]
    for said in (
        repr(cards.card(GAPS, Settings(evidence=tmp_path))),
        cards.card(GAPS, Settings(evidence=tmp_path))._repr_html_(),
    ):
        assert "somebert on" in said and "otherbert on" in said  # neither has a column; both are shown


def test_a_record_of_ours_that_is_not_shipped_yet_is_in_our_column_alone(tmp_path):
    """Notebooks of a new claim are executed before its records are shipped."""
    record(data="clams", provenance={"asked": None, "seed": 0, "dtype": "float32"}).save(tmp_path)
    card = cards.card(GAPS, Settings(evidence=tmp_path))
    assert "clams" in {r.data for r in card.standing.records} and "YOUR RUN" not in repr(card)


def test_a_folder_named_like_the_real_bert_is_not_the_real_bert(tmp_path):
    def real(source, model):
        kept = {**shipped().provenance, "subject_source": source}
        replace(shipped(), model=model, provenance=kept).save(tmp_path)
        return cards.card(GAPS, Settings(evidence=tmp_path)).standing.real

    released = cards.card(GAPS, Settings(evidence=tmp_path)).standing.real
    assert rows(real("folder", "/somewhere/bert-base-uncased").records) == rows(released.records)
    assert [r.model for r in real("hub@86b5e09", "bert-base-uncased").records] == ["bert-base-uncased"]


def test_missing_looks_at_items_seed_precision_and_weights(tmp_path):
    folder = write_model(tmp_path / "model")
    settings = Settings(model=str(folder), n=30, draws=50, evidence=tmp_path / "evidence")
    assert not runs.recorded(GAPS, "builtin", settings)
    runs.run(GAPS, settings)
    assert runs.recorded(GAPS, "builtin", settings)
    for change in ({"n": 40}, {"n": None}, {"seed": 1}, {"dtype": "bfloat16"}):
        assert not runs.recorded(GAPS, "builtin", replace(settings, **change)), change
    write_model(folder, seed=2)  # other weights under the same name
    runs._subject.cache_clear()
    runs._twin.cache_clear()
    assert not runs.recorded(GAPS, "builtin", settings)
    runs._subject.cache_clear()
    runs._twin.cache_clear()


def own_model(asked, *, seed=0, n=30, weights="a"):
    """A record of one's own model, of which nothing is shipped; `n` is what tells its figures apart."""
    row = {"condition": "simple", "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": n}
    kept = {"asked": asked, "seed": seed, "dtype": "float32", "subject_sha256": weights}
    return record(model="ownbert", rows=[row], provenance=kept)


@pytest.mark.parametrize("smaller", [{"asked": 200}, {"asked": None, "seed": 1}, {"asked": 600, "seed": 1}])
def test_a_full_record_is_displaced_by_no_smaller_one_and_no_other_seed(tmp_path, smaller):
    full = own_model(600 if smaller["asked"] else None, n=600)
    place = full.save(tmp_path)
    other = own_model(**smaller, n=200).save(tmp_path)
    assert other != place and [evidence.read(p).n for p in (place, other)] == [600, 200]
    assert own_model(**smaller, n=201).save(tmp_path) == other  # the same again
    found = [
        r.n for shelf in evidence.shelves(GAPS, Settings(evidence=tmp_path)) for r in shelf if r.model == "ownbert"
    ]
    assert sorted(found) == [201, 600]


def test_a_fuller_record_and_one_of_other_weights_take_the_place(tmp_path):
    place = own_model(200, n=200).save(tmp_path)
    assert own_model(600, n=600).save(tmp_path) == place and evidence.read(place).n == 600
    assert own_model(200, n=200, weights="b").save(tmp_path) == place and evidence.read(place).n == 200


def test_missing_finds_a_quick_try_beside_a_fuller_one(tmp_path):
    settings = Settings(model=str(tiny_folder()), n=40, draws=50, evidence=tmp_path)
    quick = replace(settings, n=30)
    runs.run(GAPS, settings, twin=False)
    assert not runs.recorded(GAPS, "builtin", quick, twin=False)
    runs.run(GAPS, quick, twin=False)
    assert runs.recorded(GAPS, "builtin", quick, twin=False) and runs.recorded(GAPS, "builtin", settings, twin=False)
    assert len(list(tmp_path.rglob("*.json"))) == 2


def test_the_same_folder_name_in_two_places_is_two_models(tmp_path, monkeypatch):
    names = []
    for place in ("a", "b"):
        write_model(tmp_path / place / "bert")
        monkeypatch.chdir(tmp_path / place)
        names.append(runs.settings_for(GAPS, Settings(model="./bert-untrained")).model)
    assert names == [str(tmp_path / place / "bert-untrained") for place in ("a", "b")]


def test_a_home_folder_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", "~/x")
    settings = Settings.of(mirror="~/mirror")
    assert (settings.evidence, settings.mirror) == (tmp_path / "x", tmp_path / "mirror")


@pytest.fixture
def bench(tmp_path, monkeypatch, capsys):
    return Bench(tmp_path, monkeypatch, capsys)


def test_after_a_run_a_line_says_where_the_records_lie_and_what_its_words_mean(bench):
    said = bench.run()
    assert said.code == 0, said
    assert f"1 records are in {bench.folder / 'evidence'}" in said.out and "stay as they are" in said.out
    assert "    open: the interval lies across the bound" in said.out
    assert said.err == ""  # no line of progress where nobody sits at a terminal


def test_of_one_item_no_interval_is_a_point(bench):
    said = bench("run", GAPS, "--n", 1, "--no-twin", "--model", tiny_folder())
    assert said.code in (0, 2) and "Traceback" not in said.err and "HOLDS" not in said.out
    for path in bench.folder.rglob("*.json"):
        for row in json.loads(path.read_text())["rows"]:
            assert row["low"] is None or row["high"] - row["low"] > 0.1, row


def test_the_release_is_said(bench):
    said = bench("--version")
    assert said.code == 0 and said.out.startswith("bertology 0.") and "torch" in said.out


def test_every_option_has_a_help():
    def parameters(command, name="bertology"):
        for child in getattr(command, "commands", {}).values():
            yield from parameters(child, f"{name} {child.name}")
        yield from ((name, p) for p in command.params if p.param_type_name == "option")

    lacking = [f"{name} {p.opts[0]}" for name, p in parameters(typer.main.get_command(cli.app)) if not p.help]
    assert lacking == []


def test_the_list_is_kept_until_a_file_changes(tmp_path):
    settings, made = Settings(evidence=tmp_path / "e", cache=tmp_path / "c"), []

    def make(_):
        made.append(len(made))
        return [{"text": "x", "plain": {"id": "x"}}]

    for _ in range(2):
        assert listing.lines(settings, make)[0]["text"] == "x"
    assert made == [0]
    record().save(settings.evidence)
    listing.lines(settings, make)
    assert made == [0, 1] and len(list((settings.cache / "list").iterdir())) == 1


LISTED = """
import sys, time
from bertology_utils import cli
sys.argv = ["bertology", "list"]
try:
    cli.main()
except SystemExit:
    pass
heavy = [name for name in ("torch", "transformers", "pandas", "scipy") if name in sys.modules]
print(time.process_time(), heavy, file=sys.stderr)
"""


def test_a_kept_list_takes_less_than_a_second_and_imports_no_model_library(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path / "e"))
    monkeypatch.setenv("BERTOLOGY_CACHE", str(tmp_path / "c"))
    line = {"text": "syn.x  mini: holds (n = 12)", "plain": {"id": GAPS}}
    listing.lines(Settings.of(), lambda _: [line])
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, timeout=120)
    seconds, _, heavy = done.stderr.strip().partition(" ")
    assert "n = 12" in done.stdout and "holds: the whole interval lies beyond the bound" in done.stdout, done.stderr
    assert heavy == "[]" and float(seconds) < 2.0, done.stderr  # of processor time; 0.5 s on a machine at rest


def test_the_first_list_loads_no_model_library_either(tmp_path, monkeypatch):
    """All claims decided afresh: what runs models takes longer to import than all the rest."""
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path / "e"))
    monkeypatch.setenv("BERTOLOGY_CACHE", str(tmp_path / "c"))
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, timeout=120)
    seconds, _, heavy = done.stderr.strip().partition(" ")
    assert "syn.agreement.goldberg2019" in done.stdout, done.stderr
    assert "torch" not in heavy and "transformers" not in heavy, done.stderr
    assert float(seconds) < 20, done.stderr  # of processor time: 4 s on a fast machine at rest, 11 s on a slow one


def failing(error: Exception):
    def experiment(subject, data, settings):
        raise error

    return experiment


@pytest.mark.parametrize("n", [20, 1000])
@pytest.mark.parametrize("error", [KeyError("a misspelt name"), ValueError("shapes differ"), IndexError("5")])
def test_a_bug_stays_a_bug_and_is_not_put_down_to_few_items(error, n):
    with pytest.raises(type(error)):
        runs.run(GAPS, model=str(tiny_folder()), n=n, twin=False, experiment=failing(error))


@pytest.mark.parametrize(
    "error, n", [(TooFew("no dev split"), 20), (TooFew("no dev split"), 1000), (ValueError("empty"), 5)]
)
def test_too_few_items_are_one_line_that_names_the_claim(error, n):
    with pytest.raises(
        NotRunnable, match=rf"^{GAPS} cannot be measured on n = {n} items \((no dev split|empty)\): ask"
    ):
        runs.run(GAPS, model=str(tiny_folder()), n=n, twin=False, experiment=failing(error))


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_long_work_shows_itself_on_a_terminal_and_in_a_notebook_that_somebody_watches(monkeypatch):
    def told(expected=None) -> str:
        terminal.text = ""
        with progress.progress(tiny(), "a claim: mini on builtin", expected):
            time.sleep(0.12)  # a bar is drawn ten times a second
            tiny().base(torch.ones(3, 5, dtype=torch.long))
        return terminal.text

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert told() == "", "short work needs no line"
    monkeypatch.setattr(progress, "WAIT", 1e-9)
    text = told(60.0)
    assert "a claim: mini on builtin (took 01:00 when shipped): 3 rows" in text
    assert text.endswith("\r") and not text.rsplit("\r", 2)[1].strip()  # nothing is left of it
    progress.place.set(None)  # one of several processes
    assert told() == ""
    progress.place.set("[2/7] ")
    assert "[2/7] a claim" in told()
    progress.place.set("")
    terminal.isatty = lambda: False
    assert told() == ""
    monkeypatch.setattr(Terminal, "__module__", "ipykernel.iostream")  # in a notebook, unless the book executes it
    assert "3 rows" in told()
    monkeypatch.setenv("NO_PROGRESS", "1")
    assert told() == ""
    assert not tiny().base._forward_pre_hooks


def test_a_mistyped_claim_is_refused_before_what_runs_models_is_imported():
    code = (
        "import sys; from bertology_utils.cli import main; sys.argv = ['bertology', 'run', 'syn.agreemnt']\n"
        "try: main()\nexcept SystemExit as e: assert e.code == 2\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "nearest: syn.agreement.goldberg2019" in done.stderr, done


@pytest.mark.parametrize(
    ("typed", "wanted"), [("npl", "syn.npi.warstadt2019"), ("Sytnax", "syn."), ("hed.norm", "hed.norms")]
)
def test_the_nearest_claims_are_named_whatever_is_typed(typed, wanted):
    with pytest.raises(ledger.NoSuchRow, match=f"no row '{typed}'.*nearest: .*{wanted}"):
        ledger.row(typed)


def test_nothing_missing_is_said(bench):
    words = ("run", GAPS, "--n", 30, "--no-twin", "--model", tiny_folder())
    assert bench(*words).code == 0
    for more in (("--missing",), ("--missing", "--dry-run")):
        said = bench(*words, *more)
        assert said.code == 0 and "nothing is missing" in said.out, said


def test_the_shell_can_complete_claims(bench):
    assert "--install-completion" in bench("--help").out
    assert base.ids("syn.agr") == [GAPS] and "syntax" in base.ids("syn")
