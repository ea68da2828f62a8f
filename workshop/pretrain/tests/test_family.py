"""The family: hashes of runs, the grid, and its records."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml
from typer.testing import CliRunner

from bertology_pretrain import ConfigError
from bertology_pretrain.checks import checked
from bertology_utils.cards.family import table as family_table
from bertology_utils.cli import app
from bertology_utils.family import grid, record

TIERS = grid.tiers()
SHIPPED = sorted(record.SHIPPED.glob("*/*.json"))


def test_names_do_not_make_runs_but_everything_else_does(monkeypatch):
    base = TIERS["generated"].group("base")[0]
    same = replace(base.config, name="another", log_steps=7, checkpoint_seconds=1.0)
    assert grid.key(same, base.text) == base.key
    others = [replace(base.config, **c) for c in ({"seed": 9}, {"heads": 2}, {"mask_rate": 0.16}, {"eval_length": 16})]
    keys = {base.key, grid.key(base.config, "another text"), *(grid.key(c, base.text) for c in others)}
    assert len(keys) == 6
    monkeypatch.setattr(grid, "CODE", grid.CODE + 1)
    assert base.key not in keys - {base.key} and grid.key(base.config, base.text) not in keys


def test_a_field_at_its_default_is_no_part_of_a_hash():
    config = TIERS["generated"].group("base")[0].config
    assert config.same_rows is False and grid.key(replace(config, same_rows=True), "t") != grid.key(config, "t")
    assert grid.key(replace(config, same_rows=False), "t") == grid.key(config, "t")


def test_what_is_measured_of_a_run_makes_no_other_run(tmp_path):
    told = yaml.safe_load(grid.GRID.read_text("utf-8"))
    groups = told["tiers"]["generated"]["groups"]
    groups["base"] = groups["base"] | {"only": ["heldout"]}
    (tmp_path / "grid.yaml").write_text(yaml.safe_dump(told, sort_keys=False), "utf-8")
    less, whole = grid.tiers(tmp_path / "grid.yaml")["generated"].group("base")[0], TIERS["generated"].group("base")[0]
    assert less.only == ("heldout",) and whole.only == () and less.key == whole.key
    found = {g: TIERS["generated"].group(g)[0].only for g in TIERS["generated"].groups}
    assert {g for g, only in found.items() if only} >= {"three layers", "small, fewer bits"}
    shown = family_table("generated").rows["runs"]
    assert "base" in set(shown) and not any(found[g] for g in shown), "its columns are all measured"


def test_every_run_of_the_grid_is_another_one():
    members = grid.members()
    assert all(checked(m.config) for m in members)
    assert len({m.name for m in members}) == len(members) == len({m.key for m in members})
    assert {m.seed for m in grid.members(["base"])} >= {0, 1, 2}
    assert all(len(t.group(g)) >= 3 for t in TIERS.values() for g in t.groups), "three seeds are the least"
    assert grid.members([members[3].key]) == grid.members([members[3].name]) == [members[3]]  # as `workflow/` asks
    assert grid.members(["bilingual"]) == list(TIERS["bilingual"].members)
    with pytest.raises(ConfigError, match="no run is called nonesuch"):
        grid.members(["nonesuch"])
    with pytest.raises(ConfigError, match="no group"):
        TIERS["generated"].group("nonesuch")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_shipped_record_is_of_a_run_of_the_grid(path):
    found = record.read(path)
    member = {m.key: m for m in grid.members(tier=found.tier)}[found.key]
    most = 20_000 if member.config.tokens < 2e6 else 28_000  # a long run's curve is longer
    # the group that it was first run for names it: a record is shared by all whose configuration is the same
    assert found.config | {"name": ""} == member.config.as_dict() | {"name": ""} and found.text == member.text
    assert found.provenance["tokens"] >= member.config.tokens and path.stat().st_size < most


def test_the_records_of_a_tier_were_asked_the_same():
    for tier in (name for name, t in TIERS.items() if t.about != grid.LANGUAGES):
        found = [record.read(p) for p in SHIPPED if p.parent.name == tier]
        told: dict[tuple, set[str]] = {}  # in other word pieces other places are masked and other items can be asked
        for f in found:
            pieces = f.config.get("vocabulary", ""), f.config["vocab"]
            if "heldout" in f.items:
                told.setdefault((pieces, "places"), set()).add(
                    json.dumps([f.items["heldout"][k] for k in ("n", "unigram")])
                )
            if "agreement" in f.items:
                items = {k: len(v) for k, v in f.items["agreement"].items()}
                told.setdefault((pieces, "agreement"), set()).add(json.dumps(items, sort_keys=True))
        assert all(len(asked) == 1 for asked in told.values())
        assert len({json.dumps(f.items["probes"]["upos"]["n"]) for f in found if "probes" in f.items}) <= 1


def test_runs_on_several_languages_were_asked_the_same_too():
    for tier in (name for name, t in TIERS.items() if t.about == grid.LANGUAGES):
        found = [record.read(p) for p in SHIPPED if p.parent.name == tier]
        assert {len(f.items["retrieval"][way]) for f in found for way in ("to", "back")} <= {400}
        by_text: dict[tuple[str, str], set[str]] = {}  # the same places, in one language and one half of the text
        for f in found:
            assert {k: sum(v["n"]) for k, v in f.items["probes"].items() if isinstance(v, dict)}["own"] > 1000
            for language, told in f.items["heldout"].items():
                by_text.setdefault((language, "n"), set()).add(json.dumps(told["n"]))
        assert all(len(told) == 1 for told in by_text.values())


def test_a_damaged_record_is_named(tmp_path):
    good = record.read(SHIPPED[0])
    path = good.save(tmp_path)
    assert record.read(path) == good
    path.write_text(path.read_text()[:-20])
    with pytest.raises(record.RecordError, match=path.name):
        record.read(path)
    other = good.save(tmp_path).rename(path.with_name("0" * 16 + ".json"))
    with pytest.raises(record.RecordError, match="it says it is"):
        record.read(other)


def test_the_command_line_lists_runs(tmp_path):
    out = CliRunner().invoke(app, ["family", "list", "generated/base", "--records", str(tmp_path)])
    assert out.exit_code == 0 and "0 of 5 runs are recorded" in out.output and "missing" in out.output
