"""What masks are drawn from: a generator, afresh every time, or the row itself, the same at every pass (liu2019b)."""

from __future__ import annotations

import torch

_ODD = (-7046029254386353131, -4658895280553007687, -7723592293110705685)  # splitmix64's constants, as signed numbers


class Fresh:
    """Numbers of a generator."""

    def __init__(self, rng: torch.Generator) -> None:
        self.rng = rng

    def uniform(self, count: int, n: int) -> torch.Tensor:
        """(count, n) float32 in [0, 1)."""
        return torch.rand(count, n, generator=self.rng, device=self.rng.device)

    def pieces(self, vocab: int, count: int, n: int) -> torch.Tensor:
        """(count, n) int64 below `vocab`."""
        return torch.randint(vocab, (count, n), generator=self.rng, device=self.rng.device)


class Repeated:
    """Numbers that follow from a planned row and a seed alone, whatever batch the row is in.

    Parameters
    ----------
    rows : (R, 5) int64
        As `instances.plan` gives them.
    seed : int

    Examples
    --------
    >>> row = torch.tensor([[3, 7, 20, 5, 0]])
    >>> bool((Repeated(row, 0).uniform(1, 4) == Repeated(row, 0).uniform(1, 4)).all())
    True
    >>> bool((Repeated(row, 0).uniform(1, 4) == Repeated(row + 1, 0).uniform(1, 4)).any())
    False
    """

    def __init__(self, rows: torch.Tensor, seed: int) -> None:
        self.key = torch.full_like(rows[:, :1], seed)  # (R, 1)
        for column in rows.T:
            self.key = mixed(self.key + column[:, None])
        self.asked = 0

    def _bits(self, n: int) -> torch.Tensor:
        self.asked += 1
        counter = torch.arange(n, device=self.key.device) + (self.asked << 32)  # (n,)
        return mixed(self.key + mixed(counter))  # (R, n)

    def uniform(self, count: int, n: int) -> torch.Tensor:
        """(count, n) float32 in [0, 1)."""
        return (self._bits(n) & 0xFFFFFF).float() / 2**24  # as many bits as a float32 tells apart

    def pieces(self, vocab: int, count: int, n: int) -> torch.Tensor:
        """(count, n) int64 below `vocab`; the low bits' surplus over a multiple of it is 1 in 10 ** 9."""
        return (self._bits(n) & 0xFFFFFFFFFFF) % vocab


Draws = Fresh | Repeated  # random numbers for the rows of a batch, in the order in which they are asked for


def mixed(numbers: torch.Tensor) -> torch.Tensor:
    """splitmix64's finaliser: every bit of the result hangs on every bit of the number."""
    x = numbers + _ODD[0]
    x = (x ^ ((x >> 30) & ((1 << 34) - 1))) * _ODD[1]  # torch shifts arithmetically: the sign's copies are cut off
    x = (x ^ ((x >> 27) & ((1 << 37) - 1))) * _ODD[2]
    return x ^ ((x >> 31) & ((1 << 33) - 1))
