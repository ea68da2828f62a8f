"""Every chapter runs to its end whatever model and data a reader chooses: what cannot be measured is one line.

`make test` takes a narrow network of twelve layers on the studies' own data for some chapters, `make weekly` for the rest;
`make chapters` (weekly too) takes networks of full size and prints a line per chapter.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import fake_hub
import published
import pytest
from chapters import FEW, NAMES, WITH_DATA, claims_of, executed, now_or_weekly, on_the_hub, whole

from bertology_utils.book import stage
from bertology_utils.settings import Settings
from bertology_utils.subject import relatives

NARROW = {"num_hidden_layers": 12, "hidden_size": 24, "num_attention_heads": 4, "intermediate_size": 48}
FULL = {"num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}
SERVED = ("bert-base-uncased", "bert-base-cased", "bert-base-multilingual-cased", "roberta-base")
FEWER = {  # fewer where runs are tuned again and again, more where languages share the items
    **{name: {"BERTOLOGY_N": "12"} for name in ("07_training", "08_size")},
    "09_mbert": {"BERTOLOGY_N": "60"},
}
MIRROR = Settings.of().mirror


@pytest.fixture(scope="module")
def narrow(tmp_path_factory) -> Iterator[str]:
    """The address of a Hub with the models of the chapters, twelve layers deep and narrow."""
    with fake_hub.listening(published.everything(tmp_path_factory.mktemp("narrow"), SERVED, **NARROW)) as (address, _):
        yield address


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> Iterator[str]:
    with fake_hub.listening(published.everything(tmp_path_factory.mktemp("full"), SERVED, **FULL)) as (address, _):
        yield address


@pytest.mark.mirror
@pytest.mark.skipif(not MIRROR, reason="no BERTOLOGY_MIRROR")
@pytest.mark.parametrize("name", now_or_weekly(WITH_DATA))
def test_a_bert_of_the_hub_on_the_studies_own_data(name, narrow, tmp_path):
    model = "bert-base-multilingual-cased" if name.startswith("09") else "bert-base-uncased"
    places = {"BERTOLOGY_MIRROR": str(MIRROR), **on_the_hub(narrow, tmp_path)}
    chapter = whole(executed(name, tmp_path, model=model, data="original", **FEW | FEWER.get(name, {}), **places))
    assert set(chapter.measured) | set(chapter.refused) >= claims_of(name), "a claim is neither measured nor refused"
    assert len(chapter.measured) >= len(claims_of(name)) // 4


def test_the_wheel_alone_is_enough(tmp_path):
    """In an empty folder, with the package of the wheel and not the checkout's: models, records and items come with it."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, stage.ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size <= 49_000_000
    subprocess.run([*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel], check=True)
    chapter = whole(
        executed(NAMES[2], tmp_path / "empty", model="mini", data="builtin", PYTHONPATH=str(tmp_path / "site"))
    )
    assert chapter.package == tmp_path / "site" / "bertology_utils" and not chapter.refused


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", ["original", "builtin"])
@pytest.mark.parametrize("model", ["bert-base-uncased", "roberta-base", "distilbert", "mpnet"])
def test_networks_of_full_size(name, model, data, full, tmp_path, capsys):
    if model == "mpnet" and not relatives.here(model, Settings()):
        pytest.skip("mpnet is not here: make relatives")
    if model == "distilbert":
        model = str(published.distilled(tmp_path / model, **FULL))
    places = {"BERTOLOGY_MIRROR": str(MIRROR or ""), **on_the_hub(full, tmp_path)}
    chapter = executed(name, tmp_path / "run", model=model, data=data, **FEW, **places)
    with capsys.disabled():
        print(f"\n{model} {data} {chapter}")
    whole(chapter)
