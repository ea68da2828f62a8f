"""The configuration of a pretraining run: one frozen record; `recipes` reads it from files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..errors import Refusal

FIRST_PIECE = 5  # ids below it are special symbols (`wordpiece.SPECIAL`)
# came after the first runs had been recorded
LATER = (
    *("objective", "masking", "mask_symbol", "static_masks", "same_rows", "attention", "sublayers"),
    *("multilingual", "languages", "part", "own_pieces", "inverted", "language_ids", "beside", "reset_positions"),
    *("body", "vocabulary"),
    *("shared", "embedding", "bits", "order", "start"),
    "attention_dropout",
    "words",
)
FREE = (
    "name",
    "log_steps",
    "eval_predictions",
    "final_predictions",
    "eval_tokens",
    "eval_length",
    "eval_mask_rate",
    "micro_tokens",
    "checkpoint_seconds",
    "exports",
    "compile",
    "start",  # a place; whose weights they are is compared
)  # these may change between the slices of a run


class ConfigError(Refusal):
    """A configuration is missing or contradicts itself; the message names the field."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A stretch of training with one sequence length (devlin2019 train 90% of the steps at 128 pieces).

    Attributes
    ----------
    length : int
        Pieces a row, special symbols and padding included.
    share : float
        Share of the token budget; the shares of a run add up to 1.
    batch_tokens : int, optional
        Positions (rows x length) of the global batch, where it differs from the run's.
    layers : int, optional
        Depth in this phase, where it is not yet the run's: a shallow model is trained first and stacked (gong2019).
    """

    length: int
    share: float
    batch_tokens: int | None = None
    layers: int | None = None


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that determines a run; two runs with equal records and corpora see the same data in the same order.

    Attributes
    ----------
    tokens : int
        The budget: pieces seen, special symbols counted, padding not.
    batch_tokens : int
        Positions of one global batch, whatever the number of processes; rows = batch_tokens // length.
    micro_tokens : int
        Most positions one process handles at a time; larger batches are accumulated. 0: sized to the device's memory.
    mask_rate : float
        Share of a row's pieces to be predicted; of these 80% become [MASK], 10% a random piece, 10% stay.
    objective : str
        ``mlm``; or ``rtd``, replaced-token detection (clark2020), for which there is no second task: see `replaced`.
    masking : str
        What is hidden together: a ``piece``, a whole ``word``, a ``span`` of words (joshi2020) or a named ``entity``
        (sun2019b); see `units`. ``verb``: single pieces, those first that are English verb forms which show number (`finite`).
    mask_symbol : str
        What those 80% become: ``mask``, ``unk`` (clinchant2019), or a ``random`` piece.
    same_rows : bool
        Every pass over the text cuts it into the same rows, in another order.
    static_masks : bool
        A row is masked in the same way at every pass; implies `same_rows`. Its control is `same_rows` alone.
    pair : str
        The second task: ``nsp``, is B from another document; ``sop``, have A and B changed places (lan2020); ``none``:
        one segment a row, type ids 0, no second loss. In a file also ``nsp: true`` or ``nsp: false``.
    dropout, attention_dropout : float
        Share of the hidden values, and of the attention weights, that training sets to 0.
    attention : str
        ``learned``; ``preset``, all heads of a layer but the last fixed (raganato2020); ``uniform``, all heads the mean of
        the row's pieces. See `bertology_utils.subject.variants`.
    sublayers : str
        Order of self-attention (s) and feed-forward (f), as many of each as layers: ``ssfsff`` is a sandwich (press2020).
        Empty: one after the other.
    by_file : bool
        Each file is a language: negatives come from the same file, files are drawn with their size ** `smoothing`.
    layouts : tuple of (pattern, layout)
        How files are cut into documents, first match on the file's name: ``blank`` (blank line between documents),
        ``line`` (a document a line), ``verse`` (a sentence a line, empty = missing, documents are chapters).
    precision : str
        ``bf16`` (fp32 on a processor that would imitate it, see `precision`), ``fp32``, or ``auto``: bf16 on CUDA alone.
    eval_length, eval_mask_rate : int, float
        Pieces a held-out row, and the share to be predicted: the same for recipes that are to be compared. Positions that no
        row of the training has reached yet are noise in the held-out loss.
    exports : int
        Intermediate exports, after budget / 2, / 4, … / 2 ** exports.
    optimiser : str
        ``adamw``; ``lamb`` (you2019); or ``muon`` for the encoder's matrices with AdamW for the rest.
    muon_factor : float
        Muon's learning rate in units of `learning_rate`.
    muon_steps : int
        Iterations that make an update orthogonal.
    schedule : str
        After the warm-up: ``linear`` decay to 0 at the budget, or ``stable`` and then linear decay over the last
        `decay` of the budget, which can be had earlier (`release`).
    generated : int
        Sentences of the package's generated language to train on where no corpus is given (`generated`).
    words : int
        That language's so many commonest words alone, and no sentences of tables; 0: all of it.
    multilingual : int
        Sentences per language of generated text in several languages, in its place (`generated_languages`).
    languages : str
        The files that are learnt from, by their names without endings, apart by blanks; empty: all. The vocabulary is that of
        all files, so that runs on some of them have the same pieces. See `languages`.
    part : float
        Share of each file's (each language's) training text that is used, from its beginning.
    own_pieces : float
        Share of the second language's pieces that are its own: their ids are shifted, special symbols apart (wang2019b).
        Which they are is the same in all runs.
    inverted : bool
        The pieces of the second language's sentences stand in reverse order.
    language_ids : bool
        A row's type ids tell its language: the embedding of a language is added to each of its pieces (wang2019b).
    beside : str
        What B is beside a sentence A, where rows are not one segment: its ``translation``, for masks across sentence pairs
        (lample2019); ``another`` sentence of A's language, as their control; ``either``, by a fair coin; or ``nothing``.
    reset_positions : bool
        B's positions begin again where A's do (lample2019).
    body : str
        ``learned``; ``frozen``: after a first phase in the first language alone, the second phase learns the other's
        embeddings with all else as it is (artetxe2019); ``random``: its control, all but the embeddings untrained.
    vocabulary : str
        A bundled model, or a folder, whose word pieces are kept; by default they are learnt from the text.
    shared : bool
        All layers have the same weights (lan2020). See `albert`.
    embedding : int
        Width of the word embeddings where they are two small matrices (lan2020); 0: that of the model, in one.
    bits : str
        Bits per weight, apart by blanks, in which a run of the family is measured as well once it is tuned.
    order : str
        In which the rows of an epoch are seen: ``shuffled``; ``rare last``, those of frequent pieces first (`order`);
        ``rare last, then mixed``, the first half of them so; ``phrases first``, those with a verb behind a prepositional
        phrase; or ``phrases first, then mixed``, in the first half such rows alone.
    start : str
        A bundled model, or a folder, whose weights the run begins with, heads and all; its word pieces are to be the run's
        (`vocabulary`). Empty: seeded weights. See `start`.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    ffn: int
    vocab: int
    max_positions: int
    phases: tuple[Phase, ...]
    tokens: int
    batch_tokens: int
    learning_rate: float
    micro_tokens: int = 131_072
    lowercase: bool = True
    strip_accents: bool = True
    alphabet: int = 160
    warmup: float = 0.01
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-6
    clip: float = 1.0
    dropout: float = 0.0
    attention_dropout: float = 0.0
    attention: str = "learned"
    sublayers: str = ""
    initializer_range: float = 0.02
    mask_rate: float = 0.15
    objective: str = "mlm"
    masking: str = "piece"
    mask_symbol: str = "mask"
    static_masks: bool = False
    same_rows: bool = False
    short_share: float = 0.1
    pair: str = "nsp"
    by_file: bool = False
    smoothing: float = 1.0
    layouts: tuple[tuple[str, str], ...] = (("*", "blank"),)
    exclude: tuple[str, ...] = ()
    held_out: float = 0.01
    eval_length: int = 128
    eval_mask_rate: float = 0.15
    eval_predictions: int = 4_000
    final_predictions: int = 20_000
    eval_tokens: int = 20_000_000
    log_steps: int = 50
    checkpoint_seconds: float = 120.0
    exports: int = 10
    seed: int = 0
    precision: str = "auto"
    compile: bool = True
    optimiser: str = "adamw"
    muon_factor: float = 1.0
    muon_steps: int = 5
    schedule: str = "linear"
    decay: float = 0.15
    generated: int = 0
    words: int = 0
    multilingual: int = 0
    languages: str = ""
    part: float = 1.0
    own_pieces: float = 0.0
    inverted: bool = False
    language_ids: bool = False
    beside: str = "nothing"
    reset_positions: bool = False
    body: str = "learned"
    vocabulary: str = ""
    shared: bool = False
    embedding: int = 0
    bits: str = ""
    order: str = "shuffled"
    start: str = ""

    def rows(self, phase: Phase) -> int:
        """Rows of the global batch in a phase."""
        return (phase.batch_tokens or self.batch_tokens) // phase.length

    @property
    def symbols(self) -> int:
        """Size of the model's vocabulary: `vocab`, and once more without special symbols for a language with its own."""
        return self.vocab + (self.own_pieces > 0) * (self.vocab - FIRST_PIECE)

    def depth(self, phase: Phase) -> int:
        """Layers of the model in a phase."""
        return phase.layers or self.layers

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as in the YAML file.

        Records and digests of earlier runs stay what they are: options that came later are named only where they are used,
        and a second task is told as before, by `nsp`, unless it is another.
        """
        values = json.loads(json.dumps(asdict(self)))
        for name in LATER:
            if values[name] == DEFAULTS[name]:
                del values[name]
        values["nsp"] = self.pair != "none"
        if self.pair != "sop":
            del values["pair"]
        return values

    def digest(self, *names: str) -> str:
        """SHA-256 over the named fields (all where none is named)."""
        values = self.as_dict()
        chosen = {n: values[n] for n in names if n in values} if names else values
        return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()


DEFAULTS = {f.name: f.default for f in fields(Config)}
