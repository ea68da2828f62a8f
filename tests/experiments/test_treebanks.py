"""What tuning on trees does to attention: planted in its place, heads that come to follow arcs, places or nothing."""

import numpy as np
import pytest
from picked import value
from support import tiny

from bertology_utils import runs
from bertology_utils.calibration import planted as plants
from bertology_utils.calibration.nulls import NULLS
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, UNTESTABLE, decide
from bertology_utils.data import load
from bertology_utils.data.items import Sentence
from bertology_utils.experiments.heads import syntax, treebanks
from bertology_utils.settings import Settings

ID = "hed.tuned_on_trees.kondratyuk2019"
SETTINGS = Settings(draws=200)
DATA = load("treebank", "builtin", n=400, seed=0)
TREE, COIN = syntax.whole_tree, NULLS["coin"]


def next_word(data, base, rng):
    """A head that attends from each word to the next, as a parser of neighbours would have it."""

    def pairs(seen):
        return ((w, w + 1) for w in range(seen.n_words - 1))

    return plants.plant(base, data, rng, attention=plants.head_attention(base, {(1, 0): pairs}, share=0.7))


def measured(monkeypatch, learnt=True, **made):
    """The rows where each arm's tuning gives a planted subject and gets all or nothing right in its own task."""

    def tuning(make):
        def tune(subject, train, test, recipe, settings):
            right = [np.full(len(s.words), learnt) for s in test]
            return make(DATA, subject, np.random.default_rng(recipe.seed)), right

        return tune

    monkeypatch.setattr(treebanks, "ARMS", {arm: tuning(make) for arm, make in made.items()})
    return runs.get(ID).experiment(COIN(DATA, tiny(), np.random.default_rng(9)), DATA, SETTINGS)


@pytest.mark.parametrize(
    ("trees", "tags", "neighbours", "tuned", "by_trees"),
    [
        (TREE, COIN, next_word, True, True),
        (TREE, TREE, next_word, True, False),  # any tuning on words does it
        (TREE, COIN, TREE, True, False),  # any arcs do
        (next_word, COIN, next_word, False, False),  # far better than before tuning, and no better than an offset
        (COIN, COIN, COIN, False, False),
    ],
)
def test_heads_follow_trees_where_trees_alone_lead_them_there(monkeypatch, trees, tags, neighbours, tuned, by_trees):
    rows = measured(monkeypatch, trees=trees, tags=tags, neighbours=neighbours)
    found = decide(ledger.row(ID).clauses, rows, source="builtin").clauses
    assert [c.outcome == HOLDS for c in found] == [tuned, by_trees]
    assert UNTESTABLE not in {c.outcome for c in found}
    trees_ = value(rows, "UAS, best head", arm="trees")
    for rival in ("pretrained", "tags", "neighbours"):
        lead = value(rows, "UAS, best head, trees - rival", rival=rival)
        assert lead == pytest.approx(trees_ - value(rows, "UAS, best head", arm=rival))


def test_a_network_that_did_not_learn_to_parse_is_not_judged(monkeypatch):
    rows = measured(monkeypatch, learnt=False, trees=TREE, tags=COIN, neighbours=COIN)
    assert decide(ledger.row(ID).clauses, rows, source="builtin").outcome == UNTESTABLE


def test_before_tuning_figures_are_those_of_the_row_on_whole_trees(monkeypatch):
    rows = measured(monkeypatch, trees=COIN, tags=COIN, neighbours=COIN)
    other = syntax.no_full_tree(COIN(DATA, tiny(), np.random.default_rng(9)), DATA, SETTINGS)
    for measure, offset in treebanks.OFFSETS.items():
        assert value(rows, measure, arm="pretrained") == value(other, measure)
        assert value(rows, offset) == value(other, offset)


def test_guesses_are_the_commonest_tag_and_a_word_drawn_blindly():
    sentences = [
        Sentence(id="0", words=("a", "b"), upos=("X", "Y")),
        Sentence(id="1", words=tuple("abcd"), upos=tuple("XXYZ")),
    ]
    found = treebanks.guesses(sentences)
    assert found["tags"].tolist() == [0.5, 0.5] and found["neighbours"].tolist() == [0.5, 0.25]
