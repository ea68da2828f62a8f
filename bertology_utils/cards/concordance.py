"""How far a relative's word counts for BERT: wherever BERT's own figure is known, the same quantity from other networks.

A figure is what one test of a clause looks at: a measure under a key. BERT's is from its authors' released outputs, scored
again (or from a rerun of its published weights); another network's is from its rerun. Both were made for one test; where
both rest on the same texts they are compared interval by interval too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files as resources
from pathlib import Path

import numpy as np
import pandas as pd

from .. import files
from ..claims.checks import Check
from ..claims.evidence import Evidence, is_real, together
from ..claims.rules import HOLDS, OPEN, UNTESTABLE, UNTRAINED_TOO, Decision
from ..scores.pairs import CHOSEN
from ..scores.proportions import wilson
from .standing import BUILTIN, Standing

BASE = ("bert-base-uncased", "bert-base-cased", "bert-base")  # BERT's figure is the first of these that has it
# released outputs -> the data set with the texts they are of
SAME = {"ethayarajh2019_results": "sts_semeval_2012_2016"}
UNSETTLED = (OPEN, UNTESTABLE)
LEVELS = ("layer", "block")
_WHO, _WHAT = ("claim", "title", "network"), ("measure", "key", "data")
COLUMNS = {
    "outcomes": [*_WHO, "bert", "outcome", "agree", "data"],
    "figures": [*_WHO, *_WHAT, "n", "bert", "bert_low", "bert_high", "value", "low", "high", "same_texts", "within"],
    "profiles": [*_WHO, *_WHAT, "layers", "correlation"],
}


@dataclass(frozen=True)
class Concordance:
    """BERT's figures beside those of other networks.

    Attributes
    ----------
    outcomes : data frame
        A row per claim and network: ``claim, title, network, bert, outcome, agree``; ``agree``: whether all parts that
        both decide by the same measures come out alike (`alike`); None where there is no such part.
    figures : data frame
        A row per test and network: ``claim, title, network, measure, key, data``; ``bert, bert_low, bert_high`` and ``value,
        low, high``; ``same_texts``; ``within``: whether the two intervals meet.
    profiles : data frame
        A row per measure that goes through the layers of both: ``claim, title, network, measure, key, layers,
        correlation`` (Spearman's, over relative depth).
    made : dict
        Of each network the weights, precisions, devices and versions of torch that its records name.
    """

    outcomes: pd.DataFrame
    figures: pd.DataFrame
    profiles: pd.DataFrame
    made: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def summary(self) -> pd.DataFrame:
        """A row per network.

        ``claims`` put to it, ``decided`` for both, ``agree`` and its share's interval; ``figures`` of the same test, ``within``:
        those on the same texts whose intervals meet, of ``same_texts``; ``correlation``: Spearman's over figures that are
        shares, one per test; ``profiles`` through the layers and their median correlation.
        """
        return pd.DataFrame([self._line(network) for network in dict.fromkeys(self.outcomes["network"])])

    def _line(self, network: str) -> dict:
        outcomes, figures, profiles = (f[f["network"] == network] for f in (self.outcomes, self.figures, self.profiles))
        decided = outcomes.dropna(subset="agree")
        pairs = self.shares(network)
        same = figures[figures["same_texts"].astype(bool)]
        agree, n = int(decided["agree"].sum()), len(decided)
        low, high = wilson(agree / n, n) if n else (np.nan, np.nan)
        return {
            "network": network,
            "claims": len(outcomes),
            "decided": n,
            "agree": agree,
            "agree_low": low,
            "agree_high": high,
            "figures": len(figures),
            "same_texts": len(same),
            "within": int(same["within"].sum()),
            "shares": len(pairs),
            "correlation": pairs["bert"].corr(pairs["value"], method="spearman") if len(pairs) > 4 else np.nan,
            "profiles": len(profiles),
            "median_correlation": profiles["correlation"].median() if len(profiles) else np.nan,
        }

    def shares(self, network: str) -> pd.DataFrame:
        """The figures of a network that lie between 0 and 1, as BERT's do: one axis for both."""
        mine = self.figures[self.figures["network"] == network]
        return mine[mine["bert"].between(0, 1) & mine["value"].between(0, 1)]


def concordance(standings: Iterable[Standing], networks: Sequence[str]) -> Concordance:
    """BERT's outcomes and figures beside those of the networks named.

    Examples
    --------
    >>> from .standing import standings
    >>> made = concordance(standings("syntax"), ["mini"])
    >>> bool(made.figures.bert.notna().all()), set(made.outcomes.network)
    (True, {'mini'})
    """
    outcomes, figures, profiles = [], [], []
    used: dict[str, list[Evidence]] = {}
    for standing in standings:
        if standing.real.decision is None:
            continue
        real = _base(standing.real.records)
        for network in networks:
            mine = [r for r in standing.records if r.kind == "rerun" and r.model == network and r.decision]
            if not mine:
                continue
            used.setdefault(network, []).extend(mine)
            who = {"claim": standing.row.id, "title": standing.row.title, "network": network}
            outcomes.append(who | _outcome(standing, mine))
            figures += [who | figure for figure in _figures(real, mine)]
            profiles += [who | profile for profile in _profiles(real, mine)]
    rows = {"outcomes": outcomes, "figures": figures, "profiles": profiles}
    frames = {name: pd.DataFrame(of, columns=COLUMNS[name]) for name, of in rows.items()}
    return Concordance(**frames, made={name: _provenance(records) for name, records in used.items()})


def _provenance(records: Iterable[Evidence]) -> dict[str, list[str]]:
    """What the records of one network name, each value once."""
    lines = [{**r.provenance, **r.provenance.get("versions", {})} for r in records]
    names = ("subject_sha256", "subject_source", "dtype", "device_name", "torch", "transformers")
    return {n: sorted({str(line[n]) for line in lines if n in line}) for n in names}


def _base(records: Iterable[Evidence]) -> list[Evidence]:
    """BERT-base's own records, uncased ones first; those of tuned, compressed or larger networks are other networks."""
    return sorted((r for r in records if r.model in BASE and is_real(r.model)), key=lambda r: BASE.index(r.model))


def _nearest(record: Evidence, mine: Iterable[Evidence]) -> list[Evidence]:
    """The reruns, those on the same texts first, on generated sentences last."""
    texts = SAME.get(record.data, record.data)
    return sorted(mine, key=lambda r: (r.data != texts, r.data == BUILTIN))


def _outcome(s: Standing, mine: list[Evidence]) -> dict:
    texts = {SAME.get(name, name) for name in s.real.data}
    used = [r for r in mine if r.data in texts] or [r for r in mine if r.data != BUILTIN] or mine
    decision = together(used)
    same = alike(s.real.decision, decision) if s.real.decision else []
    return {
        **{"bert": s.real.label, "outcome": _plain(decision.outcome)},
        **{"agree": all(same) if same else None, "data": ", ".join(r.data for r in used)},
    }


def alike(bert: Decision, other: Decision) -> list[bool]:
    """Of each part of a claim that both decide by the same measures, whether they decide it alike.

    A part that released figures decide by one baseline and a rerun by two is not compared: it would tell instruments apart,
    not networks.
    """
    parts = {c.name: c for c in bert.tested}
    pairs = [(parts[c.name], c) for c in other.tested if c.name in parts]
    return [
        _plain(a.outcome) == _plain(b.outcome)
        for a, b in pairs
        if not {a.outcome, b.outcome} & set(UNSETTLED)
        and {c.measure for c in a.checks} == {c.measure for c in b.checks}
    ]


def _plain(outcome: str) -> str:
    return HOLDS if outcome == UNTRAINED_TOO else outcome


def _figures(real: list[Evidence], mine: list[Evidence]) -> Iterator[dict]:
    """Every figure of BERT's that the network has too, once."""
    done = set()
    for record in real:
        for key, bert in _checks(record).items():
            other = next((r for r in _nearest(record, mine) if key in _checks(r)), None)
            if other is None or key in done:
                continue
            done.add(key)
            ours = _checks(other)[key]
            if np.isnan([bert.value, ours.value]).any():
                continue
            yield {
                **{"measure": bert.measure, "key": key[1], "data": other.data, "n": ours.n},
                **{"bert": bert.value, "bert_low": bert.low, "bert_high": bert.high},
                **{"value": ours.value, "low": ours.low, "high": ours.high},
                "same_texts": other.data == SAME.get(record.data, record.data),
                "within": bool(ours.low <= bert.high and bert.low <= ours.high),
            }


def _checks(record: Evidence) -> dict[tuple[str, str], Check]:
    """Measure and key, but for what a network's own best may differ in -> the check."""
    assert record.decision is not None
    checks = [c for clause in record.decision.clauses for c in clause.checks]
    return {(c.measure, _key(c.key)): c for c in checks}


def _key(key: str) -> str:
    return ", ".join(part for part in key.split(", ") if part.partition(" ")[0] not in CHOSEN)


def _profiles(real: list[Evidence], mine: list[Evidence]) -> Iterator[dict]:
    """Rank correlations through the layers: the shallower network's layers against the deeper one's at the same depth."""
    done = set()
    for record in real:
        for key, bert in _curves(record).items():
            for other in _nearest(record, mine):
                ours = _curves(other).get(key)
                if ours is None or key in done:
                    continue
                done.add(key)
                n = min(len(bert), len(ours))
                depth = np.linspace(0, 1, n)
                a, b = (np.interp(depth, np.linspace(0, 1, len(c)), c) for c in (bert, ours))
                yield {
                    **{"measure": key[0], "key": key[1], "data": other.data, "layers": n},
                    "correlation": pd.Series(a).corr(pd.Series(b), method="spearman"),
                }


def _curves(record: Evidence) -> dict[tuple[str, str], np.ndarray]:
    """Measure and key -> values through the layers, where there are five or more."""
    frame = record.frame
    level = next((c for c in LEVELS if c in frame), None)
    if level is None:
        return {}
    keys = [c for c in frame.columns if c not in ("value", "low", "high", "n", "clusters", "draws", level)]
    out = {}
    for key, rows in frame.dropna(subset=[level]).groupby(keys, dropna=False, sort=False):
        named = dict(zip(keys, key, strict=True))
        words = ", ".join(f"{k} {v}" for k, v in named.items() if k != "measure" and not pd.isna(v))
        curve = rows.sort_values(level)
        if len(curve) >= 5 and curve[level].is_unique and curve["value"].notna().all():
            out[str(named["measure"]), words] = curve["value"].to_numpy(float)
    return out


STORED = Path(str(resources("bertology_utils") / "assets" / "concordance.json"))


def save(made: Concordance, path: Path = STORED) -> Path:
    """Write a concordance as JSON: made from a reader's own records too, it is what the book shows."""
    parts = {name: json.loads(getattr(made, name).to_json(orient="records", double_precision=6)) for name in COLUMNS}
    parts["made"] = made.made
    return files.write(path, json.dumps(parts, indent=0) + "\n")


def stored(path: Path = STORED) -> Concordance:
    """The concordance that comes with the package."""
    parts = json.loads(path.read_text("utf-8"))
    frames = {name: pd.DataFrame(parts[name], columns=of) for name, of in COLUMNS.items()}
    return Concordance(**frames, made=parts["made"])


def sentence(made: Concordance, network: str, name: str) -> str:
    """How far a network agrees with BERT, in one sentence; empty where it was asked nothing."""
    lines = made.summary().set_index("network")
    if network not in lines.index:
        return ""
    line = lines.loc[network]
    meet, same = line["within"], line["same_texts"]
    return (
        f"BERT and {name} agree on {line['agree']:.0f} of the {line['decided']:.0f} claims that both decide at least in part. "
        f"Of {same:.0f} figures measured on the same texts their intervals overlap in {meet:.0f}: "
        f"what {name} shows is not yet so of BERT."
    )


def picture(made: Concordance, names: dict[str, str]) -> str:
    """Figures of the same test between 0 and 1, BERT's across and another network's upward, as an SVG."""
    height, left, bottom = 380, 12.0, 40

    def x(v: float) -> float:
        return round(left + v * (98 - left), 2)

    def y(v: float) -> float:
        return round(10 + (1 - min(1.0, max(0.0, v))) * (height - 10 - bottom), 1)

    parts = [f'<line class="rule" stroke="currentColor" x1="{x(0)}%" y1="{y(0)}" x2="{x(1)}%" y2="{y(1)}"/>']
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text class="tick" x="{x(tick)}%" y="{y(0) + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text class="tick" x="{left}%" dx="-6" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text class="tick" x="98%" y="{height - 6}" text-anchor="end">BERT-base</text>')
    parts.append(f'<text class="tick" x="{left}%" dx="6" y="{y(1) + 4}">the other network</text>')
    for network, name in names.items():
        for r in made.shares(network).to_dict("records"):
            at = x(r["bert"])
            words = f"{r['title']}: {r['measure']}, {r['key']}. BERT {r['bert']:.2f}, {name} {r['value']:.2f}"
            parts.append(
                f'<g class="pt pt-{network.lower()}"><title>{escape(words)}</title>'
                f'<line class="spread" stroke="currentColor" x1="{at}%" x2="{at}%" y1="{y(r["high"])}" y2="{y(r["low"])}"/>'
                f'<circle cx="{at}%" cy="{y(r["value"])}" r="4" stroke="currentColor" fill-opacity="0.35"/></g>'
            )
    label = "Figures of the same test, BERT-base across and other networks upward; the table has the same figures"
    svg = f'<svg width="100%" height="{height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    return f'<div class="tradeoff">{svg}</div>'
