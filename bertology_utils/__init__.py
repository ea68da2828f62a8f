"""BERTology, rerun: the experiments surveyed in "A Primer in BERTology", on any BERT."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = [
    *("Settings", "attempt", "attend", "card", "choose", "compare", "examples", "fill", "five", "found"),
    *("load", "overview", "plotting", "released", "results", "run", "try_"),
]


def __getattr__(name: str):
    """Import late: pretraining and the data commands need no transformers, the command line answers at once."""
    import importlib

    homes = {
        "Settings": "settings",
        "attempt": "side_by_side",
        "attend": "worked_examples.sentences",
        "card": "cards",
        "choose": "hosted",
        "compare": "worked_examples.sentences",
        "examples": "worked_examples",
        "fill": "worked_examples.sentences",
        "five": "cards",
        "found": "cards",
        "load": "subject.models",
        "overview": "cards",
        "released": "side_by_side",
        "results": "side_by_side",
        "run": "runs",
        "try_": "worked_examples.sentences",
    }
    if name in homes:
        return getattr(importlib.import_module(f".{homes[name]}", __name__), name)
    if name == "plotting":
        return importlib.import_module(".plotting", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
