"""Where an architecture keeps its parts: its layers, and in a layer the projections that heads begin and end with.

Nothing else of the package knows how a model is put together. An architecture that shares or joins parts lacks them
here, and what needs them says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from torch import nn


@dataclass(frozen=True)
class Layout:
    """Dotted paths: `layers` in the encoder without its heads, the others in a layer; empty where there is no such part.

    Attributes
    ----------
    value : str
        The projection that makes value vectors, those of a layer's heads side by side.
    output : str
        The projection that takes the heads' outputs side by side.
    lacks : str
        Why a part is not there.
    """

    layers: str = ""
    value: str = ""
    output: str = ""
    lacks: str = ""


_BERT = Layout("encoder.layer", "attention.self.value", "attention.output.dense")
LAYOUTS = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "electra"), _BERT),
    "distilbert": Layout("transformer.layer", "attention.v_lin", "attention.out_lin"),
    "mpnet": Layout("encoder.layer", "attention.attn.v", "attention.attn.o"),
    "modernbert": Layout("layers", "", "attn.Wo", "its queries, keys and values are made by one matrix"),
    "albert": Layout(lacks="its layers share their weights, so none can be looked at or changed by itself"),
}


def part(model_type: str, module: Any, name: str) -> nn.Module | None:
    """The part `name` of an encoder or of a layer; None where the architecture has no such part of its own."""
    path = getattr(LAYOUTS[model_type], name)
    return attrgetter(path)(module) if path else None
