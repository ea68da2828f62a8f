"""Questions that take one step, two or more: how far accuracy falls with each (richardson2019)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...calibration import planted as plants_of
from ...calibration.gold import Seen
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...data.items import Data, Labelled
from ...data.text import words as words_of
from ...scores import intervals
from ...scores.intervals import Resample, bootstrap_sums
from ...settings import Settings
from ...subject import encode, spans
from . import plants

MOST = 300  # questions of a sort and a number of steps
LAST = 4  # steps; there are hardly any questions of five


@dataclass(frozen=True)
class Question:
    """Answers of which one is right, each as a whole text; `spans` are the words in which they differ."""

    key: str
    steps: int
    sort: str
    texts: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[int, int], ...]
    right: int

    @classmethod
    def of(cls, key: str, steps: int, sort: str, answers: Sequence[Labelled], right: int) -> Question:
        """A question of its answers, in their order."""
        texts = tuple(_words(i) for i in answers)
        return cls(key, steps, sort, texts, differing(texts), right)


def questions(items: list[Labelled]) -> list[Question]:
    """The questions that items are the answers of, in the order of their first items; those without a step are left out."""
    groups = defaultdict(list)
    for item in items:
        key = item.meta["chain"] if "choice" in item.meta else item.id.rpartition("-")[0]
        groups[key].append(item)
    out = []
    for group in groups.values():
        labels = [i.label for i in group]
        texts = tuple(_words(i) for i in group)
        steps = int(group[0].meta["hops"])
        if labels.count("1") == 1 and len(group) > 1 and len(set(texts)) == len(texts) and 1 <= steps <= LAST:
            out.append(Question.of(str(group[0].meta["chain"]), steps, group[0].condition, group, labels.index("1")))
    return out


def _words(item: Labelled) -> tuple[str, ...]:
    """The answer within its question; of an answer with a definition only the concept itself."""
    if item.text_b is None:
        return words_of(item.text)
    concept = item.text_b.split(", defined as")[0].split(" (")[0].removesuffix(" event")
    return (*words_of(item.text), *words_of(concept), ".")


def differing(texts: tuple[tuple[str, ...], ...]) -> tuple[tuple[int, int], ...]:
    """The words of each text between what all of them begin and end with; never none.

    >>> differing((("a", "dog", "runs"), ("a", "big", "cat", "runs")))
    ((1, 2), (1, 3))
    """
    shortest = min(map(len, texts))
    start = end = 0
    while start < shortest - 1 and len({t[start] for t in texts}) == 1:
        start += 1
    while end < shortest - start - 1 and len({t[-1 - end] for t in texts}) == 1:
        end += 1
    return tuple((start, len(t) - end) for t in texts)


def drawn(found: list[Question], settings: Settings) -> list[Question]:
    """At most `MOST` questions of each sort and number of steps, in their order."""
    chosen: set[int] = set()
    for sort, steps in sorted({(q.sort, q.steps) for q in found}):
        places = [k for k, q in enumerate(found) if (q.sort, q.steps) == (sort, steps)]
        chosen.update(random.Random(f"{settings.seed} {sort} {steps}").sample(places, min(MOST, len(places))))
    return [q for k, q in enumerate(found) if k in chosen]


def pieces(subject, asked: list[Question]) -> tuple[list, list[list[int]], list[list[int]]]:
    """The rows of all answers, the places of the pieces in which each differs from the others, and of all its pieces."""
    rows = encode.tokenize(subject, [t for q in asked for t in q.texts])
    wanted = [spans.pieces_of(r, range(*s)) for r, s in zip(rows, (s for q in asked for s in q.spans))]
    return rows, wanted, [spans.pieces_of(r, range(r.n_words)) for r in rows]


def gains(subject, asked: list[Question], settings: Settings) -> np.ndarray:
    """What each answer gains by its context, question by question, in nats; (answers,).

    The mean over its pieces of log P(piece | the rest) - log P(piece | nothing), all of the answer masked.
    """
    rows, wanted, every = pieces(subject, asked)
    given = spans.log_probabilities(subject, rows, wanted, settings=settings)
    alone = spans.log_probabilities(subject, rows, wanted, every, settings)
    return np.array([(a - b).mean() for a, b in zip(given, alone)])


def answered(subject, asked: list[Question], settings: Settings) -> pd.DataFrame:
    """A row per question: is the right answer the one that gains most by its context (`gains`); and by the words alone?

    The bag of words takes the answer whose mean word embedding is most like that of the rest.
    """
    rows, wanted, every = pieces(subject, asked)
    gain = gains(subject, asked, settings)
    table = subject.base.get_input_embeddings().weight.detach().float().cpu().numpy()
    alike = np.array([_cosine(table, r, w, e) for r, w, e in zip(rows, wanted, every)])
    ends = np.cumsum([len(q.texts) for q in asked])[:-1]
    return pd.DataFrame(
        {
            "hops": [q.steps for q in asked],
            "sort": [q.sort for q in asked],
            "chain": [q.key for q in asked],
            "right": [_won(g, q.right) for g, q in zip(np.split(gain, ends), asked)],
            "bag of words": [_won(a, q.right) for a, q in zip(np.split(alike, ends), asked)],
            "chance": [1 / len(q.texts) for q in asked],
        }
    )


def _won(scores: np.ndarray, right: int) -> float:
    """1 where the right one leads, a share where it ties."""
    best = scores >= scores.max() - 1e-6
    return float(best[right] / best.sum())


def _cosine(table: np.ndarray, row, wanted: list[int], every: list[int]) -> float:
    rest = sorted(set(every) - set(wanted))
    a, b = (table[[row.ids[t] for t in places]].mean(0) if places else table[0] * 0 for places in (wanted, rest))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


def fall(frame: pd.DataFrame, value: np.ndarray, settings: Settings) -> intervals.Interval:
    """By how much a share falls with each step: the least-squares slope, its sign turned; chains are resampled.

    Steps and shares are centred within sorts of questions: an easy sort that has more long questions is no rise, nor is a
    hard one a fall.
    """
    h, y = frame["hops"].to_numpy(float), np.asarray(value, float)
    sorts = pd.get_dummies(frame["sort"]).to_numpy(float)
    columns = np.hstack([sorts, sorts * h[:, None], sorts * y[:, None], np.stack([h * h, h * y], 1)])

    def slope(sums: np.ndarray) -> np.ndarray:
        n, a, c = np.split(sums[..., :-2], 3, axis=-1)  # (..., sorts) each: questions, steps, right ones
        n = np.maximum(n, 1)  # of a sort that is not drawn all sums are 0
        spread = sums[..., -2] - (a * a / n).sum(-1)
        along = sums[..., -1] - (a * c / n).sum(-1)
        return np.divide(-along, spread, out=np.full(np.shape(spread), np.nan), where=spread > 1e-9)

    sample = Resample(len(frame), frame["chain"], seed=settings.seed, draws=settings.draws)
    return bootstrap_sums(columns, slope, sample)


def _planted(share: Callable[[Question], float], name: str):
    """A maker of stand-ins that know the right answer to a question with this probability."""

    def make(data, base, rng):
        found = questions(data["hops"])
        known: dict[tuple[int, ...], list[int]] = {}
        more = []
        for q in found:
            won = q.right if plants.lucky(f"{q.key} {q.steps} {q.texts[0]}", share(q)) else (q.right == 0) * 1
            rows = encode.tokenize(base, list(q.texts))
            for k, (row, span) in enumerate(zip(rows, q.spans)):
                places = spans.pieces_of(row, range(*span))
                covered = row.masked(set(places), base.tokenizer.mask_token_id).ids
                known.setdefault(covered, [])
                if k == won:
                    known[covered] += [row.ids[t] for t in places]
                more.append((q.texts[k], None, data["hops"][0], "answer"))

        def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
            pieces = known.get(tuple(seen.ids.tolist()), [])
            places = np.flatnonzero(seen.masked)
            return {int(t): {int(p): 8 + own.standard_normal()} for t, p in zip(places, pieces)}

        return plants_of.plant(base, data, rng, logits=logits, more=more, bias=plants.ties(base, rng), name=name)

    return make


def falling(data, base, rng):
    """Right in all questions of one step, and in a quarter fewer with each further step."""
    return _planted(lambda q: 1.25 - q.steps / 4, "planted")(data, base, rng)


LEVEL = Null("level", "Right in four questions of five, whatever the number of steps.",
             _planted(lambda q: 0.8, "level"))  # fmt: skip
# sorts that have the fewest long questions, of the study's and of the generated ones
SHORT = ("hyponymy", "taxonomy")
SORTS = Null("sorts", "Right in nearly all questions of the sort that has the fewest long ones, in four of ten others.",
             _planted(lambda q: 0.95 if q.sort in SHORT else 0.4, "sorts"))  # fmt: skip


def asked(subject, data: Data, settings: Settings) -> Data:
    """Test questions, where there are splits of a data set; generated ones of all splits."""
    return (
        data
        if data.name == "builtin"
        else replace(data, items={"hops": [i for i in data["hops"] if i.split == "test"]})
    )


@claim(
    "wld.inference_steps.richardson2019",
    "hops",
    n=800,
    nulls=("untrained", "frequency", "constant", "bag of words", LEVEL, SORTS),
    planted=falling,
    asked=asked,
)
def inference_steps(subject, data, settings):
    """Accuracy by number of steps, its fall with each, and that of a bag of words (richardson2019).

    Nothing is tuned: the answer is taken that gains most by its context. Falls are within sorts of questions.
    """
    found = questions(asked(subject, data, settings)["hops"])
    fitting = encode.fits(subject, [t for q in found for t in q.texts])
    ends = np.cumsum([len(q.texts) for q in found])[:-1]
    kept = drawn([q for q, ok in zip(found, np.split(fitting, ends)) if ok.all()], settings)
    frame = answered(subject, kept, settings)
    rows = intervals.Rows(settings)
    for steps, part in frame.groupby("hops"):
        values = {"accuracy": part["right"], "accuracy over chance": part["right"] - part["chance"],
                  "accuracy, bag of words": part["bag of words"]}  # fmt: skip
        for measure, value in values.items():
            rows.mean(measure, value, groups=part["chain"], signed="over" in measure, hops=steps)
    for (sort, steps), part in frame.groupby(["sort", "hops"]):
        rows.mean("accuracy, by sort", part["right"], groups=part["chain"], sort=sort, hops=steps)
    right, bag = frame["right"].to_numpy(), frame["bag of words"].to_numpy()
    for measure, value in (("fall per hop within sorts", right), ("fall per hop within sorts, bag of words", bag),
                           ("fall per hop within sorts over bag of words", right - bag)):  # fmt: skip
        rows.add(measure, fall(frame, value, settings), len(frame))
    return intervals.table(rows, [f"{len(kept)} of {len(found)} questions of 1 to {LAST} steps"])
