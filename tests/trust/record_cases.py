"""Records of evidence that were damaged or made up: a case for each such row of the table of faults."""

from __future__ import annotations

from collections.abc import Callable

from bench import GAPS, Bench, Said, case, edit, record


def _spoilt(bench: Bench, change: Callable[[dict], object]) -> Said:
    edit(record().save(bench.folder / "evidence"), change)
    return _shown(bench)


def _shown(bench: Bench) -> Said:
    said = bench("show", GAPS)
    assert "MINI " in said.out and "YOUR RUN" not in said.out, said  # it goes on, without that record
    return said


@case("record-damaged")
def _(bench):
    path = record().save(bench.folder / "evidence")
    path.write_text(path.read_text()[:-40])
    return _shown(bench)


@case("record-newer")
def _(bench):
    return _spoilt(bench, lambda raw: raw.update(version=99))


@case("record-impossible")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value=1.7, high=1.8))


@case("record-outside")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value=0.7))


@case("record-no-number")
def _(bench):
    return _spoilt(bench, lambda raw: raw["rows"][0].update(value="high"))


@case("record-verdict")
def _(bench):
    return _spoilt(bench, lambda raw: raw.update(decision="holds"))


@case("record-other-claim")
def _(bench):
    path = record(claim="syn.malformed.ettinger2019").save(bench.folder / "evidence")
    target = bench.folder / "evidence" / GAPS / path.name
    target.parent.mkdir()
    path.rename(target)
    return _shown(bench)


@case("record-renamed")
def _(bench):
    path = record(model="somebert").save(bench.folder / "evidence")
    path.rename(path.with_name("rerun--bert-base-uncased--builtin.json"))
    return _shown(bench)
