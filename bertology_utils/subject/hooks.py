"""Interventions on a running model: heads switched off or scaled, layers called once more with other states.

`head_mask` is swallowed by today's forward methods without effect, so heads are ablated where they leave the layer: a
pre-hook on the attention output's projection zeroes the head's slice, and taking the hook off restores the model
exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch

from .models import Subject


def _check(name: str, values: Iterable[int], size: int) -> list[int]:
    values = sorted(set(values))
    if values and not 0 <= values[0] <= values[-1] < size:
        raise IndexError(f"{name} {values} out of range: counted from 0, there are {size}")
    return values


def head_outputs(subject: Subject, layer: int) -> torch.nn.Linear:
    """The projection that a layer's heads end in: it takes their outputs side by side, (B, T, H)."""
    return cast(torch.nn.Linear, subject.part(subject.layers[layer], "output"))


def head_values(subject: Subject, layer: int) -> torch.nn.Linear:
    """The projection that makes a layer's value vectors, those of its heads side by side, (B, T, H)."""
    return cast(torch.nn.Linear, subject.part(subject.layers[layer], "value"))


@contextmanager
def ablate_heads(subject: Subject, heads: Iterable[tuple[int, int]]) -> Iterator[Subject]:
    """Within the context the (layer, head) pairs, counted from 0, contribute nothing (michel2019)."""
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        by_layer.setdefault(layer, []).append(head)
    _check("layers", by_layer, subject.n_layers)
    size = subject.hidden_size // subject.n_heads
    with ExitStack() as stack:
        for layer, chosen in by_layer.items():
            chosen = _check("heads", chosen, subject.n_heads)

            def silence(module, args, chosen=chosen):
                (context, *rest) = args  # (B, T, H): the heads' outputs side by side
                context = context.clone()
                for head in chosen:
                    context[..., head * size : (head + 1) * size] = 0
                return (context, *rest)

            stack.enter_context(head_outputs(subject, layer).register_forward_pre_hook(silence))
        yield subject


@contextmanager
def scaled(modules: Sequence[torch.nn.Module], gate: Callable[[int], torch.Tensor]) -> Iterator[None]:
    """Within the context each of the G equal parts of what module k is given, (B, T, S), is multiplied by its gate(k), (G,)."""
    with ExitStack() as stack:
        for k, module in enumerate(modules):

            def scale(module, args, k=k):
                (whole, *rest), gates = args, gate(k)
                return ((whole.view(*whole.shape[:-1], len(gates), -1) * gates[:, None]).reshape(whole.shape), *rest)

            stack.enter_context(module.register_forward_pre_hook(scale))
        yield


@contextmanager
def silenced(subject: Subject, pieces: torch.Tensor) -> Iterator[Subject]:
    """Within the context the pieces (B, T), bool, hand nothing on: their value vectors are zero, attention stays as it is."""
    with ExitStack() as stack:
        for layer in range(subject.n_layers):
            module = head_values(subject, layer)
            hook = module.register_forward_hook(lambda _, args, value: value.masked_fill(pieces[..., None], 0))
            stack.enter_context(hook)
        yield subject


@contextmanager
def changed_states(subject: Subject, layer: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[Subject]:
    """Within the context every vector leaving `layer` (0: the embeddings, l: block l) goes through `change`.

    Raises
    ------
    IndexError
        If there is no such layer.
    """
    if not 0 <= layer <= subject.n_layers:
        raise IndexError(f"layer {layer} out of range: 0 is the embeddings, {subject.n_layers} the last layer")
    base: Any = subject.base
    module = base.embeddings if layer == 0 else subject.layers[layer - 1]

    def replace(module, args, output):
        return (change(output[0]), *output[1:]) if isinstance(output, tuple) else change(output)

    # prepended: the library records hidden states by forward hooks of its own, and must see the changed ones
    with module.register_forward_hook(replace, prepend=True):
        yield subject


Call = tuple[tuple[Any, ...], dict[str, Any]]  # what a module was called with


@contextmanager
def layer_calls(subject: Subject) -> Iterator[list[Call]]:
    """Within the context the list receives what each layer is called with, in turn."""
    out: list[Call] = []
    with ExitStack() as stack:
        for layer in subject.layers:
            hook = layer.register_forward_pre_hook(lambda _, args, kwargs: out.append((args, kwargs)), with_kwargs=True)
            stack.enter_context(hook)
        yield out


def states_of(call: Call) -> torch.Tensor:
    """The states (B, T, H) that a layer was called with."""
    args, kwargs = call
    return args[0] if args else kwargs["hidden_states"]


def call_again(layer: torch.nn.Module, call: Call, hidden: torch.Tensor) -> torch.Tensor:
    """A layer's output (B, T, H) for other states than it was called with: mask, relative positions and the like stay."""
    args, kwargs = call
    out = layer(hidden, *args[1:], **{k: v for k, v in kwargs.items() if k != "hidden_states"})
    return out[0] if isinstance(out, tuple) else out


def on_maps(subject: Subject, layer: int, call: Callable[..., None]) -> ExitStack:
    """Hand a layer's attention maps (B, A, T, T) to ``call(module, args, output)``, as output[1]; closed, no more."""
    module = subject.part(subject.layers[layer], "attention")

    def ask(module, args, kwargs):
        return args, {**kwargs, "output_attentions": True}

    stack = ExitStack()
    if subject.config.model_type == "mpnet":  # else it keeps its maps to itself
        stack.enter_context(module.register_forward_pre_hook(ask, with_kwargs=True))
    stack.enter_context(module.register_forward_hook(call))
    return stack
