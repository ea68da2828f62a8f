"""Stand-ins: the whole of what experiments ask of a model, with answers known from the recipe."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny
from two_sentences import CHOICES, FIRST, SECOND, SETTINGS, TREEBANK, data, rng, states

from bertology_utils.attention import collect, importance, relations
from bertology_utils.attention.maps import maps
from bertology_utils.calibration import planted as plants
from bertology_utils.calibration.gold import Gold
from bertology_utils.data.items import EdgeItem, MinimalPair, Sentence
from bertology_utils.scores import trees
from bertology_utils.subject import cloze, encode, hooks, perturb
from bertology_utils.subject.models import ModelUnsuitable


def test_a_row_is_found_by_its_pieces_masked_or_not():
    gold = Gold(tiny(), TREEBANK)
    (row,) = encode.tokenize(tiny(), [FIRST.words])
    ids = np.array(row.ids)
    assert gold(ids).first(Sentence) is FIRST and gold(ids).words.tolist() == list(row.words)
    hidden = ids.copy()
    hidden[np.array(row.words) == 1] = tiny().tokenizer.mask_token_id  # both pieces of "unable"
    seen = gold(hidden)
    assert seen.first(Sentence) is FIRST and seen.hidden_words() == [1]
    np.testing.assert_array_equal(seen.original, ids)
    assert not gold.unknown


def test_a_text_nobody_announced_is_counted_and_has_words_all_the_same():
    gold = Gold(tiny(), TREEBANK)
    (row,) = encode.tokenize(tiny(), [("a", "walked", "dog")])
    seen = gold(np.array(row.ids))
    assert seen.golds == () and seen.words.tolist() == list(row.words) and len(gold.unknown) == 1


def test_squared_distances_are_tree_distances():
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=[plants.tree_vectors(noise=0)])
    gold = plants.tree_distances(FIRST.heads)
    assert gold[0, 6] == 2 and gold[3, 0] == 3 and gold[4, 3] == 2
    for layer in states(subject, FIRST):
        found = ((layer[:, None] - layer[None]) ** 2).sum(-1)
        np.testing.assert_allclose(found, gold, atol=1e-4)


def test_layers_hold_it_as_strongly_as_they_are_told():
    strength = plants.bump(3, peak=0.5, width=0.2)
    part = plants.label_vectors(plants.of_words("upos"), layers=strength, noise=0)
    found = states(plants.plant(tiny(), TREEBANK, rng(), parts=[part]), FIRST)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), strength[:, None].repeat(7, 1), atol=1e-5)
    np.testing.assert_allclose(found[2, 0], found[2, 4], atol=1e-6)  # two determiners
    assert np.abs(found[2, 0] - found[2, 2]).max() > 0.1
    assert plants.above_embeddings(3).tolist() == [0, 1, 1, 1] and plants.rising(2).tolist() == [0, 0.5, 1]


def test_labels_of_spans_come_from_all_items_of_a_text():
    words = FIRST.words
    items = [
        EdgeItem(id="a", words=words, span1=(2, 3), span2=(6, 7), labels=("A0",)),
        EdgeItem(id="b", words=words, span1=(5, 6), labels=("X",)),
    ]
    part = plants.label_vectors(plants.of_spans, size=8, noise=0)
    found = states(plants.plant(tiny(), data(roles=items), rng(), parts=[part]), FIRST)[-1]
    np.testing.assert_allclose(found[2, :8], plants.code((0, "A0"), 8), atol=1e-6)
    np.testing.assert_allclose(found[6, :8], plants.code((1, "A0"), 8), atol=1e-6)
    np.testing.assert_allclose(found[5, :8], plants.code((0, "X"), 8), atol=1e-6)
    assert not found[0].any()


def test_noise_belongs_to_the_row_and_not_to_the_batch():
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=[plants.word_vectors(noise=0.5)])
    together = dict(encode.hidden_states(subject, [FIRST.words, SECOND.words], settings=SETTINGS))
    np.testing.assert_allclose(together[0], states(subject, FIRST), atol=1e-6)
    np.testing.assert_allclose(together[1], states(subject, SECOND), atol=1e-6)
    other = plants.plant(tiny(), TREEBANK, np.random.default_rng(1), parts=[plants.word_vectors(noise=0.5)])
    assert np.abs(states(other, FIRST) - together[0]).max() > 0.1


def test_a_planted_head_answers_its_relation_and_others_do_not():
    attention = plants.head_attention(tiny(), {(1, 2): plants.arcs_of("nsubj"), (2, 0): plants.arcs_of(up=False)})
    subject = plants.plant(tiny(), TREEBANK, rng(), attention=attention)
    arcs = relations.arcs([FIRST, SECOND])
    right = relations.score(subject, [FIRST.words, SECOND.words], arcs, settings=SETTINGS).reshape(-1, 3, 4)
    subjects = ((arcs.relation == "nsubj") & (arcs.direction == relations.DIRECTIONS[0])).to_numpy()
    assert subjects.sum() == 2 and right[subjects, 1, 2].all()
    assert right[~subjects].mean(0)[1, 2] < 1
    assert all(m.weights.sum(-1)[m.real[:, None, None].expand(m.weights.shape[:-1])].sub(1).abs().max() < 1e-5
               for m in maps(subject, [FIRST.words, SECOND.words]))  # fmt: skip


def test_impact_is_what_was_planted_exactly():
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=[plants.impact(lambda d: 1 / (1 + d), noise=0)])
    expected = 1 / (1 + plants.tree_distances(FIRST.heads))
    np.fill_diagonal(expected, 0)
    found = perturb.impact(subject, FIRST.words, SETTINGS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    heads = trees.arborescence(found.T, 6)
    assert trees.attached(heads, np.array(FIRST.heads)).all()


def test_choices_lead_by_the_planted_nats():
    subject = plants.plant(
        tiny(), data(agreement=CHOICES), rng(), logits=plants.choice_logits(tiny(), strength=4, noise=0)
    )
    lead = cloze.choose(subject, CHOICES, SETTINGS)
    # codes of two pieces overlap a little: a lead of 4 nats of (8 + 4) and 8
    assert (np.abs(lead - 4) < 3).all() and (lead > 1).all()
    wrong = plants.plant(
        tiny(), data(agreement=CHOICES), rng(), logits=plants.choice_logits(tiny(), right=0.0, noise=0)
    )
    assert (cloze.choose(wrong, CHOICES, SETTINGS) < 0).all()


def test_minimal_pairs_are_preferred_by_pseudo_likelihood():
    pairs = [MinimalPair(id="p", good="the dog sleeps .", bad="the dogs sleeps .")]
    subject = plants.plant(tiny(), data(pairs=pairs), rng(), logits=plants.choice_logits(tiny(), noise=0))
    assert cloze.compare(subject, pairs, SETTINGS).difference[0] > 1


def test_interventions_act_on_the_stream():
    parts = [plants.word_vectors(8, noise=0), plants.tree_vectors(8, layers=plants.rising(3), noise=0)]
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=parts)
    plain = states(subject, FIRST)
    keep = np.diag([1.0] * 8 + [0.0] * (subject.hidden_size - 8)).astype(np.float32)
    with hooks.changed_states(subject, 1, lambda hidden: hidden @ torch.as_tensor(keep)):
        erased = states(subject, FIRST)
    np.testing.assert_allclose(erased[0], plain[0], atol=1e-6)
    assert not erased[1][:, 8:16].any()
    np.testing.assert_allclose(erased[3], plain[3] - plain[1] @ (np.eye(len(keep)) - keep), atol=1e-5)
    np.testing.assert_allclose(states(subject, FIRST), plain, atol=0)


def test_heads_move_what_they_attend_to_where_they_are_let():
    attention = plants.head_attention(tiny(), {(0, 0): plants.arcs_of()}, share=1.0, noise=0)
    options = dict(parts=[plants.word_vectors(16, noise=0)], attention=attention)
    still = plants.plant(tiny(), TREEBANK, rng(), **options)
    moving = plants.plant(tiny(), TREEBANK, rng(), **options, flow=1.0)
    with hooks.ablate_heads(still, [(0, 0)]):
        np.testing.assert_allclose(
            states(still, SECOND), states(plants.plant(tiny(), TREEBANK, rng(), **options), SECOND)
        )
    plain = states(moving, SECOND)
    size = moving.hidden_size // 4
    np.testing.assert_allclose(plain[1, 0, :size], plain[0, 0, :size] + plain[0, 1, :size], atol=1e-5)  # its head's
    with hooks.ablate_heads(moving, [(0, 0)]):
        np.testing.assert_allclose(states(moving, SECOND)[1, 0, :size], plain[0, 0, :size], atol=1e-6)


def test_norms_gradients_and_importance_come_out():
    attention = plants.head_attention(tiny(), {(0, 0): plants.arcs_of()})
    subject = plants.plant(
        tiny(),
        TREEBANK,
        rng(),
        parts=[plants.word_vectors(noise=0)],
        attention=attention,
        flow=0.5,
        logits=plants.restored(),
    )
    texts = [FIRST.words, SECOND.words]
    found = collect.collect(subject, texts, norms=True, settings=SETTINGS)
    shares = found.norms["share other"]  # the first head moves the words' vectors, the others have nothing to move
    assert (shares[..., 0] > 0).all() and (shares[..., 0] < 1).all() and np.isnan(shares[..., 1:]).all()
    gradients = importance.kind_gradients(subject, texts, SETTINGS)["[SEP]"]
    assert gradients.shape == (2, 3, 4) and np.isfinite(gradients).all()
    assert importance.masked_hits(subject, texts, SETTINGS).min() == 1.0
    batches = list(importance.masked(subject, texts, settings=SETTINGS))
    sizes = importance.head_importance(subject, batches, lambda out, _: out.last_hidden_state.square().sum())
    assert sizes.shape == (3, 4) and sizes.max() > 0


def test_word_vectors_that_are_no_rows_of_the_table_are_refused():
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=[plants.word_vectors(noise=0)])
    table = subject.base.get_input_embeddings()
    ids = torch.tensor([[2, 6, 7, 3]])
    plain = subject.base(input_ids=ids).last_hidden_state
    torch.testing.assert_close(subject.base(inputs_embeds=table(ids)).last_hidden_state, plain)
    with pytest.raises(ModelUnsuitable, match="rows of its table"):
        subject.base(inputs_embeds=table(ids) + 0.3)


def test_a_stand_in_may_be_fine_tuned_and_does_not_change():
    from bertology_utils import finetune

    part = plants.text_vectors(lambda item: item.id, noise=0)
    subject = plants.plant(tiny(), TREEBANK, rng(), parts=[part])
    rows, head = encode.tokenize(subject, [FIRST.words, SECOND.words]), torch.nn.Linear(subject.hidden_size, 2)
    loss = lambda hidden, batch: torch.nn.functional.cross_entropy(head(hidden[:, 0]), torch.tensor(batch.index))  # noqa: E731
    before = states(subject, FIRST)
    _, losses = finetune.train(subject, rows, head, loss, finetune.Recipe(epochs=20, rate=0.05))
    assert losses[-1] < 0.5 * losses[0]
    np.testing.assert_array_equal(states(subject, FIRST), before)
