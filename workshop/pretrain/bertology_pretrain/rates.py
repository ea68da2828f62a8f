"""When the phases of a run end, and the learning rate in between."""

from __future__ import annotations

from bertology_utils.family.config import Config


def bounds(config: Config) -> list[float]:
    """Token counts at which the phases end."""
    total, out = 0.0, []
    for p in config.phases:
        total += p.share
        out.append(total * config.tokens)
    return out


def rate(config: Config, tokens: int) -> float:
    """Learning rate after `tokens` pieces: linear warm-up, then as `schedule` says to 0 at the budget."""
    done = tokens / config.tokens
    if done < config.warmup:
        return config.learning_rate * max(done / config.warmup, 1e-3)
    falling = config.decay if config.schedule == "stable" else 1 - config.warmup
    return config.learning_rate * min(1.0, max(0.0, (1 - done) / falling))


def stable(config: Config, tokens: int) -> bool:
    """Whether the rate is neither rising nor falling after `tokens` pieces."""
    return config.schedule == "stable" and config.warmup <= tokens / config.tokens <= 1 - config.decay + 1e-6
