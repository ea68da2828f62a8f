"""What a bundled model's card says of its figures is what the records say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import bertology_utils
from bertology_utils.claims import evidence
from bertology_utils.pretrain import pulls
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load

MODELS = Path(bertology_utils.__file__).parent / "assets" / "models"
ROOT = Path(__file__).parents[2]
FURTHER, PHRASES, SECOND = (ROOT / "checkpoints" / name for name in ("mini-further", "mini-phrases", "mini-second"))


def test_the_card_of_mini_tells_agreement_as_it_was_measured_last():
    """The items were changed once, and the card kept what the old ones had given."""
    (record,) = (
        r
        for r in evidence.find("syn.agreement.goldberg2019")
        if (r.model, r.data, r.kind) == ("mini", "builtin", "rerun")
    )
    accuracy = {r["condition"]: r for r in record.rows if r["measure"] == "accuracy" and r.get("condition")}
    card = (MODELS / "mini" / "README.md").read_text(encoding="utf-8")
    for condition in ("simple", "sentential complement", "pp"):
        row = accuracy[condition]
        assert f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]" in card, condition


def cells(rows: pd.DataFrame) -> list[str]:
    return [re.sub(r"\b0\.", ".", f"{r.value:.2f} [{r.low:.2f}, {r.high:.2f}]") for r in rows.itertuples()]


def page() -> str:
    return (ROOT / "book" / "models.md").read_text(encoding="utf-8")


SITTINGS = ["first release", "mini-further", "mini-phrases", "mini-second"]


def measured(file: str) -> pd.DataFrame:
    """A file of both folders, one after the other."""
    return pd.concat([pd.read_csv(folder / file) for folder in (PHRASES, SECOND)])


def test_the_book_tells_of_each_sitting_what_was_measured():
    """Agreement on generated sentences and on those of others, a row per kind of sentence."""
    generated = measured("agreement.csv").query("checkpoint == 'model'")
    for attractors, name in enumerate(("no attractor", "one attractor", "two or more")):
        of = generated[generated.attractors == attractors].set_index("run").loc[SITTINGS]
        assert f"| generated, {name} | {of.n.iloc[0]} | {' | '.join(cells(of))} |" in page()
    others = measured("originals.csv")
    shown = 0
    for _, of in others.groupby(["data", "items"]):
        of = of.set_index("run").loc[SITTINGS]
        assert of.n.nunique() == 1  # the same sentences
        shown += f"| {of.n.iloc[0]} | {' | '.join(cells(of))} |" in page()
    assert shown >= 10


def test_the_book_tells_what_draws_the_verb():
    """A row per model: both pulls, and the shares of right forms; every row of the file is on the page."""
    told = measured("pulls.csv")
    for _, of in told.groupby(["run", "checkpoint"]):
        assert f"| {' | '.join(cells(of))} |" in page()


CALLED = {
    "first release": "first release",
    "mini-further": "second sitting",
    "mini-phrases": "third sitting",
    "fourth sitting": "fourth sitting",
    "mini-longer": "fifth sitting",
    "average with mini-phrases": "average",
    "mini-second": "sixth sitting",
}


def test_the_book_tells_the_held_out_figures_of_the_same_rows():
    told = pd.read_csv(SECOND / "heldout.csv")
    assert list(told.run) == list(CALLED)
    for row in told.itertuples():
        figures = f"{row.heldout_mlm:.3f} | {f'{row.heldout_top1:.3f}'.lstrip('0')}"
        assert re.search(rf"^\| {CALLED[row.run]}[^|]*\| {re.escape(figures)} \|$", page(), re.M), row.run


@pytest.mark.parametrize("folder", [FURTHER, PHRASES, SECOND], ids=lambda folder: folder.name)
def test_the_card_of_an_unfinished_model_says_what_its_record_says(folder):
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    card = (folder / "README.md").read_text(encoding="utf-8")
    for said in (f"{record['tokens']:,} pieces", f"{record['start']['tokens']:,} pieces", f"{record['steps']:,} steps"):
        assert said in card.replace("\n  ", " ")
    assert f"{record['heldout']['heldout_mlm']:.3f} nats" in card


@pytest.mark.parametrize(("run", "model"), [("first release", "mini"), ("mini-second", str(SECOND))])
def test_what_the_book_tells_of_a_model_is_measured_again(run, model):
    """First row of the table and last: a change of the items would leave the stored ones behind."""
    rows = pulls.rows(load(model, Settings.of(device="cpu", draws=100))).set_index("measure")
    stored = measured("pulls.csv").query("run == @run and checkpoint == 'model'").set_index("measure")
    assert list(rows.index) == list(stored.index) and (rows.n == stored.n).all()
    assert abs(rows.value - stored.value).max() < 0.005
