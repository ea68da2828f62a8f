"""Two sentences with their trees and four choices of a verb: what stand-ins are asked about, and the answers."""

from __future__ import annotations

import numpy as np

from bertology_utils.data.items import Data, ForcedChoice, Sentence
from bertology_utils.settings import Settings
from bertology_utils.subject import encode

SETTINGS = Settings(draws=50)
FIRST = Sentence(
    id="s1",
    words=("the", "unable", "dog", "near", "the", "cats", "sleeps"),
    upos=("DET", "ADJ", "NOUN", "ADP", "DET", "NOUN", "VERB"),
    heads=(2, 2, 6, 5, 5, 2, -1),
    deprels=("det", "amod", "nsubj", "case", "det", "nmod", "root"),
)
SECOND = Sentence(id="s2", words=("dogs", "run"), heads=(1, -1), deprels=("nsubj", "root"), upos=("NOUN", "VERB"))


def data(**items) -> Data:
    return Data("test", items, "0" * 64)


TREEBANK = data(treebank=[FIRST, SECOND])
FORMS = [("dog", "is", "are"), ("dogs", "are", "is"), ("cat", "has", "have"), ("cats", "have", "has")]
CHOICES = [
    ForcedChoice(id=f"c{k}", text=f"the {noun} [MASK] .", good=good, bad=bad, meta={"attractors": k % 2})
    for k, (noun, good, bad) in enumerate(FORMS)
]


def rng():
    return np.random.default_rng(0)


def states(subject, sentence):
    ((_, found),) = encode.hidden_states(subject, [sentence.words], settings=SETTINGS)
    return found
