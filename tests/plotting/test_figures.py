"""Figures show what they are given: heads in their places, rows by name, intervals as text with the digits they bear."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from bertology_utils import plotting
from bertology_utils.book import stage, themed
from bertology_utils.plotting import theme

CURVE = pd.DataFrame({"layer": [0, 1], "value": [0.2, 0.4], "low": [0.1, 0.3], "high": [0.3, 0.5]})


def drawn(ax=None) -> str:
    ax = ax or plotting.lines({"mini": CURVE, "bert-base": CURVE.assign(value=0.9)}, "layer", ylim=(0, 1))
    svg = io.StringIO()
    ax.figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    plotting.plt.close(ax.figure)
    return svg.getvalue()


def test_a_figure_is_the_same_bytes_twice_and_its_text_is_text():
    assert drawn() == drawn() and all(f">{name}</text>" in drawn() for name in ("mini", "bert-base", "layer"))


def test_every_colour_of_figures_has_a_dark_twin_and_no_subject_an_outcomes_colour():
    css = (stage.ROOT / "book" / "_static" / "cards.css").read_text(encoding="utf-8")
    colours = themed.palette(css)
    assert {theme.INK, theme.QUIET, *plotting.COLOURS} <= set(colours)
    names = [colours[colour][0] for colour in theme.SUBJECTS]
    assert names == ["mini", "untrained", "real", "relative", "sized", "chosen"]
    outcomes = {"holds", "part", "not", "open", "none"}
    for side in zip(*((light, dark) for light, (name, dark) in colours.items() if name in outcomes), strict=True):
        assert not set(side) & {c for light, (name, dark) in colours.items() if name in names for c in (light, dark)}
    shown = themed.themed(drawn(), colours)
    assert "stroke: var(--mini)" in shown and "stroke: #" not in shown and "--mini:#" in shown
    hatched = plotting.bars({name: CURVE for name in ("mini", "mini-untrained", "toy")}, "layer")
    bars = themed.themed(drawn(hatched), colours).partition("</style>")[2]
    assert (
        "<pattern" in bars and "fill: var(--untrained)" in bars and not {c for c in colours if c in bars} - {"#ffffff"}
    )


def test_a_curve_follows_its_numbers_even_where_they_are_text():
    rows = pd.DataFrame({"layer": ["0", "10", "2"], "value": [0.0, 1.0, 0.2], "low": np.nan, "high": np.nan})
    ax = plotting.lines({"bert-base": rows}, "layer")
    assert ax.get_lines()[0].get_xydata().tolist() == [[0, 0], [2, 0.2], [10, 1]]
    plotting.plt.close(ax.figure)


def test_curves_that_end_close_to_each_other_have_a_legend():
    ax = plotting.lines({"mini": CURVE, "bert-base": CURVE.assign(value=CURVE["value"] + 0.01)}, "layer")
    assert not ax.texts and [t.get_text() for t in ax.figure.legends[0].get_texts()] == ["bert-base", "mini"]
    plotting.plt.close(ax.figure)


def test_a_matrix_of_heads_has_blocks_from_top_to_bottom():
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    rows = [{"block": b + 1, "place": p + 1, "value": values[b, p]} for b in (1, 0) for p in (2, 0, 1)]
    ax = plotting.headmap(pd.DataFrame(rows), label="UAS")
    np.testing.assert_array_equal(np.asarray(ax.collections[0].get_array()).reshape(2, 3), values)
    assert ax.yaxis_inverted() and [t.get_text() for t in ax.get_yticklabels()] == ["1", "2"]
    plotting.plt.close(ax.figure)


def test_rows_that_are_not_there_are_named():
    rows = pd.DataFrame([{"measure": "accuracy", "value": 0.5}])
    with pytest.raises(ValueError, match=r"mini: no rows with measure 'F1'.*accuracy"):
        plotting.series({"mini": rows}, "F1")


def test_bars_are_as_long_as_their_values_and_whiskers_as_their_intervals():
    row = {"task": "a", "measure": "accuracy", "value": 0.6, "low": 0.5, "high": 0.8, "n": 9}
    ax = plotting.bars({"mini": pd.DataFrame([row])}, "task")
    assert ax.patches[0].get_width() == pytest.approx(0.6)
    (whisker,) = [c for c in ax.collections if len(c.get_segments())]
    assert np.asarray(whisker.get_segments())[0, :, 0].tolist() == pytest.approx([0.5, 0.8])
    plotting.plt.close(ax.figure)


def test_a_bar_without_an_interval_has_no_whisker():
    rows = {"task": ["a", "b"], "value": [0.6, 0.7], "low": [0.5, np.nan], "high": [0.8, np.nan]}
    ax = plotting.bars({"mini": pd.DataFrame(rows)}, "task")
    whiskers = [s for c in ax.collections for s in c.get_segments() if len(s)]
    caps = np.concatenate([np.asarray(line.get_xdata(), float) for line in ax.lines])
    assert len(ax.patches) == 2 and len(whiskers) == 1
    assert caps[np.isfinite(caps)].tolist() == pytest.approx([0.5, 0.8])
    plotting.plt.close(ax.figure)


def test_printed_numbers_have_their_interval_and_count():
    row = {"task": "a", "measure": "accuracy", "value": 0.61234, "low": 0.51, "high": 0.79, "n": 9}
    assert (
        plotting.printed({"mini": pd.DataFrame([row])}).split(" ", 1)[1].strip()
        == "accuracy (a): 0.612 [0.510, 0.790]  n=9"
    )


def test_panels_have_one_legend_under_them_and_name_a_shared_axis_once():
    above, below = plotting.panels(2, sharex=True)
    for ax, name in ((above, "mini"), (below, "mpnet")):
        plotting.lines({name: CURVE, "mini-untrained": CURVE}, "layer", ax=ax, title=name)
    (legend,) = above.figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["mini", "mini, untrained", "mpnet"]
    assert (above.get_xlabel(), below.get_xlabel()) == ("", "layer")


def test_a_figure_is_no_wider_than_a_phone_and_its_names_have_room():
    frames = {"head chosen on the other data": CURVE, "tuned for a control": CURVE}
    ax = plotting.bars(frames, "layer")
    ax.figure.canvas.draw()
    (legend,) = ax.figure.legends
    assert ax.figure.get_figwidth() == plotting.NARROW
    assert legend.get_window_extent().x1 <= ax.figure.bbox.x1 and ax.get_position().width > 0.6


def test_figures_are_written_into_a_matrix_where_they_have_room():
    few, many = (plotting.heatmap(np.full((2, n), 0.25), range(2), range(n)) for n in (4, 12))
    assert len(few.texts) == 8 and not many.texts
