"""Events and who does what in them: completions, reversed roles, graded fillers (ettinger2019: CPRAG, ROLE)."""

from __future__ import annotations

import re
from itertools import product
from random import Random

from bertology_utils.data.items import MASK, Cloze, ForcedChoice

from . import builder
from .lexicon import source

_PIECES = re.compile(r"<([^>]*)>|(\{\})|([^<{]+)")


def _completion(frame: str, subject: str) -> tuple[list[str], tuple[int, int], tuple[int, int]]:
    """The words of a completion with its subject put in, and the spans of subject and object."""
    words: list[str] = []
    spans = {}
    for marked, slot, plain in _PIECES.findall(frame):
        start = len(words)
        words += (marked or (subject if slot else plain)).split()
        if marked or slot:
            spans["object" if marked else "subject"] = (start, len(words))
    return [*words, MASK + "."], spans["subject"], spans["object"]


@builder("completion")
def completion(n: int, seed: int) -> list[Cloze]:
    """Sentences whose last word is expected; at most all there are (about 1,000).

    Meta: `subject` and `object`, spans over the words split at spaces; `right`, `related` (of the right kind, but not
    fitting) and `unrelated` words.
    """
    data = source("events")
    drawn = list(product(data["completions"], data["subjects"]))
    Random(f"completion-{seed}").shuffle(drawn)
    out = []
    for i, ((frame, right, related, unrelated), subject) in enumerate(drawn[:n]):
        words, who, what = _completion(frame, subject)
        meta = {"subject": who, "object": what, "right": right, "related": related, "unrelated": unrelated}
        out.append(
            Cloze(id=f"completion-{seed}-{i}", condition="builtin", text=" ".join(words), answers=(right,), meta=meta)
        )
    return out


@builder("roles")
def roles(n: int, seed: int) -> list[ForcedChoice]:
    """The verb of an event masked: against the verb of the reversed event (`related`) or any other (`unrelated`).

    At most all there are (about 1,700).
    The two directions of an event in one frame share meta `pair`; `agent` and `patient` name who is who.
    """
    data, rng = source("events"), Random(f"roles-{seed}")
    drawn = list(product(data["scripts"], data["role_frames"]))
    rng.shuffle(drawn)
    out: list[ForcedChoice] = []
    for pair, (script, frame) in enumerate(drawn):
        agent, verb, patient, reverse = script[:4]
        other = rng.choice(data["unrelated_verbs"])
        for a, p, good, bad in ((agent, patient, verb, reverse), (patient, agent, reverse, verb)):
            text = frame.format(a=a, p=p)
            for condition, wrong in (("related", bad), ("unrelated", other)):
                meta = {"pair": pair, "agent": a, "patient": p, "reversed": good == reverse}
                out.append(
                    ForcedChoice(
                        id=f"roles-{seed}-{len(out)}", condition=condition, text=text, good=good, bad=wrong, meta=meta
                    )
                )
        if len(out) >= n:
            break
    return out[:n]


@builder("plausibility")
def plausibility(n: int, seed: int) -> list[Cloze]:
    """The one acted upon masked; meta `right`, `related` (somebody else of the scene), `unrelated` words.

    At most all there are (about 300).
    """
    data = source("events")
    drawn = list(product(data["scripts"] + data["fillers"], data["filler_frames"]))
    Random(f"plausibility-{seed}").shuffle(drawn)
    out = []
    for i, ((agent, verb, right, _, related, unrelated), frame) in enumerate(drawn[:n]):
        meta = {"right": right, "related": related, "unrelated": unrelated}
        out.append(
            Cloze(id=f"plausibility-{seed}-{i}", text=frame.format(a=agent, v=verb), answers=(right,), meta=meta)
        )
    return out
