"""What a bundled model's card says of its figures is what the records say."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

import bertology_utils
from bertology_utils.claims import evidence

MODELS = Path(bertology_utils.__file__).parent / "assets" / "models"
ROOT = Path(__file__).parents[2]
FURTHER = ROOT / "checkpoints" / "mini-further"


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


def test_the_book_tells_of_unfinished_training_what_was_measured():
    rows = pd.read_csv(FURTHER / "agreement.csv").query("checkpoint == 'model'")
    page = (ROOT / "book" / "models.md").read_text(encoding="utf-8")
    for attractors, name in enumerate(("none", "one", "two or more")):
        of = rows[rows.attractors == attractors].set_index("run")
        cells = [
            f"{r.value:.2f} [{r.low:.2f}, {r.high:.2f}]".replace("0.", ".")
            for r in (of.loc["first release"], of.loc["mini-further"])
        ]
        assert f"| {name} | {of.n.iloc[0]} | {' | '.join(cells)} |" in page
    record = json.loads((FURTHER / "training.json").read_text(encoding="utf-8"))
    card = (FURTHER / "README.md").read_text(encoding="utf-8")
    for said in (f"{record['tokens']:,} pieces", f"{record['start']['tokens']:,} pieces", f"{record['steps']:,} steps"):
        assert said in card
    assert f"{record['heldout']['heldout_mlm']:.3f} nats" in card
