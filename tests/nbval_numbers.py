"""A pytest plugin around nbval's comparison of notebooks: text exactly, numbers within a tolerance, nothing unchecked.

What may differ between two machines that run the same code is the last bits of floating-point sums, and so the rounding
of what is printed. Hence:

- an integer must be equal: counts, layers, heads, sizes are exact or wrong;
- a decimal fraction may differ by one unit of its last printed digit (rounding flips there) or, where many digits are
  printed, by a thousandth of its size (far above the differences seen between machines, far below any effect reported);
- all other text must be equal, but for the width of gaps between columns;
- a code cell that was never run fails, and so does one that writes to stderr.

Pictures are not compared (nbval leaves them out): the plotted numbers are printed below them.
"""

from __future__ import annotations

import functools
import re
import tempfile

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from bertology_utils.book.notebooks import switches

RELATIVE = 1e-3
UNITS = 1.0  # of the last printed digit
# not within a word, a version (1.2.3) or a hash
_DECIMAL = re.compile(r"(?<![\w.])([-+\u2212]?)(\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]\d+)(?!\w|\.\d)")
_GAP = re.compile(r"[ \t]+")


class Text(str):
    """Text that equals another when its words do, and its decimal fractions nearly."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and same(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def same(left: str, right: str) -> bool:
    """Whether two outputs say the same, as the head of this module defines it."""
    if str.__eq__(left, right):
        return True
    if _words(left) != _words(right):
        return False
    return all(close(a, b) for a, b in zip(_decimals(left), _decimals(right), strict=True))


def close(left: str, right: str) -> bool:
    """Whether two printed fractions are equal within the tolerance; they must be printed with the same digits."""
    if _step(left) != _step(right):
        return False
    a, b = (float(text.replace("\u2212", "-")) for text in (left, right))
    # 1.001: a unit, not the error of subtracting two floats
    return abs(a - b) <= max(UNITS * 1.001 * _step(left), RELATIVE * max(abs(a), abs(b)))


def _words(text: str) -> list[str]:
    text = _DECIMAL.sub("\N{NULL}", text)
    return [_GAP.sub(" ", line).strip() for line in text.splitlines()]


def _decimals(text: str) -> list[str]:
    return [sign + number for sign, number in _DECIMAL.findall(text)]


def _step(text: str) -> float:
    """The size of one unit in the last digit as printed; exponents apart, for they may flip too."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits) if exponent else 10.0**-digits


def _setup(self: IPyNbFile, start=IPyNbFile.setup) -> None:
    """Start the kernel with the book's switches and an empty evidence folder: nothing of the user's own is read."""
    self.own = tempfile.TemporaryDirectory(prefix="bertology-nbval-")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in switches(self.own.name).items():
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


def pytest_configure(config: pytest.Config) -> None:
    """Put ours around theirs."""
    config.option.nbval_current_env = True  # the interpreter pytest runs in, whatever kernels the user has
    IPyNbFile.setup, IPyNbFile.teardown = _setup, _teardown
    IPyNbCell.runtest, IPyNbCell.sanitize = _runtest, _sanitize
