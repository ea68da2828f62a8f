"""What is known of the languages: names, script and genus, by either of their ISO 639 codes.

The genus is that of the World Atlas of Language Structures: a group such as Germanic, some thousand years deep. Japanese
counts as written in the script of Chinese, whose characters it shares. Word order is not stated here: it is read off
treebanks (`typology.orders`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...errors import Refusal

_TABLE = """
ar ara Arabic     Arabic     Semitic   Afro-Asiatic       العربية
bg bul Bulgarian  Cyrillic   Slavic    Indo-European      български
cs ces Czech      Latin      Slavic    Indo-European      čeština
da dan Danish     Latin      Germanic  Indo-European      dansk
de deu German     Latin      Germanic  Indo-European      Deutsch
el ell Greek      Greek      Greek     Indo-European      Ελληνικά
en eng English    Latin      Germanic  Indo-European      English
es spa Spanish    Latin      Romance   Indo-European      español
fi fin Finnish    Latin      Finnic    Uralic             suomi
fr fra French     Latin      Romance   Indo-European      français
he heb Hebrew     Hebrew     Semitic   Afro-Asiatic       עברית
hi hin Hindi      Devanagari Indic     Indo-European      हिन्दी
hu hun Hungarian  Latin      Ugric     Uralic             magyar
it ita Italian    Latin      Romance   Indo-European      italiano
ja jpn Japanese   Han        Japanese  Japanese           日本語
ko kor Korean     Hangul     Korean    Korean             한국어
nl nld Dutch      Latin      Germanic  Indo-European      Nederlands
no nob Norwegian  Latin      Germanic  Indo-European      norsk
pl pol Polish     Latin      Slavic    Indo-European      polski
pt por Portuguese Latin      Romance   Indo-European      português
ro ron Romanian   Latin      Romance   Indo-European      română
ru rus Russian    Cyrillic   Slavic    Indo-European      русский
sv swe Swedish    Latin      Germanic  Indo-European      svenska
tr tur Turkish    Latin      Turkic    Turkic             Türkçe
vi vie Vietnamese Latin      Vietic    Austroasiatic      Tiếng_Việt
zh zho Chinese    Han        Chinese   Sino-Tibetan       中文
"""


class Language(NamedTuple):
    """A language; `code` is the two-letter one, `own` its name in itself."""

    code: str
    name: str
    script: str
    genus: str
    family: str
    own: str

    @property
    def direction(self) -> str:
        """``rtl`` where it is written from right to left, else ``ltr``."""
        return "rtl" if self.script in ("Arabic", "Hebrew") else "ltr"


class NoSuchLanguage(Refusal, KeyError):
    """A code that the table does not have."""


@cache
def _known() -> dict[str, Language]:
    rows = [line.split() for line in _TABLE.split("\n") if line]
    told = [(row[:2], Language._make([row[0], *row[2:-1], row[-1].replace("_", " ")])) for row in rows]
    return {code: language for codes, language in told for code in codes}


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
