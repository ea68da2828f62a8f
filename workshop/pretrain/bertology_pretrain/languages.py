"""Which languages of a text are learnt, in which pieces and in which order (wang2019b, artetxe2019).

Each file of a text is a language. The vocabulary is that of all of them, so that the same sentence has the same pieces in
every run on the text. A run takes some of the languages. The second one may be given pieces of its own, by another
number for each (English in such pieces is "fake English": a language with the same grammar and no word in common), and
its sentences may be turned round, which leaves the words and takes the order away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from bertology_utils.family.config import FIRST_PIECE, Config

from .text import CorpusError

if TYPE_CHECKING:
    from .corpus import Corpus


def chosen(corpus: Corpus, config: Config) -> Corpus:
    """A corpus with the languages of a configuration alone, in their order, written as it says, and its `part` of each.

    Held-out documents are the same whatever `part` of the others is used.

    Raises
    ------
    CorpusError
        A language is not among the files.
    """
    names, wanted = [name(f["name"]) for f in corpus.files], config.languages.split()
    if not wanted and config.part == 1:
        return corpus
    if strange := [w for w in wanted if w not in names]:
        raise CorpusError(f"no file of the text is called {', '.join(strange)}: {', '.join(names)}")
    files = [names.index(w) for w in wanted] or list(range(len(names)))  # one language may stand in two places
    parts = [_taken(corpus, file, config, place if wanted else 0) for place, file in enumerate(files)]
    tokens, lengths, counts, held = (np.concatenate(each) for each in zip(*(p[:4] for p in parts)))
    return replace(
        corpus,
        tokens=tokens.astype(np.uint16),
        sentences=np.r_[0, np.cumsum(lengths)],
        documents=np.r_[0, np.cumsum(counts)],
        groups=np.repeat(np.arange(len(parts)), [len(p[3]) for p in parts]),
        held=held,
        files=[corpus.files[file] for file in files],
        names=None if corpus.names is None else np.concatenate([corpus.names[p[4]] for p in parts]),
    )


def name(file: str) -> str:
    """A language's name by that of its file: what stands behind the kind of text, if one is named.

    >>> name("eng-b.txt.xz"), name("bible_deu.txt.xz")
    ('eng-b', 'deu')
    """
    return file.partition(".")[0].rpartition("_")[2]


def _taken(corpus: Corpus, group: int, config: Config, place: int) -> tuple[np.ndarray, ...]:
    """Of one file: pieces, sentences' lengths, documents' sentences, whether they are held out, and which pieces (T,)."""
    documents = corpus.groups == group
    training = np.flatnonzero(documents & ~corpus.held)
    documents[training[round(len(training) * config.part) :]] = False
    sentences = np.repeat(documents, np.diff(corpus.documents))  # (S,)
    pieces = np.repeat(sentences, np.diff(corpus.sentences))  # (T,)
    lengths = np.diff(corpus.sentences)[sentences]
    written_ = written(corpus.tokens[pieces].astype(np.int64), lengths, config, place)
    return written_, lengths, np.diff(corpus.documents)[documents], corpus.held[documents], pieces


def written(tokens: np.ndarray, lengths: np.ndarray, config: Config, place: int) -> np.ndarray:
    """Pieces of the language at a `place` among those of a configuration, as its runs see them.

    Parameters
    ----------
    tokens : (T,) int64
        Sentences, one after the other.
    lengths : (S,) int64
        Their pieces.

    Returns
    -------
    (T,) int64
    """
    if not place:
        return tokens
    if config.inverted:
        ends = np.cumsum(lengths)
        last = np.repeat(ends + (ends - lengths) - 1, lengths)  # first + last place of a piece's sentence
        tokens = tokens[last - np.arange(len(tokens))]
    if config.own_pieces:
        tokens = np.where(own(config)[tokens], tokens + config.vocab - FIRST_PIECE, tokens)
    return tokens


def own(config: Config) -> np.ndarray:
    """Which pieces the second language has ids of its own for, (V,) bool: the first share of them in a shuffled order."""
    pieces = FIRST_PIECE + np.random.default_rng(0).permutation(config.vocab - FIRST_PIECE)
    out = np.zeros(config.vocab, bool)
    out[pieces[: round(len(pieces) * config.own_pieces)]] = True
    return out


class Layout:
    """Type and position ids of planned rows, where a configuration asks for others than BERT's own.

    Type ids, that otherwise tell A from B, are languages' (`language_ids`) or all 0 (where something stands beside a sentence
    that is no next sentence); positions of B begin again (`reset_positions`).
    """

    def __init__(self, config: Config, corpus: Corpus, device: torch.device) -> None:
        self.config, self.languages = config, None
        if config.language_ids:
            of_sentence = np.repeat(corpus.groups, np.diff(corpus.documents))
            of_piece = np.repeat(of_sentence, np.diff(corpus.sentences))
            self.languages = torch.from_numpy(of_piece.astype(np.uint8)).to(device)  # (T,)

    def __call__(self, rows: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Of planned rows (R, 5) and their types (R, L): types (R, L), and positions (R, L) or None."""
        if self.languages is not None:
            types = self.languages[rows[:, 0]].long()[:, None].expand_as(types).contiguous()
        elif self.config.beside != "nothing":
            types = torch.zeros_like(types)
        if not self.config.reset_positions:
            return types, None
        at = torch.arange(types.shape[1], device=types.device)  # (L,)
        before = rows[:, 1, None] + 1  # the second segment's first piece stands at 1, behind a [SEP] at 0
        return types, torch.where(at > before, at - before, at)
