"""A researcher's own data and own experiment, in a cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from support import tiny_folder
from typer.testing import CliRunner

from bertology_utils import runs
from bertology_utils.claims import evidence
from bertology_utils.claims.clauses import UNTESTED
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.cli import app
from bertology_utils.data import builtin, load, of, own
from bertology_utils.data.items import Cloze, ForcedChoice, Labelled, MinimalPair
from bertology_utils.data.own import OwnDataError
from bertology_utils.errors import Refusal
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
    assert (
        data.name == f"own-my.conllu-{data.sha256[:8]}"
        and data["treebank"][0].heads == (1, -1)
        and len(data.sha256) == 64
    )


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


GAPS = "syn.agreement.goldberg2019"
VERBS = ("is are", "was were", "has have", "likes like", "sleeps sleep", "runs run", "sees see", "walks walk")


def agreement(folder, rows: int = 120, columns: str = "text,good,bad,condition,attractors,nonce") -> Path:
    """Sentences with and without a noun of the other number in between, singular and plural in turn; none is nonce."""
    lines = []
    for k in range(rows):
        forms = (VERBS[k % 6]).split()
        good, bad = forms if k % 2 else reversed(forms)
        number = "" if k % 2 else "s"
        between = "near the dogs" if k % 2 else "near the dog"
        text = f"the key{number} {between if k % 4 > 1 else ''} [MASK] old {'.' * (1 + k % 3)}"
        lines.append(f"{text},{good},{bad},{'pp' if k % 4 > 1 else 'simple'},{int(k % 4 > 1)},{k % 2 * 0}\n")
    return file(folder, "agreement.csv", f"{columns}\n{''.join(lines)}")


def test_a_file_of_ones_own_runs_the_claim_on_agreement(settings, tmp_path):
    """Of text alone "0" would be true: every sentence would be nonce, and none without a distractor."""
    data = load("agreement", path=agreement(tmp_path))
    assert {(i.meta["attractors"], i.meta["nonce"]) for i in data["agreement"]} == {(0, False), (1, False)}
    record = runs.run(GAPS, replace(settings, n=None), items=data, twin=False).records[0]
    assert {r["items"] for r in record.rows if r.get("items")} >= {"distractor", "no distractor", "all"}
    assert record.data == data.name
    assert [note for note in record.notes if note.startswith("nothing in these items decides")] == [
        "nothing in these items decides: it agrees in meaningless sentences"
    ]
    outcomes = {c.says: c.outcome for c in record.judged().clauses}
    assert [says for says, outcome in outcomes.items() if outcome == UNTESTED] == ["it agrees in meaningless sentences"]
    assert evidence.read(record.save(tmp_path / "evidence")).judged().outcome == record.judged().outcome


def test_as_many_items_are_taken_as_are_asked_for(settings, tmp_path):
    data = load("agreement", path=agreement(tmp_path))
    record = runs.run(GAPS, settings, n=60, items=data, twin=False).records[0]
    assert record.provenance["unknown_pieces"] == 0.0
    assert record.provenance["asked"] == 60 and "agreement: 60 of 120 test items, drawn with seed 0" in record.notes
    assert max(r["n"] for r in record.rows) <= 60


def test_two_files_of_ones_own_are_two_records(tmp_path):
    one, other = (load("agreement", path=agreement(tmp_path, n)).name for n in (8, 12))
    assert one.rpartition("-")[0] == other.rpartition("-")[0] == "own-agreement.csv" and one != other
    assert load("agreement", path=agreement(tmp_path, 8)).name == one
    assert of({"agreement": load("agreement", path=agreement(tmp_path, 8))["agreement"]}).name == f"own-{one[-8:]}"


def test_items_under_another_name_are_ones_own_too(settings, tmp_path):
    data = replace(load("agreement", path=agreement(tmp_path)), name="builtin")
    (record,) = runs.run(GAPS, settings, items=data, twin=False).records
    assert record.is_own and record.data == f"own-builtin-{data.sha256[:8]}"


def test_a_record_of_ones_own_items_is_shown_and_never_counts(settings, tmp_path):
    data = load("agreement", path=agreement(tmp_path))
    wanted = replace(settings, n=None, evidence=tmp_path / "evidence")
    (record,) = runs.run(GAPS, wanted, items=data, twin=False, save=True).records
    counting, beside = evidence.shelves(GAPS, wanted)
    assert record.provenance["asked"] is None
    assert [r.data for r in beside] == [data.name] and data.name not in {r.data for r in counting}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "of type ForcedChoice; given is nothing"),
        ([MinimalPair(id="1", good="a b", bad="b a")], "of type ForcedChoice; given is a MinimalPair"),
        (["the dog [MASK]"], "given is a str"),
        ({"agreements": []}, "no task 'agreements' here, only agreement"),
    ],
)
def test_items_of_another_kind_are_refused_in_a_line(settings, given, message):
    with pytest.raises(OwnDataError, match=message) as raised:
        runs.run(GAPS, settings, items=given)
    assert "\n" not in str(raised.value)


def test_what_ones_own_items_lack_is_named(settings):
    items = [
        ForcedChoice(id=str(k), text=f"the key {k} [MASK] here .", good="is", bad="are", condition="negated")
        for k in range(30)
    ]
    with pytest.raises(NotRunnable, match=r"cannot be measured on these items.*as meta: negation: pair, set, thing"):
        runs.run("syn.negation.ettinger2019", settings, items={"negation": items})


TEXTS = "text,good,bad"


@pytest.mark.parametrize(
    ("task", "name", "text", "message"),
    [
        ("agreement", "x.csv", f"{TEXTS},attractor\nA [MASK].,is,are,0\n", "column 'attractor': is 'attractors' meant"),
        (None, "x.csv", f"{TEXTS},conditon\nA [MASK].,is,are,pp\n", "column 'conditon': is 'condition' meant"),
        (None, "x.csv", f"{TEXTS},Split\nA [MASK].,is,are,dev\n", "column 'Split': is 'split' meant"),
        (None, "x.csv", f"{TEXTS},good\nA [MASK].,is,are,was\n", "column 'good' is there twice"),
        (
            "agreement",
            "x.csv",
            f"{TEXTS},nonce\nA [MASK].,is,are,perhaps\n",
            "line 2, nonce: 'perhaps' is not true or false",
        ),
        (
            "agreement",
            "x.csv",
            f"{TEXTS},attractors\nA [MASK].,is,are,two\n",
            "line 2, attractors: 'two' is not a number",
        ),
        ("agreement", "x.csv", "good,bad\na b,b a\n", "needs text, good, bad"),
        ("agreement", "x.conllu", TREE, "needs a file ending in .csv"),
        ("coreference", "x.csv", f"{TEXTS}\nA [MASK].,is,are\n", "of type Coreference, which no file can hold"),
        (None, "x.csv", "good,bad\na b,a b\n", "line 2: needs two different texts"),
        (None, "x.csv", "good,bad\na b,\u200b\n", "line 2: nothing to read in bad"),
        (None, "x.csv", "text,answer\nIt is [MASK].,red|\n", "line 2: nothing to read in answer"),
        (None, "x.conllu", TREE + TREE.replace("2\tnsubj", "1\tnsubj"), "heads are not a tree"),
    ],
)
def test_every_column_and_cell_is_used_or_refused(tmp_path, task, name, text, message):
    with pytest.raises(OwnDataError, match=message):
        own.read(file(tmp_path, name, text), task)


def test_heads_in_a_circle_are_refused_with_the_sentence_s_number(tmp_path):
    rows = [("Kim", 2), ("likes", 3), ("old", 2), ("sleeps", 0)]
    words = "".join(f"{k}\t{w}\t{w}\tX\tX\t_\t{head}\tdep\t_\t_\n" for k, (w, head) in enumerate(rows, 1))
    with pytest.raises(OwnDataError, match=r"sentence 2 \(line 4\): its heads go in a circle: likes -> old -> likes"):
        own.read(file(tmp_path, "x.conllu", f"{TREE}{words}\n"))


def test_columns_that_nothing_reads_are_named(tmp_path):
    data = load("agreement", path=agreement(tmp_path, 8, "text,good,bad,condition,attractors,comment"))
    assert data.notes == ("columns that agreement has no use for: comment",)
    (pair,) = own.read(file(tmp_path, "x.csv", "text,text_b,label\nA dog.,A cat.,0\n"), "paraphrase")
    assert pair.text_b == "A cat." and pair.meta == {}


def test_a_mark_of_unicode_and_another_encoding(tmp_path):
    marked = tmp_path / "x.conllu"
    marked.write_bytes(b"\xef\xbb\xbf# sent_id = one\n" + TREE.encode())
    assert [s.id for s in own.read(marked)] == ["one"]
    latin = tmp_path / "x.csv"
    latin.write_bytes("good,bad\nOn va au café.,On va café au.\n".encode("latin-1"))
    with pytest.raises(OwnDataError, match=r"x.csv is not in UTF-8 \(it has a byte 0xe9\)"):
        own.read(latin)


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


@pytest.mark.parametrize("task", builtin.tasks())
def test_the_example_of_a_task_is_read_as_its_items(task, tmp_path):
    try:
        ending, text = own.example(task)
    except OwnDataError as error:
        assert "which no file can hold" in str(error)
        return
    path = file(tmp_path, f"{task}{ending}", text)
    items = own.read(path, task)
    assert len(items) == 10 and {type(i) for i in items} == {own.wanted(task)[0]}
    assert f"10 items of type {type(items[0]).__name__} for {task}" in own.described(path, task)


CLAIMS = [
    id
    for id in runs.registered()
    if not runs.get(id).family and id[:3] not in ("trn", "siz") and id != "syn.intermediate_parsing.glavas2020"  # tune
]


@pytest.mark.parametrize("id", CLAIMS)
def test_every_claim_runs_on_files_or_says_in_a_line_what_is_missing(id, settings, tmp_path):
    items = {}
    try:
        for task in runs.get(id).tasks:
            ending, text = own.example(task, 60)
            items[task] = load(task, path=file(tmp_path, f"{task}{ending}", text))[task]
        (record, *_) = runs.run(id, replace(settings, n=None), items=of(items), twin=False).records
    except Refusal as error:
        assert str(error).strip() and "\n" not in str(error)
    else:
        assert record.rows and record.is_own


def test_an_own_file_is_checked_on_the_command_line(tmp_path):
    path = file(tmp_path, "mine.csv", own.example("agreement")[1])
    said = CliRunner().invoke(app, ["data", "check-own", str(path), "--task", "agreement"])
    assert said.exit_code == 0 and "10 items of type ForcedChoice" in said.output and "test 10" in said.output
    wrong = CliRunner().invoke(app, ["data", "check-own", str(path), "--task", "agrement"])
    assert wrong.exit_code and "there is no task 'agrement'" in str(wrong.exception or wrong.output)


def test_a_treebank_without_splits_is_refused_for_a_probe_with_the_reason(settings, tmp_path):
    text = own.example("treebank", 30)[1].replace("# split = train", "# x").replace("# split = dev", "# x")
    items = load("treebank", path=file(tmp_path, "mine.conllu", text))
    with pytest.raises(NotRunnable, match="every item is in test: a claim that fits a probe or tunes needs others"):
        runs.run("syn.structural_probe.hewitt2019", replace(settings, n=None), items=items, twin=False)
