"""Where an architecture keeps its parts: its layers, and in a layer the projections that heads begin and end with.

Nothing else of the package knows how a model is put together. An architecture that shares or joins parts lacks them
here, and what needs them says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from torch import nn


@dataclass(frozen=True)
class Layout:
    """Dotted paths: `layers` in the encoder without its heads, the others in a layer; empty where there is no such part.

    Attributes
    ----------
    attention : str
        What computes the maps: it takes the layer's input, and the second thing that it gives are the maps.
    query, key, value : str
        The projections that make query, key and value vectors, those of a layer's heads side by side.
    output : str
        The projection that takes the heads' outputs side by side.
    inner, outer : str
        The feed-forward layer's two projections.
    output_norm, outer_norm : str
        The norms behind the two sublayers.
    lacks : str
        Why a part is not there.
    """

    layers: str = ""
    attention: str = ""
    query: str = ""
    key: str = ""
    value: str = ""
    output: str = ""
    inner: str = ""
    outer: str = ""
    output_norm: str = ""
    outer_norm: str = ""
    lacks: str = ""


_BERT = Layout(
    layers="encoder.layer",
    attention="attention.self",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    output="attention.output.dense",
    inner="intermediate.dense",
    outer="output.dense",
    output_norm="attention.output.LayerNorm",
    outer_norm="output.LayerNorm",
)
LAYOUTS = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "electra"), _BERT),
    "distilbert": Layout(
        layers="transformer.layer",
        attention="attention",
        query="attention.q_lin",
        key="attention.k_lin",
        value="attention.v_lin",
        output="attention.out_lin",
        inner="ffn.lin1",
        outer="ffn.lin2",
        output_norm="sa_layer_norm",
        outer_norm="output_layer_norm",
    ),
    "mpnet": replace(
        _BERT,
        attention="attention.attn",
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        output="attention.attn.o",
        output_norm="attention.LayerNorm",
    ),
    "modernbert": Layout(
        layers="layers",
        attention="attn",
        output="attn.Wo",
        lacks="its queries, keys and values are made by one matrix, and its norms come first",
    ),
    "albert": Layout(lacks="its layers share their weights, so none can be looked at or changed by itself"),
}


def part(model_type: str, module: Any, name: str) -> nn.Module | None:
    """The part `name` of an encoder or of a layer; None where the architecture has no such part of its own."""
    path = getattr(LAYOUTS[model_type], name)
    return attrgetter(path)(module) if path else None


def exchange(model_type: str, module: Any, name: str, new: nn.Module) -> None:
    """Put another module in the place of a part that is there."""
    owner, _, last = getattr(LAYOUTS[model_type], name).rpartition(".")
    setattr(attrgetter(owner)(module) if owner else module, last, new)
