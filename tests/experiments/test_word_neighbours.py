"""What a vector tells of the words beside it, over what the word itself and its own tags tell."""

import numpy as np
import pytest
from picked import value
from support import tiny
from syntax_items import SETTINGS, data

from bertology_utils.data.items import Sentence
from bertology_utils.experiments.embeddings import neighbours

LETTERS = ("the", "dog", "cat", "man", "bird", "near")


def unforeseen(n=120):
    """Sentences of words drawn one by one, each with a tag of its own draw: nothing tells what stands beside a word."""
    rng = np.random.default_rng(0)
    words, tags = rng.choice(LETTERS, (n, 8)), rng.choice(["A", "B"], (n, 8))
    split = np.resize(["train", "train", "dev", "test"], n)
    return [Sentence(id=str(k), split=str(s), words=(*w.tolist(), str(k % 7)), upos=(*t.tolist(), "A"))
            for k, (w, t, s) in enumerate(zip(words, tags, split))]  # fmt: skip


@pytest.mark.parametrize("make, least, most", [(neighbours.beside, 0.3, 0.6), (neighbours.tagged.make, -0.2, 0.1)])
def test_neighbours_are_told_by_what_holds_them_and_not_by_a_words_own_tag(make, least, most):
    given = data(treebank=unforeseen())
    frame = neighbours.context(make(given, tiny(), np.random.default_rng(0)), given, SETTINGS)
    for side in neighbours.SIDES:
        for rival in ("the word itself", "untrained"):
            assert least < value(frame, f"gain over {rival}", neighbour=side) < most


def test_each_word_is_labelled_by_the_one_before_and_the_one_after():
    sentence = Sentence(id="0", split="train", words=("the", "dog", "near", "the"), upos=("DET", "NOUN", "ADP", "DET"))
    tasks, _ = neighbours.asked(tiny(), [sentence], SETTINGS)
    assert tasks["before"].labels.tolist() == ["DET", "NOUN"] and tasks["after"].labels.tolist() == ["ADP", "DET"]


def test_what_the_word_itself_tells_is_its_vector_its_tags_and_both():
    sentence = Sentence(id="0", split="train", words=("the", "dog", "near", "the"), upos=("DET", "NOUN", "ADP", "DET"))
    words = neighbours.asked(tiny(), [sentence], SETTINGS)[0]["after"]
    static = np.array([[1.0, 2.0], [3.0, 4.0]])
    word, tags, both = neighbours.itself(static, [sentence], words)
    assert word.tolist() == [[1, 2, 0, 0], [3, 4, 0, 0]]
    assert tags.tolist() == [[0, 0, 0, 1], [0, 0, 1, 0]]  # of the tags ADP and NOUN
    assert (both == word + tags).all()
