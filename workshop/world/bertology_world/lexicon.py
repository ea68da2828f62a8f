"""The words of the generated English: nouns by semantic class, verbs by the classes they go with.

The word lists are in ``lexicon.yaml`` and ``verbs.yaml``; this module spells out the inflected forms. A *table* is a
tuple of ``(form, lemma)`` pairs that may stand in the same place of the same sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from .draw import table

Table = tuple[tuple[str, str], ...]
VERB_FORMS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
VOWELS = "aeiou"
# Words whose first letter misleads about a/an.
AN_EXCEPTIONS = {"hour": True, "honest": True} | dict.fromkeys(
    ("uniform", "university", "union", "european", "one", "useful", "hero", "heroes"), False
)


def source(name: str) -> dict[str, Any]:
    """The parsed word list `name` (``"lexicon"``, ``"verbs"``, …); as of `draw.table`, never to be changed."""
    return table(f"{name}.yaml")


def takes_an(word: str) -> bool:
    """Whether the indefinite article before `word` is *an*."""
    word = word.lower()
    return AN_EXCEPTIONS.get(word, word[:1] in VOWELS)


def add_s(word: str) -> str:
    """The regular plural of a noun, or the third person singular of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in ("go", "do"):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def conjugate(entry: str) -> dict[str, str]:
    """All forms of a verb given as ``base/past/participle/ing``, each part left out where it is regular.

    >>> conjugate("run/ran/run/running")["VBG"]
    'running'
    """
    base, *rest = entry.split("/")
    past = rest[0] if rest else base + ("d" if base.endswith("e") else "ed")
    participle = rest[1] if len(rest) > 1 else past
    ing = rest[2] if len(rest) > 2 else (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"
    return {"VB": base, "VBP": base, "VBZ": add_s(base), "VBD": past, "VBN": participle, "VBG": ing}


@dataclass(frozen=True, eq=False)
class Frame:
    """A set of verbs with the same arguments; each is made once, by `frames`, and compared by identity.

    Attributes
    ----------
    kind, name : str
        The valency (``"transitive"``, …) and the frame's name in the word list.
    subj, obj, to : tuple of str
        Noun classes of the subject, the object and the recipient.
    place : tuple of str
        Noun classes of places where it may happen; empty if none is natural.
    """

    kind: str
    name: str
    verbs: tuple[str, ...]
    subj: tuple[str, ...] = ("person",)
    obj: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    adverb: str = "none"
    prep: str = ""
    role: str = ""
    state: bool = False
    passive: bool = True

    def table(self, form: str) -> Table:
        """The frame's verbs in one form (Penn tag)."""
        return _verb_table(self, form)

    @property
    def subject_role(self) -> str:
        """The role of the subject: ARG1 with verbs of arriving, falling, beginning, …; else ARG0."""
        return self.role if self.kind == "intransitive" and self.role else "ARG0"

    def particle(self, index: int) -> str:
        """The particle of the verb at `index`, or nothing."""
        return self.verbs[index].partition("+")[2]


@cache
def _verb_table(frame: Frame, form: str) -> Table:
    rows = [conjugate(v.partition("+")[0]) for v in frame.verbs]
    return tuple((row[form], row["VB"]) for row in rows)


def _classes(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


@cache
def frames(kind: str) -> tuple[Frame, ...]:
    """All verb frames of one valency."""
    out = []
    for name, row in source("verbs")[kind].items():
        out.append(
            Frame(
                kind,
                name,
                tuple(row["verbs"].split()),
                _classes(row.get("subj", "person")),
                _classes(row.get("obj")),
                _classes(row.get("to")),
                _classes(row.get("place")),
                row.get("adverb", "none"),
                row.get("prep", ""),
                row.get("role", ""),
                row.get("state", False),
                not row.get("nopassive", False),
            )
        )
    return tuple(out)


@cache
def frame(kind: str, name: str) -> Frame:
    """One verb frame by its name."""
    return next(f for f in frames(kind) if f.name == name)


@cache
def members(cls: str) -> tuple[str, ...]:
    """The plain noun classes that a class or a union of classes stands for."""
    return tuple(source("lexicon")["unions"].get(cls, (cls,)))


@cache
def plain_classes(names: tuple[str, ...] | str) -> tuple[str, ...]:
    """The members of a class or union, or of several one after the other."""
    return members(names) if isinstance(names, str) else tuple(m for name in names for m in members(name))


@cache
def nouns(cls: str, number: str) -> Table:
    """The nouns of a plain class, in the singular (``"Sing"``) or plural (``"Plur"``)."""
    out = []
    for entry in source("lexicon")["nouns"][cls].split():
        singular, _, plural = entry.partition("/")
        out.append((singular if number == "Sing" else plural or add_s(singular), singular))
    return tuple(dict.fromkeys(out))


@cache
def listed(cls: str, group: str) -> bool:
    """Whether a noun class is in a group of classes: "bare" (no determiner), "owned" (may have a possessor), "mass"."""
    return cls in source("lexicon")[group]


@cache
def is_mass(cls: str) -> bool:
    """Whether the nouns of a class have no plural and no indefinite article."""
    return listed(cls, "mass")


@cache
def words(group: str, name: str) -> Table:
    """Uninflected words: adjectives, states, adverbs, names, locative prepositions."""
    found = source("lexicon")[group].get(name, "")
    return tuple((w, w) for w in found.split())


@cache
def adjective_ranks(cls: str) -> tuple[Table, ...]:
    """The adjectives of a class by rank: what is thought of a thing, its size, age, colour, material; none empty."""
    ranks = [set(line.split()) for line in source("lexicon")["adjective_order"]]
    table = words("adjectives", cls)
    opinion = tuple(w for w in table if not any(w[0] in r for r in ranks))
    return tuple(filter(None, (opinion, *(tuple(w for w in table if w[0] in r) for r in ranks))))


@cache
def compounds(cls: str) -> tuple[tuple[str, str], ...]:
    """Noun-noun compounds whose head is of a class, as pairs of words."""
    return tuple(tuple(c.split()) for c in source("lexicon")["compounds"].get(cls, ()))


def pairs(relation: str) -> list[tuple[str, str]]:
    """Word pairs in a lexical relation (``"synonym"``, ``"antonym"``, ``"part"``)."""
    return [tuple(p.split()) for p in source("lexicon")["pairs"][relation]]
