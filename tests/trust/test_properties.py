"""Properties that hold for whatever is put in: words and pieces, intervals, trees, files, what a record may say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import tiny

from bertology_utils.claims import believable
from bertology_utils.claims.evidence import _safe
from bertology_utils.probes import structural
from bertology_utils.scores.proportions import wilson
from bertology_utils.subject import attentions, cloze, encode, hub

FEW = settings(max_examples=60, deadline=None)
WORDS = st.lists(st.text(min_size=1, max_size=8).filter(lambda w: w.strip()), min_size=1, max_size=8)
LETTERS = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=8)


@FEW
@given(WORDS)
def test_every_word_has_pieces_in_order_whatever_it_is(words):
    (row,) = encode.tokenize(tiny(), [words])
    inner = [w for w in row.words if w >= 0]
    assert inner == sorted(inner) and set(inner) == set(range(len(words))) and row.n_words == len(words)
    assert len(row.ids) == len(row.types) == len(row.words)


@FEW
@given(WORDS, WORDS)
def test_a_second_segment_counts_on(first, second):
    (row,) = encode.tokenize(tiny(), [first], [second])
    assert set(row.words) - {-1} == set(range(len(first) + len(second)))
    types = {w: t for w, t in zip(row.words, row.types) if w >= 0}
    assert all(types[w] == int(w >= len(first)) for w in types)


@settings(max_examples=15, deadline=None)
@given(st.lists(LETTERS, min_size=1, max_size=5))
def test_neighbours_in_a_batch_change_no_word_s_vector(sentences):
    together = dict(encode.hidden_states(tiny(), sentences))
    for i, sentence in enumerate(sentences):
        alone = dict(encode.hidden_states(tiny(), [sentence]))[0]
        assert together[i].shape == alone.shape == (4, len(sentence), 32)
        np.testing.assert_allclose(together[i], alone, atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.lists(LETTERS, min_size=1, max_size=4))
def test_word_level_attention_still_sums_to_one(sentences):
    for _, units, maps in attentions.attentions(tiny(), sentences):
        assert maps.shape[-1] == len(units.words)
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
        assert (maps >= 0).all()


@FEW
@given(
    st.lists(
        st.sampled_from(["the", "dog", "[MASK]", "[SEP]", "[CLS]", "[UNK]", "[PAD]", "cats"]), min_size=1, max_size=6
    )
)
def test_what_looks_like_a_special_token_in_a_text_is_text(words):
    (row,) = cloze.text_rows(tiny(), [" ".join(words)])
    tokenizer = tiny().tokenizer
    assert row.ids[0] == tokenizer.cls_token_id and row.ids[-1] == tokenizer.sep_token_id
    special = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id, tokenizer.pad_token_id}
    assert not special & set(row.ids[1:-1])


@FEW
@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_an_interval_of_a_share_holds_it_and_is_never_a_point(hits):
    low, high = wilson(float(np.mean(hits)), len(hits))
    assert 0 <= low <= np.mean(hits) <= high <= 1 and high - low > 0.01


@FEW
@given(
    st.integers(3, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, 10**6), min_size=n, max_size=n)))
)
def test_a_tree_read_off_its_own_distances_is_that_tree(drawn):
    n, draws = drawn
    heads = [-1] + [draws[i] % i for i in range(1, n)]  # each word's head stands before it
    distances = np.full((n, n), np.inf)
    np.fill_diagonal(distances, 0)
    for i, h in enumerate(heads):
        if h >= 0:
            distances[i, h] = distances[h, i] = 1
    for k in range(n):  # Floyd and Warshall
        distances = np.minimum(distances, distances[:, [k]] + distances[[k], :])
    assert structural.spanning_tree(distances) == {(h, i) for i, h in enumerate(heads) if h >= 0}


@FEW
@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
@example("mini", ".")
def test_a_record_s_file_name_is_safe(one, other):
    for name in (one, other):
        safe = _safe(name)
        assert "/" not in safe and "\\" not in safe and "\0" not in safe and safe not in (".", "..")


@FEW
@given(
    st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(["accuracy", "Spearman", "accuracy over majority"])
)
def test_no_figure_beyond_its_bounds_is_believed(value, measure):
    row = {"measure": measure, "value": value, "low": None, "high": None, "n": 3}
    raw = {"claim": "c", "model": "m", "data": "d", "kind": "rerun", "rows": [row]}
    if math.isfinite(value) and believable.LOWEST[measure] <= value <= 1:
        believable.check(raw)
    elif not math.isfinite(value) or value > 1.001 or value < believable.LOWEST[measure] - 0.001:
        with pytest.raises(ValueError):
            believable.check(raw)


@FEW
@given(st.text("abc./~@ -_", max_size=20))
def test_a_path_is_never_taken_for_a_name_of_the_hub(name):
    if name.startswith((".", "/", "~")) or (name.count("/") > 1 and "@" not in name) or " " in name:
        assert not hub.could_be(name)
