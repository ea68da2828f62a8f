"""What a source gives a claim: its items by task, whoever wrote them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Data:
    """What one source yields for the tasks of a claim.

    Attributes
    ----------
    name : str
        ``"builtin"`` or the data set's name in the registry.
    items : dict[str, list[Item]]
        Task name -> items.
    sha256 : str
        Over the items themselves, so that a changed reader or generator is seen in the evidence.
    notes : tuple[str, ...]
        What was left out, and how many (filters of the papers, sentences too long, …), in words.
    """

    name: str
    items: dict[str, list]
    sha256: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, task: str) -> list:
        return self.items[task]

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))
