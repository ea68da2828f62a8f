"""What a bundled model's card says of its figures is what the records say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd

import bertology_utils
from bertology_pretrain import pulls
from bertology_utils.book.cards_of_models import facts
from bertology_utils.claims import evidence
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load

MODELS = Path(bertology_utils.__file__).parent / "assets" / "models"
FIGURES = MODELS.parent / "learning" / "sittings"  # of mini: by `bertology learning-curve` and `run`
ROOT = Path(__file__).parents[2]


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
    return pd.read_csv(FIGURES / file)


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
    told = measured("heldout.csv")
    assert list(told.run) == list(CALLED)
    for row in told.itertuples():
        figures = f"{row.heldout_mlm:.3f} | {f'{row.heldout_top1:.3f}'.lstrip('0')}"
        assert re.search(rf"^\| {CALLED[row.run]}[^|]*\| {re.escape(figures)} \|$", page(), re.M), row.run


def test_the_card_of_mini_counts_all_its_sittings():
    """The last saw a hundredth of the pieces; what the models page says of the whole is the sum."""
    record = json.loads((MODELS / "mini" / "training.json").read_text(encoding="utf-8"))
    before = record["start"]["sittings"]
    assert sum(sitting["tokens"] for sitting in before) == record["start"]["tokens"]
    card = (MODELS / "mini" / "README.md").read_text(encoding="utf-8")
    for number, row in enumerate([*before, record], 1):
        assert re.search(rf"^\| {number} \| `[a-z-]+` \| {row['tokens']:,} \| {row['steps']:,} \|", card, re.M)
    whole = record["tokens"] + record["start"]["tokens"]
    assert facts(MODELS / "mini", record)["trained on"].startswith(f"{whole:,} pieces in ")
    curves = [json.loads(line) for line in (MODELS / "mini" / "curves.jsonl").read_text("utf-8").splitlines()]
    seen = [row["tokens"] for row in curves]
    assert (
        {row["sitting"] for row in curves} == set(range(1, 7))
        and seen == sorted(seen)
        and 0.99 * whole < seen[-1] <= whole
    )


def test_what_the_book_tells_of_the_bundled_model_is_measured_again():
    """A change of the items would leave the stored figures behind."""
    rows = pulls.rows(load("mini", Settings.of(device="cpu", draws=100))).set_index("measure")
    stored = measured("pulls.csv").query("run == 'mini-second' and checkpoint == 'model'").set_index("measure")
    assert list(rows.index) == list(stored.index) and (rows.n == stored.n).all()
    assert abs(rows.value - stored.value).max() < 0.005


def test_its_card_says_what_the_first_release_scores_on_the_same_pieces():
    told = measured("heldout.csv").set_index("run")
    first, last = told.loc["first release"], told.loc["mini-second"]
    card = (MODELS / "mini" / "README.md").read_text(encoding="utf-8")
    assert (
        f"{last.heldout_mlm:.3f} nats" in card and f"{first.heldout_mlm:.3f} nats and {first.heldout_top1:.3f}" in card
    )
