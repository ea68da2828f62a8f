"""Released figures about world knowledge are those of the slides and of the poster."""

from __future__ import annotations

import pytest
from released_figures import released_rows
from support import NEEDS_MIRROR

pytestmark = NEEDS_MIRROR


def test_facts_by_prompt():
    rows = released_rows("wld.lama.petroni2019", "Zhong et al. 2021").set_index(["subject", "measure"])["value"]
    assert rows["bert-base", "P@1"] == pytest.approx(0.311)
    assert rows["bert-base", "P@1 over majority object"] == pytest.approx(0.138)
    assert rows["naive Bayes", "P@1"] / rows["bert-base", "P@1"] > 0.79  # the note says four fifths
    gains = released_rows("wld.templates.jiang2019b", "Zhong et al. 2021").set_index(["prompts", "measure"])["value"]
    assert gains["LPAQA", "P@1 over manual prompts"] == pytest.approx(0.03)


def test_objects():
    rows = released_rows("wld.affordances.forbes2019", "forbes2019").set_index(["subject", "task", "measure"])["value"]
    bert = "BERT"
    assert rows[bert, "object-affordance", "F1"] == 0.88 and rows["people", "object-affordance", "F1"] == 0.80
    lead = rows[:, "affordance-property", "F1 over majority"]
    assert lead[bert] == pytest.approx(0.2) and lead["people"] == pytest.approx(0.23)
    assert lead["GloVe"] == pytest.approx(0.12)
    found = released_rows("wld.attributes.da2019", "forbes2019").set_index("measure")
    assert found["value"]["accuracy, encyclopedic and functional - perceptual"] > 0.05
