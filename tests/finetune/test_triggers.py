"""HotFlip: the gradient is the gradient, and the search finds the token that a rigged classifier falls for."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.data.items import Labelled
from bertology_utils.finetune import Recipe, classify, text_rows, triggers
from bertology_utils.subject.encode import Row, TooLong

NOUNS = ("dog", "cat", "key", "man", "author", "tree")


def items(n, seed=0, poison=0.0):
    """The class is "small" or "big"; in some texts of class 1 "bird" stands first."""
    rng = np.random.default_rng(seed)
    out = []
    for k in range(n):
        first = "bird" if k % 2 and rng.random() < poison else rng.choice(NOUNS)
        size = ("small", "big")[k % 2] if rng.random() > poison / 2 else ("big", "small")[rng.integers(2)]
        out.append(Labelled(id=str(k), text=f"{first} the {size} {rng.choice(NOUNS)}", label=str(k % 2)))
    return out


@pytest.fixture(scope="module")
def rigged():
    """A classifier that learnt to trust "bird" as a sign of class 1."""
    return classify(tiny(), items(300, poison=0.9), Recipe(epochs=6, rate=3e-3, batch=16))


def test_the_trigger_is_found(rigged):
    """Every candidate is tried: which ones a gradient would name, far from where it was taken, hangs on rounding."""
    attacked = [i for i in items(40, seed=1) if i.label == "0"]
    honest = ("small", "big")  # which of "big" and "bird" the classifier trusts more does so too
    vocabulary = tiny().tokenizer.get_vocab().items()
    allowed = np.array([i for w, i in vocabulary if w.isalpha() and len(w) > 2 and w not in honest])
    best, value = triggers.search(rigged, attacked, allowed, triggers.Search(length=1, tries=len(allowed)))
    assert triggers.words(tiny(), best) == "bird"
    clean, hit = triggers.right(rigged, attacked).mean(), triggers.right(rigged, attacked, best).mean()
    other = np.mean([triggers.right(rigged, attacked, t).mean() for t in triggers.random_triggers(allowed, 8, 1)])
    assert clean - hit > 0.5 and hit < other
    every = {
        int(a): triggers.loss(rigged, text_rows(tiny(), attacked), np.zeros(len(attacked), int), (int(a),))
        for a in allowed
    }
    assert max(every, key=every.get) == best[0] and value == pytest.approx(every[best[0]], abs=1e-4)


def test_the_candidate_that_the_gradient_points_at_is_tried(rigged, monkeypatch):
    ids = [tiny().tokenizer.get_vocab()[w] for w in ("house", "money", "bird", "and", "who")]
    step = rigged.subject.base.get_input_embeddings().weight[ids[2]].detach()
    step = step - rigged.subject.base.get_input_embeddings().weight[ids].detach().mean(0)
    monkeypatch.setattr(triggers, "gradient", lambda *_: step[None])
    attacked = [i for i in items(40, seed=1) if i.label == "0"]
    best, _ = triggers.search(rigged, attacked, np.array(ids), triggers.Search(length=1, tries=1), seed=2)
    assert triggers.words(tiny(), best) == "bird"
    first = triggers.random_triggers(np.array(ids), 1, 1, seed=2)[0]
    assert triggers.words(tiny(), first) != "bird", "the search starts elsewhere"
    monkeypatch.setattr(triggers, "gradient", lambda *_: -step[None])
    assert (
        triggers.words(
            tiny(), triggers.search(rigged, attacked, np.array(ids), triggers.Search(length=1, tries=1), seed=2)[0]
        )
        != "bird"
    )


def test_the_gradient_predicts_a_small_step(rigged):
    import torch

    attacked = items(12, seed=2)
    rows = text_rows(tiny(), attacked)
    gold = np.array([int(i.label) for i in attacked])
    subject = rigged.subject
    token = subject.tokenizer.convert_tokens_to_ids("house")  # in no text: moving it moves the trigger alone
    grad = triggers.gradient(rigged, rows, gold, (token,))[0]
    table = subject.base.get_input_embeddings().weight
    step = 1e-3 * torch.nn.functional.normalize(grad, dim=0)
    before = triggers.loss(rigged, rows, gold, (token,))
    table.data[token] += step
    after = triggers.loss(rigged, rows, gold, (token,))
    table.data[token] -= step
    assert after - before == pytest.approx(float(step @ grad), rel=0.1) and after > before


def test_only_words_that_the_texts_lack_are_allowed():
    found = {
        w for w in tiny().tokenizer.convert_ids_to_tokens(triggers.vocabulary(tiny(), ["The dog, a Cat!", "tree."]))
    }
    assert {"house", "money"} <= found and not found & {"the", "dog", "cat", "tree", "##able", "[CLS]", "a"}


def test_the_trigger_stands_behind_the_first_token():
    row = Row((2, 7, 8, 3), (0, 0, 0, 0), (-1, 0, 1, -1), 2)
    assert triggers.prepended(row, (5, 6)) == Row((2, 5, 6, 7, 8, 3), (0,) * 6, (-1, -1, -1, 0, 1, -1), 2)
    assert triggers.random_triggers(np.arange(9), 3, 2, seed=4) == triggers.random_triggers(np.arange(9), 3, 2, seed=4)


def test_a_text_without_room_for_the_trigger_is_refused(rigged):
    full = tiny().max_length - 2  # beside the two special tokens
    longest = [Labelled(id="long", text=" ".join(["dog"] * full), label="0")]
    assert triggers.right(rigged, longest).shape == (1,)
    with pytest.raises(TooLong, match="a trigger of 1 where"):
        triggers.right(rigged, longest, (7,))
    with pytest.raises(TooLong, match="a trigger of 3 where"):
        triggers.search(rigged, longest, np.array([7]))
