"""`[MASK]`, `[SEP]` and the like, written in a text, are text; the one gap of an item is the model's own mask."""

from __future__ import annotations

import numpy as np
import pytest
from support import SPECIAL, tiny

from bertology_utils.attention.identifiability import left_out
from bertology_utils.calibration.gold import Gold
from bertology_utils.data import of, own
from bertology_utils.data.items import Cloze, ForcedChoice, ItemError, Labelled
from bertology_utils.finetune import classes
from bertology_utils.settings import Settings
from bertology_utils.subject import attentions, cloze, encode, fillers, retrieval

SYMBOLS = [*SPECIAL, "[SEP].", "a[MASK]b"]


def symbols(ids) -> list[str]:
    """The model's special symbols among pieces, unknown ones left out: `[` is unknown to the tiny model."""
    names = tiny().tokenizer.convert_ids_to_tokens(list(ids))
    return [name for name in names if name in SPECIAL and name != "[UNK]"]


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_in_a_word_list_it_is_a_word(symbol):
    (row,) = encode.tokenize(tiny(), [["the", symbol, "dog"]])
    assert symbols(row.ids) == ["[CLS]", "[SEP]"] and set(row.words) == {-1, 0, 1, 2}
    assert row.words.count(1) > 1  # brackets and letters
    (row,) = encode.tokenize(tiny(), [["the", symbol]], [[symbol, "dog"]])
    assert symbols(row.ids) == ["[CLS]", "[SEP]", "[SEP]"] and set(row.words) == {-1, 0, 1, 2, 3}
    assert encode.fits(tiny(), [[symbol] * 10]).all() and not encode.fits(tiny(), [[symbol] * 60]).any()


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_in_running_text_it_is_text(symbol):
    (row,) = cloze.text_rows(tiny(), [f"the {symbol} dog"])
    assert symbols(row.ids) == ["[CLS]", "[SEP]"]
    (row,) = classes.text_rows(tiny(), [Labelled(id="1", text=f"the {symbol}", text_b=f"{symbol} dog", label="a")])
    assert symbols(row.ids) == ["[CLS]", "[SEP]", "[SEP]"]
    (_, units, maps) = next(attentions.attentions(tiny(), [["the", symbol]]))
    assert list(units.words) == [-1, 0, 1, -1] and maps.shape[-1] == 4


@pytest.mark.parametrize("symbol", ["[SEP]", "[CLS]", "[PAD]", "[UNK]"])
def test_beside_a_gap_it_is_text(symbol):
    row, at = cloze.gap_row(tiny(), f"the {symbol} dog [MASK], {symbol}")
    assert symbols(row.ids) == ["[CLS]", "[MASK]", "[SEP]"] and row.ids[at] == tiny().tokenizer.mask_token_id
    plain, place = cloze.gap_row(tiny(), "the dog [MASK], cat")
    by_words = encode.tokenize(tiny(), [encode.gapped("the dog [MASK], cat")])[0]
    assert (plain.ids, place) == (by_words.ids, by_words.ids.index(tiny().tokenizer.mask_token_id))
    item = Cloze(id="1", text=f"the {symbol} dog [MASK].", answers=("sleeps",))
    kept, _, _ = retrieval.answerable(tiny(), [item])
    assert kept == [item] and np.isfinite(retrieval.retrieve(tiny(), kept).to_numpy(float)).all()


@pytest.mark.parametrize("symbol", SPECIAL)
def test_it_fills_no_gap(symbol):
    assert cloze.filler_id(tiny(), symbol) is None
    assert len(fillers.pieces(tiny(), symbol)) > 1
    items = [ForcedChoice(id="1", text="the [MASK] sleeps", good="dog", bad=symbol)]
    with pytest.raises(cloze.ModelUnsuitable, match="single pieces"):
        cloze.single_piece(tiny(), items)


def test_a_second_gap_is_refused():
    with pytest.raises(ItemError, match="needs one"):
        Cloze(id="1", text="the [MASK] [MASK]", answers=("dog",))
    with pytest.raises(ItemError, match="exactly one"):
        cloze.gap_row(tiny(), "the [MASK] [MASK]")


def test_words_hidden_on_purpose_are_masks_and_written_ones_are_not():
    plain, written = ["the", "dog", "sleeps"], ["the", "[MASK]", "sleeps"]
    (a,), (b,) = (left_out(tiny(), [words], [2], Settings()) for words in (plain, written))
    assert not np.allclose(a[0], b[0])  # else "[MASK]" in the text hid the word already
    (row,) = encode.tokenize(tiny(), [["the", encode.Gapped("[MASK],"), "\x00"]])
    assert tiny().tokenizer.convert_ids_to_tokens(row.ids) == ["[CLS]", "the", "[MASK]", ",", "[UNK]", "[SEP]"]
    assert row.words == (-1, 0, 1, 1, 2, -1)


def test_in_a_reader_s_own_file_it_is_text(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("text,good,bad\nthe [SEP] dog [MASK].,sleeps,sleep\n")
    items = own.read(path)
    row, _ = cloze.gap_row(tiny(), items[0].text)
    assert symbols(row.ids) == ["[CLS]", "[MASK]", "[SEP]"]


def test_a_stand_in_knows_the_row_of_a_gap_beside_a_symbol():
    item = ForcedChoice(id="1", text="the [SEP] dog [MASK] .", good="sleeps", bad="sleep")
    gold = Gold(tiny(), of({"agreement": [item]}))
    row, at = cloze.gap_row(tiny(), item.text)
    seen = gold(np.array(row.ids))
    assert seen.masked[at] and not gold.unknown
