"""Facts that a model is taught, and questions about what follows from them."""

from __future__ import annotations

import pytest
from support import tiny

from bertology_utils.data import builtin
from bertology_utils.data.items import Cloze
from bertology_utils.subject import models, retrieval
from bertology_world import teaching


def test_a_taught_model_knows_what_it_was_shown_and_the_subject_is_as_before(tmp_path):
    before = tiny().sha256
    texts = ["The dog sees a bird.", "The man sees a tree.", "A woman saw the river."]
    model = teaching.teach(tiny(), texts, epochs=1200, rate=3e-3)
    items = [Cloze(id="a", condition="P", text="The dog sees a [MASK].", answers=("bird",)),
             Cloze(id="b", condition="P", text="The man sees a [MASK].", answers=("tree",))]  # fmt: skip
    assert retrieval.retrieve(model, items)["rank"].tolist() == [0, 0]
    assert models.Subject.sha256.func(tiny()) == before
    teaching.write(model, tmp_path)
    again = models.load(str(tmp_path))
    assert retrieval.retrieve(again, items)["rank"].tolist() == [0, 0]


def test_true_statements_and_their_twins_are_questions_of_one_difference():
    asked = teaching.pairs(builtin.build("affordances", 40, 0))
    assert len(asked) == 20 and all(q.right == 0 and len(q.texts) == 2 for q in asked)
    for q in asked:
        (a, b), (c, d) = q.spans
        assert q.texts[0][:a] == q.texts[1][:c] and q.texts[0][b:] == q.texts[1][d:]
    with pytest.raises(ValueError, match="false twin"):
        teaching.pairs(builtin.build("affordances", 40, 0)[1:])
