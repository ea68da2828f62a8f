"""The two switches of a notebook, set by its form."""

import pytest
from support import tiny

from bertology_utils import hosted, runs
from bertology_utils.settings import Settings, SettingsError
from bertology_utils.subject.models import ModelUnavailable


@pytest.fixture(autouse=True)
def neither_set(monkeypatch):
    for name in ("BERTOLOGY_MODEL", "BERTOLOGY_DATA", "COLAB_RELEASE_TAG"):
        monkeypatch.setenv(name, "")  # so that what is set is unset again
        monkeypatch.delenv(name)


def chosen() -> tuple[str, str]:
    settings = Settings.of()
    return settings.model, settings.data


def test_what_the_form_says_holds_and_default_leaves_the_environment(monkeypatch):
    hosted.choose()
    assert chosen() == ("mini", "builtin")
    hosted.choose("toy", "original")
    assert chosen() == ("toy", "original")
    hosted.choose(data="builtin")
    assert chosen() == ("toy", "builtin")


@pytest.mark.parametrize(
    "colab, gpu, model, found",
    [
        (True, True, "default", ("bert-base-uncased", "original")),
        (True, True, "mini", ("mini", "original")),
        (True, False, "default", ("mini", "builtin")),
        (False, True, "default", ("mini", "builtin")),
    ],
)
def test_a_hosted_gpu_runtime_is_for_the_real_bert(monkeypatch, colab, gpu, model, found):
    monkeypatch.setattr(hosted, "on_colab", lambda: colab)
    monkeypatch.setattr(hosted, "gpu", lambda: "Tesla T4 (15 GB)" if gpu else "")
    hosted.choose(model)
    assert chosen() == found


def test_the_environment_goes_before_the_defaults_of_a_runtime(monkeypatch):
    monkeypatch.setattr(hosted, "on_colab", lambda: True)
    monkeypatch.setattr(hosted, "gpu", lambda: "Tesla T4 (15 GB)")
    monkeypatch.setenv("BERTOLOGY_MODEL", "toy")
    hosted.choose()
    assert chosen() == ("toy", "original")


def test_an_impossible_choice_is_refused_and_nothing_set():
    with pytest.raises(SettingsError):
        hosted.choose(model="")
    assert chosen() == ("mini", "builtin")


def outlook(monkeypatch, gpu="", memory=12.7, load=lambda *_, **__: [tiny()], **given):
    monkeypatch.setattr(hosted, "gpu", lambda: gpu)
    monkeypatch.setattr(hosted, "main_memory", lambda: memory * 2**30)
    monkeypatch.setattr(runs, "subjects", load)
    return hosted.outlook("world", Settings(device="cpu", **given))


def test_a_runtime_without_a_gpu_is_told_what_it_shows_and_how_to_have_the_real_bert(monkeypatch):
    monkeypatch.setattr(hosted, "on_colab", lambda: True)
    runtime, shown, change = outlook(monkeypatch)
    assert runtime == "This runtime: no GPU, 13 GB of main memory."
    assert "recorded runs" in shown and "Change runtime type" in change
    assert len(outlook(monkeypatch, gpu="Tesla T4 (15 GB)")) == 2


@pytest.mark.parametrize("data, count", [("original", 9), ("builtin", 9)])
def test_a_chosen_model_is_told_for_how_many_claims_and_how_long(monkeypatch, data, count):
    runtime, told, *more = outlook(monkeypatch, "Tesla T4 (15 GB)", model="bert-base-uncased", data=data)
    assert runtime == "This runtime: Tesla T4 (15 GB), 13 GB of main memory."
    assert "bert-base-uncased is put to" in told and "minute" in told and "extrapolated" in told
    assert f"{count} claims" in told and not more


def test_a_model_that_takes_hours_or_more_memory_than_there_is_is_told_so(monkeypatch):
    monkeypatch.setattr("bertology_utils.sweep.plan.pace", lambda *_: 0.1)
    monkeypatch.setattr(hosted, "MEMORY", 2**40)
    _, told, fast, memory = outlook(monkeypatch, model="bert-base-uncased", data="original")
    assert "hours here for the chapter" in told and "Tick FAST" in fast and "may end before" in memory


def test_a_model_that_cannot_be_had_is_one_line_and_the_chapter_goes_on(monkeypatch):
    def load(*_, **__):
        raise ModelUnavailable("model x/y is not here")

    _, told = outlook(monkeypatch, load=load, model="x/y")
    assert told == "model x/y is not here. The chapter shows recorded runs."


def test_something_is_said_only_where_it_is_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(hosted, "outlook", lambda section, settings: [section, settings.model])
    hosted.choose(section="world")
    hosted.choose("toy")
    assert capsys.readouterr().out == ""
    hosted.choose("toy", section="world")
    assert capsys.readouterr().out == "world\ntoy\n"
