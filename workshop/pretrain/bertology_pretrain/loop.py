"""The loop: phases, log, checkpoints, exports; stopped at any moment and taken up again where it was (devlin2019)."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from bertology_utils.family.config import Config, ConfigError
from bertology_utils.provenance import commit

from . import checkpoint, finite, frozen, grow, instances, masking, rates, start, units
from .checks import checked
from .corpus import Corpus
from .draws import Repeated
from .export import curves, versions, write
from .heldout import HeldOut
from .languages import Layout
from .parallel import World
from .signals import interruptible
from .step import Step, build


class Run:
    """The state of a run and its loop."""

    def __init__(self, config: Config, corpus: Corpus, out: Path, world: World, resume: bool) -> None:
        self.config, self.corpus, self.out, self.world = checked(config), corpus, out, world
        if world.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        self.tokens = torch.from_numpy(corpus.tokens.astype("int32")).to(world.device)
        self.layout = Layout(config, corpus, world.device)
        self.heldout = HeldOut(corpus, self.tokens, config)
        self.marks: torch.Tensor | None = None
        if config.masking != "piece":
            marks = units.marks(corpus.tokens, corpus.tokenizer, corpus.names)
            if config.masking == "verb":
                marks |= finite.find(corpus.tokens, corpus.tokenizer) * np.uint8(units.FINITE)
            self.marks = torch.from_numpy(marks).to(world.device)
        path = out / "checkpoint.pt"
        self.identity = config.as_dict() | {"files": [f["sha256"] for f in corpus.files]}
        self.origin = start.origin(config)
        if self.origin:
            self.identity["weights"] = self.origin["sha256"]
        state = checkpoint.load(path, self.identity) if resume and path.is_file() else None
        layers = grow.depth(state["model"]) if state else config.depth(config.phases[0])
        self.step = Step(build(config, layers, world.device.type).to(world.device), config, world)
        self.stream = instances.Stream(corpus, config)
        self.number = self.seen = self.shown = self.logged = self.exported_at = self.phase = 0
        self.order, self.seconds = "", 0.0
        self.started = self.saved = time.monotonic()
        self.figures: dict[str, float] = {}
        self.stopped_by: int | None = None  # the signal
        if state:
            self._restore(state)
        else:
            start.weights(config, self.model, corpus.tokenizer)
        self._narrow()
        self._begin_log()

    @property
    def model(self) -> Any:
        """The model in training, at the depth it has now."""
        return self.step.model

    def _restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        for optimiser, kept in zip(self.step.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(kept)
        self.step.sums.copy_(state["sums"])
        self.step.steps = state["steps"]
        self.number, self.seen, self.phase = state["number"], state["seen"], state["phase"]
        self.shown = state.get("shown", 0)  # checkpoints of older runs do not say
        self.order, self.seconds = state["order"], state["seconds"]
        self.stream.epoch, self.stream.place = state["epoch"], state["place"]
        self.figures, self.exported_at = state["figures"], state["exported_at"]

    def save(self) -> None:
        """Write the checkpoint (first process alone)."""
        if self.world.first:
            checkpoint.save(
                self.out / "checkpoint.pt",
                {
                    "identity": self.identity,
                    "record": self.record(),
                    "model": self.model.state_dict(),
                    "optimisers": [optimiser.state_dict() for optimiser in self.step.optimisers],
                    "sums": self.step.sums,
                    "steps": self.step.steps,
                    "number": self.number,
                    "seen": self.seen,
                    "shown": self.shown,
                    "phase": self.phase,
                    "order": self.order,
                    "seconds": self.seconds + time.monotonic() - self.started,
                    "epoch": self.stream.epoch,
                    "place": self.stream.place,
                    "figures": self.figures,
                    "exported_at": self.exported_at,
                },
            )
        self.saved = time.monotonic()

    def go(self, deadline: float) -> Path:
        """Train until the budget, the clock or a signal ends it; export."""
        config, world = self.config, self.world
        bar = tqdm(
            total=config.tokens,
            initial=self.seen,
            unit=" tokens",
            unit_scale=True,
            mininterval=1,
            disable=not world.first,
            file=sys.stderr,
            desc=config.name,
        )
        mark, clock = self.seen, time.monotonic()
        with interruptible() as stopped:
            while self.seen < config.tokens:
                bar.update(self.advance())
                at_log = self.number % config.log_steps == 0
                if at_log:
                    pace = (self.seen - mark) / (time.monotonic() - clock)
                    self._log(pace, self.evaluate(config.eval_predictions) if self._evaluation_due() else {})
                    mark, clock = self.seen, time.monotonic()
                self._export_if_due()
                if time.monotonic() - self.saved > config.checkpoint_seconds:
                    self.save()
                if (at_log or world.size == 1) and world.any(bool(stopped) or time.monotonic() > deadline):
                    break
        bar.close()
        self.stopped_by = stopped[0] if stopped else None
        finished = self.seen >= config.tokens
        self.figures = self.evaluate(config.final_predictions if finished else config.eval_predictions)
        self.save()
        if world.first:
            self._export("model")
            print(
                f"{config.name}: {self.seen:,} of {config.tokens:,} tokens, "
                + ", ".join(f"{k} {v:.4g}" for k, v in self.figures.items()),
                file=sys.stderr,
            )
        world.wait()
        return self.out / "model"

    def advance(self) -> int:
        """One step; the pieces it saw."""
        config = self.config
        while self.seen >= rates.bounds(config)[self.phase] and self.phase < len(config.phases) - 1:
            longest = max(p.length for p in config.phases[: self.phase + 1])
            self.phase += 1
            self.stream.next_epoch()
            grow.lengthen(self.model, longest, config.phases[self.phase].length)
            self._narrow()
        phase = config.phases[self.phase]
        if config.depth(phase) > self.model.config.num_hidden_layers:
            self.step = grow.grown(self.step, config.depth(phase))
        rows = self.stream.batch(phase.length, config.rows(phase))
        self.order = hashlib.sha256(self.order.encode() + rows.tobytes()).hexdigest()
        batch = self._masked(torch.from_numpy(rows).to(self.world.device, non_blocking=True), phase.length)
        seen = int(instances.row_lengths(rows).sum())
        self.step(batch, rates.rate(config, self.seen), self.number)
        self.number += 1
        self.seen += seen
        self.shown += int(rows[:, [instances.A_LENGTH, instances.B_LENGTH]].sum())
        return seen

    def _narrow(self) -> None:
        """Where languages are learnt one after the other: the text of this phase, and what of the model learns from it."""
        if self.config.body != "learned":
            self.stream.narrow(self.phase)
            self.step.frozen = frozen.in_phase(self.config, self.model, self.phase)

    def _masked(self, planned: torch.Tensor, length: int) -> masking.Batch:
        """The batch of planned rows (R, 5), masked as the configuration says, for the step that comes."""
        config = self.config
        ids, types, words = masking.assemble(self.tokens, planned, length)
        types, positions = self.layout(planned, types)
        draws: torch.Generator | Repeated
        if config.static_masks:
            draws = Repeated(planned, masking.seed("masks", config.seed))
        else:
            draws = torch.Generator(planned.device).manual_seed(masking.seed("masks", config.seed, self.number))
        marked = None
        if self.marks is not None:
            marked = self.marks[masking.sources(planned, length)[0].clamp(0, len(self.marks) - 1)]
        random, rate = planned[:, instances.RANDOM], config.mask_rate
        kinds: dict[str, Any] = {"kind": config.masking, "symbol": config.mask_symbol, "marked": marked}
        batch = masking.mask(ids, types, words, random, rate, config.symbols, draws, **kinds)
        return batch if positions is None else replace(batch, positions=positions)

    def passes(self) -> float:
        """How often the run has seen its training text: pieces of text in the rows, over those there are."""
        return self.shown / int(self.corpus.sizes()[~self.corpus.held].sum())

    def evaluate(self, predictions: int) -> dict[str, float]:
        """Held-out figures (in the first process; the others wait at the next exchange of gradients)."""
        return self.heldout(self.model, predictions, self.step.autocast) if self.world.first else {}

    def _evaluation_due(self) -> bool:
        return self.seen // self.config.eval_tokens > self.logged // self.config.eval_tokens

    def _log(self, pace: float, figures: dict[str, float]) -> None:
        mlm, second = self.step.means()
        if not mlm < 1e4:
            rate = self.config.learning_rate
            raise ConfigError(f"the loss is {mlm} at step {self.number}: lower learning_rate, now {rate}")
        row = {
            "step": self.number,
            "tokens": self.seen,
            "length": self.config.phases[self.phase].length,
            "layers": self.model.config.num_hidden_layers,
            "rate": rates.rate(self.config, self.seen),
            **self._losses(mlm, second),
            "tokens_per_second": round(pace),
            "order": self.order[:16],
            **figures,
        }
        if self.world.first:
            with (self.out / "log.jsonl").open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")
        self.logged = self.seen

    def _losses(self, mlm: float, second: float) -> dict[str, float]:
        """The losses under the names that the log has for them."""
        if self.config.objective == "rtd":
            return {"generator_mlm": round(mlm, 4), "rtd": round(second, 5)}
        return {"mlm": round(mlm, 4)} | ({self.config.pair: round(second, 4)} if self.config.pair != "none" else {})

    def _begin_log(self) -> None:
        """Forget the lines after the checkpoint: the steps they tell of are about to be taken again."""
        path = self.out / "log.jsonl"
        if self.world.first:
            old = path.read_text("utf-8").splitlines() if path.is_file() and self.number else []
            kept = [line for line in old if line.endswith("}") and json.loads(line)["step"] <= self.number]
            path.write_text("".join(line + "\n" for line in kept), "utf-8")
            self.logged = json.loads(kept[-1])["tokens"] if kept else 0
            self.corpus.tokenizer.save(str(self.out / "tokenizer.json"))

    def _export_if_due(self) -> None:
        """Intermediate exports at budget / 2 ** k: evenly spaced on a learning curve's logarithmic axis."""
        budget, before = self.config.tokens, self.exported_at
        due = [k for k in range(1, self.config.exports + 1) if before < budget / 2**k <= self.seen]
        if due and self.world.first:
            self.figures = self.evaluate(self.config.eval_predictions)
            self._export(f"step-{self.number:07d}")
        self.exported_at = self.seen

    def _export(self, name: str) -> None:
        final = name == "model"
        write(
            self.model,
            self.corpus.tokenizer,
            self.config,
            self.out / name,
            self.record(),
            curves(self.out / "log.jsonl") if final else None,
        )

    def record(self) -> dict[str, Any]:
        """Everything one needs to know about the run."""
        device = self.world.device
        threads = torch.get_num_threads()
        name = f"cpu, {threads} threads" if threads > 1 else "cpu, 1 thread"
        if device.type == "cuda":
            name = torch.cuda.get_device_name(device)
        return {
            "config": self.config.as_dict(),
            "config_sha256": self.config.digest(),
            "files": self.corpus.files,
            **({"start": self.origin} if self.origin else {}),
            "tokens": self.seen,
            "passes": round(self.passes(), 3),
            "steps": self.number,
            "layers": self.model.config.num_hidden_layers,
            "finished": self.seen >= self.config.tokens,
            "order": self.order,
            "heldout": self.figures,
            "processes": self.world.size,
            "device": name,
            "precision": "bf16" if self.step.autocast else "fp32",
            "seconds": round(self.seconds + time.monotonic() - self.started, 1),
            "versions": versions(),
            "commit": commit() or os.environ.get("BERTOLOGY_COMMIT"),  # outside a checkout one may say it
        }
