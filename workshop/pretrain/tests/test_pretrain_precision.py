"""Precision: bfloat16 where it is fast, float32 where a processor would only imitate it."""

from __future__ import annotations

import pytest
import torch

from bertology_pretrain import load_config, precision

CPU, GPU = torch.device("cpu"), torch.device("cuda")


@pytest.mark.parametrize(
    ("asked", "device", "able", "expected"),
    [
        ("bf16", CPU, {"avx512_bf16": True}, True),
        ("bf16", CPU, {"avx2": True, "avx512_f": True, "avx512_bf16": False}, False),
        ("bf16", CPU, {"bf16": True}, True),
        ("bf16", GPU, {}, True),
        ("auto", CPU, {"amx_bf16": True}, False),
        ("auto", GPU, {}, True),
        ("fp32", GPU, {}, False),
    ],
)
def test_products_are_made_in_bf16_where_that_is_asked_for_and_fast(monkeypatch, caplog, asked, device, able, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able, raising=False)
    assert precision.bf16(load_config("tiny", precision=asked), device) is expected
    assert bool(caplog.records) == (asked == "bf16" and not expected), "who asked for it is told"


def test_an_older_torch_is_asked_by_its_own_names(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False, raising=False)
    for answer in (True, False):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda answer=answer: answer, raising=False)
        assert precision.native(CPU) is answer
