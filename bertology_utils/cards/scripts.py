"""A sentence in several languages as a table, each under its own name, in its own script and direction.

Figures name languages in English: what draws them sets no text from right to left and has no letters for Chinese, Hindi,
Japanese or Korean, and fonts that have them weigh more than the package. A browser has both. It goes by the attributes `lang`
and `dir`, which each cell bears; the table looks the same on a page, in a notebook and offline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from ..experiments.mbert.languages import Language, language
from .markup import scrolled, table


@dataclass(frozen=True)
class Scripts:
    """Lines of text in several languages; a notebook shows them by themselves.

    Attributes
    ----------
    lines : mapping
        Code of a language, of two or three letters -> its text.
    label : str
        What the table is of, for those who hear it.

    Raises
    ------
    NoSuchLanguage
        When it is shown, of a code that is in no table.

    Examples
    --------
    >>> Scripts({"deu": "Der Hund schläft .", "ell": "Ο σκύλος κοιμάται ."}, "a sentence")
    de Deutsch: Der Hund schläft .
    el Ελληνικά: Ο σκύλος κοιμάται .
    """

    lines: Mapping[str, str]
    label: str

    @property
    def named(self) -> list[tuple[Language, str]]:
        return [(language(code), text) for code, text in self.lines.items()]

    def __repr__(self) -> str:
        return "\n".join(f"{of.code} {of.own}: {text}" for of, text in self.named)

    def _repr_html_(self) -> str:
        rows = (
            f'<tr><th scope="row">{escape(of.name)}</th>{_cell(of, of.own)}{_cell(of, text)}</tr>'
            for of, text in self.named
        )
        return scrolled(table("facts family", ("language", "in itself", "sentence"), rows), self.label)


def _cell(of: Language, text: str) -> str:
    return f'<td lang="{of.code}" dir="{of.direction}">{escape(text)}</td>'
