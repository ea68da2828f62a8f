"""A mask adapter: what lets a sentence encoder fill masks.

The network stays as it is. Beside every linear map of its layers a product of two thin matrices is trained (`peft`'s
LoRA, hu2022), with all biases and a head of the usual form whose decoder is tied to the word embeddings, on plain text.
Rows are runs of whole sentences of one passage, the passages in an order of the seed's; a run is resumed
at the batch where it stopped, and a cool-down, in which the rates fall to nought, makes an adapter of what is there.
"""

from __future__ import annotations

import itertools
import json
import math
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch.func import functional_call
from transformers.utils import logging as transformers_logging

from bertology_utils.errors import Refusal
from bertology_utils.files import scratch, write
from bertology_utils.provenance import sha256, versions
from bertology_utils.settings import Settings
from bertology_utils.subject import relatives
from bertology_utils.subject.networks import NETWORKS

from . import checkpoint, signals
from .lowrank import fuse
from .modelcard import languages
from .parallel import join
from .passages import Text, batches, masked
from .precision import native

MAPS = {  # of each layer, and of the masked-LM head, by architecture
    "mpnet": (r".*encoder\.layer\.\d+\..*\.(q|k|v|o|dense)", ("lm_head.dense", "lm_head.layer_norm")),
    "bert": (
        r".*encoder\.layer\.\d+\..*\.(query|key|value|dense)",
        ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"),
    ),
}


@dataclass(frozen=True)
class Plan:
    """How an adapter is trained.

    Attributes
    ----------
    rank, alpha : int
        Columns of the thin matrices; their product is scaled by alpha / rank.
    maps : str
        A regular expression over the network's modules in place of all linear maps of all layers; empty: all.
    hidden : float
        Share of the pieces to be predicted; of these 80 % become the mask, 10 % a random piece, 10 % stay.
    batch : int
        Pieces per step, padding included.
    length : int
        Pieces per row at most, special symbols included.
    short : float
        Share of the rows that end after 8 to `length` pieces, drawn evenly: sentences by themselves, as items are.
    rate, head_rate : float
        Of the adapter and of the head.
    warmup, cooldown : int
        Pieces over which the rates rise at first and fall in the end, linearly.
    held_out : float
        Share of the passages that are never trained on, chosen by a hash of their text.
    power : float
        Each file's share of the text is its size to this power: below 1, small languages count for more.
    counted : int
        Passages whose pieces are counted first, in a large vocabulary: training scores these pieces alone, and the decoder's
        bias begins with their log frequencies; 0: all pieces, from nought. The head is of the whole vocabulary either way.
    """

    rank: int = 16
    alpha: int = 32
    maps: str = ""
    hidden: float = 0.2
    batch: int = 2048
    length: int = 128
    short: float = 0.25
    rate: float = 1e-3
    head_rate: float = 2e-3
    warmup: int = 100_000
    cooldown: int = 500_000
    held_out: float = 0.002
    power: float = 1.0
    counted: int = 0
    seed: int = 0


