"""Facts that a model is taught, and what follows from them."""

from __future__ import annotations

import hashlib
import json

from bertology_utils.data import load
from bertology_utils.subject import models


def test_lessons_are_single_steps_without_not():
    from bertology_utils.experiments.world import taught

    negated = [i for i in load("negation", "builtin", n=40)["negation"] if i.condition == "negated"]
    far = [i for i in load("hops", "builtin", n=80)["hops"] if i.meta["hops"] > 1 or i.label == "0"]
    assert negated and far and not any(taught.taught_by(i) for i in negated + far)
    assert "The capital of France is Paris." in taught.lessons()


def test_outcomes_that_are_kept_are_of_these_lessons_and_this_model():
    from importlib import resources

    from bertology_utils.experiments.world import consequences, taught

    kept = json.loads(resources.files("bertology_utils").joinpath("assets/taught.json").read_text())
    texts = taught.lessons()
    assert (
        kept["taught"]["lessons"] == len(texts)
        and kept["taught"]["lessons_sha256"] == hashlib.sha256("\n".join(texts).encode()).hexdigest()
    )
    assert kept["taught"]["model_sha256"] == models.load("mini").sha256
    before, after = consequences.shipped().values()
    assert list(before["question"]) == list(after["question"]) and list(before["n"]) == list(after["n"])


def test_nothing_of_what_follows_is_among_the_lessons():
    from bertology_utils.data import builtin
    from bertology_utils.experiments.world import consequences, taught

    texts = set(taught.lessons())
    far = [i.text for i in builtin.build("hops", 2000, 0) if i.meta["hops"] > 1 or i.label == "0"]
    joined = [i.text for i in builtin.build("property_affordance", consequences.ITEMS, 0)]
    assert far and joined and not texts & {*far, *joined}


def test_what_the_chapter_says_of_teaching_is_so():
    from bertology_utils.experiments.world import consequences

    before, after = (f.set_index("question") for f in consequences.shipped().values())
    for taught in ("fact (first of all words)", "completion, affirmative"):
        assert after.loc[taught, "low"] > before.loc[taught, "high"]
    assert after.loc["completion, negated", "high"] < before.loc["completion, negated", "low"]
    assert after.loc["affordance from a property", "low"] < 0.5
    assert after.loc["steps: 2", "value"] < before.loc["steps: 2", "value"]
    for half in ("property of an object", "affordance of an object"):
        assert before.loc[half, "high"] > after.loc[half, "low"]
