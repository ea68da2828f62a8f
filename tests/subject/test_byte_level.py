"""A byte-level vocabulary has its pieces with the space before them: words given one by one must be read that way."""

from __future__ import annotations

import json
import shutil

import pytest
import transformers
from support import WORDS
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from bertology_utils.data.items import ForcedChoice
from bertology_utils.subject import cloze, encode
from bertology_utils.subject.models import Subject, load

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
NAMES = {
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    "modernbert": ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"),
}


def pieces(kind: str) -> Tokenizer:
    """As published: no space put before the first word, the gap taking the space before it."""
    cls, pad, sep, unk, mask = NAMES[kind]
    made = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(), level]) if kind == "modernbert" else level
    made.normalizer, made.decoder = normalizers.NFC() if kind == "modernbert" else None, decoders.ByteLevel()
    special = [cls, pad, sep, unk, AddedToken(mask, lstrip=True)]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=special, initial_alphabet=alphabet)
    made.train_from_iterator([f" {word}" for word in WORDS if word.isalpha()] * 5, trainer)
    ids = [(name, made.token_to_id(name)) for name in (sep, cls)]
    made.post_processor = (
        processors.RobertaProcessing(*ids, add_prefix_space=False)
        if kind == "roberta"
        else processors.TemplateProcessing(f"{cls} $A {sep}", f"{cls} $A {sep} $B {sep}", ids)
    )
    return made


@pytest.fixture(scope="module", params=NAMES)
def subject(request, tmp_path_factory) -> Subject:
    kind, where = request.param, tmp_path_factory.mktemp(request.param)
    made = pieces(kind)
    cls, pad, sep, unk, mask = NAMES[kind]
    given = {"cls_token": cls, "pad_token": pad, "sep_token": sep, "unk_token": unk, "mask_token": mask}
    made.save(str(where / "tokenizer.json"))
    if kind == "roberta":
        made.model.save(str(where))
        (where / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512}))
        config, model = transformers.RobertaConfig, transformers.RobertaForMaskedLM
    else:
        raw = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192, **given}
        (where / "tokenizer_config.json").write_text(json.dumps(raw))
        config, model = transformers.ModernBertConfig, transformers.ModernBertForMaskedLM
    ids = {f"{name}_token_id": made.token_to_id(token) for name, token in zip(("cls", "pad", "sep"), NAMES[kind])}
    ids |= {"bos_token_id": ids["cls_token_id"], "eos_token_id": ids["sep_token_id"]}
    model(config(vocab_size=made.get_vocab_size(), **SIZES, **ids)).save_pretrained(where)
    yield load(str(where))
    shutil.rmtree(where)


def read(subject: Subject, ids) -> list[str]:
    return subject.tokenizer.convert_ids_to_tokens(list(ids))[1:-1]


def test_words_are_read_with_the_space_before_them(subject):
    (row,) = encode.tokenize(subject, [["the", "dog", "sleeps"]])
    assert read(subject, row.ids) == ["Ġthe", "Ġdog", "Ġsleeps"] and row.words == (-1, 0, 1, 2, -1)


def test_the_filler_scored_is_the_word_as_it_stands_in_text(subject):
    assert subject.tokenizer.convert_ids_to_tokens(cloze.filler_id(subject, "sleeps")) == "Ġsleeps"
    items = [ForcedChoice(id="1", text="the dog [MASK].", good="sleeps", bad="sleep")]
    logs = dict(cloze.log_probabilities(subject, [items[0].text]))[0]
    known = subject.tokenizer.get_vocab()
    assert cloze.choose(subject, items)[0] == pytest.approx(logs[known["Ġsleeps"]] - logs[known["Ġsleep"]])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the dog [MASK].", ["Ġthe", "Ġdog", "MASK", "."]),
        ("the dog [MASK], the cat", ["Ġthe", "Ġdog", "MASK", ",", "Ġthe", "Ġcat"]),
        ("[MASK] the dog", ["MASK", "Ġthe", "Ġdog"]),
    ],
)
def test_nothing_stands_between_a_gap_and_what_follows_it(subject, text, wanted):
    wanted = [w.replace("MASK", subject.tokenizer.mask_token) for w in wanted]
    row, at = cloze.gap_row(subject, text)
    assert read(subject, row.ids) == wanted and row.ids[at] == subject.tokenizer.mask_token_id
    (words,) = encode.tokenize(subject, [encode.gapped(text)])
    assert read(subject, words.ids) == wanted


def test_running_text_is_read_as_words_are(subject):
    (row,) = cloze.text_rows(subject, ["the dog sleeps"])
    assert read(subject, row.ids) == ["Ġthe", "Ġdog", "Ġsleeps"]
