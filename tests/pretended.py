"""A device of its own, pretended on the processor: what would mix tensors of two devices on a GPU raises here too.

The device is written ``cpu:0``: torch computes there as on ``cpu`` and forgets the index, and this mode remembers it. A
tensor made for it, moved to it or computed from one that is there is there as well; it comes back by `.cpu()` or `.to()`.
As on a GPU, tensors without dimensions and indices may come from the processor, and numpy reads nothing that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

NAME = "cpu:0"
THERE, HERE = torch.device(NAME), torch.device("cpu")
_Any = torch.Tensor
READ = {_Any.numpy, _Any.__array__}
INDEXED = {_Any.__getitem__, _Any.__setitem__}
DEVICE, DATA = _Any.device.__get__, _Any.data.__set__  # type: ignore[attr-defined]
ANYWHERE = {_Any.copy_, torch._has_compatible_shallow_copy_type}  # of what is here and there


class Mixed(RuntimeError):
    """Tensors of two devices in one operation."""


def there(tensor: Any) -> bool:
    """Whether a tensor is on the pretended device."""
    return getattr(tensor, "_pretended", False)


def _put(tensor: torch.Tensor) -> torch.Tensor:
    tensor._pretended = True  # type: ignore[attr-defined]
    return tensor


def _tensors(tree: Any) -> Iterator[torch.Tensor]:
    return (x for x in tree_leaves(tree) if isinstance(x, torch.Tensor))


_new, _deepcopy = torch.nn.Parameter.__new__, torch.nn.Parameter.__deepcopy__  # which the mode is not told of


def _made(cls: type, data: torch.Tensor | None = None, requires_grad: bool = True) -> torch.nn.Parameter:
    out = _new(cls, data, requires_grad)
    return _put(out) if there(data) else out  # type: ignore[return-value]


def _copied(parameter: torch.nn.Parameter, memo: dict) -> torch.nn.Parameter:
    out = _deepcopy(parameter, memo)
    return _put(out) if there(parameter) else out  # type: ignore[return-value]


class Pretended(TorchFunctionMode):
    """Within the context ``cpu:0`` is a device of its own."""

    def __enter__(self) -> Any:
        torch.nn.Parameter.__new__, torch.nn.Parameter.__deepcopy__ = _made, _copied  # type: ignore[method-assign]
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        torch.nn.Parameter.__new__, torch.nn.Parameter.__deepcopy__ = _new, _deepcopy  # type: ignore[method-assign]
        return super().__exit__(*error)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [*_tensors(args), *_tensors(kwargs)]
        if func == DEVICE:
            return THERE if there(args[0]) else func(*args, **kwargs)
        if func in READ and there(args[0]):
            raise TypeError(f"can't convert {NAME} device type tensor to numpy")
        if func is _Any.cpu or func is _Any.to:
            return self._moved(func, args, kwargs)
        self._check(func, given)
        out = func(*args, **kwargs)
        asked = kwargs.get("device")
        if torch.device(asked) == THERE if asked is not None else any(map(there, given)):
            for tensor in _tensors(out):
                _put(tensor)
        if func == DATA:
            args[0]._pretended = there(args[1])
        return out

    @staticmethod
    def _check(func: Any, given: list[torch.Tensor]) -> None:
        some = [there(x) for x in given if x.ndim]
        if func in ANYWHERE or func == DATA or not any(some) or all(some) or (func in INDEXED and there(given[0])):
            return
        name = getattr(func, "__name__", str(func))
        raise Mixed(f"{name}: expected all tensors to be on the same device, found cpu and {NAME}")

    @staticmethod
    def _moved(func: Any, args: Any, kwargs: Any) -> torch.Tensor:
        """A copy where the target is another device; torch would give the tensor itself."""
        asked = [*args[1:], *kwargs.values()] if func is _Any.to else [HERE]
        target = next((torch.device(x) for x in asked if isinstance(x, (str, torch.device))), None)
        if target is None:  # of a dtype, or like another tensor
            like = next((x for x in asked if isinstance(x, torch.Tensor)), args[0])
            target = THERE if there(like) else HERE
        out = func(*args, **kwargs)
        if (target == THERE) == there(args[0]):
            return _put(out) if target == THERE else out
        out = out.clone() if out is args[0] else out
        out.__dict__.pop("_pretended", None)
        return _put(out) if target == THERE else out
