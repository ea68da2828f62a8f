"""The page on how far other networks speak for BERT: sentences, a picture and three tables from the stored concordance."""

from __future__ import annotations

from html import escape

import pandas as pd

from ..cards.concordance import Concordance, picture, sentence, stored
from ..cards.markup import link

NAMES = {"mpnet": "mpnet", "all-MiniLM-L6-v2": "MiniLM", "mini": "mini"}  # largest first
BODY = {"mpnet": "12 × 768", "all-MiniLM-L6-v2": "6 × 384", "mini": "8 × 256"}


def page(made: Concordance | None = None) -> dict[str, str]:
    """The generated parts: ``said`` in sentences, ``picture``, ``summary``, ``disagreements``, ``profiles``."""
    made = made or stored()
    names = {n: name for n, name in NAMES.items() if n in set(made.outcomes["network"])}
    key = "".join(f'<span class="pt-{network.lower()}">{name}</span>' for network, name in names.items())
    return {
        "said": " ".join(filter(None, (sentence(made, n, name) for n, name in names.items()))),
        "picture": f'<p class="tradeoff-key">{key}</p>\n{picture(made, names)}',  # whose points have which colour
        "summary": _summary(made, names),
        "disagreements": _disagreements(made, names),
        "profiles": _profiles(made, names),
    }


def headline(made: Concordance | None = None) -> str:
    """One sentence about the largest network there is, with a link to the page."""
    made = made or stored()
    first = next(n for n in NAMES if n in set(made.outcomes["network"]))
    return f"{sentence(made, first, NAMES[first])} [How far other networks speak for BERT](concordance.md)."


def _summary(made: Concordance, names: dict[str, str]) -> str:
    lines = made.summary().set_index("network").loc[list(names)]
    rows = [
        {
            "network": f"{names[n]} ({BODY[n]})",
            "claims put to it": f"{line['claims']:.0f}",
            "decided by both": f"{line['decided']:.0f}",
            "agree": f"{line['agree']:.0f} [{line['agree_low']:.0%}, {line['agree_high']:.0%}]",
            "figures of the same test": f"{line['figures']:.0f}",
            "on the same texts": f"{line['same_texts']:.0f}",
            "intervals meet": f"{line['within']:.0f}",
            "rank correlation, all kinds of figures": _two(line["correlation"]),
            "profiles by layer": f"{line['profiles']:.0f}",
            "their median correlation": _two(line["median_correlation"]),
        }
        for n, line in lines.iterrows()
    ]
    return _html(pd.DataFrame(rows).set_index("network").T.rename_axis(None, axis=1).reset_index(names=""))


def _disagreements(made: Concordance, names: dict[str, str]) -> str:
    others = made.outcomes[made.outcomes["agree"].eq(False)]
    rows = [
        {
            "claim": link(r["claim"], r["title"]),
            "network": names[r["network"]],
            "BERT": escape(r["bert"]),
            "the other": escape(r["outcome"]),
        }
        for r in others.to_dict("records")
        if r["network"] in names
    ]
    return _html(pd.DataFrame(rows)) if rows else "Nowhere."


def _profiles(made: Concordance, names: dict[str, str]) -> str:
    shown = made.profiles[made.profiles["network"].isin(list(names))]
    if shown.empty:
        return ""
    rows = [
        {
            "claim": link(r["claim"], r["title"]),
            "quantity": escape(", ".join(filter(None, (r["measure"], r["key"])))),
            "network": names[r["network"]],
            "layers": r["layers"],
            "rank correlation": _two(r["correlation"]),
        }
        for r in shown.to_dict("records")
    ]
    return _html(pd.DataFrame(rows))


def _two(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.2f}"


def _html(rows: pd.DataFrame) -> str:
    return rows.to_html(index=False, border=0, classes="facts even", escape=False, justify="left")
