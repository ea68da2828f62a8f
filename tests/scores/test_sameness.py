"""What may differ between two machines, and what may not: at exactly the sizes that are stated."""

from __future__ import annotations

import math

import pytest

from bertology_utils.claims.checks import figure
from bertology_utils.scores.sameness import figures, half_widths, movement, plain, same


@pytest.mark.parametrize(
    ("stored", "fresh", "equal"),
    [
        ("accuracy 0.833 [0.790, 0.870]  n=383", "accuracy 0.833 [0.790, 0.870]  n=383", True),
        ("accuracy 0.833", "accuracy 0.834", True),
        ("accuracy 0.833", "accuracy 0.835", False),
        ("accuracy 0.8330", "accuracy 0.8340", True),  # a thousandth, and no more
        ("accuracy 0.8330", "accuracy 0.8341", False),
        ("accuracy 0.51", "accuracy 0.52", True),  # rounding may flip the last digit printed
        ("accuracy 0.51", "accuracy 0.53", False),
        ("accuracy 0.833", "accuracy 0.83", False),  # printed otherwise
        ("n=383", "n=384", False),
        ("layer 7 12 items", "layer 8 12 items", False),
        ("perplexity 1234.5678", "perplexity 1235.0001", True),  # a thousandth of 1234
        ("perplexity 1234.5678", "perplexity 1237.0001", False),
        ("gain -0.001", "gain  0.000", True),  # the sign's width is no difference
        ("gain -0.100", "gain  0.100", False),
        ("gain \u22120.100", "gain 0.100", False),
        ("p = 1.25e-05", "p = 1.26e-05", True),
        ("p = 1.25e-05", "p = 1.25e-04", False),
        ("torch 2.13.0", "torch 2.13.1", False),  # versions are words
        ("sha 3f0.25ab", "sha 3f0.26ab", False),
        ("learned", "open", False),
        ("0.500 [0.400, 0.600]", "0.500 (no interval)", False),
        ("a b\n", "a  b \n", True),
        ("a\nb", "a b", False),
        ("<Figure size 770x374 with 1 Axes>", "<Figure size 770x375 with 1 Axes>", False),
    ],
)
def test_what_counts_as_the_same(stored, fresh, equal):
    assert same(stored, fresh) is equal and same(fresh, stored) is equal


@pytest.mark.parametrize(("low", "high"), [("0.400", "0.600"), ("0.450", "0.650"), ("0.050", "0.950")])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_figure_may_move_by_a_tenth_of_its_half_width_and_not_by_a_fifth(low, high, sign):
    half = (float(high) - float(low)) / 2
    stored = f"accuracy 0.500 [{low}, {high}]"
    for share, equal in ((0.1, True), (0.2, False)):
        moved = f"{0.5 + sign * share * half:.3f}"
        assert same(stored, f"accuracy {moved} [{low}, {high}]") is equal
        end = f"{float(low) + sign * share * half:.3f}"
        # an end that moves inwards makes the interval narrower, and what may differ less
        assert same(stored, f"accuracy 0.500 [{end}, {high}]") is (equal and sign < 0)
    assert half_widths(stored, f"accuracy {0.5 + 0.2 * half:.3f} [{low}, {high}]") == pytest.approx(0.2)


def test_an_interval_wider_than_its_figure_does_not_let_another_figure_pass():
    stored = "ratio 5.696 [-370.163, 381.554]"
    assert same(stored, "ratio 5.712 [-371.000, 380.000]")
    assert not same(stored, "ratio 7.696 [-370.163, 381.554]")
    assert not same(stored, "ratio 5.696 [-470.163, 381.554]")
    assert not same("ratio 0.371 [-93.510, 94.253]", "ratio 0.971 [-93.510, 94.253]")


@pytest.mark.parametrize("half", [0.3, 0.05, 0.0100001, 0.0099999, 0.004, 0.0011])
@pytest.mark.parametrize("value", [0.51234, 0.9, 12.3456])
def test_narrow_intervals_are_printed_with_as_many_decimals_as_the_comparison_needs(half, value):
    """As printed: a tenth passes (less the rounding of what is printed), a fifth never does, up or down."""
    stored = figure(value, value - half, value + half)
    for sign in (-1, 1):
        assert same(stored, figure(value + sign * 0.05 * half, value - half, value + half))
        assert not same(stored, figure(value + sign * 0.21 * half, value - half, value + half))
    wider = figure(value, value - 1.01 * half, value + 1.01 * half)  # with a decimal less, perhaps
    assert same(stored, wider)


def test_a_narrow_interval_leaves_room_for_rounding_alone():
    assert same("0.084 [0.083, 0.085]", "0.085 [0.083, 0.085]")
    assert not same("0.084 [0.083, 0.085]", "0.086 [0.083, 0.085]")
    assert not same("1.000 [1.000, 1.000]", "0.998 [1.000, 1.000]")


def test_movement_is_in_units_of_what_is_allowed():
    assert movement("0.500 [0.400, 0.600] and 0.3", "0.505 [0.400, 0.600] and 0.3") == pytest.approx(0.5, rel=1e-3)
    assert movement("same", "same") == 0 and math.isinf(movement("learned", "open"))


def test_figures_know_their_intervals():
    found = list(figures("a 0.5 [0.4, 0.7], [0.10, 0.20] and 3.25e-4, layer 7, v1.2.3"))
    assert [f.value for f in found] == [0.5, 0.4, 0.7, 0.10, 0.20, 3.25e-4]
    assert [f.half for f in found] == pytest.approx([0.15, 0.15, 0.15, 0.05, 0.05, 0.0])
    assert found[-1].exponent and found[-1].unit == pytest.approx(1e-6)


def test_html_is_compared_by_its_text():
    one = '<table class="x"><tr><td>0.500 <span>[0.400, 0.600]</span></td><td>12</td></tr></table><style>p {}</style>'
    other = "<div><p>0.505 [0.400, 0.600]</p>\n<p id='a'>12</p></div>"
    assert plain(one) == "0.500 [0.400, 0.600]\n12" and same(one, other)
    assert not same(one, other.replace("0.505", "0.520")) and not same(one, other.replace("12", "13"))
    assert plain("a < b and b > c") == "a < b and b > c"
