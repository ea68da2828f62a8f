"""How many positions a device can take at a time: parts of a batch are sized to its memory."""

from __future__ import annotations

import torch

from bertology_utils.family.config import Config

SHARE = 0.6  # of what is free; the rest is for the compiler, the optimiser and what the estimate leaves out
CPU = 32_768  # positions; parts this large are as fast as larger ones


def position(config: Config) -> int:
    """Bytes that one position of a batch takes in training, roughly.

    A layer keeps some twelve vectors of the hidden size and two of the feed-forward's for its gradient, half of them in four
    bytes; the output keeps four numbers per piece of the vocabulary at each position to be predicted.
    """
    layer = 3 * (12 * config.hidden + 2 * config.ffn)
    return int(config.layers * layer + config.mask_rate * config.symbols * 14)


def fitting(config: Config, device: torch.device) -> int:
    """Positions per part: the configuration's `micro_tokens`, or as many as the device has room for where that is 0."""
    if config.micro_tokens:
        return config.micro_tokens
    if device.type != "cuda":
        return CPU
    free, _ = torch.cuda.mem_get_info(device)
    # what an earlier run of this process used is still the allocator's, and free for this one
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return max(config.max_positions, int(SHARE * free) // position(config))
