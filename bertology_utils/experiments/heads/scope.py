"""Negation scope by attention, before and after fine-tuning on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...attention import relations, scope
from ...attention.choosing import fitting
from ...calibration import planted as plants
from ...calibration.nulls import MAPS
from ...claims.registry import claim
from ...data.items import Sentence
from ...finetune import Recipe
from ...scores import intervals

TUNED_ON = 400  # sentences at most
RECIPE = Recipe(epochs=10, batch=16)  # 250 steps: at the rate of wide networks a tenth of them taught little
# cue -> a word that may stand there and negates nothing
CONTROL = {"not": "now", "never": "often", "n't": "now", "no": "some"}


def _control(sentence: Sentence) -> Sentence | None:
    (cue,) = sentence.of("cue")
    word = CONTROL.get(sentence.words[cue.start].lower())
    if word is None or cue.end - cue.start > 1:
        return None
    return replace(sentence, words=(*sentence.words[: cue.start], word, *sentence.words[cue.end :]))


def scope_head(data, base, rng):
    """A head gives half of the cue's attention to the words in its scope; all else is even, with noise."""

    def pairs(seen):
        for item, _ in seen.golds:
            if isinstance(item, Sentence):
                inside = [w for s in item.of("scope") for w in range(s.start, s.end)]
                yield from ((cue.start, w) for cue in item.of("cue") for w in inside if w != cue.start)

    heads = {(base.n_layers // 2, 0): pairs}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.negation_scope.zhao2020", "negation_scope", n=4000, planted=scope_head, plantable=("pretrained",), nulls=MAPS
)
def negation_scope(subject, data, settings):
    """F1 of the scope read off the best head against fixed offsets from the cue (zhao2020).

    Head, threshold and offsets are chosen on train and dev and scored on test. The offsets are a window, as many words
    as pay: a scope has many words, and one offset (shown as well) gives one. Sentences with all words in the scope tell
    nothing and are left out. Control: the attention that in-scope words get from the cue, less what they get from a
    word that negates nothing in its place. Then all again after fine-tuning on the scope of training sentences; `own task,
    over guessing` is what the tuned network itself tells of the scope, against the commonest answer to all words.
    """
    items, notes = _usable(subject, data)
    train, dev, test = ([i for i in items if i.split == s] for s in ("train", "dev", "test"))
    seen = [*train[TUNED_ON:], *dev]  # not what the subject is tuned on
    window, offset = scope.best_window(seen), scope.best_window(seen, single=True)
    baselines = {"fixed offsets": scope.window(test, *window), "one offset": scope.window(test, *offset)}
    places = {"fixed offsets": f"{window[0]} to {window[1]}", "one offset": f"{offset[0]}"}
    rows, found = intervals.Rows(settings), {}
    tuned = scope.tune(subject, train[:TUNED_ON], replace(RECIPE, seed=settings.seed))
    for stage, model in (("pretrained", subject), ("tuned", tuned.subject)):
        found[stage], more = _stage(model, seen, test, baselines, settings, stage)
        rows += more
    for name, values in baselines.items():
        rows.mean(f"F1, {name}", values, stage="positions", head=places[name])
    gain = np.subtract(found["tuned"], found["pretrained"])
    rows.mean("F1, tuned - pretrained", gain, signed=True, stage="both", head="best of each")
    inside = [scope.words(i)[2] for i in test]
    usual = np.concatenate(inside).mean() > 0.5
    own = [told.mean() - (of == usual).mean() for told, of in zip(scope.right(tuned, test, settings), inside)]
    rows.mean("own task, over guessing", own, signed=True, stage="tuned")
    return intervals.table(rows, [*notes, f"tuned on {len(train[:TUNED_ON])} sentences"])


def _usable(subject, data) -> tuple[list, list[str]]:
    one = [i for i in data["negation_scope"] if len(list(i.of("cue"))) == 1]
    mixed = [i for i in one if not scope.words(i)[2].all()]
    left = f"left out: {len(data['negation_scope']) - len(one)} sentences with several cues, "
    left += f"{len(one) - len(mixed)} that are all scope"
    items, note = fitting(subject, mixed)
    return items, [note, left]


def _stage(model, seen, test, baselines: dict, settings, stage: str) -> tuple[np.ndarray, list[dict]]:
    """F1 in each test sentence of the head chosen on the others, and rows that compare it."""
    scores = [scope.scores(model, side, settings) for side in (seen, test)]
    gold = [[scope.words(i)[2] for i in side] for side in (seen, test)]
    head, threshold = scope.choose(scores[0], gold[0])
    found = scope.apply(scores[1], gold[1], head, threshold)
    keys = dict(stage=stage, head=relations.head_name(head, model.n_layers, model.n_heads))
    rows = intervals.Rows(settings)
    rows.mean("F1, best head", found, **keys)
    for name, values in baselines.items():
        rows.mean(f"F1, best head - {name}", found - values, signed=True, **keys)
    pairs = [(k, c) for k, i in enumerate(test) if (c := _control(i)) is not None]
    neutral = scope.scores(model, [c for _, c in pairs], settings)
    turn = [scores[1][k][head][gold[1][k]].sum() - n[head][gold[1][k]].sum() for (k, _), n in zip(pairs, neutral)]
    if turn:
        rows.mean("share of attention in scope, cue - control", turn, signed=True, **keys)
    return found, rows
