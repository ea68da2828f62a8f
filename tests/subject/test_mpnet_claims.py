"""A network of MPNet's kind is asked what a BERT is asked, in half precision too, or a line says why not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packed_networks import write_mpnet

from bertology_utils.claims.registry import NotDefined
from bertology_utils.experiments.size import studied
from bertology_utils.experiments.training import tuned_runs
from bertology_utils.runs import run
from bertology_utils.settings import Settings

CLAIMS = [  # predictions, maps and norms, gradients; layers taken apart
    "syn.agreement.goldberg2019",
    "syn.perturbed_masking.wu2020",
    "hed.norms.kobayashi2020",
    "hed.explanation_debate.jain2019",
    "lay.agreement.goldberg2019",
    "siz.head_pruning.michel2019",
    "siz.harmful_parts.kovaleva2019",
    "siz.quantization.zafrir2019",
    "siz.structured_pruning.mccarley2020",
    "siz.theseus.xu2020",
    "siz.token_elimination.goyal2020",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_mpnet(tmp_path_factory.mktemp("mpnet") / "model", head=True)


@pytest.mark.parametrize("id", CLAIMS)
def test_it_runs_in_half_precision(id, folder, monkeypatch):
    for name, value in {"TRAIN": 16, "CHOICE": 8, "TEST": 20, "SEEDS": 1, "PAIRS": 5}.items():
        monkeypatch.setattr(studied, name, value)
    monkeypatch.setattr(studied.Study, "learnt", True)
    monkeypatch.setattr(tuned_runs, "RECIPE", replace(tuned_runs.RECIPE, epochs=1))
    settings = Settings(model=str(folder), n=60, draws=10, device="cpu", dtype="bfloat16")
    assert run(id, settings, twin=False, save=False).rows["value"].notna().any()


def test_without_segment_ids_there_is_nothing_to_ask_about_them(folder):
    with pytest.raises(NotDefined, match="is not given segment ids"):
        run("emb.segment_position.mickus2019", Settings(model=str(folder), device="cpu"), twin=False, save=False)
