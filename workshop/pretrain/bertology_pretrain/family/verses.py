"""What a run on verse-aligned text can do: gaps, translations of held-out verses, parts of speech of a parallel treebank.

The same as `languages` asks of generated sentences, of real ones. A verse is asked where every language of the tier has it,
whole, in a row of the run, so that all runs of a tier are asked the same verses. Words have no gold translations, but those
of a language beside itself in other pieces. Parts of speech are those of PUD, news and encyclopaedic text: a sentence lies in
the same split in all languages.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from transformers import BertForPreTraining, PreTrainedTokenizerFast

from bertology_utils import data
from bertology_utils.data.items import Sentence, Translation
from bertology_utils.data.text import words as words_of
from bertology_utils.family.config import Config

from .. import languages as names
from ..corpus import Corpus
from ..text import CorpusError, chapters, is_held_out, lines
from .gaps import losses
from .languages import DEV, PAIRS, found_by, tagged, translated_words
from .reader import Reader

PUD, ENGLISH = "ud_pud_multilingual", "ud_english_pud"
SIZES = {"train": 500, "dev": 100, "test": 300}  # sentences of PUD
MOST = 300  # held-out verses of a language, of which pieces are hidden


def measure(folder: Path, corpus: Corpus, config: Config, text: list[Path]) -> dict[str, Any]:
    """Every measurement of a run on verse-aligned files; as of `languages.measure`, and what shared pieces find.

    ``retrieval`` has ``pieces`` too: the share of verses whose translation is nearest by the pieces that both have. A second
    language that PUD lacks has no ``probes``.

    Raises
    ------
    CorpusError
        As of `heldout_verses`.
    DataUnavailable
        As of `data.load`.
    """
    model = BertForPreTraining.from_pretrained(folder, attn_implementation="eager", use_safetensors=True).eval()
    reader = Reader(model, PreTrainedTokenizerFast(tokenizer_object=corpus.tokenizer), config)
    verses = heldout_verses(text, corpus, config)
    codes, second = reader.languages, reader.second()
    both = [[v.sentences[codes[place]] for v in verses] for place in (0, second)]
    found = found_by(reader, both) | {"pieces": round(by_pieces(reader, [b[DEV:] for b in both]), 4)}
    out: dict[str, Any] = {"heldout": losses(reader, corpus, MOST), "retrieval": found}
    out["words"] = translated_words(reader, verses) if codes[0] == codes[second] else ""
    return out | {"probes": probes(reader)}


def heldout_verses(text: list[Path], corpus: Corpus, config: Config) -> list[Translation]:
    """Held-out verses in all languages of a tier, `PAIRS` of them in the order of a hash.

    Parameters
    ----------
    text : list of Path
        The tier's files, line i of each being the same verse.

    Raises
    ------
    CorpusError
        A file is damaged, or there are fewer verses.
    """
    said = {names.name(path.name): list(lines(path)) for path in text}
    of = chapters(text[0], len(next(iter(said.values()))))
    held = [k for k, chapter in enumerate(of) if is_held_out(chapter, config.held_out)]
    out, room = [], config.eval_length - 2
    for k in sorted(held, key=lambda k: crc32(f"verse {k}".encode())):
        verse = {code: told[k] for code, told in said.items()}
        pieces = corpus.tokenizer.encode_batch_fast([*verse.values()], add_special_tokens=False)
        if all(verse.values()) and max(len(e.ids) for e in pieces) <= room:
            out.append(Translation(id=f"{k}", sentences={c: _sentence(f"{k}/{c}", c, t) for c, t in verse.items()}))
        if len(out) == PAIRS:
            return out
    raise CorpusError(f"{len(out)} held-out verses that fit in {', '.join(said)}, where {PAIRS} are asked")


def _sentence(id: str, code: str, text: str) -> Sentence:
    words = words_of(text)
    return Sentence(id=id, condition=code, words=words, upos=tuple("X" if w.isalnum() else "PUNCT" for w in words))


def by_pieces(reader: Reader, both: list[list[Sentence]]) -> float:
    """Share of sentences, there and back, that are nearest to their translation by the ids both have; equals share the point.

    A piece counts by the logarithm of the inverse share of sentences that have it.
    """
    ids = [reader.pieces(s, place)[0] for s, place in zip(both, (0, reader.second()))]
    tables = []
    for rows in ids:
        table = np.zeros((len(rows), reader.config.symbols))
        for r, found in enumerate(rows):
            table[r, found] = 1
        tables.append(table)
    rare = np.log(2 * len(ids[0]) / np.maximum(sum(t.sum(0) for t in tables), 1))
    a, b = (t * rare / np.maximum(np.linalg.norm(t * rare, axis=1, keepdims=True), 1e-9) for t in tables)
    near = np.round(a @ b.T, 6)
    own = near.diagonal()
    ways = [(own == near.max(axis)) / (near == near.max(axis, keepdims=True)).sum(axis) for axis in (1, 0)]
    return float(np.mean([w.mean() for w in ways]))


def probes(reader: Reader) -> dict[str, Any]:
    """As of `languages.probes`, on PUD; empty where it has not the second language."""
    said = treebank()
    codes, second = reader.languages, reader.second()
    if not {codes[0], codes[second]} <= set(said):
        return {}
    first = [s for part in SIZES for s in said[codes[0]][part]]
    return tagged(reader, first, said[codes[second]]["test"], (SIZES["train"], SIZES["dev"]))


@cache
def treebank() -> dict[str, dict[str, list[Sentence]]]:
    """PUD by language (three letters) and split, the same sentences in all languages, in the order of a hash."""
    from bertology_utils.data.original.readers.multilingual import TWO_LETTERS

    longer = {two: three for three, two in TWO_LETTERS.items()} | {"zh": "zho", "ar": "ara"}
    english = {s.id: s for s in data.load("treebank", ENGLISH)["treebank"]}
    found: dict[str, dict[str, Sentence]] = {"eng": english}
    for s in data.load("multilingual_treebank", PUD)["multilingual_treebank"]:
        found.setdefault(longer[s.condition], {})[s.meta["parallel"]] = s
    common = sorted(set.intersection(*map(set, found.values())), key=lambda id: crc32(id.encode()))
    out: dict[str, dict[str, list[Sentence]]] = {code: {} for code in found}
    start = 0
    for part, n in SIZES.items():
        for code, sentences in found.items():
            out[code][part] = [sentences[id] for id in common[start : start + n]]
        start += n
    return out
