"""What the masked LM puts into a gap, and which of two sentences it finds likelier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from ..data.items import Cloze, Data, ForcedChoice, Labelled, MinimalPair
from ..errors import TooFew
from ..experiments.layers.pretraining import masked_pieces
from ..experiments.layers.structure import verb_numbers
from ..experiments.semantics.roles import GRADES
from ..experiments.syntax.predictions import broken
from ..experiments.training import domains
from ..experiments.world import closed_book, steps, templates, triples
from ..settings import Settings
from ..subject import cloze, encode, fillers, retrieval
from ..subject.models import Subject
from .text import figures, of_type, short, two, verdict


def odds(subject: Subject, text: str, words: Sequence[str], settings: Settings) -> Iterator[str]:
    """Natural-log probabilities of words at the gap of a text, and its likeliest fillers."""
    found = fillers.log_odds(subject, [text], [(0, word) for word in words], settings)
    yield figures((f"log P({word})", value) for word, value in zip(words, found))
    yield "  likeliest: " + " · ".join(cloze.top_k(subject, [text], settings=settings)[0])


def choices(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Two words at a gap: which is likelier?"""
    items, _ = cloze.single_piece(subject, of_type(data, ForcedChoice))
    shown = two(items)
    for item, margin in zip(shown, cloze.choose(subject, shown, settings)):
        yield item.describe()
        yield from odds(subject, item.text, (item.good, item.bad), settings)
        preferred = item.good if margin > 0 else item.bad
        yield f"  prefers {preferred}, by {abs(margin):.2f} nats: {verdict(margin > 0)}"