class Run:
    """An adapter in training: a network, its text and what has been reached."""

    def __init__(
        self,
        base: str | Path,
        corpus: Iterable[str | Path],
        plan: Plan,
        out: Path,
        start: Path | None = None,
        device: str | torch.device = "cpu",
    ) -> None:
        self.plan, self.out, self.device = plan, out, torch.device(device)
        self.base, self.name = str(base), ""  # a relative's name on records
        self.tokenizer, self.model = begin(base, plan, self.device)
        self.text = Text(corpus, plan)
        self.scored: torch.Tensor | None = None  # ids, (S,)
        if plan.counted:
            self.count()
        self.trained = {n: p for n, p in self.model.named_parameters() if p.requires_grad}
        head = [p for n, p in self.trained.items() if _of_head(n)]
        rest = [p for n, p in self.trained.items() if not _of_head(n)]
        groups = [{"params": rest, "lr": plan.rate}, {"params": head, "lr": plan.head_rate}]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0)
        self.pieces, self.step, self.draw = 0, 0, 0
        self.curve: list[dict[str, float]] = []
        self.seconds = 0.0
        self.before: list[dict[str, Any]] = []  # what earlier runs did, whose adapter this one begins with
        if start:
            self.take(start)
        if (out / "state.pt").is_file():
            self.restore(out / "state.pt")

    @property
    def identity(self) -> dict[str, Any]:
        files = {p.name: p.stat().st_size for p in self.text.files}
        return {**asdict(self.plan), "files": files, "before": len(self.before)}

    def state(self) -> dict[str, Any]:
        return {
            "identity": self.identity,
            "trained": {n: p.detach() for n, p in self.trained.items()},
            "optimiser": self.optimiser.state_dict(),
            "reached": [self.pieces, self.step, self.draw, self.seconds],
            "curve": self.curve,
        }

    def save(self) -> None:
        checkpoint.save(self.out / "state.pt", self.state())

    def restore(self, path: Path) -> None:
        """Go on from a state of the same run."""
        state = checkpoint.load(path, self.identity)
        with torch.no_grad():
            for name, value in state["trained"].items():
                self.trained[name].copy_(value)
        self.optimiser.load_state_dict(state["optimiser"])
        self.pieces, self.step, self.draw, self.seconds = state["reached"]
        self.curve = state["curve"]

    def take(self, folder: Path) -> None:
        """Begin with an exported adapter; the text goes on where its run stopped, the rates rise anew."""
        from peft.utils import load_peft_weights, set_peft_model_state_dict

        set_peft_model_state_dict(self.model, load_peft_weights(str(folder), device="cpu"))
        card = json.loads((folder / "training.json").read_text("utf-8"))
        self.draw = card["draws"]
        self.before = [*card.pop("before", []), card]

    def count(self) -> None:
        """Score what occurs in the first passages of the text alone, and let the decoder's bias begin with how often it does."""
        path = self.out / "counts.npy"
        if not path.is_file():
            drawn = itertools.islice(self.text.drawn(self.tokenizer), self.plan.counted)
            ids = np.concatenate([row for _, rows in drawn for row in rows])
            found = np.bincount(ids, minlength=self.head.decoder.out_features)
            checkpoint.atomic(path, lambda stream: np.save(stream, found))
        counts = torch.from_numpy(np.load(path)).to(self.device)
        self.scored = counts.nonzero()[:, 0]
        self.place = torch.full_like(counts, -1).index_put_(
            (self.scored,), torch.arange(len(self.scored), device=self.device)
        )
        self.narrow = self.head.decoder.weight.detach()[self.scored]
        logs = (counts + 0.5).log()
        with torch.no_grad():
            self.head.decoder.bias.copy_(logs - logs[self.scored].mean())

    @property
    def head(self) -> Any:
        network = self.model.get_base_model()
        return network.lm_head if hasattr(network, "lm_head") else network.cls.predictions

    def hide(self, rows: list[list[int]], share: float, *key: Any) -> list[torch.Tensor]:
        """`passages.masked` of rows, on the run's device."""
        return [x.to(self.device) for x in masked(rows, self.tokenizer, share, *key)]

    def states(self, ids: torch.Tensor, real: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """States (N, H) of the last layer at the pieces wanted."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            return self.model.get_base_model().base_model(ids, attention_mask=real).last_hidden_state[wanted]

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (N, V) for states."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            return self.head(states).float()

    def backward(self, states: torch.Tensor, gold: torch.Tensor) -> float:
        """Gradients of the mean loss of the pieces `gold` (N,) for states (N, H); the loss."""
        if self.scored is None:
            loss = F.cross_entropy(self.logits(states), gold)
            loss.backward()
            return loss.item()
        known = self.place[gold] >= 0
        states, gold = states[known], self.place[gold][known]
        below, total = states.detach().requires_grad_(), 0.0
        at_once = 64 if self.device.type == "cpu" else 2048  # their logits stay in the cache
        for part, target in zip(below.split(at_once), gold.split(at_once), strict=True):
            decoder = {"decoder.weight": self.narrow, "decoder.bias": self.head.decoder.bias[self.scored]}
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
                logits = functional_call(self.head, decoder, (part,))
            loss = F.cross_entropy(logits.float(), target, reduction="sum") / max(1, len(gold))  # a batch may hold none
            loss.backward()
            total += loss.item()
        states.backward(below.grad)
        return total

    @property
    def half(self) -> bool:
        return next(p for p in self.model.parameters() if not p.requires_grad).dtype == torch.bfloat16

    def rates(self, left: int | None) -> float:
        """The factor of the learning rates: rising, then flat, and falling with the pieces `left` of a cool-down."""
        rise = min(1.0, (self.pieces + self.plan.batch) / self.plan.warmup)
        return rise if left is None else rise * max(0.0, left / self.plan.cooldown)

    def train(self, pieces: int, deadline: float, report: float = 300.0) -> bool:
        """Train until so many pieces are reached or the deadline passes; whether the former. The state is saved."""
        return self._go(pieces, deadline, report, None)

    def _go(self, pieces: int, deadline: float, report: float, cooling: int | None) -> bool:
        watch = time.process_time if self.device.type == "cpu" else time.monotonic  # a core's: it may be shared
        clock = last = watch()
        stream = batches(self.text.drawn(self.tokenizer, self.draw), self.plan)
        self.model.train()
        for module in self.model.modules():  # as little text as there is, it is not seen twice: nothing to regularise
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        with signals.interruptible() as caught:
            for draw, rows in stream:
                factor = self.rates(None if cooling is None else pieces - self.pieces)
                for group, rate in zip(self.optimiser.param_groups, (self.plan.rate, self.plan.head_rate), strict=True):
                    group["lr"] = rate * factor
                key = (self.plan.seed, len(self.before), self.step)
                ids, real, wanted, labels = self.hide(rows, self.plan.hidden, *key)
                self.optimiser.zero_grad()
                loss = self.backward(self.states(ids, real, wanted), labels[wanted])
                torch.nn.utils.clip_grad_norm_(list(self.trained.values()), 1.0)
                self.optimiser.step()
                self.step += 1
                self.pieces += int(real.sum())
                if draw < 0:
                    continue
                self.draw = draw  # a pool is done: here, and here alone, a run can be taken up exactly
                now = watch()
                self.seconds, clock = self.seconds + now - clock, now
                if now - last > report:
                    self.note(loss)
                    clock = last = watch()
                if cooling is None:
                    self.save()
                if self.pieces >= pieces or time.monotonic() > deadline or caught:
                    break
        if caught:
            raise signals.Interrupted(caught[0], self.out, self.pieces)
        return self.pieces >= pieces

    def note(self, loss: float) -> None:
        """Held-out loss and accuracy, to the curve and to the log."""
        row = {"pieces": self.pieces, "training loss": round(loss, 3), **evaluate(self)}
        self.curve.append(row)
        print(" ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v:,}" for k, v in row.items()), flush=True)
        self.model.train()

    def languages(self) -> dict[str, dict[str, float]]:
        """Held-out loss and accuracy of each language, where there are several."""
        codes = sorted(languages(p.name for p in self.text.files))
        return {code: evaluate(self, 24, code) for code in codes} if len(codes) > 1 else {}

    def finish(self, folder: Path, name: str | None = None) -> Path:
        """Cool down from where the run stands and export the adapter; the run's state stays as it was."""
        self._go(self.pieces + self.plan.cooldown, math.inf, 300.0, self.plan.cooldown)
        self.note(math.nan)
        return self.export(folder, name)

    def export(self, folder: Path, name: str | None = None) -> Path:
        """Write the adapter in peft's format, in half precision, with what trained it (`training.json`).

        `name` is where others have the network from, in place of this machine's folder.
        """
        from safetensors.torch import load_file, save_file

        self.model.peft_config["default"].base_model_name_or_path = name or self.base
        with scratch(folder) as temporary:
            self.model.save_pretrained(str(temporary), save_embedding_layers=False)
            (temporary / "README.md").unlink(missing_ok=True)
            weights = temporary / "adapter_model.safetensors"
            save_file({k: v.to(torch.bfloat16).contiguous() for k, v in load_file(weights).items()}, weights)
            card = {
                "base": self.name,
                "plan": asdict(self.plan),
                "pieces": self.pieces,
                "draws": self.draw,
                "seconds": round(self.seconds),
                "device": torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "",
                "scored": None if self.scored is None else len(self.scored),
                "curve": self.curve,
                "languages": self.languages(),
                "files": {p.name: sha256(p) for p in self.text.files},
                "versions": versions(),
                "before": self.before,
            }
            (temporary / "training.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
        return folder


def begin(base: str | Path, plan: Plan, device: str | torch.device = "cpu") -> tuple[Any, Any]:
    """The tokenizer and the network with an untrained adapter, frozen maps in half precision where that is fast."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    torch.manual_seed(plan.seed)
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    network = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, attn_implementation="eager")
    if network.config.model_type not in MAPS:
        raise Refusal(f"{base} is of type {network.config.model_type}; adapters are for {', '.join(MAPS)}")
    where, head = MAPS[network.config.model_type]
    _plain_head(network)
    config = LoraConfig(
        r=plan.rank,
        lora_alpha=plan.alpha,
        target_modules=plan.maps or where,
        modules_to_save=list(head),
        bias="all",
        lora_dropout=0.0,
    )
    with warnings.catch_warnings():  # peft asks transformers for what is called otherwise by now
        warnings.simplefilter("ignore", FutureWarning)
        model = get_peft_model(network, config)
    half = native(torch.device(device))
    for parameter in model.parameters():
        if not parameter.requires_grad and parameter.dim() > 1 and half:
            parameter.data = parameter.data.to(torch.bfloat16)
    return tokenizer, fuse(model).to(device)


def _plain_head(network: Any) -> None:
    """A head that passes states on, at the height of the logits that embeddings of this size give: training starts there."""
    for name, module in network.named_modules():
        if name in ("lm_head.dense", "cls.predictions.transform.dense"):
            torch.nn.init.eye_(module.weight)
            torch.nn.init.zeros_(module.bias)
        if name in ("lm_head.layer_norm", "cls.predictions.transform.LayerNorm"):
            torch.nn.init.constant_(module.weight, 0.5)
            torch.nn.init.zeros_(module.bias)


def _of_head(name: str) -> bool:
    return "lm_head" in name or "cls.predictions" in name


def evaluate(run: Run, n: int = 300, of: str | None = None) -> dict[str, float]:
    """Held-out loss (nats per piece) and accuracy at 1 over the vocabulary; 15 % hidden, the same pieces each time."""
    rows = run.text.held_rows(run.tokenizer, n, of)
    total, right, count = 0.0, 0, 0
    run.model.eval()
    with torch.inference_mode():
        for i in range(0, len(rows), 16):
            ids, real, wanted, labels = run.hide(rows[i : i + 16], 0.15, "held", i)
            logits, gold = run.logits(run.states(ids, real, wanted)), labels[wanted]
            total += F.cross_entropy(logits, gold, reduction="sum").item()
            right += int((logits.argmax(-1) == gold).sum())
            count += len(gold)
    return {"loss": total / count, "accuracy": right / count, "n": count}


def adapt(
    base: str | Path,
    corpus: Iterable[str | Path],
    out: str | Path,
    *,
    plan: Plan | None = None,
    pieces: float = 10e6,
    minutes: float | None = None,
    start: str | Path | None = None,
    finish: str | Path | None = None,
    name: str | None = None,
    device: str | None = None,
    **changes: Any,
) -> Path:
    """Train a mask adapter for a network, going on where the folder's run stopped; with `finish`, make an adapter of it.

    Parameters
    ----------
    base : str or Path
        Short name of a relative, or folder of a network (config.json, model.safetensors, tokenizer).
    corpus : paths
        ``.txt`` or ``.txt.xz`` files, or folders of them; a blank line between documents.
    out : str or Path
        Folder of the run.
    pieces, minutes : float
        Stop at so many pieces, or after so long; the same call goes on later.
    start : str or Path, optional
        An exported adapter to begin with; its text order goes on.
    finish : str or Path, optional
        Folder of the adapter: cool down from where the run stands.
    name : str, optional
        The network's name on the Hub, for the adapter's configuration.
    device : str, optional
        ``cpu``, ``cuda``, …; a GPU where there is one.
    changes
        Fields of `Plan`.

    Returns
    -------
    Path
        `finish`, or `out`.

    Raises
    ------
    CheckpointError, CorpusError, Refusal
        The folder is of another run; no text; no such architecture.
    """
    trained = ""
    if relatives.known(plain := relatives.published_as(str(base))):
        found = relatives.find(plain, Settings.of())
        base, trained, name = found.folder, found.name, name or NETWORKS[plain.removesuffix(relatives.PLAIN)].repo
    plan, on = replace(plan or Plan(), **changes), join(device).device
    begun = Run(base, corpus, plan, Path(out), Path(start) if start else None, on)
    begun.name = trained
    with checkpoint.claimed(Path(out)):
        deadline = time.monotonic() + 60 * minutes if minutes else math.inf
        begun.train(int(pieces), deadline)
        if finish:
            return begun.finish(Path(finish), name)
    write(Path(out) / "curve.json", json.dumps(begun.curve, indent=1) + "\n")
    return Path(out)
