"""What is known of the languages: name, script and genus, by either of their ISO 639 codes.

The genus is that of the World Atlas of Language Structures: a group such as Germanic, some thousand years deep. Japanese
counts as written in the script of Chinese, whose characters it shares. Word order is not stated here: it is read off
treebanks (`typology.orders`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...errors import Refusal

_TABLE = """
ar ara Arabic     Arabic     Semitic   Afro-Asiatic
bg bul Bulgarian  Cyrillic   Slavic    Indo-European
cs ces Czech      Latin      Slavic    Indo-European
da dan Danish     Latin      Germanic  Indo-European
de deu German     Latin      Germanic  Indo-European
el ell Greek      Greek      Greek     Indo-European
en eng English    Latin      Germanic  Indo-European
es spa Spanish    Latin      Romance   Indo-European
fi fin Finnish    Latin      Finnic    Uralic
fr fra French     Latin      Romance   Indo-European
he heb Hebrew     Hebrew     Semitic   Afro-Asiatic
hi hin Hindi      Devanagari Indic     Indo-European
hu hun Hungarian  Latin      Ugric     Uralic
it ita Italian    Latin      Romance   Indo-European
ja jpn Japanese   Han        Japanese  Japanese
ko kor Korean     Hangul     Korean    Korean
nl nld Dutch      Latin      Germanic  Indo-European
no nob Norwegian  Latin      Germanic  Indo-European
pl pol Polish     Latin      Slavic    Indo-European
pt por Portuguese Latin      Romance   Indo-European
ro ron Romanian   Latin      Romance   Indo-European
ru rus Russian    Cyrillic   Slavic    Indo-European
sv swe Swedish    Latin      Germanic  Indo-European
tr tur Turkish    Latin      Turkic    Turkic
vi vie Vietnamese Latin      Vietic    Austroasiatic
zh zho Chinese    Han        Chinese   Sino-Tibetan
"""


class Language(NamedTuple):
    """A language; `code` is the two-letter one."""

    code: str
    name: str
    script: str
    genus: str
    family: str


class NoSuchLanguage(Refusal, KeyError):
    """A code that the table does not have."""


@cache
def _known() -> dict[str, Language]:
    rows = [line.split() for line in _TABLE.split("\n") if line]
    return {code: Language(row[0], *row[2:]) for row in rows for code in row[:2]}


def language(code: str) -> Language:
    """The language of a two-letter or three-letter code.

    Raises
    ------
    NoSuchLanguage
        If it is not in the table.

    Examples
    --------
    >>> language("fin").genus, language("fi").name
    ('Finnic', 'Finnish')
    """
    if code not in _known():
        raise NoSuchLanguage(f"no language {code!r} in the table of names, scripts and genera")
    return _known()[code]


def pair(a: str, b: str) -> dict[str, str]:
    """How two languages are to one another, as key columns of a row: pair, script and genus.

    Examples
    --------
    >>> pair("eng", "deu")
    {'pair': 'other language', 'script': 'same', 'genus': 'same'}
    """
    one, two = language(a), language(b)

    def same(x: str, y: str) -> str:
        return "same" if x == y else "other"

    return {
        "pair": f"{same(one.code, two.code)} language",
        "script": same(one.script, two.script),
        "genus": same(one.genus, two.genus),
    }


def named(name: str) -> Language:
    """The language of an English name; errors as of `language`.

    >>> named("Hindi").genus
    'Indic'
    """
    for found in _known().values():
        if found.name == name:
            return found
    raise NoSuchLanguage(f"no language is called {name!r} in the table")
