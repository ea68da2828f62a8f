"""`bertology new-claim`: its pieces are read as they are, its test fails until they are real, and passes then."""

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import jupytext
import pytest
import yaml

from bertology_utils import cli, runs
from bertology_utils.calibrate import calibrate
from bertology_utils.claims import ledger, registry
from bertology_utils.cli.new_claim import MARK, PACKAGE, TEMPLATES, CannotScaffold, scaffold
from bertology_utils.errors import Refusal
from bertology_utils.settings import Settings

ROOT = Path(__file__).parents[2]
ID = "syn.shapes.goldberg2019"
FILE = "bertology_utils/experiments/syntax/shapes.py"
PARTS = ("bertology_utils/assets/ledger", "bertology_utils/assets/findings", "notebooks/02_syntax.py")


def marks(root: Path) -> list[str]:
    """Places in a checkout where something is still to be written, as ``file:line``."""
    folders = (root / PACKAGE, root / "notebooks", root / "tests")
    files = (p for f in folders for p in f.rglob("*") if p.suffix in (".py", ".yaml") and TEMPLATES.name not in p.parts)
    return [
        f"{path.relative_to(root)}:{k}"
        for path in sorted(files)
        for k, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if f"{MARK}:" in line
    ]


@pytest.fixture
def checkout(tmp_path):
    for part in PARTS:
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    return tmp_path


@pytest.fixture
def registered(checkout, monkeypatch):
    """The new claim's experiment as it stands in the checkout, read with that checkout's ledger."""
    runs.registered()
    scaffold(ID, "agreement", checkout)
    monkeypatch.setattr(ledger, "LEDGER", checkout / PARTS[0])
    ledger.sections.cache_clear(), ledger._table.cache_clear()
    name = "bertology_utils.experiments.syntax.shapes"

    def load():
        registry._CLAIMS.pop(ID, None)
        spec = importlib.util.spec_from_file_location(name, checkout / f"{name.replace('.', '/')}.py")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))

    yield load
    registry._CLAIMS.pop(ID, None)
    sys.modules.pop(name, None)
    monkeypatch.undo()
    ledger.sections.cache_clear(), ledger._table.cache_clear()


def test_the_pieces_can_be_read_and_say_what_is_to_be_written(checkout):
    written = scaffold(ID, "agreement", checkout)
    sections = ledger.parse(*(p.read_text("utf-8") for p in sorted((checkout / PARTS[0]).glob("*.yaml"))))
    (row,) = (r for s in sections for r in s.rows if r.id == ID)
    assert (row.section, [c.kind for c in row.clauses]) == ("syntax", ["learned"])
    assert set(yaml.safe_load((checkout / PARTS[1] / "syntax.yaml").read_text("utf-8"))[ID]) == {"text", "figures"}
    cells = [cell.source for cell in jupytext.read(checkout / PARTS[2]).cells]
    after = cells[cells.index(f'card("{ID}")') + 1 :]
    assert after[0].startswith("(syntax-since)=") and not any(source.startswith("card(") for source in after)
    assert ID in yaml.safe_load((checkout / PARTS[1] / "verdicts.yaml").read_text("utf-8"))
    for path in written:
        if path.suffix == ".py":
            compile(path.read_text("utf-8"), path, "exec")
    marked = {place.rpartition(":")[0] for place in marks(checkout)}
    assert marked == {str(p.relative_to(checkout)) for p in written if "tests" not in p.parts}


def test_nothing_is_left_to_be_written_in_this_project():
    assert marks(ROOT) == []


def test_the_rule_is_calibrated_once_it_is_real(registered, checkout):
    settings = Settings.of(n=200)
    registered()
    with pytest.raises(Refusal, match=rf"{ID}: what is measured is not written yet \(shapes\(\) in {FILE}\)"):
        calibrate(ID, settings)
    path = checkout / FILE
    text = path.read_text("utf-8")
    text = re.sub(r"    raise Unwritten\(.*planted.*\)\n", "    return choices(data, base, rng)\n", text)
    text = re.sub(r"    raise Unwritten\(.*\)\n", "", text)
    path.write_text(text.replace('by="condition", ', "") + "\n\nfrom .planted import choices\n", "utf-8")
    registered()
    trials = calibrate(ID, settings)
    assert {t.role: t.wrong for t in trials} == {"null": [], "planted": []}


@pytest.mark.parametrize(
    "id, says",
    [
        ("agreement", "not of the form"),
        ("xyz.shapes.goldberg2019", "begins its ids"),
        ("syn.agreement.goldberg2019", "there already|in the ledger already"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_line(checkout, id, says):
    before = {p: p.read_bytes() for p in checkout.rglob("*") if p.is_file()}
    with pytest.raises(CannotScaffold, match=says):
        scaffold(id, "agreement", checkout)
    assert {p: p.read_bytes() for p in checkout.rglob("*") if p.is_file()} == before


def test_elsewhere_than_in_a_checkout_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bertology", "new-claim", ID, "--root", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2 and "no checkout of this project" in capsys.readouterr().err
