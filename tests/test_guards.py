"""Guards: what today's stack is known to get wrong silently. An upgrade that changes one of these says so here."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from support import tiny, tiny_folder, write_model
from transformers import AutoConfig, AutoModel, BertForPreTraining

from bertology_utils.settings import Settings
from bertology_utils.subject import encode, hub
from bertology_utils.subject.models import ModelUnavailable, ModelUnsuitable, load

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (ROOT / "bertology_utils", *ROOT.glob("workshop/*/bertology_*"))
SOURCES = [p for package in PACKAGES for p in package.rglob("*.py")]


def test_subjects_are_eager_and_give_maps():
    from bertology_utils.subject.attentions import attentions

    """A model built directly defaults to sdpa, whose attention maps are an empty tuple."""
    assert tiny().config._attn_implementation == "eager"
    assert tiny().twin().config._attn_implementation == "eager"
    for subject in (tiny(), tiny().twin()):
        _, _, maps = next(attentions(subject, [["dog"]]))
        assert maps.shape == (3, 4, 3, 3)


def test_the_trap_itself_sdpa_returns_no_maps():
    """If this fails, the library gives maps under sdpa now, and forcing eager may be dropped."""
    model = BertForPreTraining.from_pretrained(tiny_folder(), attn_implementation="sdpa").eval()
    with torch.no_grad():
        out = model.bert(input_ids=torch.tensor([[2, 5, 3]]), output_attentions=True)
    assert not out.attentions or out.attentions[0] is None


def test_empty_maps_are_an_error_not_a_result():
    from bertology_utils.subject.attentions import attentions

    model = BertForPreTraining.from_pretrained(tiny_folder(), attn_implementation="sdpa").eval()
    import dataclasses

    blind = dataclasses.replace(tiny(), model=model)
    with pytest.raises(RuntimeError, match="not eager"):
        next(attentions(blind, [["dog"]]))


def test_head_mask_does_nothing_so_nobody_uses_it():
    """`head_mask` is swallowed by the forward method; ablation goes through hooks."""
    ids = torch.tensor([[2, 5, 6, 3]])
    with torch.no_grad():
        plain = tiny().base(input_ids=ids).last_hidden_state
        try:
            masked = tiny().base(input_ids=ids, head_mask=torch.zeros(3, 4)).last_hidden_state
        except TypeError:
            masked = plain  # refused outright: no trap any more
    assert torch.equal(plain, masked), "head_mask has an effect again: hooks.ablate_heads may be simplified"
    used = [p for p in SOURCES if re.search(r"head_mask\s*=|prune_heads\(", p.read_text())]
    assert not used


def test_subjects_are_in_eval_mode():
    """A model from a configuration starts in train mode: its dropout would make figures random."""
    assert AutoModel.from_config(AutoConfig.from_pretrained(tiny_folder())).training
    for subject in (tiny(), tiny().twin()):
        assert not any(m.training for m in subject.model.modules())
        a, b = (dict(encode.hidden_states(subject, [["dog", "sleeps"]]))[0] for _ in range(2))
        np.testing.assert_array_equal(a, b)


def test_the_twin_does_not_change_the_subject_or_its_config():
    before = copy.deepcopy(tiny().config.to_dict()), tiny().sha256
    tiny().twin()
    fresh = load(str(tiny_folder()))
    assert (tiny().config.to_dict(), fresh.sha256) == before


def test_twins_are_seeded_and_untrained():
    one, same, other = tiny().twin(0), tiny().twin(0), tiny().twin(2)
    assert one.sha256 == same.sha256 != other.sha256 != tiny().sha256
    assert one.name.endswith("-untrained") and one.is_twin
    assert {k: v.shape for k, v in one.model.state_dict().items()} == {
        k: v.shape for k, v in tiny().model.state_dict().items()
    }


def test_making_a_twin_leaves_the_random_state_alone():
    torch.manual_seed(3)
    want = torch.rand(3)
    torch.manual_seed(3)
    tiny().twin(7)
    assert torch.equal(torch.rand(3), want)


def test_pickled_weights_are_refused(tmp_path):
    folder = write_model(tmp_path / "m")
    state = BertForPreTraining.from_pretrained(folder).state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(state, folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailable):
        load(str(folder))


def test_remote_code_is_never_run(tmp_path):
    folder = write_model(tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForPreTraining": "evil.Evil", "AutoConfig": "evil.EvilConfig"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    with contextlib.suppress(ModelUnavailable):
        load(str(folder))
    assert not (tmp_path / "ran").exists()


def test_missing_heads_are_noticed_and_never_used(tmp_path):
    subject = load(str(write_model(tmp_path / "no-nsp", nsp=False)))
    assert subject.has_mlm and not subject.has_nsp
    subject = load(str(write_model(tmp_path / "no-mlm", mlm=False)))
    assert not subject.has_mlm
    with pytest.raises(ModelUnsuitable, match="no masked-language-model head"):
        subject.predict(torch.zeros(1, 32))


def test_hub_names_without_network_are_one_clear_line(monkeypatch):
    import huggingface_hub

    def down(*args, **kwargs):
        raise ConnectionError("no network")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", down)
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *a, **k: None)
    with pytest.raises(ModelUnavailable) as error:
        load("bert-base-uncased", Settings())
    assert "bert-base-uncased" in str(error.value) and "\n" not in str(error.value)


def test_known_hub_names_are_pinned():
    assert all(re.fullmatch(r"[0-9a-f]{40}", sha) for sha in hub.REVISIONS.values())


def test_data_sets_need_no_scripts():
    """`datasets` 5 refuses dataset scripts: none is asked for."""
    asked = [p for p in SOURCES if "trust_remote_code=True" in p.read_text()]
    assert not asked


def test_both_segments_matter():
    """Segment ids reach the embeddings: a pair is not one long sentence."""
    pair = dict(encode.hidden_states(tiny(), [["the", "dog"]], second=[["the", "cat"]]))[0]
    assert np.abs(pair[0][0] - pair[0][2]).max() > 1e-3  # "the" in segment A and in segment B (and at another position)
