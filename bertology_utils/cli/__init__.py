"""The command line: ``bertology``, with its commands."""

from __future__ import annotations

import errno
import sys
import warnings
from importlib import metadata

import typer

from .. import files
from ..data.cli import app as data_app
from ..errors import Refusal

# they put their commands into the application
from . import measuring, models, new_claim, planning, sentences, showing
from .base import app

app.add_typer(data_app, name="data", help="The studies' own data: list, get, check.")

for _workshop in metadata.entry_points(group="bertology.commands"):  # those that are installed put theirs in too
    _workshop.load()


def main() -> None:
    """Entry point: what a user can mend is one line on stderr and exit code 2; a bug keeps its traceback."""
    warnings.showwarning = _one_line
    try:
        app()
    except Refusal as error:
        _end(str(error))
    except OSError as error:  # a place that cannot be read or written, wherever it was met
        if error.errno not in files.PLACE or (error.filename is None and error.errno != errno.ENOSPC):
            raise
        _end(f"{error.filename or 'a file'}: {error.strerror}")


def _end(message: str) -> None:
    typer.echo(f"bertology: {' '.join(message.split())}", err=True)
    sys.exit(2)


def _one_line(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning for somebody at a prompt: what, not where in the code."""
    typer.echo(f"bertology: {' '.join(str(message).split())}", err=True)
