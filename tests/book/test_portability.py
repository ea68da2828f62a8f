"""What moves when the last bits do: the comparison on toy notebooks, and planted noise through the claims' own fits."""

from __future__ import annotations

import argparse
import math

import nbformat
import pytest

from bertology_utils import reproduce, runs
from bertology_utils.book import notebooks, portability
from bertology_utils.claims import evidence as records
from bertology_utils.settings import Settings


def notebook(path, *sources):
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources]), path)
    return path


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Two executed notebooks: one whose figure follows the noise, and one that does not care."""
    root = tmp_path_factory.mktemp("book")
    (root / "notebooks").mkdir()
    moving = "import os\nx = float(os.environ.get('BERTOLOGY_NOISE', 0))\nprint(f'{0.5 + 3e4 * x:.3f} [0.400, 0.600]')"
    notebook(root / "notebooks" / "01_moving.ipynb", moving, "print('12 items')")
    notebook(root / "notebooks" / "02_still.ipynb", "print('0.500 [0.400, 0.600] of 12')")
    notebooks.run(root / "notebooks", root / "own")
    return root


def given(**words):
    return argparse.Namespace(**{"variants": "", "notebooks": "", **words})


def test_movement_is_told_in_half_widths_and_the_exit_code_says_whether_it_is_too_much(root, capsys):
    assert portability.main(given(variants="as it is, noise"), root) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["01_moving", "02_still"]
    assert lines[2].split() == ["as", "it", "is", "0.000", "0.000"]
    assert lines[3].split() == ["noise", "0.300", "!1", "0.000"]  # 0.03 in units of 0.1; one cell
    assert portability.main(given(variants="noise", notebooks="02"), root) == 0


def test_words_that_change_are_no_matter_of_width(root, tmp_path):
    stored = root / "notebooks" / "02_still.ipynb"
    fresh = tmp_path / stored.name
    fresh.write_text(stored.read_text().replace("of 12", "of 13"))
    assert portability.compare(stored, fresh) == portability.Moved(math.inf, (0,))
    assert str(portability.compare(stored, fresh)) == "words !1" and str(portability.Moved(0.25)) == "0.250"
    fresh.write_text(stored.read_text().replace('"name": "stdout"', '"name": "stderr"'))
    assert portability.compare(stored, fresh).differing


def test_where_a_stream_is_cut_says_nothing(root, tmp_path):
    stored = root / "notebooks" / "02_still.ipynb"
    cut = nbformat.read(stored, as_version=4)
    (whole,) = cut.cells[0].outputs
    parts = (whole["text"][:4], whole["text"][4:])
    cut.cells[0].outputs = [nbformat.v4.new_output("stream", name=whole["name"], text=part) for part in parts]
    nbformat.write(cut, tmp_path / stored.name)
    assert portability.compare(stored, tmp_path / stored.name) == portability.Moved(0.0)


def test_variants_are_those_of_the_processor(monkeypatch):
    import torch

    for known, has in (("DEFAULT", (False, False)), ("AVX2", (True, False)), ("AVX512", (True, True))):
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda known=known: known)
        assert tuple(v in portability.supported() for v in ("avx2", "avx512")) == has
        assert {"as it is", "no vectors", "two threads", "noise"} <= set(portability.supported())
    with pytest.raises(notebooks.NotebookError, match="abacus"):
        portability.main(given(variants="abacus"), portability.Path("."))


# One claim for each kind of fit: linear probes, structural probes, mixtures and one hidden layer, erasure
CLAIMS = {
    "lay.word_order.lin2019": 120,
    "lay.tree_depth.hewitt2019": 60,
    "lay.chunks_conflict.liu2019a": 60,
    "syn.amnesic.elazar2020": 60,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_figures_do_not_follow_the_last_bits_of_hidden_states(claim, tmp_path):
    """The same rows with and without noise of the size of rounding, as a stored record and its rerun are compared."""
    found = []
    for noise in (0.0, float(portability.NOISE)):
        settings = Settings(device="cpu", n=CLAIMS[claim], noise=noise, evidence=tmp_path / str(noise), draws=200)
        (record,) = runs.run(claim, settings, twin=False).records
        found.append(records.read(settings.evidence / record.file))
    differences, largest = reproduce.compare(*found)
    assert not differences and largest <= 1


def test_noise_that_is_more_than_rounding_is_seen(tmp_path):
    """The test above can fail: with noise of a tenth the rows differ."""
    found = []
    for noise in (0.0, 0.1):
        settings = Settings(device="cpu", n=60, noise=noise, evidence=tmp_path / str(noise), draws=200)
        (record,) = runs.run("lay.word_order.lin2019", settings, twin=False).records
        found.append(records.read(settings.evidence / record.file))
    assert reproduce.compare(*found)[0]
