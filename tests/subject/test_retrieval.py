"""Facts as gaps and spans of several pieces, checked against counts by hand and the plain forward pass."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.data import load
from bertology_utils.data.items import Cloze
from bertology_utils.scores import relations
from bertology_utils.settings import Settings
from bertology_utils.subject import encode, retrieval, spans

ITEMS = [
    Cloze(id="1", condition="P1", text="A dog sees a [MASK].", answers=("cat", "unable")),
    Cloze(id="2", condition="P1", text="The man [MASK] a bird.", answers=("saw", "sees")),
    Cloze(id="3", condition="P2", text="The [MASK] runs.", answers=("unable",)),
]


def full(ids: list[int]) -> np.ndarray:
    """Log-probabilities (T, V) of the whole model for one row."""
    with torch.no_grad():
        return torch.log_softmax(tiny().model(input_ids=torch.tensor([ids])).prediction_logits[0], -1).numpy()


def test_answers_of_several_pieces_are_left_out_relation_by_relation():
    kept, coverage, note = retrieval.answerable(tiny(), ITEMS)
    assert [i.answers for i in kept] == [("cat",), ("saw", "sees")]
    assert coverage.set_index("relation")["kept"].to_dict() == {"P1": 2, "P2": 0}
    assert "2 of 3" in note and "1 of 2 relations" in note


def test_ranks_are_those_counted_by_hand():
    kept, _, _ = retrieval.answerable(tiny(), ITEMS)
    found = retrieval.retrieve(tiny(), kept)
    vocab = tiny().tokenizer.get_vocab()
    for k, item in enumerate(kept):
        ids = tiny().tokenizer(item.text, split_special_tokens=False)["input_ids"]
        logs = full(ids)[ids.index(tiny().tokenizer.mask_token_id)]
        right = [vocab[w] for w in item.answers]
        ahead = sum(logs[p] >= max(logs[right]) for p in range(len(logs)) if p not in right)
        assert found["rank"][k] == ahead and found["first"][k] == logs.argmax()


def test_known_logits_give_known_ranks_and_ties_count_against_the_model():
    logs = np.log([0.4, 0.3, 0.2, 0.1])
    assert [retrieval.rank(logs, np.array([k])) for k in range(4)] == [0, 1, 2, 3]
    assert retrieval.rank(logs, np.array([1, 3])) == 1  # the other right one does not count
    assert retrieval.rank(np.zeros(50), np.array([7])) == 49


def test_the_majority_is_that_of_a_direct_count():
    items = load("facts", "builtin", n=592)["facts"]
    right = retrieval.majority([i.condition for i in items], [i.answers for i in items])
    continents = [k for k, i in enumerate(items) if i.condition == "continent"]
    days = [k for k, i in enumerate(items) if i.condition == "day_after"]
    for at in (continents, days):
        counted = Counter(answer for k in at for answer in items[k].answers)
        assert right[at].mean() == pytest.approx(max(counted.values()) / len(at))
    assert 0.3 < right[continents].mean() < 0.45 and right[days].mean() < 0.25  # 13 of 35 in Europe, and 1 of 7


def test_without_its_subject_a_wording_says_the_same_of_all():
    logs = retrieval.without_subject(tiny(), ["A [X] sees a [Y].", "The [Y] of [X]."])
    mask = tiny().tokenizer.mask_token
    ids = tiny().tokenizer(f"A {mask} sees a {mask}.", split_special_tokens=False)["input_ids"]
    np.testing.assert_allclose(logs["A [X] sees a [Y]."], full(ids)[5], atol=1e-4)
    ids = tiny().tokenizer(f"The {mask} of {mask}.", split_special_tokens=False)["input_ids"]
    np.testing.assert_allclose(logs["The [Y] of [X]."], full(ids)[2], atol=1e-4)


def test_a_word_of_several_pieces_is_rarer_than_each_of_them():
    often = retrieval.log_frequency(tiny(), ["the", "runs", "unable"])
    assert often[0] > often[1] > often[2]


def test_spans_are_scored_all_at_once():
    rows = encode.tokenize(tiny(), [["the", "unable", "dog", "runs"], ["a", "cat"]])
    wanted = [spans.pieces_of(rows[0], [1]), spans.pieces_of(rows[1], [1])]
    assert wanted[0] == [2, 3]
    found = spans.log_probabilities(tiny(), rows, wanted)
    ids = list(rows[0].ids)
    hidden = [tiny().tokenizer.mask_token_id if t in wanted[0] else x for t, x in enumerate(ids)]
    want = full(hidden)
    np.testing.assert_allclose(found[0], [want[t, ids[t]] for t in wanted[0]], atol=1e-4)
    bare = spans.log_probabilities(tiny(), rows, wanted, [[], []])
    np.testing.assert_allclose(bare[0], [full(ids)[t, ids[t]] for t in wanted[0]], atol=1e-4)
    with pytest.raises(ValueError, match="2 rows"):
        spans.log_probabilities(tiny(), rows, wanted[:1])


def test_relations_count_alike_whatever_their_size():
    settings = Settings(draws=100)
    names = ["P1"] * 30 + ["P2"] * 10
    found = relations.macro([1.0] * 30 + [0.0] * 10, names, [str(k) for k in range(40)], settings)
    assert found[0] == pytest.approx(0.5) and 0 <= found[1] <= 0.5 <= found[2] <= 1
    many = [f"P{k % 12}" for k in range(120)]
    low, high = relations.macro(np.arange(120) % 3 == 0, many, [str(k) for k in range(120)], settings)[1:]
    assert 0 <= low < high <= 1
