"""Linear and MLP probes and control labels, against known answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils import probes
from bertology_utils.data.items import EdgeItem, ItemError, Sentence
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=200)


def words_of(item):
    return [(tag, i) for i, tag in enumerate(item.upos)]


def sentences(n=60):
    """Sentences of known words; the tag of a word is a function of the word."""
    tags = {"the": "DET", "dog": "NOUN", "cat": "NOUN", "bird": "NOUN", "sees": "VERB", "likes": "VERB", "old": "ADJ"}
    rng = np.random.default_rng(0)
    out = []
    for i in range(n):
        nouns, verb = rng.choice(["dog", "cat", "bird"], 2), rng.choice(["sees", "likes"])
        words = ("the", "old", nouns[0], verb, "the", nouns[1])
        split = ("train", "train", "train", "dev", "test")[i % 5]
        out.append(Sentence(id=str(i), split=split, words=words, upos=tuple(tags[w] for w in words)))
    return out


def test_one_hot_tags_are_told_perfectly():
    labels = np.random.default_rng(0).choice(list("abcde"), 300)
    x = (labels[:, None] == np.array(list("abcde"))).astype(float)
    for hidden in (None, 8):
        probe = probes.fit(x[:200], labels[:200], hidden=hidden)
        assert (probe.predict(x[200:]) == labels[200:]).all()
    assert np.allclose(np.exp(probe.log_probs(x)).sum(1), 1, atol=1e-5)


def test_a_linear_probe_is_at_a_minimum_of_its_loss():
    """The same optimum as scikit-learn's solver finds for the same penalised loss."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 6))
    x = (x - x.mean(0)) / x.std(0)
    labels = np.where(x @ rng.normal(size=6) + rng.logistic(size=400) > 0, "yes", "no")
    probe = probes.fit(x, labels, l2=1e-2, steps=200)
    # with two classes, softmax weights w and -w: half their penalty sum is |w|^2, sklearn's is |2 w|^2 / 2
    reference = LogisticRegression(C=2 / (1e-2 * 400), tol=1e-8).fit(x, labels)
    expected = reference.predict_log_proba(x)
    assert np.abs(probe.log_probs(x) - expected).max() < 5e-3


def test_exclusive_or_needs_the_hidden_layer():
    x = np.random.default_rng(2).choice([-1.0, 1.0], (400, 2))
    labels = np.where(x[:, 0] * x[:, 1] > 0, "same", "other")
    assert (probes.fit(x, labels).predict(x) == labels).mean() < 0.8
    assert (probes.fit(x, labels, hidden=16).predict(x) == labels).mean() == 1


def test_several_labels_a_row():
    x = np.random.default_rng(3).normal(size=(300, 4))
    labels = x[:, :2] > 0
    probe = probes.fit(x[:200], labels[:200], classes=["first", "second"])
    assert (probe.predict(x[200:]) == labels[200:]).mean() > 0.95


def test_weights_are_in_the_units_of_the_features():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(500, 3)) * [1, 100, 0.01]
    labels = np.where(x[:, 1] > 0, "b", "a")
    probe = probes.fit(x, labels)
    direction = probe.weight[1] - probe.weight[0]
    logits = probe.logits(x).numpy()
    assert np.allclose(np.ptp(logits[:, 1] - logits[:, 0] - x @ direction), 0, atol=1e-3)


@pytest.mark.parametrize(
    ("x", "labels", "options"),
    [(np.ones((3, 2)), ["a"], {}), (np.ones((0, 2)), [], {}), (np.ones((1, 2)), ["a"], {"classes": ["b"]})],
)
def test_what_does_not_fit_together_is_refused(x, labels, options):
    with pytest.raises(ValueError):
        probes.fit(x, labels, **options)


