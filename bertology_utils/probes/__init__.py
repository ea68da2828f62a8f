"""Probes: what can be read off the vectors, how easily, and whether the model uses it."""

from .control import control_labels, control_task, majority
from .edge import EdgeProbe, ScalarMix, fit_edge, gather_spans
from .layers import LayerScores, Means, probe_layers, rows
from .linear import Probe, fit
from .targets import Targets, fitting, from_edges, from_sentences, gather

__all__ = [
    "EdgeProbe",
    "LayerScores",
    "Means",
    "Probe",
    "ScalarMix",
    "Targets",
    "control_labels",
    "control_task",
    "fit",
    "fit_edge",
    "fitting",
    "from_edges",
    "from_sentences",
    "gather",
    "gather_spans",
    "majority",
    "probe_layers",
    "rows",
]