def minimal_pairs(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Two sentences: which is likelier? Where a source has none, two words at a gap."""
    if not data.items.get("npi_pairs"):
        yield from choices(subject, data, settings)
        return
    shown = two(cloze.told_apart(subject, of_type(data, MinimalPair))[0])
    for item, row in zip(shown, cloze.compare(subject, shown, settings).to_dict("records")):
        yield item.describe()
        yield figures([("log P of the first", row["good"]), ("of the second", row["bad"])])
        yield f"  difference: {row['difference']:.2f} nats: {verdict(row['difference'] > 0)}"


def negation(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The same statement without and with "not"."""
    found: dict[tuple, dict[str, Cloze | ForcedChoice]] = defaultdict(dict)
    for item in (i for items in data.items.values() for i in items):
        found[item.meta["set"], item.meta["pair"]][item.condition] = item
    whole = [p for p in found.values() if len(p) == 2]
    if not whole:
        raise TooFew("no statement is there both with and without a negation")
    for condition in ("affirmative", "negated"):
        item = whole[0][condition]
        yield item.describe()
        words = (item.good, item.bad) if isinstance(item, ForcedChoice) else item.answers[:1]
        yield from odds(subject, item.text, words, settings)


def malformed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A sentence whole and broken: which of the likeliest fillers stay?"""
    (item,) = two(of_type(data, Cloze), n=1)
    (whole,) = cloze.top_k(subject, [item.text], settings=settings)
    yield item.describe()
    yield "  likeliest: " + " · ".join(whole)
    for _, kind, text in broken([item], settings):
        (top,) = cloze.top_k(subject, [text], settings=settings)
        yield f"{kind}: {text}"
        yield f"  likeliest: {' · '.join(top)}; {len(set(top) & set(whole))} of 5 have stayed"


def graded(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The expected word, one of the same scene and one of another."""
    if not data.items.get("plausibility"):
        yield from choices(subject, data, settings)
        return
    for item in two(i for i in data["plausibility"] if set(GRADES) <= set(i.meta)):
        yield f"{item.text}   " + ", ".join(f"{grade}: {item.meta[grade]}" for grade in GRADES)
        yield from odds(subject, item.text, [item.meta[grade] for grade in GRADES], settings)


def facts(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A fact with its object as a gap: where in the vocabulary does the right one stand?"""
    items, _, _ = retrieval.answerable(subject, data["facts"])
    shown = two(items)
    for item, place in zip(shown, retrieval.retrieve(subject, shown, settings)["rank"]):
        yield item.describe()
        yield from odds(subject, item.text, item.answers[:1], settings)
        yield f"  pieces of the vocabulary at least as likely as the right one: {place}"


def wordings(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """One fact in several wordings."""
    items, _, _ = retrieval.answerable(subject, data["facts"])
    found = templates.relations(items, settings)
    if not found:
        raise TooFew(f"no relation has {templates.LEAST} facts on either side in several wordings")
    shown = found[0].test[0][:4]
    for item, place in zip(shown, retrieval.retrieve(subject, shown, settings)["rank"]):
        yield item.describe()
        yield f"  likeliest: {' · '.join(cloze.top_k(subject, [item.text], settings=settings)[0])}; the right one's rank: {place}"


def origins(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A name: which language does it say, beyond what the sentence says without it? Else a fact."""
    if not data.items.get("name_origin"):
        yield from facts(subject, data, settings)
        return
    items, _ = cloze.single_piece(subject, data["name_origin"])
    for item in two(items):
        names = sorted({i.answers[0] for i in items if i.meta["answer"] == item.meta["answer"]})
        plain = item.text.replace(item.meta["name"], "[X]").replace("[MASK]", "[Y]")
        alone = retrieval.without_subject(subject, [plain], settings)[plain]
        ((_, logs),) = cloze.log_probabilities(subject, [item.text], settings)
        gain = {w: float(logs[i] - alone[i]) for w in names if (i := cloze.filler_id(subject, w)) is not None}
        best = sorted(gain, key=lambda w: -round(gain[w], 4))[:3]
        yield item.describe()
        yield figures((f"{w}, gain by the name", gain[w]) for w in dict.fromkeys([*best, item.answers[0]]))


def questions(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The answers of a question: which gains most by its context?"""
    found = steps.questions(data["hops"])
    fit = [q for q in found if encode.fits(subject, q.texts).all()]
    by_steps = {q.steps: q for q in reversed(fit)}
    if not by_steps:
        raise TooFew(f"{len(data['hops'])} answers make no question that {subject.name} takes whole")
    for question in (by_steps[k] for k in sorted({min(by_steps), max(by_steps)})):
        yield f"{question.steps} step{'s' * (question.steps > 1)}:"
        for k, (text, gain) in enumerate(zip(question.texts, steps.gains(subject, [question], settings))):
            yield f"  {gain:6.2f}  {' '.join(text)}{'   (right)' * (k == question.right)}"


def associated(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A true and a false triple: what does each end tell of the other?"""
    items: list[Labelled] = [i for i in data["triples"] if triples.readings(i)]
    shown = list({i.label: i for i in reversed(items)}.values())
    if not shown:
        raise TooFew(f"no end of {len(data['triples'])} triples is found in its text")
    chosen = triples.best_readings(subject, shown, settings)
    for reading, (both, alone) in zip(chosen, triples.terms(subject, chosen, settings)):
        yield f"{' '.join(reading.words)}   label: {reading.item.label}"
        named = [("log P(head) + log P(tail), each given the other", both), ("neither given", alone)]
        yield figures([*named, ("gain", both - alone)])


def agreement_by_layer(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The number of a masked verb by probes on each layer, which learn from sentences of other kinds."""
    items, _ = cloze.single_piece(subject, data["agreement"])
    right, own = verb_numbers(subject, items, settings)
    for item in two(items):
        k = items.index(item)
        yield item.describe()
        yield f"  layers from 0 that tell its number: {' '.join(map(str, np.flatnonzero(right[:, k]))) or 'none'}"
        yield f"  the model's own head: {verdict(bool(own[k]))}"


def masked_by_layer(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A masked piece of two sentences told by probes on each layer."""
    rows, targets, fitted = masked_pieces(subject, data, settings)
    test = targets.take(targets.split == "test")
    told = fitted.right.mean(0) > 0.5  # by most fits
    for k in np.unique(test.sentence, return_index=True)[1][:2]:
        shown = subject.tokenizer.decode(rows[test.sentence[k]].ids)
        yield f"{shown}   right at piece {test.spans[k, 0, 0]}: {test.labels[k]}"
        yield f"  layers from 0 that tell it: {' '.join(map(str, np.flatnonzero(told[:, k]))) or 'none'}"
        yield f"  the last layer: {verdict(bool(told[-1, k]))}"


def pivots(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Pieces that two texts have often and that say most of a word's tag; a sentence with one hidden, and what is put there."""
    texts = [
        [domains.tagged(s) for s in data["treebank"] if (s.split == "train") is learnt] for learnt in (True, False)
    ]
    words = [[[word for word, _ in line] for line in lines] for lines in texts]
    rows = [encode.tokenize(subject, lines) for lines in words]
    known = domains.information(rows[0], [[tag for _, tag in line] for line in texts[0]])
    found = domains.pivots_of(rows, known, subject.tokenizer.unk_token_id)
    tokens = subject.tokenizer.convert_ids_to_tokens(found[:10])
    yield f"frequent in both texts, and most telling of a word's tag: {' · '.join(tokens)}"
    for s in short([s for s in data["treebank"] if s.split != "train"]):
        at = next((k for k, word in enumerate(s.words) if cloze.filler_id(subject, word) in found), None)
        if at is not None:
            hidden = " ".join((*s.words[:at], "[MASK]", *s.words[at + 1 :]))
            yield f"{hidden}   right: {s.words[at]}"
            yield "  likeliest: " + " · ".join(cloze.top_k(subject, [hidden], settings=settings)[0])


def answered(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A question to a text-to-text model, and the answer that it writes."""
    closed_book.writes(subject)
    for item in two(i for i in data["facts"] if i.condition in closed_book.QUESTIONS):
        question = closed_book.QUESTIONS[item.condition].format(s=item.meta["subject"])
        yield f"{question}   right: {' / '.join(item.answers[:4])}"
        yield f"  answer: {closed_book.written(subject, question)}"
