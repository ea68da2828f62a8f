"""Progressive stacking: a shallow model is trained first, then deepened by copies of itself (gong2019).

The deeper model's layer i is the shallower one's layer i mod n, weights and the optimisers' moments alike. The layers are applied
once more to what they were not made for, so the loss jumps (from 3.9 to 5.9 nats where two layers of `mini-cpu` become
four), and is back within some hundred steps; the steps before cost what few layers cost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from transformers.models.bert.modeling_bert import BertEmbeddings

from .step import Step, build

_LAYER = re.compile(r"\bencoder\.layer\.(\d+)\.")


def depth(state: Mapping[str, torch.Tensor]) -> int:
    """Layers of the model that these weights are of; 0 where layers share theirs, and none has a number."""
    return 1 + max((int(found[1]) for name in state if (found := _LAYER.search(name))), default=-1)


def origin(name: str, layers: int) -> str:
    """The parameter of a model of `layers` layers that parameter `name` of a deeper one is a copy of.

    >>> origin("bert.encoder.layer.7.output.dense.bias", 2)
    'bert.encoder.layer.1.output.dense.bias'
    >>> origin("bert.pooler.dense.bias", 2)
    'bert.pooler.dense.bias'
    """
    return _LAYER.sub(lambda found: f"encoder.layer.{int(found[1]) % layers}.", name)


def grown(step: Step, layers: int) -> Step:
    """The step of a model of `layers` layers, stacked from the given step's.

    Parameters
    ----------
    step : Step
        Its model has n layers; it is not used any more afterwards.
    layers : int
        A multiple of n.

    Returns
    -------
    Step
        With the moments of the optimisers, their count of steps and the sums of the losses carried over; nothing is drawn at
        random, so the processes of a run need not speak to each other.

    Raises
    ------
    ValueError
        `layers` is no multiple of n.
    """
    weights = step.model.state_dict()
    n = depth(weights)
    if layers % n:
        raise ValueError(f"a model of {n} layers does not stack to {layers}")
    device = step.world.device
    model = build(step.config, layers, device.type).to(device)
    model.load_state_dict({name: weights[origin(name, n)] for name in model.state_dict()})
    out = Step(model, step.config, step.world)
    out.sums, out.steps = step.sums, step.steps
    before = dict(step.model.named_parameters())
    for old, new in zip(step.optimisers, out.optimisers, strict=True):
        inside = {p for group in new.param_groups for p in group["params"]}
        for name, parameter in model.named_parameters():
            # the loss does not reach every parameter: some have no moments
            if parameter in inside and (moments := old.state.get(before[origin(name, n)])):
                new.state[parameter] = {key: value.clone() for key, value in moments.items()}
    return out


@torch.no_grad()
def lengthen(model: torch.nn.Module, before: int, after: int) -> None:
    """Let the positions that no row has reached yet start as copies of those before them, in place.

    What a head has learnt of "the word before" it has learnt from position vectors. Random ones would undo that for
    the longer half of every row, and late in a run, at a low learning rate, the loss does not recover.

    Parameters
    ----------
    model : BertForPreTraining or replaced.Detector
    before, after : int
        Longest row so far and from now on; nothing happens unless it grows.
    """
    for embeddings in (module for module in model.modules() if isinstance(module, BertEmbeddings)):
        positions = embeddings.position_embeddings.weight  # (max_positions, H)
        for start in range(before, after, before):
            stop = min(start + before, after)
            positions[start:stop] = positions[: stop - start].clone()
