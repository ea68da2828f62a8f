"""A pytest plugin around nbval's comparison of notebooks: text exactly, numbers within a tolerance, nothing unchecked.

What may differ between two machines that run the same code, and by how much, is said in `bertology_utils.scores.sameness`.
Beyond that, a code cell that was never run fails, and so does one that writes to stderr.

Pictures are not compared: the plotted numbers are printed below them.
"""

from __future__ import annotations

import functools
import tempfile

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from bertology_utils.book.notebooks import switches
from bertology_utils.scores.sameness import same


class Text(str):
    """Text that equals another when it says the same."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and same(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def _setup(self: IPyNbFile, start=IPyNbFile.setup) -> None:
    """Start the kernel with the book's switches and an empty evidence folder: nothing of the user's own is read."""
    self.skip_compare += ("image/svg+xml",)
    self.own = tempfile.TemporaryDirectory(prefix="bertology-nbval-")
    with pytest.MonkeyPatch.context() as patch:
        told = switches(self.own.name)
        if cpu := self.config.getoption("--kernel-cpu"):
            told["ATEN_CPU_CAPABILITY"] = cpu
        for name, value in told.items():
            if value:
                patch.setenv(name, value)
            else:
                patch.delenv(name, raising=False)
        start(self)
    # as a notebook does it; else the kernel does not know the cell it runs, and a closing `;` silences nothing
    client = self.kernel.kc
    client.execute = functools.partial(_with_history, client.execute)


def _with_history(execute, code: str, **options):
    return execute(code, **{**options, "store_history": True})


def _teardown(self: IPyNbFile, stop=IPyNbFile.teardown) -> None:
    stop(self)
    self.own.cleanup()


def _runtest(self: IPyNbCell, run=IPyNbCell.runtest) -> None:
    if self.cell.execution_count is None:
        self.raise_cell_error("The stored cell was never run: `make notebooks` runs it")
    if any(output.get("name") == "stderr" for output in self.cell.outputs):
        self.raise_cell_error("The stored cell wrote to stderr")
    run(self)


def _sanitize(self: IPyNbCell, text: object, clean=IPyNbCell.sanitize) -> object:
    text = clean(self, text)
    return Text(text) if isinstance(text, str) else text


def pytest_addoption(parser: pytest.Parser) -> None:
    """Kernels on another processor, as it were."""
    parser.addoption("--kernel-cpu", help="ATEN_CPU_CAPABILITY of the notebooks' kernels: default, avx2, avx512")


def pytest_configure(config: pytest.Config) -> None:
    """Put ours around theirs."""
    config.option.nbval_current_env = True  # the interpreter pytest runs in, whatever kernels the user has
    IPyNbFile.setup, IPyNbFile.teardown = _setup, _teardown
    IPyNbCell.runtest, IPyNbCell.sanitize = _runtest, _sanitize
