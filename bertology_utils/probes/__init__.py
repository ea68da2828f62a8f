"""Probes: what can be read off the vectors, how easily, and whether the model uses it."""

from ..scores.intervals import Means
from .control import constant, control_labels, control_task
from .linear import Probe, fit, fit_each, fit_grid
from .masks import at_masks
from .mdl import online_codes, uniform_bits
from .structural import fit_structural_each, spanning_tree, uuas
from .tagging import decode_heads, relative_heads, split_by_distance
from .targets import Targets, fitting, from_edges, from_sentences, gather, gather_all
from .tpdn import SCHEMES, fit_tpdn
