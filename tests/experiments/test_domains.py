"""Pivots and domain shift: what pivots are, what is hidden, and what the rule says of taggers that are so and so good."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from picked import value
from support import tiny, write_model

from bertology_utils import runs
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, UNTESTABLE, decide
from bertology_utils.data import load
from bertology_utils.data.items import Sentence
from bertology_utils.errors import Refusal
from bertology_utils.experiments.training import domains
from bertology_utils.settings import Settings
from bertology_utils.subject import encode, models

ID = "trn.domain_pivots.bendavid2020"
DATA = load(("treebank", "constituency"), "builtin", n=400, seed=0)
UNKNOWN = 1


def rows(*lines):
    return [encode.Row((2, *ids, 3), (0,) * (len(ids) + 2), (-1, *range(len(ids)), -1), len(ids)) for ids in lines]


def measured(monkeypatch, web, news=0.95):
    """The rows where taggers of the arms none, pivots and uniform get such shares of words right: the same ones of all."""
    arms = iter(("pivots", "uniform") * domains.SEEDS)
    monkeypatch.setattr(domains, "read_on", lambda *_: next(arms))

    def tag(start, words, tags, recipe):
        arm = start if isinstance(start, str) else "none"

        def right(sentences, gold, settings):
            n = sum(map(len, gold))
            share = web[arm] if n == held["web"] else news
            return (np.random.default_rng(recipe.seed).random(n) < share).astype(bool)

        return SimpleNamespace(right=right)

    held = {"web": sum(len(s.words) for s in DATA["treebank"] if s.split == "test")}
    monkeypatch.setattr(domains.tagging, "tag", tag)
    return runs.get(ID).experiment(tiny(), DATA, Settings(draws=200))


@pytest.mark.parametrize(
    ("web", "holds", "tested"),
    [
        ({"none": 0.80, "pivots": 0.88, "uniform": 0.82}, [True, True], True),
        ({"none": 0.80, "pivots": 0.88, "uniform": 0.88}, [True, False], True),  # any further training does it
        ({"none": 0.80, "pivots": 0.80, "uniform": 0.80}, [False, False], True),
        ({"none": 0.95, "pivots": 0.99, "uniform": 0.95}, [False, False], False),  # no shift
    ],
)
def test_the_rule_is_about_pivots_over_none_and_over_any_masks(monkeypatch, web, holds, tested):
    frame = measured(monkeypatch, web)
    found = [c.outcome for c in decide(ledger.row(ID).clauses, frame, source="ud_english_ewt").clauses]
    assert [outcome == HOLDS for outcome in found] == holds and (UNTESTABLE not in found) == tested
    for rival in ("none", "uniform"):
        gain = value(frame, "accuracy, pivots - rival", rival=rival, domain="web")
        arms = [value(frame, "accuracy", arm=arm, domain="web") for arm in ("pivots", rival)]
        assert gain == pytest.approx(arms[0] - arms[1])


def test_a_tagger_that_cannot_tag_news_is_not_judged(monkeypatch):
    frame = measured(monkeypatch, {"none": 0.5, "pivots": 0.7, "uniform": 0.6}, news=0.8)
    assert decide(ledger.row(ID).clauses, frame, source="ud_english_ewt").outcome == UNTESTABLE


def test_pivots_are_frequent_in_both_and_say_most_first():
    one = rows(*[(7, 8, 9, UNKNOWN)] * domains.OFTEN)
    other = rows(*[(7, 9, 10, UNKNOWN)] * domains.OFTEN)
    known = {7: 0.1, 8: 0.9, 9: 0.2, 10: 0.9, UNKNOWN: 0.9}
    assert domains.pivots_of([one, other], known, UNKNOWN) == [9, 7]
    assert domains.pivots_of([one, other[1:]], known, UNKNOWN) == []


def test_half_of_the_pivots_and_a_tenth_of_the_rest_are_hidden_and_as_many_at_an_even_rate():
    texts = rows(*[(7, 8, 9, 10, UNKNOWN) * 5] * 2000)
    hidden = {
        "pivots": domains.hidden(texts, {7: 0.5}, 0.1, UNKNOWN, seed=0),
        "uniform": domains.hidden(texts, {}, domains.even_rate(texts, [7], UNKNOWN), UNKNOWN, seed=1),
    }
    counts = {arm: Counter(r.ids[t] for r, at in zip(texts, places) for t in at) for arm, places in hidden.items()}
    assert min(len(at) for places in hidden.values() for at in places) == 1
    assert all(c[UNKNOWN] == c[2] == c[3] == 0 for c in counts.values())
    share = {piece: n / 10_000 for piece, n in counts["pivots"].items()}
    assert share[7] == pytest.approx(0.5, abs=0.02) and share[8] == pytest.approx(0.1, abs=0.02)
    assert counts["uniform"].total() == pytest.approx(counts["pivots"].total(), rel=0.03)


def test_words_whose_tag_was_never_seen_count_nowhere():
    held = [
        Sentence(id="wsj_0001-0", words=("a", "b"), xpos=("DT", "XX")),
        Sentence(id="x", words=("to",), xpos=("TO",)),
    ]
    asked = domains.Asked(held, [["DT", "IN"]])
    assert (asked.kept.tolist(), asked.left_out, asked.documents.tolist()) == (
        [True, False, True],
        1,
        ["wsj_0001", "x"],
    )


def test_read_on_is_another_network_with_every_seed_and_the_same_with_one():
    texts = domains.rows_of(tiny(), [domains.tagged(s) for s in DATA["treebank"][:40]])
    one, again, other = (domains.read_on(tiny(), texts, {}, 0.2, seed).sha256 for seed in (0, 0, 1))
    assert one == again and len({one, other, tiny().sha256}) == 3


def test_a_network_that_fills_no_masks_is_refused(tmp_path):
    subject = models.load(str(write_model(tmp_path / "none", mlm=False)))
    with pytest.raises(Refusal, match="no masked-LM head"):
        runs.get(ID).experiment(subject, DATA, Settings(draws=200))
