"""Networks as transformers loads them, and the package's rows to hold figures against that were computed by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from transformers import AutoModelForPreTraining, AutoTokenizer

from bertology_utils import runs
from bertology_utils.claims.sources import load_for
from bertology_utils.settings import Settings
from bertology_utils.subject import models

N = 200  # items per task


class Plain:
    """A network as transformers loads it."""

    def __init__(self, name: str) -> None:
        folder = models.bundled()[name]
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForPreTraining.from_pretrained(folder, attn_implementation="eager").eval()

    @torch.inference_mode()
    def read(self, words):
        """Per word vectors (layers, words, H), and maps (layers, heads, units, units) of [CLS], the words and [SEP]."""
        enc = self.tokenizer(list(words), is_split_into_words=True, return_tensors="pt")
        out = self.model.base_model(**enc, output_hidden_states=True, output_attentions=True)
        of = [{None: -1}.get(w, w) for w in enc.word_ids()]
        units = [0, *(w + 1 for w in of[1:-1]), max(of) + 2]
        pooled = np.zeros((max(units) + 1, len(units)))
        pooled[units, range(len(units))] = 1
        mean = pooled / pooled.sum(1, keepdims=True)
        states = np.stack([mean @ h[0].double().numpy() for h in out.hidden_states])
        maps = np.stack([mean @ a[0].double().numpy() @ pooled.T for a in out.attentions])
        return states[:, 1:-1], maps

    @torch.inference_mode()
    def logs(self, text: str) -> np.ndarray:
        """Log-probabilities (V,) at the text's one [MASK]."""
        enc = self.tokenizer(text, return_tensors="pt")
        at = enc["input_ids"][0].tolist().index(self.tokenizer.mask_token_id)
        return self.fill(self.model.base_model(**enc).last_hidden_state[0, at]).double().numpy()

    def fill(self, states: torch.Tensor) -> torch.Tensor:
        """Log-probabilities (..., V) of what stands where the last layer's states (..., H) are."""
        return torch.log_softmax(self.model.cls.predictions(states), -1)

    def single(self, *words: str) -> bool:
        return all(len(self.tokenizer(w, add_special_tokens=False)["input_ids"]) == 1 for w in words)

    def id(self, word: str) -> int:
        (piece,) = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return piece


@cache
def plain(name: str = "mini") -> Plain:
    return Plain(name)


@cache
def measured(claim: str, source: str, n: int = N, model: str = "mini"):
    """The package's rows, and the items they are of."""
    settings = Settings.of(model=model, data=source, n=n, draws=20)
    it = runs.get(claim)
    data = load_for(it, source, settings)
    return runs.rows_of(it, models.load(model, settings), data, settings), data


def value(rows, measure: str, **keys) -> float:
    chosen = rows[rows["measure"] == measure]
    for key, wanted in keys.items():
        chosen = chosen[chosen[key] == wanted]
    assert len(chosen) == 1, (measure, keys, len(chosen))
    return float(chosen["value"].iloc[0])
