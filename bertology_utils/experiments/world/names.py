"""Names that give the answer away: LAMA without them, and where invented names are thought to come from (poerner2019)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import MASK, Cloze
from ...scores import intervals
from ...scores.intervals import Interval, Resample, bootstrap_sums
from ...settings import Settings
from ...subject import cloze, retrieval
from . import plants
from .facts import of_others, per_relation
from .letters import by_letters

MOST = 120  # facts of a relation before the filter
HARD = "UHN"


@claim(
    "wld.stereotype_names.poerner2019",
    ("facts", "name_origin"),
    n=440,
    nulls=("untrained", "constant", plants.commonest_object, plants.nearest_letters),
    planted=plants.guessing_from_names,
)
def names(subject, data, settings):
    """P@1 on LAMA less P@1 on what is left of it without telling names; the origin of invented names (poerner2019).

    The two share their facts, so the difference is paired: each fact is asked once and counts on both sides where it was
    left. Facts whose subject holds the answer are on neither: they are found by repeating a word, whoever is named. A
    name's origin is the language, or the country, that gains most by the name, over the same sentence with the name
    masked. The baseline knows the letters of real names and has never seen a text.
    """
    rows, notes = [], []
    facts = [i for i in data.items.get("facts", []) if i.meta.get("set")]
    if facts:
        found, said = _filtered(subject, facts, settings)
        rows += found
        notes += said
    if named := data.items.get("name_origin"):
        found, note = _origins(subject, named, settings)
        rows += found
        notes.append(note)
    return intervals.table(rows, notes)


def _filtered(subject, facts: list[Cloze], settings: Settings) -> tuple[list[dict], list[str]]:
    kept = {(i.condition, i.meta["subject"]): set(i.answers) for i in facts if i.meta["set"] == HARD}
    shared = {r for r, _ in kept} & {i.condition for i in facts if i.meta["set"] != HARD}
    whole = [i for i in facts if i.meta["set"] != HARD and i.condition in shared]
    copied, every = _by_repeating(whole, kept, settings), len(whole)
    # half of what the filters take, and no guess from a name: an answer that stands in the subject ("Nokia X3", by Nokia)
    whole = [i for i in whole if not any(a.lower() in i.meta["subject"].lower() for a in i.answers)]
    gone = f"{every - len(whole)} of {every} facts are on neither side: their subject holds the answer"
    whole, drawn = per_relation(whole, MOST, settings)
    whole, _, note = retrieval.answerable(subject, whole)
    known = retrieval.pieces(subject, whole)
    found = retrieval.retrieve(subject, whole, settings, known=known)
    right = (found["rank"] == 0).to_numpy(float)
    wordings = [f"{i.condition} {i.meta['template']}" for i in whole]
    others = of_others(wordings, found["first"].to_numpy(), known.answers)
    oracle = retrieval.majority([i.condition for i in whole], [a.tolist() for a in known.answers]).astype(float)
    hard = np.array([_left(i, kept) for i in whole])
    frame = pd.DataFrame(
        {"relation": [i.condition for i in whole], "right": right, "oracle": oracle, "others": others, "hard": hard}
    )
    frame = frame[frame.groupby("relation")["hard"].transform("any")]
    figures = sets(frame["right"], frame["oracle"], frame["others"], frame["hard"], frame["relation"], settings)
    n = {"P@1, LAMA-UHN": int(frame["hard"].sum())}
    rows = [intervals.row(m, interval, n.get(m, len(frame))) for m, interval in figures.items()] + copied
    for relation, part in frame.groupby("relation"):
        for name, of in (("LAMA", part), ("LAMA-UHN", part[part["hard"]])):
            rows.append(intervals.mean_row(f"P@1, {name}, by relation", of["right"], settings, relation=relation))
    left = f"{int(frame['hard'].sum())} of {len(frame)} facts are left without names that tell"
    return rows, [gone, note, drawn, f"{left}; {frame['relation'].nunique()} relations"]


def _left(item: Cloze, kept: dict[tuple[str, str], set[str]]) -> bool:
    """Whether the study's filters left the fact."""
    return bool(kept.get((item.condition, item.meta["subject"]), set()) & set(item.answers))


def _by_repeating(facts: list[Cloze], kept: dict[tuple[str, str], set[str]], settings: Settings) -> list[dict]:
    """What the filters cost who says the subject's first word: the drop that the facts taken out beforehand would give."""
    facts, _ = per_relation(facts, MOST, settings)
    words = [i.meta["subject"].split()[:1] for i in facts]
    right = [float(bool(w) and w[0].lower() in {a.lower() for a in i.answers}) for w, i in zip(words, facts)]
    frame = pd.DataFrame({"right": right, "hard": [_left(i, kept) for i in facts]})
    frame["relation"] = [i.condition for i in facts]
    frame = frame[frame.groupby("relation")["hard"].transform("any")]
    nothing = np.zeros(len(frame))
    found = sets(frame["right"], nothing, nothing, frame["hard"], frame["relation"], settings)
    return [intervals.row("drop by repeating a word of the subject", found["P@1, LAMA - LAMA-UHN"], len(frame))]


