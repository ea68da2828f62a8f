"""Compression: smaller models made from a subject or a tuned classifier, and what is saved by it.

Each way gives back a subject or a classifier like any other, so that whatever measures one measures it. Removed parts are
gone from the weights (`structures`); pruned weights are zeros (`weights`, `movement`); quantized ones are held in few
bits (`quantize`). torch does what it has (pruning by masks, int8); the rest is own code, and each module says why.
"""

from .parts import Off
from .sizes import file_bytes, linear_bytes, retention, speed
from .structures import drop_layers, dropped, remove_heads, remove_units
