"""One's own sentence: what fills its gap, which of two is likelier, which word attends to which."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
import torch
from support import tiny, tiny_folder

import bertology_utils
from bertology_utils import attend, cli, compare, fill
from bertology_utils.data.items import ItemError
from bertology_utils.settings import Settings, SettingsError
from bertology_utils.subject.cloze import pseudo_log_likelihood

SETTINGS = Settings(model=str(tiny_folder()), device="cpu")


def test_fillers_have_the_probabilities_of_the_plain_forward_pass():
    subject = tiny()
    ids = torch.tensor([[2, *subject.tokenizer.convert_tokens_to_ids(["the", "[MASK]", "sleeps"]), 3]])
    with torch.no_grad():
        wanted = subject.model(input_ids=ids).prediction_logits[0, 2].softmax(-1)
    found = fill("the [MASK] sleeps", k=3, settings=SETTINGS)
    best = wanted.argsort(descending=True)[:3]
    assert found["filler"].tolist() == subject.tokenizer.convert_ids_to_tokens(best.tolist())
    np.testing.assert_allclose(found["probability"], wanted[best], rtol=1e-4)
    everything = fill("the [MASK] sleeps", k=10**6, settings=SETTINGS)
    assert len(everything) == subject.config.vocab_size and everything["probability"].sum() == pytest.approx(1)


def test_two_sentences_stand_beside_each_other_with_their_lengths():
    texts = ["the unable dog sleeps", "the dog sleeps"]  # un ##able: five pieces against three
    found = compare(*texts, settings=SETTINGS)
    np.testing.assert_allclose(found["log P"], pseudo_log_likelihood(tiny(), texts), rtol=1e-4)
    assert found["pieces"].tolist() == [5, 3]
    assert found["per piece"].tolist() == pytest.approx([found["log P"][0] / 5, found["log P"][1] / 3])


@pytest.mark.parametrize("pair", [("the dog", ""), ("the dog", "the dog"), ("the 猫", "the 犬"), ("a", "\u200b")])
def test_what_cannot_be_compared_is_refused(pair):
    with pytest.raises(ItemError, match=r"two different texts|reads both sentences alike"):
        compare(*pair, settings=SETTINGS)


def test_each_word_attends_by_a_distribution():
    """Words are the rows and columns: of un ##able, what is attended to is added up, what attends is averaged."""
    maps = attend("the unable dog.", layer=1, head=2, settings=SETTINGS)
    assert list(maps.index) == list(maps.columns) == ["[CLS]", "the", "unable", "dog", ".", "[SEP]"]
    np.testing.assert_allclose(maps.sum(axis=1), 1, atol=1e-5)
    ids = torch.tensor([tiny().tokenizer("the unable dog.")["input_ids"]])
    with torch.no_grad():
        whole = tiny().base(input_ids=ids, output_attentions=True).attentions
    assert maps.loc["dog", "unable"] == pytest.approx(float(whole[1][0, 2, 4, 2:4].sum()), abs=1e-5)
    mean = attend("the unable dog.", settings=SETTINGS)
    everything = torch.stack(whole)[:, 0].mean((0, 1))
    assert mean.loc["unable", "the"] == pytest.approx(float(everything[2:4, 1].mean()), abs=1e-5)


@pytest.mark.parametrize(
    ("where", "said"), [({"layer": 3}, "layer is 3; .* has 3, counted from 0"), ({"head": -1}, "head is -1")]
)
def test_layers_and_heads_are_counted_from_0(where, said):
    with pytest.raises(SettingsError, match=said):
        attend("the dog", **where, settings=SETTINGS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fill", "the [MASK] sleeps", "-k", "2"), "probability"),
        (("compare", "the unable dog", "the dog"), "a longer sentence tends to have the lower sum"),
        (("compare", "the dog sleeps", "the dog sleep"), "is likelier, by "),
        (("attend", "the dog", "--layer", "0"), "[SEP]"),
    ],
)
def test_on_the_command_line(words, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bertology", *words, "--model", str(tiny_folder())])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code and said in capsys.readouterr().out


def test_a_notebook_has_them_in_one_line():
    assert {"attend", "compare", "fill", "try_"} <= set(bertology_utils.__all__)


def test_what_is_typed_says_what_is_asked():
    ask = bertology_utils.try_
    pd.testing.assert_frame_equal(
        ask("the [MASK] sleeps", settings=SETTINGS), fill("the [MASK] sleeps", settings=SETTINGS)
    )
    pd.testing.assert_frame_equal(ask("the dog", settings=SETTINGS), attend("the dog", settings=SETTINGS))
    both = ("the dog sleeps", "the dog sleep")
    pd.testing.assert_frame_equal(ask(*both, settings=SETTINGS), compare(*both, settings=SETTINGS))


def test_attention_is_drawn_with_a_line_per_pair_of_words_and_every_word_twice(tmp_path, monkeypatch):
    path = tmp_path / "map.svg"
    words = ["attend", "the dog", "--layer", "0", "--head", "1", "--svg", str(path), "--model", str(tiny_folder())]
    monkeypatch.setattr(sys, "argv", ["bertology", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    drawn = path.read_text("utf-8")
    assert not ended.value.code and drawn.count(">dog</text>") == 2 and drawn.count('id="line2d') == 16
