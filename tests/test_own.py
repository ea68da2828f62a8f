"""A researcher's own data and own experiment, in a cell."""

from __future__ import annotations

import pandas as pd
import pytest
from support import tiny_folder

from bertology_utils import runs
from bertology_utils.data import load, own
from bertology_utils.data.items import Cloze, ForcedChoice, Labelled, MinimalPair
from bertology_utils.data.own import OwnDataError
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings

TREE = """1\tKim\tKim\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_

"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(model=str(tiny_folder()), n=30, draws=100, evidence=tmp_path_factory.mktemp("evidence"))


def file(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("good,bad\nThe keys are here.,The keys is here.\n", MinimalPair),
        ("text,good,bad\nThe keys [MASK] here.,are,is\n", ForcedChoice),
        ("text,answer\nIt is [MASK].,red|blue\n", Cloze),
        ("text,label,split\nA good film.,1,train\n", Labelled),
    ],
)
def test_columns_say_what_the_items_are(tmp_path, text, kind):
    (item,) = own.read(file(tmp_path, "x.csv", text))
    assert type(item) is kind and item.id == "2"


def test_a_treebank_of_ones_own(tmp_path):
    data = load("treebank", path=file(tmp_path, "my.conllu", TREE))
    assert data.name == "my.conllu" and data["treebank"][0].heads == (1, -1) and len(data.sha256) == 64


def test_other_columns_are_kept(tmp_path):
    (item,) = own.read(file(tmp_path, "x.csv", "good,bad,condition,source\na b,b a,order,mine\n"))
    assert item.condition == "order" and item.meta == {"source": "mine"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "left,right\na,b\n", "needs one of"),
        ("x.csv", "good,bad\nonly one\n", "line 2: not as many cells"),
        ("x.csv", "text,good,bad\nno gap,are,is\n", "line 2: needs one"),
        ("x.csv", "good,bad\n", "holds no item"),
        ("x.tsv", "good\tbad\n", "needs a file ending in"),
        ("x.conllu", "1\tKim\n", "x.conllu"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, name, text, message):
    with pytest.raises(OwnDataError, match=message):
        own.read(file(tmp_path, name, text))
    with pytest.raises(OwnDataError, match="no such file"):
        own.read(tmp_path / "nowhere.csv")


def test_ones_own_experiment_is_decided_by_the_claims_clauses_and_not_kept(settings):
    def always(subject, data, settings):
        from bertology_utils.claims import ledger

        keys = [t for c in ledger.row("syn.malformed.ettinger2019").clauses for t in (*c.tests, *c.gates)]
        rows = []
        for t in keys:
            wheres = [{k: v[0] if isinstance(v, (list, tuple)) else v for k, v in t.where.items()}]
            rows += [intervals.row(t.measure, (t.bound() + 9, t.bound() + 8, t.bound() + 10), 99, **w) for w in wheres]
        return intervals.table(rows)

    result = runs.run("syn.malformed.ettinger2019", settings, experiment=always)
    assert [len(r.rows) > 0 for r in result.records] == [True, True]
    assert not list(settings.evidence.rglob("*.json"))


def test_ones_own_items(settings, tmp_path):
    lines = "".join(f"the key number {k} [MASK] here .,is,are,simple\n" for k in range(25))
    items = own.read(file(tmp_path, "x.csv", "text,good,bad,condition\n" + lines))
    given = runs.data_of({"agreement": items})
    assert len(given) == 25 and given.name == "own"


def test_values_series_and_frames():
    def record(model, value):
        row = {"layer": 1, "measure": "m", "value": value, "low": value - 0.1, "high": value + 0.1, "n": 9}
        return runs.Evidence(
            claim="syn.malformed.ettinger2019",
            model=model,
            data="builtin",
            kind="rerun",
            rows=[row, {**row, "layer": 2}],
        )

    result = runs.Result((record("mini", 0.7), record("mini-untrained", 0.5)))
    assert result.value("m", layer=2) == 0.7 and result.value("m", twin=True, layer=1) == 0.5
    assert result.interval("m", layer=1) == pytest.approx((0.6, 0.8))
    assert {k: len(v) for k, v in result.series("m").items()} == {"mini": 2, "mini-untrained": 2}
    assert isinstance(result.rows, pd.DataFrame)
    with pytest.raises(ValueError, match=r"2 rows of 'm'.*layer"):
        result.value("m")
    with pytest.raises(ValueError, match="no rows"):
        result.value("n")