def sets(right, oracle, others, hard, relations, settings: Settings) -> dict[str, Interval]:
    """Macro averages over relations of all facts and of the hard ones, their difference, and leads over simpler answers.

    These are an oracle and `others`, what is said of other subjects in the same words (nan where there is none). Facts are
    resampled within what they are, relations stay: the sets are made of these relations.

    Examples
    --------
    >>> found = sets([1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0], ["P1"] * 4, Settings(draws=50))
    >>> float(found["P@1, LAMA"][0]), float(found["P@1, LAMA-UHN"][0])
    (0.5, 0.5)
    """
    codes, names_ = pd.factorize(np.asarray(relations, object))
    right, oracle, others, hard = (np.asarray(x, float) for x in (right, oracle, others, hard))
    one = np.eye(len(names_))[codes]  # (n, R)
    asked = ~np.isnan(others)
    own = np.where(asked, right - others, 0.0)
    each = (np.ones(len(right)), right, oracle, hard, right * hard, asked, own)
    columns = np.concatenate([one * c[:, None] for c in each], 1)
    sample = Resample(len(right), None, seed=settings.seed, draws=settings.draws)

    def share(sums: np.ndarray, top: int, bottom: int) -> np.ndarray:
        parts = np.split(sums, len(each), axis=-1)
        there = parts[bottom] > 0  # a resample may have none of a relation's hard facts
        every = np.divide(parts[top], parts[bottom], out=np.zeros(parts[top].shape), where=there)
        many = there.sum(-1)
        return np.divide(every.sum(-1), many, out=np.full(np.shape(many), np.nan), where=many > 0)

    measures = {
        "P@1, LAMA": lambda s: share(s, 1, 0),
        "P@1, LAMA-UHN": lambda s: share(s, 4, 3),
        "P@1, LAMA - LAMA-UHN": lambda s: share(s, 1, 0) - share(s, 4, 3),
        "P@1 over majority object": lambda s: share(s, 1, 0) - share(s, 2, 0),
        "P@1, own subject - another subject": lambda s: share(s, 6, 5),
    }
    return {m: bootstrap_sums(columns, of, sample) for m, of in measures.items()}


def _origins(subject, items: list[Cloze], settings: Settings) -> tuple[list[dict], str]:
    """Accuracy on invented names over chance and over the letters; on real names beside it."""
    items, note = cloze.single_piece(subject, items)
    kinds = [i.meta["answer"] for i in items]
    choices = {k: sorted({i.answers[0] for i, kind in zip(items, kinds) if kind == k}) for k in set(kinds)}
    pieces_of = {w: cloze.filler_id(subject, w) for of in choices.values() for w in of}
    ids = {w: i for w, i in pieces_of.items() if i is not None}
    plain = {i.text: i.text.replace(i.meta["name"], "[X]").replace(MASK, "[Y]") for i in items}
    alone = retrieval.without_subject(subject, list(plain.values()), settings)
    said, raw = [""] * len(items), [""] * len(items)
    for k, logs in cloze.log_probabilities(subject, [i.text for i in items], settings):
        of = choices[kinds[k]]
        pieces = [ids[w] for w in of]
        raw[k] = of[int(logs[pieces].argmax())]
        said[k] = of[int((logs[pieces] - alone[plain[items[k].text]][pieces]).argmax())]
    real = {i.meta["name"]: i.meta["language"] for i in items if not i.meta["invented"]}
    letters = by_letters(real, [i.meta["name"] for i in items])
    frame = pd.DataFrame(
        {
            "names": ["invented" if i.meta["invented"] else "real" for i in items],
            "name": [i.meta["name"] for i in items],
            "language": [i.meta["language"] for i in items],
            "right": [float(a == i.answers[0]) for a, i in zip(said, items)],
            "as it is": [float(a == i.answers[0]) for a, i in zip(raw, items)],
            "letters": [float(a == i.meta["language"]) for a, i in zip(letters, items)],
            "chance": [1 / len(choices[kind]) for kind in kinds],
        }
    )
    rows = intervals.Rows(settings)
    for kind, part in frame.groupby("names"):
        values = {f"origin of {kind} names, accuracy over chance": part["right"] - part["chance"],
                  f"origin of {kind} names, share right": part["right"],
                  f"origin of {kind} names, share right, prior not taken out": part["as it is"],
                  f"origin of {kind} names by language": None}  # fmt: skip
        if kind == "invented":  # the letters of real names are what the baseline has learnt
            values["origin of invented names, share right by letters"] = part["letters"]
            values["origin of invented names over letters"] = part["right"] - part["letters"]
        for measure, of in values.items():
            if of is not None:
                signed = measure.endswith(("over chance", "over letters"))
                rows.mean(measure, of, groups=part[["name", "language"]], signed=signed)
                continue
            for language, own in part.groupby("language"):
                rows.mean(measure, own["right"], groups=own["name"], language=language)
    return rows, f"names: {note}"
