"""One process or several (`torchrun`): who this process is, and the few things the processes say to each other."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True)
class World:
    """The processes of a run; `rank` counts from 0, and rank 0 alone writes files."""

    rank: int
    size: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this process writes the files."""
        return self.rank == 0

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        """Add a tensor up over the processes, in place."""
        if self.size > 1:
            dist.all_reduce(tensor)
        return tensor

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Add the gradients up over the processes, as one flat message."""
        if self.size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = self.sum(torch.cat([g.flatten() for g in gradients]))
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def any(self, flag: bool) -> bool:
        """True in all processes where it is in one."""
        if self.size == 1:
            return flag
        return bool(self.sum(torch.tensor(float(flag), device=self.device)).item())

    def wait(self) -> None:
        """Until every process is here."""
        if self.size > 1:
            dist.barrier()

    def close(self) -> None:
        """End the conversation."""
        if self.size > 1:
            dist.destroy_process_group()


def processes() -> int:
    """How many `torchrun` has started; 1 where nothing has."""
    return int(os.environ.get("WORLD_SIZE", 1))


def join(device: str | None = None) -> World:
    """This process's place among those that `torchrun` started; `device` None or ``auto`` means a GPU where there is one."""
    size, rank = processes(), int(os.environ.get("RANK", 0))
    kind = device if device not in (None, "auto") else "cuda" if torch.cuda.is_available() else "cpu"
    if size == 1:
        return World(0, 1, torch.device(kind))
    if kind == "cuda":
        kind = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
        torch.cuda.set_device(kind)
    dist.init_process_group("nccl" if kind.startswith("cuda") else "gloo")
    return World(rank, size, torch.device(kind))
