"""Places of held-out text: the same for every run, in one document, and a fair die's loss for a model that knows nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pretrain_corpus import write

from bertology_pretrain import corpus, load_config, wordpiece
from bertology_pretrain.family import places
from bertology_pretrain.step import build


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    folder, config = tmp_path_factory.mktemp("places"), load_config("tiny", held_out=0.2)
    return places.of(corpus.load(write(folder / "a.txt"), config, folder / "cache")), config


def test_the_same_pieces_are_hidden_from_runs_on_pairs_and_on_single_segments(cut):
    found, _ = cut
    two, one = (places._masked(found, pairs, "mask", 0) for pairs in (True, False))
    for row in range(len(found.rows)):
        hidden = [sorted(b.labels[row][b.weights[row] > 0].tolist()) for b in (two, one)]
        assert hidden[0] == hidden[1]
    assert two.weights.sum() > 50 and (two.ids.gather(1, two.slots)[two.weights > 0] == wordpiece.MASK).all()
    unk = places._masked(found, True, "unk", 0)
    assert (unk.ids.gather(1, unk.slots)[unk.weights > 0] == wordpiece.UNK).all()
    assert (unk.labels == two.labels).all()
    share = float(two.weights.sum() / (two.ids > wordpiece.MASK).sum())
    assert 0.1 < share < 0.25
    assert not torch.equal(places._masked(found, True, "mask", 1).slots, two.slots)


def test_held_out_places_are_held_out_and_in_place(cut):
    found, _ = cut
    corpus_, bounds = found.corpus, found.corpus.sentences
    sentence = np.searchsorted(bounds, found.rows[:, [0, 2]], side="right") - 1
    document = np.searchsorted(corpus_.documents, sentence, side="right") - 1
    assert corpus_.held[document].all() and (document[:, 0] == document[:, 1]).all()
    assert (found.rows[:, 0] + found.rows[:, 1] == found.rows[:, 2]).all(), "B goes on where A ends"
    assert (found.rows[:, 1] + found.rows[:, 3] <= places.LENGTH - 3).all()


def test_a_model_that_knows_nothing_has_the_loss_of_a_fair_die(cut):
    found, config = cut
    model = build(config).eval()
    with torch.no_grad():
        model.cls.predictions.decoder.weight.zero_()
        model.cls.predictions.bias.zero_()
    told = places.losses(model, found, pairs=True)
    assert told["loss"].sum() / told["n"].sum() == pytest.approx(np.log(config.vocab), rel=1e-5)
    assert (told["unigram"] / told["n"]).mean() < np.log(config.vocab), "frequencies say something"
    assert (np.diff(told["document"]) > 0).all() and told["document"].max() < found.corpus.held.sum()
    said = places.relations(model, found)
    with torch.no_grad():  # it calls every pair spoilt: half of them are
        model.cls.seq_relationship.weight.zero_()
        model.cls.seq_relationship.bias.copy_(torch.tensor([0.0, 1.0]))
    said = places.relations(model, found)
    assert {name: v.mean() for name, v in said.items()} == {"nsp": 0.5, "sop": 0.5}
