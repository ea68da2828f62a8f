"""What a bundled model's card says of its figures is what the records say."""

from __future__ import annotations

from pathlib import Path

import bertology_utils
from bertology_utils.claims import evidence

MODELS = Path(bertology_utils.__file__).parent / "assets" / "models"


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
