"""The tokenised corpus: one flat array of pieces with the bounds of sentences and documents, made once and kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path
from tokenizers import Tokenizer
from tqdm import tqdm

from bertology_utils.family.config import Config
from bertology_utils.files import scratch
from bertology_utils.provenance import sha256

from . import entities, languages, text, units, wordpiece
from .text import CorpusError

FORMAT = 2  # raised when the arrays or the rules behind them change: older caches are left alone
CHUNK = 20_000  # sentences tokenised at a time
BAR: dict[str, Any] = {"unit_scale": True, "mininterval": 1}
FIELDS = ("vocab", "lowercase", "strip_accents", "alphabet", "layouts", "held_out", "exclude", "vocabulary")


@dataclass(frozen=True)
class Corpus:
    """A tokenised corpus.

    Attributes
    ----------
    tokens : (T,) uint16
        All pieces, in the order of the files.
    sentences : (S + 1,) int64
        Where each sentence begins in `tokens`; the last entry is T.
    documents : (D + 1,) int64
        Each document's first sentence; the last entry is S.
    groups : (D,) int64
        Number of the file a document is from.
    held : (D,) bool
        Whether the document is held out from training.
    tokenizer : tokenizers.Tokenizer
    files : list of dict
        ``name``, ``sha256``, ``words``, ``documents`` and ``pieces`` of each file.
    names : (T,) uint8, optional
        Bits of named entities (`entities.find`), where the masks go by them.
    """

    tokens: np.ndarray
    sentences: np.ndarray
    documents: np.ndarray
    groups: np.ndarray
    held: np.ndarray
    tokenizer: Tokenizer
    files: list[dict[str, Any]]
    names: np.ndarray | None = None

    def sizes(self) -> np.ndarray:
        """Pieces of each document, (D,)."""
        return np.diff(self.sentences[self.documents])


def cache_folder(cache: str | Path | None = None) -> Path:
    """Where tokenised corpora are kept: the argument, or ``BERTOLOGY_CACHE``, or the user's cache folder."""
    root = cache or os.environ.get("BERTOLOGY_CACHE") or user_cache_path("bertology") / "cache"
    return Path(root) / "pretrain"


def load(corpus: str | Path | Iterable[str | Path], config: Config, cache: str | Path | None = None) -> Corpus:
    """The tokenised corpus, from the cache or made now.

    The vocabulary is trained on the documents that are not held out. The cache's key is a hash over the files'
    bytes and the configuration's fields that matter; a folder appears in it whole or not at all.

    Raises
    ------
    CorpusError
        No file, an unreadable one, or fewer than two documents to train on.
    """
    files = text.find(corpus, config.exclude)
    hashes = {str(f): sha256(f) for f in files}
    parts = [f"{FORMAT}", config.digest(*FIELDS), *(f"{f.name} {hashes[str(f)]}" for f in files)]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    folder = cache_folder(cache) / key
    if not (folder / "meta.json").is_file():
        with scratch(folder) as temporary:
            temporary.mkdir()
            _build(files, hashes, config, temporary)
    if config.masking == "entity" and not (folder / "names.npy").is_file():
        _name(files, config, folder)
    return languages.chosen(_open(folder, config.masking == "entity"), config)


def _open(folder: Path, names: bool = False) -> Corpus:
    wanted = ("tokens", "sentences", "documents", "groups", "held", *(("names",) if names else ()))
    arrays = {n: np.load(folder / f"{n}.npy") for n in wanted}
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    return Corpus(**arrays, tokenizer=Tokenizer.from_file(str(folder / "tokenizer.json")), files=meta["files"])


def _documents(files: list[Path], config: Config) -> Iterator[tuple[int, text.Document]]:
    for number, path in enumerate(files):
        for document in text.documents(path, text.layout(path, config)):
            if document.sentences:
                yield number, document


def _build(files: list[Path], hashes: dict[str, str], config: Config, folder: Path) -> None:
    found = list(tqdm(_documents(files, config), desc="reading", **BAR, unit=" documents"))
    held = np.array([text.is_held_out(d.key, config.held_out) for _, d in found])
    training = [s for (_, d), out in zip(found, held, strict=True) if not out for s in d.sentences]
    if len(found) - held.sum() < 2:
        raise CorpusError(f"fewer than two documents to train on in {', '.join(f.name for f in files)}")
    tokenizer = wordpiece.adopted(config) if config.vocabulary else wordpiece.train(training, config)
    rows = [{"name": f.name, "sha256": hashes[str(f)], "words": 0, "documents": 0, "pieces": 0} for f in files]
    tokens: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    sentences = [s for _, d in found for s in d.sentences]
    for start in tqdm(range(0, len(sentences), CHUNK), desc="tokenising", **BAR, unit=f" x {CHUNK:,} sentences"):
        batch = tokenizer.encode_batch_fast(sentences[start : start + CHUNK], add_special_tokens=False)
        ids = [e.ids for e in batch]
        lengths.append(np.fromiter(map(len, ids), np.int64, len(ids)))
        tokens.append(np.fromiter(chain.from_iterable(ids), np.uint16, int(lengths[-1].sum())))
    for number, document in found:
        rows[number]["words"] += sum(len(s.split()) for s in document.sentences)
        rows[number]["documents"] += 1
    documents = np.concatenate([[0], np.cumsum([len(d.sentences) for _, d in found])])
    arrays = _tidy(np.concatenate(tokens), np.concatenate(lengths), documents, np.array([n for n, _ in found]), held)
    sizes = np.diff(arrays["sentences"][arrays["documents"]])
    for number, row in enumerate(rows):
        row["pieces"] = int(sizes[arrays["groups"] == number].sum())
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "meta.json").write_text(json.dumps({"files": rows, "config": config.as_dict()}, indent=1), "utf-8")


def _name(files: list[Path], config: Config, folder: Path) -> None:
    """Mark the named entities of a tokenised corpus, beside its pieces."""
    corpus = _open(folder)
    sentences = [s for _, d in _documents(files, config) for s in d.sentences]
    capital = entities.capitals(sentences, corpus.tokenizer)
    found = entities.find(corpus.tokens, corpus.sentences, capital, units.continuation(corpus.tokenizer))
    with (folder / "names.npy.part").open("wb") as stream:
        np.save(stream, found)
    (folder / "names.npy.part").replace(folder / "names.npy")


def _tidy(
    tokens: np.ndarray, lengths: np.ndarray, documents: np.ndarray, groups: np.ndarray, held: np.ndarray
) -> dict[str, np.ndarray]:
    """Drop sentences without pieces (control characters alone), then documents without sentences."""
    full = lengths > 0
    documents = np.concatenate([[0], np.cumsum(full)])[documents]
    kept = np.diff(documents) > 0
    return {
        "tokens": tokens,
        "sentences": np.concatenate([[0], np.cumsum(lengths[full])]),
        "documents": np.concatenate([[0], np.cumsum(np.diff(documents)[kept])]),
        "groups": groups[kept],
        "held": held[kept],
    }
