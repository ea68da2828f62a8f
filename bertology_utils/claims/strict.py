"""Reading YAML strictly: a field that is unknown, missing or of the wrong kind is an error that names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import yaml

T = TypeVar("T")
UNKNOWN = "unexpected_keyword_argument"
STRICT: Any = {"extra": "forbid", "strict": True, "str_min_length": 1}  # `__pydantic_config__` of what is read so


class LedgerError(ValueError):
    """The ledger contradicts its own rules; the message names row and field."""


def made(cls: type[T], raw: object, where: str) -> T:
    """An instance of the dataclass `cls` from YAML as read: its annotations are the rules, lists become tuples.

    Raises
    ------
    LedgerError
        If a field is unknown, missing or of the wrong kind; the first such place is named.
    """
    from pydantic import ValidationError  # 0.2 s that only whoever reads a ledger pays

    try:
        adapter = _adapter(cls)  # type: ignore[arg-type]
        return adapter.validate_json(json.dumps(raw))  # arrays of JSON are tuples to it, numbers are no texts
    except TypeError as error:
        raise LedgerError(f"{where}: {error}") from error  # a date, which YAML makes of an unquoted one
    except ValidationError as error:
        first = min(error.errors(), key=lambda e: e["type"] != UNKNOWN)  # a field misspelt is missing, too
        raise LedgerError(_in_words(first, raw, where)) from error


@cache
def _adapter(cls: type) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _in_words(error: Any, raw: Any, where: str) -> str:
    """What does not fit, and where: entries of a list by their id or name."""
    path = [where]
    for key in error["loc"]:
        try:
            raw = raw[key]
        except (LookupError, TypeError):  # a missing field, or a kind among several
            continue
        name = (raw.get("id") or raw.get("name")) if isinstance(raw, Mapping) else None
        path.append(str(name or (key + 1 if isinstance(key, int) else key)))
    field = error["loc"][-1] if error["loc"] else ""
    if error["type"] == "missing":
        return f"{', '.join(path)}: missing field {field!r}"
    if error["type"] == UNKNOWN:
        return f"{', '.join(path[:-1])}: unknown field {field!r}"
    return f"{', '.join(path)} is {error['input']!r}: {error['msg'].lower()}"


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
