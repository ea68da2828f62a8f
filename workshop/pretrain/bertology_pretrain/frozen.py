"""Learning the embeddings of a language alone, with the rest of the model as it is (artetxe2019)."""

from __future__ import annotations

from typing import Any

import torch

from bertology_utils.family.config import Config

EMBEDDINGS = "word_embeddings.weight"  # tied to the output, so what predicts a piece is learnt with what reads it
BIAS = "cls.predictions.bias"


class Frozen:
    """Keeps a model's parameters as they are but for the embeddings, and output biases, of some pieces.

    Gradients are taken away before a step, so that optimisers leave a parameter and what they remember of it alone; of
    matrices of which some rows are learnt, the others are put back after it.

    Parameters
    ----------
    model : BertForPreTraining
    pieces : slice
        Ids that are learnt.
    """

    def __init__(self, model: Any, pieces: slice) -> None:
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        learnt = [p for n, p in named if n.endswith(EMBEDDINGS) or n == BIAS]
        self.still = [p for n, p in named if not any(p is q for q in learnt)]
        self.kept = [(p, p.detach().clone(), self._others(p, pieces)) for p in learnt]

    @staticmethod
    def _others(parameter: torch.Tensor, pieces: slice) -> torch.Tensor:
        others = torch.ones(len(parameter), dtype=torch.bool, device=parameter.device)
        others[pieces] = False
        return others

    def before(self) -> None:
        """Take away the gradients of what is not learnt."""
        for p in self.still:
            p.grad = None
        for p, _, others in self.kept:
            if p.grad is not None:
                p.grad[others] = 0

    @torch.no_grad()
    def after(self) -> None:
        """Put back the rows that are not learnt."""
        for p, kept, others in self.kept:
            p[others] = kept[others]


def in_phase(config: Config, model: Any, phase: int) -> Frozen | None:
    """What is kept in a phase: nothing in the first, unless the body is to be random.

    The second language's pieces are learnt in the second phase; special symbols and positions are the first's.
    """
    if phase:
        return Frozen(model, slice(config.vocab, config.symbols))
    return Frozen(model, slice(0, config.vocab)) if config.body == "random" else None
