"""A run's model with the languages of its configuration: sentences as the run saw them, and their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from bertology_utils.data.items import Sentence
from bertology_utils.family.config import Config

from .. import wordpiece
from ..languages import name, written

PART = 256  # rows at a time


@dataclass(frozen=True, eq=False)
class Reader:
    """A model with the languages of its configuration.

    Attributes
    ----------
    model : BertForPreTraining
        In eval mode.
    tokenizer : PreTrainedTokenizerBase
    config : Config
    """

    model: Any
    tokenizer: Any
    config: Config

    @property
    def languages(self) -> list[str]:
        """The grammars of the run's languages, in its order."""
        return [name(file).partition("-")[0] for file in self.config.languages.split()]

    def second(self) -> int:
        """The place of the second language (of a run on one alone: the first)."""
        return min(1, len(self.languages) - 1)

    def pieces(self, sentences: list[Sentence], place: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Ids of each sentence as a run's language at a place has them, and the word that each piece is of."""
        room = self.config.eval_length - 2
        ids, owners = [], []
        for s in sentences:
            told = self.tokenizer(list(s.words), is_split_into_words=True, add_special_tokens=False)
            found, words = np.array(told["input_ids"], np.int64)[:room], np.array(told.word_ids())[:room]
            ids.append(written(found, np.array([len(found)]), self.config, place))
            owners.append(words[::-1] if place and self.config.inverted else words)
        return ids, owners

    def rows(self, ids: list[np.ndarray], place: int) -> tuple[torch.Tensor, torch.Tensor]:
        """``[CLS] … [SEP]`` rows padded to the longest, (R, L), and their type ids."""
        out = np.zeros((len(ids), 2 + max(map(len, ids))), np.int64)
        for row, found in zip(out, ids):
            row[: len(found) + 2] = [wordpiece.CLS, *found, wordpiece.SEP]
        rows = torch.from_numpy(out)
        return rows, torch.full_like(rows, place if self.config.language_ids else 0)

    @torch.no_grad()
    def hidden(self, ids: list[np.ndarray], place: int) -> list[np.ndarray]:
        """Vectors of each sentence's pieces, (L + 2, pieces, H): the embeddings alone, then layers 0 (in place) to L."""
        rows, types = self.rows(ids, place)
        static = self.model.bert.embeddings.word_embeddings(rows)
        states = []
        for k in range(0, len(rows), PART):
            seen = rows[k : k + PART]
            told = self.model.bert(
                input_ids=seen,
                attention_mask=(seen != wordpiece.PAD).long(),
                token_type_ids=types[k : k + PART],
                output_hidden_states=True,
            )
            states.append(torch.stack(told.hidden_states))
        whole = torch.cat([static[None], torch.cat(states, 1)]).numpy()  # (L + 2, R, pieces, H)
        return [whole[:, r, 1 : 1 + len(found)] for r, found in enumerate(ids)]
