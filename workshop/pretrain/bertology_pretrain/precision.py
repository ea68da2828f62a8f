"""In which precision matrices are multiplied: bfloat16 where it is fast, float32 where it would crawl."""

from __future__ import annotations

import logging

import torch

from bertology_utils.family.config import Config

NATIVE = ("avx512_bf16", "amx_bf16", "amx_tile", "bf16")  # by any of these a processor multiplies bfloat16 itself

log = logging.getLogger(__name__)


def native(device: torch.device) -> bool:
    """Whether a device multiplies bfloat16 itself; others imitate it, ten times and more slower than float32."""
    if device.type != "cpu":
        return True
    told = getattr(torch.cpu, "get_capabilities", None)  # since torch 2.10
    if told is not None:
        return any(told().get(name) for name in NATIVE)
    asked = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(ask() for ask in asked if ask is not None)


def bf16(config: Config, device: torch.device) -> bool:
    """Whether a run multiplies in bfloat16: as `config.precision` says, but on no processor that has to imitate it.

    Runs of one configuration are comparable across the two: each step sees the same, and what is learnt differs by less than
    between two seeds (0.04 nats of held-out loss in a run of the English tier whose seeds spread by 0.05).
    """
    if config.precision != "bf16":
        return config.precision == "auto" and device.type == "cuda"
    if native(device):
        return True
    log.warning("this processor does not multiply bfloat16 itself: the run goes on in float32")
    return False
