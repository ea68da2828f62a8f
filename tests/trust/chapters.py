"""A chapter executed for a model and data that its author did not see: what of it was measured, and what was not, and why.

The notebook is executed in a copy, by nbclient, to its end whatever happens. A last cell, which is no part of it, says what
`results` refused.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from fake_hub import PROXIES
from nbclient import NotebookClient

from bertology_utils import runs
from bertology_utils.book import notebooks, stage
from bertology_utils.side_by_side import LOG

NAMES = tuple(path.stem for path in notebooks.paths(stage.ROOT / "notebooks"))
NOWHERE = "http://127.0.0.1:9"  # nobody listens there
FEW = {"BERTOLOGY_FAST": "1", "BERTOLOGY_N": "20", "BERTOLOGY_DRAWS": "20"}
LAST = """import json
import bertology_utils
from bertology_utils.claims.refused import latest
print("PACKAGE", bertology_utils.__file__)
print("REFUSED", json.dumps({claim: [str(r) for r in refused] for claim, refused in latest.items() if refused}))"""


@dataclass(frozen=True)
class Chapter:
    """What came of one notebook.

    Attributes
    ----------
    name : str
    cells : int
        Of code, without the one that was added.
    measured : tuple of str
        Claims with a record of the reader's model.
    refused : mapping
        Claim -> why `results` has no rows of the reader's model.
    not_shown : tuple of str
        Lines that stand where a demonstration or a figure could not be shown.
    raised : tuple of str
        Cells that ended in an error, or wrote to stderr.
    failures : str
        Tracebacks that were kept where a bug was made one line.
    package : Path
        The package that the notebook used.
    """

    name: str
    cells: int
    measured: tuple[str, ...]
    refused: Mapping[str, str]
    not_shown: tuple[str, ...]
    raised: tuple[str, ...]
    failures: str
    seconds: float
    text: str = field(repr=False, default="")
    package: Path = Path()

    def __str__(self) -> str:
        """A line for a table, and one for each claim or cell without figures.

        Examples
        --------
        >>> print(Chapter("01_one", 12, ("a", "b"), {"c": "no such data"}, (), (), "", 31.2))
        01_one: 12 cells, 2 claims measured, 1 refused, 0 lines not shown, 0 cells raised, 31 s
            c: no such data
        """
        counts = (
            f"{len(self.measured)} claims measured, {len(self.refused)} refused, {len(self.not_shown)} lines not shown"
        )
        head = f"{self.name}: {self.cells} cells, {counts}, {len(self.raised)} cells raised, {self.seconds:.0f} s"
        more = [*(f"{c}: {why}" for c, why in self.refused.items()), *self.not_shown, *self.raised]
        return "\n    ".join([head, *more])


def executed(
    name: str, folder: Path, *, model: str, data: str, examples: int | None = None, without: str = "", **variables: str
) -> Chapter:
    """Execute a chapter in a folder of its own.

    Parameters
    ----------
    name : str
    folder : Path
        Made where it is missing; evidence, downloads and the copy go there.
    model, data : str
        The two switches.
    examples : int, optional
        So many of its worked examples, the first that ask the model; by default all.
    without : str, optional
        Cells of code in which this name stands are left out.
    variables : str
        More of the kernel's environment; an empty one is unset.
    """
    folder.mkdir(parents=True, exist_ok=True)
    book = nbformat.read(stage.ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    asked = [cell for cell in book.cells if cell.source.startswith("examples(")]
    # a recorded run needs neither model nor data
    asked.sort(key=lambda cell: bool(runs.get(cell.source.split('"')[1]).family))
    left_out = asked[examples or len(book.cells) :]
    left_out += [c for c in book.cells if without and c.cell_type == "code" and re.search(rf"\b{without}\b", c.source)]
    book.cells = [cell for cell in book.cells if cell not in left_out]
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.outputs = []
    book.cells.append(nbformat.v4.new_code_cell(LAST))
    variables = {**notebooks.switches(folder, model, data), "PYTHONPATH": str(stage.ROOT), **variables}
    client = NotebookClient(
        book,
        timeout=1200,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
    )
    start = time.perf_counter()
    client.execute(env=notebooks.environment(variables))
    seconds = time.perf_counter() - start
    outputs = [(number, output) for number, cell in enumerate(cells, 1) for output in cell.outputs]
    text = "".join(o.text for _, o in outputs if o.get("name") == "stdout")
    raised = [f"cell {k}: {o.ename}: {o.evalue}" for k, o in outputs if o.output_type == "error"]
    raised += [f"cell {k} wrote: {o.text.strip()}" for k, o in outputs if o.get("name") == "stderr"]
    last = "".join(o.get("text", "") for o in book.cells[-1].outputs)
    refused = json.loads(last.partition("REFUSED ")[2] or '{"": ["the last cell said nothing"]}')
    log = folder / "evidence" / LOG
    return Chapter(
        name,
        len(cells),
        tuple(sorted(p.name for p in (folder / "evidence").glob("*/") if any(p.glob("rerun--*.json")))),
        {claim: "; ".join(why) for claim, why in refused.items()},
        tuple(re.findall(r"^not shown: .*$", text, re.M)),
        tuple(raised),
        log.read_text("utf-8") if log.is_file() else "",
        seconds,
        text,
        Path(re.findall(r"^PACKAGE (.*)$", last, re.M)[0]).parent,
    )


def on_the_hub(address: str, folder: Path) -> dict[str, str]:
    """The environment of a kernel whose Hub is a server here, and which reaches nothing else."""
    proxies = {name: NOWHERE for name in PROXIES}
    cache = {"HF_HUB_CACHE": str(folder / "hub"), "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": ""}
    return {**proxies, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "HF_ENDPOINT": address, **cache}


# Executed on original data in each `make test`: one chapter. Each claim of the others is run by test_own, heads are measured
# on original data by test_independent, all by `make weekly`. Without any data all nine are executed each time.
WITH_DATA = ("03_semantics",)


def now_or_weekly(now: Collection[str]) -> list:
    """Every chapter as a test's parameter: those named are for `make test`, the others for `make weekly`."""
    assert set(now) <= set(NAMES), now
    return [pytest.param(name, marks=() if name in now else pytest.mark.weekly) for name in NAMES]


def claims_of(name: str) -> set[str]:
    """The claims of a chapter that are measured on one model."""
    text = (stage.ROOT / "notebooks" / f"{name}.py").read_text("utf-8")
    return {
        id
        for id in re.findall(r'^card\("([^"]+)"\)', text, re.M)
        if id in runs.registered() and not runs.get(id).family
    }


def whole(chapter: Chapter) -> Chapter:
    """The chapter, if no cell failed and each refusal is a line that says why."""
    assert not chapter.raised, chapter
    assert not chapter.failures, chapter.failures
    assert all(why.strip() and "Traceback" not in why for why in chapter.refused.values())
    assert not re.search(r"^failed: ", chapter.text, re.M), chapter.text
    return chapter
