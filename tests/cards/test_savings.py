"""What was saved against what was kept: figures are those of the records, the front is that of our own models."""

from __future__ import annotations

import pandas as pd
import pytest

from bertology_utils import Settings
from bertology_utils.cards import savings
from bertology_utils.claims.evidence import Evidence
from bertology_utils.scores import intervals
from bertology_utils.scores.intervals import Interval

MODEL = "stand-in"


def row(measure, value, spread=0.0, **keys):
    return intervals.row(measure, Interval(value, value - spread, value + spread), 300, **keys)


def record(tmp_path, claim, rows, model=MODEL):
    frame = intervals.table(rows)
    rows = [{k: v for k, v in r.items() if k != "draws"} for r in frame.to_dict("records")]
    Evidence(claim=claim, model=model, data="builtin", kind="rerun", rows=rows).save(tmp_path)


@pytest.fixture
def settings(tmp_path):
    """Half of the heads: 1.2 times fewer bytes; top layers chosen: 2 times, kept more; 8 bits: 4 times, kept less."""
    heads = {"way": "half the heads"}
    record(tmp_path, savings.HEADS, [
        row(savings.KEPT, 0.9, 0.05, **heads), row(savings.BYTES, 1.2, **heads), row(savings.TIME, 1.3, batch=1, **heads),
        row(savings.TIME, 1.4, batch=32, **heads), row(savings.KEPT, 0.1, way="another"),
    ])  # fmt: skip
    top = {"way": "top"}
    record(tmp_path, savings.LAYERS, [
        row(savings.KEPT, 0.3, way="bottom"), row(savings.KEPT, 0.95, 0.02, **top), row(savings.BYTES, 2.0, **top),
        row(savings.TIME, 1.9, batch=32, **top),
    ])  # fmt: skip
    bits = [row(savings.KEPT, 0.8, way="8 bits"), row(savings.BITS, 4.0, way="8 bits")]
    record(tmp_path, savings.ROUNDED, [*bits, row(savings.KEPT, 0.7, way="2 bits")])
    return Settings(model=MODEL, evidence=tmp_path)


def test_each_way_has_the_figures_of_its_own_rows(settings):
    found = savings.points(settings)
    ours = found[found["model"] == MODEL].set_index("what is saved")
    # of 2 bits no bytes were recorded
    assert list(ours.index) == ["half of the heads", "a third of the layers", "8 bits"]
    assert ours["bytes, times fewer"].tolist() == [1.2, 2.0, 4.0]
    assert ours["score kept"].tolist() == [0.9, 0.95, 0.8]
    assert ours.loc["half of the heads", ["low", "high", "times as fast"]].tolist() == pytest.approx([0.85, 0.95, 1.4])
    assert pd.isna(ours.loc["8 bits", "times as fast"])


def test_the_front_is_of_our_models_alone(settings):
    found = savings.points(settings)
    assert found[found["on the front"]]["what is saved"].tolist() == ["a third of the layers", "8 bits"]
    assert not found[found["model"] == savings.RELEASED]["on the front"].any()


def test_a_loss_is_told_as_what_is_left_and_its_interval_turns_with_it(settings):
    albert = savings.points(settings).set_index("what is saved").loc["ALBERT large: shared layers"]
    assert albert["low"] < albert["score kept"] < albert["high"] and 0.9 < albert["score kept"] < 1.0
    assert albert["bytes, times fewer"] == 24  # one layer in place of twenty-four


def test_every_released_way_has_a_record():
    told = savings.points(Settings(model="none such"))
    assert told["what is saved"].tolist() == [way.says for way in savings.THEIRS]


def test_the_table_says_what_the_picture_shows(settings):
    found = savings.points(settings)
    told = savings.table(found)
    page = told._repr_html_()
    for number, name in zip(found["no."], found["what is saved"]):
        assert f'<th scope="row">{number}</th><td class="said">{name}</td>' in page  # long: broken into lines
    assert "95.0%" in page and "–" in page and "nan" not in repr(told)


def test_every_way_of_ours_is_in_the_records_of_mini():
    """A measure that is renamed must not drop a point from the picture."""
    told = savings.points(Settings())
    missing = {way.says for way in savings.OURS} - set(told["what is saved"])
    assert not missing