def test_control_labels_are_one_a_type_with_the_labels_frequencies():
    types = np.array([f"w{i % 2000}" for i in range(6000)])
    labels = np.where(np.arange(6000) % 10 < 7, "N", "V")
    drawn = probes.control_labels(types, labels, seed=1)
    assert len({(t, d) for t, d in zip(types, drawn)}) == 2000
    assert abs((drawn == "N").mean() - 0.7) < 0.04
    shuffled = np.random.default_rng(0).permutation(6000)
    assert (probes.control_labels(types[shuffled], labels[shuffled], seed=1) == drawn[shuffled]).all()
    assert (probes.control_labels(types, labels, seed=2) != drawn).any()


def test_a_probe_that_memorises_types_has_no_selectivity():
    """One-hot words: real labels and control labels are told alike, so the difference is nil."""
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 40, 1200)
    x = np.eye(40)[kinds]
    labels = np.where(kinds < 20, "N", "V")
    control = probes.control_labels([f"w{k}" for k in kinds], labels)
    accuracy = [(probes.fit(x[:800], y[:800]).predict(x[800:]) == y[800:]).mean() for y in (labels, control)]
    assert accuracy[0] == 1 and abs(accuracy[0] - accuracy[1]) < 0.01


def test_targets_of_sentences_and_edges():
    targets = probes.from_sentences(sentences(5), words_of)
    assert len(targets) == 30 and targets.spans.shape == (30, 1, 2) and targets.types[2] in ("dog", "cat", "bird")
    assert set(targets.split) == {"train", "dev", "test"}
    drawn = targets.draw(4)
    assert [(drawn.split == s).sum() for s in ("train", "dev", "test")] == [4, 4, 4]
    items = [
        EdgeItem(id=str(i), words=("the", "dog", "sees"), span1=(0, 2), span2=(2, 3), labels=("A0",)) for i in (0, 1)
    ]
    edges = probes.from_edges(items)
    assert (
        len(edges.sentences) == 1 and edges.types[0] == "the dog | sees" and edges.spans.tolist()[0] == [[0, 2], [2, 3]]
    )
    with pytest.raises(ItemError):
        probes.from_sentences(sentences(2), lambda item: [])


def test_gathered_vectors_are_the_means_of_the_words():
    from bertology_utils.subject import encode

    words = ("the", "old", "dog", "sees", "the", "cat")
    items = [EdgeItem(id="0", words=words, span1=(0, 3), span2=(3, 4), labels=("x",))]
    x = probes.gather(tiny(), probes.from_edges(items), settings=SETTINGS)
    ((_, states),) = encode.hidden_states(tiny(), [words], settings=SETTINGS)
    a, b = states[:, :3].mean(1), states[:, 3]
    assert np.allclose(x[:, 0], np.concatenate([a, b, a * b], -1), atol=1e-5)


def test_a_split_without_targets_is_refused():
    targets = probes.from_sentences([s for s in sentences() if s.split != "dev"], words_of)
    with pytest.raises(ValueError, match="dev"):
        targets.splits()


def test_cluster_means_have_the_interval_of_a_cluster_bootstrap():
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(80), 5)
    values = (rng.normal(size=80)[groups] + 0.1 * rng.normal(size=400)) > 0
    value, low, high = probes.Means(groups, draws=2000)(values)
    reference = intervals.mean_interval(values, groups=groups, draws=2000)
    assert value == reference[0] and np.allclose([low, high], reference[1:], atol=0.01)
    assert high - low > 1.5 * np.ptp(intervals.mean_interval(values)[1:])  # words of a sentence are not independent


def test_the_constant_answer_to_beat_is_the_best_where_it_is_scored():
    tags = [*[("train", "A")] * 3, *[("train", "B")] * 2, ("dev", "A"), *[("test", "B")] * 3, ("test", "A")]
    items = [Sentence(id=str(k), split=s, words=("the",), upos=(t,)) for k, (s, t) in enumerate(tags)]
    targets = probes.from_sentences(items, words_of)
    assert probes.constant(targets).tolist() == [True, True, True, False]
