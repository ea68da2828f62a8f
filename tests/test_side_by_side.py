"""`results`: every subject there is for a claim, the reader's own measured now; what cannot be had is a line."""

from __future__ import annotations

import math

import pytest

import bertology_utils
from bertology_utils import plotting, side_by_side
from bertology_utils.cards import card
from bertology_utils.claims.registry import NotDefined
from bertology_utils.plotting import theme
from bertology_utils.settings import Settings
from bertology_utils.side_by_side import attempt, results

ID = "syn.agreement.goldberg2019"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Few items of a reader's own choice, in an empty evidence folder."""

    def of(**changes) -> Settings:
        return Settings(evidence=tmp_path / "evidence", cache=tmp_path / "cache", **changes)

    return of


def test_by_default_it_is_the_records_real_bert_first_and_the_twin_last(settings):
    r = results(ID, settings(), data="gulordava2018_linzen2016")
    names = list(r.frames)
    assert names[0] == "bert-base-uncased, released" and names[-1] == "mpnet-untrained"
    assert r.focus == "mpnet" and not r.own and not r.refusals
    assert set(r.series("balanced accuracy")) >= {"bert-base-uncased, released", "mpnet", "mini", "mpnet-untrained"}
    assert (
        r.value("balanced accuracy", items="nonce")
        == r.rows.query("measure == 'balanced accuracy' and items == 'nonce'").value.item()
    )


def test_what_nobody_has_is_empty_and_no_error(settings):
    r = results(ID, settings())
    assert r.series("no such measure") == {} and r.by({"a": "no such measure"}) == {}
    assert r.series("balanced accuracy", no_such_column=1) == {}
    assert math.isnan(r.value("no such measure")) and all(map(math.isnan, r.interval("no such measure")))
    with pytest.raises(ValueError, match="tell them apart"):
        r.value("balanced accuracy")


def test_one_subject_in_several_conditions(settings):
    r = results("syn.triggers.wallace2019a", settings(), data="glue_sst2")
    texts = {"none": "no trigger", "found": "trigger", "other": "no such text"}
    shown = r.split("accuracy", "text", texts)
    assert list(shown) == ["none", "found"] and set(shown["found"]["text"]) == {"trigger"}
    assert shown["none"].equals(r.by({"none": "accuracy"}, text="no trigger")["none"])


def test_what_decides_nothing_stands_beside_with_the_rows_of_all_its_files(settings):
    r = results("emb.sense_clusters.wiedemann2019", settings(), data="coarsewsd20")
    files = set(r.others["bert-base-uncased"]["data"])
    assert "coarsewsd20" in files and len(files) > 1 and "data" not in r.others["commonest sense"]
    assert list(r.beside("accuracy")) == ["bert-base-uncased, released"]
    assert r.beside("no such measure") == {}


def test_a_chosen_models_twin_is_told_from_it():
    own, twin, other = (theme.look(name) for name in ("toy, measured now", "toy-untrained, measured now", "untrained"))
    assert own != twin == other


def test_a_chosen_model_is_measured_now_under_its_own_name_and_read_the_second_time(settings, monkeypatch):
    chosen = settings(model="toy", n=60, fast=True)
    r = results(ID, chosen)
    assert r.own == r.focus == "toy" and "toy, measured now" in r.frames and "mini" in r.frames
    assert theme.COLOURS[theme.look("toy, measured now")] == theme.SUBJECTS[-1]

    def never(*_, **__):
        raise AssertionError("measured twice")

    monkeypatch.setattr(side_by_side, "run", never)
    again = results(ID, chosen)
    assert again.frames["toy, measured now"].value.tolist() == pytest.approx(
        r.frames["toy, measured now"].value.tolist(), rel=1e-4
    )


def test_a_shipped_record_under_the_same_settings_is_not_measured_again(settings, monkeypatch):
    monkeypatch.setattr(side_by_side, "run", None)
    r = results(ID, settings(data="original"), data="gulordava2018_linzen2016")
    assert r.own == "mini" and r.frames["mini, measured now"].equals(
        results(ID, settings(), data="gulordava2018_linzen2016").frames["mini"]
    )


def test_a_claim_that_is_not_defined_for_a_model_is_one_line_on_the_card_too(settings, monkeypatch):
    def refuse(*_, **__):
        raise NotDefined("it has no\nsegments")

    monkeypatch.setattr(side_by_side, "run", refuse)
    r = results(ID, settings(model="toy", n=50))
    assert not r.own and "mini" in r.frames
    assert str(r.refusals[0]) == "toy was not measured on builtin: it has no segments"
    shown = card(ID, settings())
    assert "it has no segments" in repr(shown) and "it has no segments" in shown._repr_html_()
    results(ID, settings())  # the book's own model again: nothing is refused
    assert "it has no segments" not in repr(card(ID, settings()))


def test_a_bug_is_one_line_and_its_traceback_is_kept(settings, monkeypatch):
    def broken(*_, **__):
        raise KeyError("kind")

    monkeypatch.setattr(side_by_side, "run", broken)
    r = results(ID, settings(model="toy", n=50))
    assert r.refusals[0].reason.startswith("failed: KeyError: 'kind'")
    assert "Traceback" in (settings().evidence / side_by_side.LOG).read_text("utf-8")


def test_data_that_cannot_be_had_are_one_line(settings, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    r = results(ID, settings(data="original", n=30, fast=True), data="marvin_linzen2018")
    assert not r.own and r.refusals[0].source == "marvin_linzen2018" and "\n" not in r.refusals[0].reason


def test_a_claim_without_original_data_is_measured_on_generated_items(settings):
    r = results("hed.negation_scope.zhao2020", settings(model="mini", data="original", n=200, fast=True))
    (mine,) = (record for record in r.records if record.model == r.own)
    assert mine.data == "builtin"


def test_figures_take_what_is_empty(settings):
    r = results(ID, settings())
    for draw in (plotting.bars, plotting.lines):
        ax = draw(r.series("no such measure"), "items", chance=math.nan, xlabel="share")
        assert "nothing was measured" in {t.get_text() for t in ax.texts}
    by = results(ID, settings(), data="gulordava2018_linzen2016").series("balanced accuracy by attractors")
    ax = plotting.lines(
        by | r.series("no such measure") | {"without the column": r.rows.drop(columns="attractors")}, "attractors"
    )
    named = {t.get_text() for t in (*ax.texts, *(t for legend in ax.figure.legends for t in legend.get_texts()))}
    assert named and not named & {"without the column", "nothing was measured"}
    plotting.plt.close("all")


def test_a_demonstration_that_cannot_be_shown_is_one_line_and_a_bug_is_not(capsys):
    with attempt():
        next(iter(()))
    assert capsys.readouterr().out == "not shown: StopIteration\n"
    with pytest.raises(TypeError), attempt():
        len(3)
    assert bertology_utils.attempt is attempt
