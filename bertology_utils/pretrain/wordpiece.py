"""WordPiece: training the vocabulary, and the tokenizer files that `AutoTokenizer` reads (devlin2019)."""
from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from .config import Config

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # their ids are their places here
PAD, UNK, CLS, SEP, MASK = range(5)


def empty(config: Config) -> Tokenizer:
    """A BERT tokenizer without vocabulary: normaliser, splitter, template and decoder as the configuration says."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=config.strip_accents, lowercase=config.lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)])
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def train(texts: Iterable[str], config: Config) -> Tokenizer:
    """Train a vocabulary of ``config.vocab`` pieces, at most ``config.alphabet`` characters among them.

    Raises
    ------
    ValueError
        The text is too small for so many pieces.
    """
    tokenizer = empty(config)
    trainer = trainers.WordPieceTrainer(
        vocab_size=config.vocab, special_tokens=list(SPECIAL), limit_alphabet=config.alphabet,
        continuing_subword_prefix="##", min_frequency=2, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() != config.vocab:
        raise ValueError(f"the text yields {tokenizer.get_vocab_size()} pieces, the configuration {config.name!r} "
                         f"asks for {config.vocab}: give more text or a smaller vocabulary")
    return tokenizer


def save(tokenizer: Tokenizer, config: Config, folder: Path) -> None:
    """Write ``tokenizer.json``, ``tokenizer_config.json`` and ``vocab.txt``, as Hugging Face lays them out."""
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "BertTokenizer", "model_max_length": config.max_positions,
        "do_lower_case": config.lowercase, "strip_accents": config.strip_accents, "tokenize_chinese_chars": True,
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")
    order = sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])
    (folder / "vocab.txt").write_text("".join(piece + "\n" for piece, _ in order), "utf-8")
