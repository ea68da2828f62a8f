"""What the encoder looks like: depth against heads, width, attention that is given, the order of sublayers."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.recorded import Recorded
from ...settings import Settings
from . import family

WIDTHS = ("narrower", "base", "wider")  # 64, 128 and 192 where the base is 128 wide


@claim("trn.layers_vs_heads.wang2019b", family=True)
def layers_vs_heads(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with half the layers less that with half the heads, at equal width and pieces (wang2019b)."""
    half = "half layers", "half heads"
    rows = [
        family.loss(runs, settings, "loss, half the layers - half the heads", *half),
        family.loss(runs, settings, "loss, half the layers - all", half[0], "base"),
        family.loss(runs, settings, "loss, half the heads - all", half[1], "base"),
    ]
    return family.table(runs, settings, rows, ("base", *half))


@claim("trn.hidden_size.wang2019b", family=True)
def hidden_size(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss of each width less that of the next wider one, depth and size of a head the same (wang2019b)."""
    steps = pairwise(WIDTHS)
    rows = [family.loss(runs, settings, "loss, narrower - wider", a, b, step=f"{a} to {b}") for a, b in steps]
    return family.table(runs, settings, rows, WIDTHS)


@claim("trn.fixed_attention.raganato2020", family=True)
def fixed_attention(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with all heads of a layer but one preset, or all uniform, less that with learnt ones (raganato2020)."""
    rows = [
        family.loss(runs, settings, "loss, preset - learned", "preset attention", "base"),
        family.loss(runs, settings, "loss, uniform attention - learned", "uniform attention", "base"),
    ]
    return family.table(runs, settings, rows, ("base", "preset attention"))


@claim("trn.sublayer_order.press2020", family=True)
def sublayer_order(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss of interleaved sublayers less that of attention low and feed-forward high (press2020)."""
    rows = [family.loss(runs, settings, "loss, interleaved - sandwich", "base", "sandwich")]
    return family.table(runs, settings, rows, ("base", "sandwich"))
