"""Reading YAML strictly: a field that is unknown, missing or of the wrong kind is an error that names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import yaml


class LedgerError(ValueError):
    """The ledger contradicts its own rules; the message names row and field."""


def fields_of(cls: type, raw: object, where: str) -> dict[str, Any]:
    """The fields of the dataclass `cls` in `raw`, texts as text and lists as tuples.

    Raises
    ------
    LedgerError
        If `raw` is no mapping, or a field is unknown, missing or of the wrong kind.
    """
    if not isinstance(raw, Mapping):
        raise LedgerError(f"{where}: {raw!r} is not a mapping")
    known = {f.name: f for f in fields(cls)}
    for name in raw:
        if name not in known:
            raise LedgerError(f"{where}: unknown field {name!r}; a {cls.__name__.lower()} has {', '.join(known)}")
    for name, f in known.items():
        if name not in raw and f.default is MISSING and f.default_factory is MISSING:
            raise LedgerError(f"{where}: missing field {name!r}")
    return {name: value_of(value, str(known[name].type), f"{where}: {name}") for name, value in raw.items()}


def value_of(value: object, kind: str, where: str) -> Any:
    """A value of the kind that an annotation names: text, number, list of texts or of entries, mapping."""
    if kind.startswith("tuple"):
        if not isinstance(value, list) or ("str" in kind and not all(isinstance(v, str) and v for v in value)):
            raise LedgerError(f"{where} is {value!r}, not a list of texts or entries")
        return tuple(value)
    if kind.startswith("Mapping"):
        if not isinstance(value, Mapping):
            raise LedgerError(f"{where} is {value!r}, not a mapping")
        return value
    if kind.startswith("int | "):  # a count, a share or a word
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise LedgerError(f"{where} is {value!r}, not a number or a word")
        return value
    if kind.startswith(("float", "int")):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise LedgerError(f"{where} is {value!r}, not a number")
        return value
    if not isinstance(value, str) or not value.strip():
        raise LedgerError(f"{where} is {value!r}, not a text")
    return value


def read(text: str) -> Any:
    """What YAML says, in which no mapping has a key twice: of two, the first would be lost in silence.

    Raises
    ------
    LedgerError
        If one has; key and line are named.
    """
    return yaml.load(text, _Loader)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader, strict about keys."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    seen = set()
    for key, _ in node.value:
        if key.value in seen:
            raise LedgerError(f"line {key.start_mark.line + 1}: field {key.value!r} is there twice")
        seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
