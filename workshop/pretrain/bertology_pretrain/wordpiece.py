"""WordPiece: training the vocabulary, and the tokenizer files that `AutoTokenizer` reads (devlin2019)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tqdm import tqdm

from bertology_utils.family.config import Config, ConfigError

from .text import CorpusError

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # their ids are their places here
PAD, UNK, CLS, SEP, MASK = range(5)
MODELS = Path(str(files("bertology_utils") / "assets" / "models"))


def empty(config: Config, vocabulary: dict[str, int] | None = None) -> Tokenizer:
    """A BERT tokenizer, untrained or of this vocabulary: normaliser, splitter, template as the configuration says."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary or {}, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=config.strip_accents, lowercase=config.lowercase
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def alphabet(texts: Sequence[str], config: Config) -> tuple[list[str], list[str]]:
    """The ``config.alphabet`` commonest characters after normalisation, and their ``##`` pieces, in a fixed order.

    Characters that always stand alone (punctuation, CJK ideographs) have no ``##`` piece.
    """
    raw: Counter[str] = Counter()
    for start in range(0, len(texts), 10_000):
        raw.update("".join(texts[start : start + 10_000]))
    bare = empty(config)
    seen: Counter[str] = Counter()
    for character, count in raw.items():
        for c in bare.normalizer.normalize_str(character).replace(" ", ""):
            seen[c] += count
    kept = sorted(sorted(seen, key=lambda c: (-seen[c], c))[: config.alphabet])
    split = bare.pre_tokenizer.pre_tokenize_str
    inside = [c for c in kept if len(split(bare.normalizer.normalize_str("a" + c))) == 1]
    return kept, ["##" + c for c in inside]


def train(texts: Sequence[str], config: Config) -> Tokenizer:
    """Train a vocabulary of ``config.vocab`` pieces, ``config.alphabet`` characters among them.

    The trainer numbers the ``##`` characters in the order of a hash map, differently in each run, and ties between
    merges hang on the numbers. So they are handed to it beforehand, as if they were special symbols; the
    tokenizer is then put together from the vocabulary alone.

    Raises
    ------
    CorpusError
        The text is too small for so many pieces.
    """
    first, inside = alphabet(texts, config)
    trainer = trainers.WordPieceTrainer(
        vocab_size=config.vocab,
        special_tokens=[*SPECIAL, *first, *inside],
        initial_alphabet=first,
        limit_alphabet=len(first),
        continuing_subword_prefix="##",
        min_frequency=2,
        show_progress=False,
    )
    learner = empty(config)
    learner.train_from_iterator(
        tqdm(texts, desc="vocabulary", unit=" sentences", unit_scale=True, mininterval=1), trainer
    )
    vocabulary = learner.get_vocab(with_added_tokens=False)
    if len(vocabulary) != config.vocab:
        raise CorpusError(
            f"the text yields {len(vocabulary)} pieces, the configuration {config.name!r} asks for "
            f"{config.vocab}: give more text or a smaller vocabulary"
        )
    return _of(vocabulary, config)


def adopted(config: Config) -> Tokenizer:
    """The tokenizer of the pieces that another model has (`config.vocabulary`), so that the two read text alike.

    Raises
    ------
    ConfigError
        There is no such model, or it has another number of pieces or other special ones.
    """
    path = place(config, config.vocabulary, "vocab.txt")
    pieces = listed(path)
    if len(pieces) != config.vocab or tuple(pieces[: len(SPECIAL)]) != SPECIAL:
        raise ConfigError(f"{path}: {len(pieces)} pieces where {config.name!r} has {config.vocab}, {SPECIAL} first")
    return _of({piece: number for number, piece in enumerate(pieces)}, config)


def place(config: Config, model: str, file: str) -> Path:
    """Where a file of `model`, a bundled model or a folder, is.

    Raises
    ------
    ConfigError
        There is none.
    """
    for folder in (MODELS / model, Path(model)):
        if (folder / file).is_file():
            return folder / file
    raise ConfigError(f"configuration {config.name!r}: no {file} of {model!r}, a bundled model or a folder")


def listed(path: Path) -> list[str]:
    """The pieces of a ``vocab.txt``, by their numbers."""
    return path.read_text("utf-8").split("\n")[:-1]


def _of(vocabulary: dict[str, int], config: Config) -> Tokenizer:
    tokenizer = empty(config, vocabulary)
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


def save(tokenizer: Tokenizer, config: Config, folder: Path) -> None:
    """Write ``tokenizer.json``, ``tokenizer_config.json`` and ``vocab.txt``, as Hugging Face lays them out."""
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "BertTokenizer",
        "model_max_length": config.max_positions,
        "do_lower_case": config.lowercase,
        "strip_accents": config.strip_accents,
        "tokenize_chinese_chars": True,
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")
    order = sorted(tokenizer.get_vocab().items(), key=lambda pair: pair[1])
    (folder / "vocab.txt").write_text("".join(piece + "\n" for piece, _ in order), "utf-8")
