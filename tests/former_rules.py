"""``python -m tests.former_rules``: what each former rule of a claim would make of today's records; needs the history of git.

A row's change is said not to have moved an outcome (``moved: false``) where every former version of its clauses gives all
networks the outcomes they have; one that cannot be read, or whose measures are no longer recorded, cannot be asked: it counts
as moved. So does one that decided by a release which decides nothing now.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import yaml

from bertology_utils.cards.standing import Standing, standing
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.checks import RuleError
from bertology_utils.claims.clauses import Clause, Test
from bertology_utils.claims.strict import LedgerError, made
from bertology_utils.settings import Settings

ROOT = Path(__file__).parents[1]
FOLDER = "bertology_utils/assets/ledger/"
SLOTS = ("real", "sized", "relative", "mini")


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def versions() -> dict[str, set[tuple[Clause, ...] | None]]:
    """The clauses that each row has had, those of today among them; None for some that today's classes cannot read."""
    found: dict[str, set[tuple[Clause, ...] | None]] = {}
    trees = (git("ls-tree", commit, FOLDER) for commit in git("log", "--format=%H", "--", FOLDER).split())
    blobs = {line.split()[2] for tree in trees for line in tree.splitlines() if line.endswith(".yaml")}
    for blob in blobs:
        try:
            rows = yaml.load(git("cat-file", "-p", blob), getattr(yaml, "CSafeLoader", yaml.SafeLoader))["rows"]
        except yaml.YAMLError:
            continue  # a slip of one commit: no rule was ever read from it
        for row in rows:
            rule: tuple[Clause, ...] | None = None
            with suppress(LedgerError):
                rule = tuple(_clause(raw) for raw in row.get("clauses") or ())
            found.setdefault(row["id"], set()).add(rule)
    return found


def _clause(raw: Mapping[str, Any]) -> Clause:
    parts = {part: [_known(Test, test) for test in raw.get(part, ())] for part in ("tests", "gates")}
    return made(Clause, _known(Clause, raw) | parts, raw["name"])


def _known(cls: type, raw: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(cls)}
    return {k: v for k, v in raw.items() if k in names}


def outcomes(now: Standing, rule: tuple[Clause, ...] | None) -> dict[str, str] | None:
    """Outcome by slot of the same records under another rule; None where it cannot be read, or asks for what they lack."""
    if rule is None:
        return None
    former, today = replace(now.row, clauses=rule), ledger.row
    evidence.ledger.row = lambda id: former if id == former.id else today(id)
    try:
        records = tuple(replace(record) for record in now.records)
        for record in records:
            if record.kind == "rerun" or record.decides:
                record.judged()
        other = replace(now, row=former, records=records)
        return {slot: getattr(other, slot).label for slot in SLOTS}
    except RuleError:
        return None
    finally:
        evidence.ledger.row = today


def unmoved() -> Iterator[str]:
    """Ids of rows whose former rules, of which one at least is known, all give the outcomes of today."""
    known = versions()
    for row in ledger.rows():
        now = standing(row.id, Settings(evidence=evidence.SHIPPED))
        former = [rule for rule in known.get(row.id, ()) if rule != () and rule != row.clauses]
        here = {slot: getattr(now, slot).label for slot in SLOTS}
        idle = {r.data for r in now.records if r.kind == "released" and not r.decides}
        named = {s for rule in former for clause in rule or () for test in clause.tests for s in test.sources}
        if row.changed and former and not idle & named and all(outcomes(now, rule) == here for rule in former):
            yield row.id


if __name__ == "__main__":
    print(*unmoved(), sep="\n")
