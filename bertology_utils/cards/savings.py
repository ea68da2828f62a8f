"""What was saved against what was kept: compressed models a line each, from the records and from the survey's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..claims import evidence, reported
from ..claims.evidence import Evidence
from ..scores.frontier import front
from ..scores.rows import matching
from ..settings import Settings
from . import survey_table
from .tables import NONE, Table

KEPT, TIME = "retention of the score", "time, original / compressed"
BYTES = "bytes of linear weights, original / compressed"
BITS = "bytes of linear weights, original / quantized"
SPARSE = "bytes of linear weights, dense / sparse"
BATCH = 32  # rows at a time when times were taken
RELEASED, SURVEY = "BERT, released", "the survey's table"
FIRST = ", in the arXiv edition"  # ends the measure of a figure of the survey's first edition
NAN = float("nan")
FEWER, SHARE, FAST = "bytes, times fewer", "score kept", "times as fast"
HEAD = ("no.", "what is saved", "model", FEWER, SHARE, "from", "to", FAST, "on the front")
FIGURES = {FEWER: "{:.1f}", SHARE: "{:.1%}", "from": "{:.1%}", "to": "{:.1%}", FAST: "{:.1f}"}


def weights(layers: int, width: int) -> int:
    """Weights of the encoder's matrices: four of attention and two of four times the width, per layer.

    >>> weights(12, 768)
    84934656
    """
    return 12 * layers * width**2


@dataclass(frozen=True)
class Way:
    """A way to save: how it is called, and where its figures lie.

    Attributes
    ----------
    says : str
    claim : str
    keys : mapping
        Of the row of what is kept, and of those of bytes and time.
    bytes : str or float
        The measure of times fewer bytes; or the factor itself, where the configuration tells it.
    kept, time : str
        Their measures; `time` empty: it was not measured.
    model : str
        Of a released record; empty: the settings' model.
    way : str
        As the survey's table groups them: ``distillation``, ``quantization``, ``pruning`` or ``other``.
    """

    says: str
    claim: str
    keys: Mapping[str, object] = field(default_factory=dict, hash=False)
    bytes: str | float = BYTES
    kept: str = KEPT
    time: str = TIME
    model: str = ""
    way: str = "pruning"


HEADS, LAYERS = "siz.head_pruning.michel2019", "siz.layer_redundancy.kao2020"
PRUNED, UNITS = "siz.magnitude_pruning.gordon2020", "siz.structured_pruning.mccarley2020"
ROUNDED, VECTORS = "siz.quantization.zafrir2019", "siz.token_elimination.goyal2020"
TAUGHT, GROWN = "siz.distillation.sanh2019", "siz.theseus.xu2020"
BASE, BIG = weights(12, 768), weights(24, 1024)
TEACHER, ALL = "retention of the teacher's score", {"task": "all"}

OURS = (
    Way("half of the heads", HEADS, {"way": "half the heads"}),
    Way("a third of the layers", LAYERS),
    Way("half of the units", UNITS, {"way": "half of the units"}),
    *(Way(f"{share:.0%} of the weights, by size", PRUNED, {"share": share}, SPARSE, time="") for share in (0.3, 0.6, 0.9)),
    Way("8 bits", ROUNDED, {"way": "8 bits"}, BITS, way="quantization"),
    Way("4 bits", ROUNDED, {"way": "4 bits"}, f"{BITS}, fewer bits", way="quantization"),
    *(Way(bits, ROUNDED, {"way": bits}, f"{BITS}, fewer bits", time="", way="quantization")
      for bits in ("3 bits", "3 bits, outliers kept", "2 bits")),
    Way("a third of the word vectors", VECTORS, {"way": "by attention"}, 1.0, time="time, original / eliminated", way="other"),
    Way("half of the layers, distilled", TAUGHT, way="distillation"),
    Way("half of the layers, replaced", GROWN, {"way": "replaced"}, way="other"),
)  # fmt: skip
THEIRS = (
    Way("DistilBERT: half of the layers", TAUGHT, ALL, 2.0, TEACHER, "", "bert-base-uncased, DistilBERT", "distillation"),
    Way("MiniLM: half of the width", TAUGHT, ALL, BASE / weights(12, 384), "retention of BERT base's score", "",
        "bert-base-uncased, MiniLM-L12xH384", "distillation"),
    Way("MiniLM: half of both", TAUGHT, ALL, BASE / weights(6, 384), "retention of BERT base's score", "",
        "bert-base-uncased, MiniLM-L6xH384", "distillation"),
    Way("Theseus: half of the layers", GROWN, ALL, 2.0, TEACHER, "", "bert-base-uncased, replaced modules", "other"),
    Way("Q8BERT: 8 bits", ROUNDED, ALL, 4.0, KEPT, "", "bert-base, 8 bits", "quantization"),
    Way("PoWER: fewer word vectors", VECTORS, ALL, 1.0, KEPT, "time, original / eliminated",
        "bert-base-uncased, fewer vectors", "other"),
    Way("ALBERT large: shared layers", "siz.albert.lan2020", ALL, BIG / weights(1, 1024),
        "share of the score lost, shared - plain", "", "bert-large and albert-large v1", "other"),
)  # fmt: skip


def points(settings: Settings | None = None) -> pd.DataFrame:
    """A row per way that the records have: `HEAD`'s columns, `size` for its area in a picture; the front is ours alone.

    Bytes are of the linear weights, since only they were made smaller; a released model's are counted from its
    configuration. Scores kept are a ratio: ours over items of one task and seeds, released ones over tasks. Nothing that
    is released is on the front: it is of other tasks and of another model.
    """
    settings = settings or Settings.of()
    told = [line for way in (*OURS, *THEIRS) if (line := _line(way, settings))]
    frame = pd.DataFrame(told, columns=[*HEAD[1:-1], "way"])
    mine = (frame["model"] != RELEASED).to_numpy()
    on = np.zeros(len(frame), bool)
    on[mine] = front(frame[FEWER][mine], frame[SHARE][mine])
    frame = frame.assign(low=frame["from"], high=frame["to"], size=30 * frame[FAST].fillna(0.4))
    frame = frame.assign(**{"on the front": on})
    return frame.assign(**{"no.": [str(k) for k in range(1, len(frame) + 1)]})


def survey() -> pd.DataFrame:
    """The 26 rows of the survey's table in the columns of `points`; they have no intervals and are on no front.

    Factors are of all weights, not of the linear ones alone. Of a range the end that saves more is taken, with the lesser
    score; where no factor of size is given, 1.

    Examples
    --------
    >>> survey().set_index("what is saved").loc["IMP, rewind 50%", ["bytes, times fewer", "score kept"]].tolist()
    [2.5, 0.94]
    """
    rows = survey_table.survey()
    ends = {c: [survey_table.ends(cell) for cell in rows[c]] for c in ("compression", "performance", "speedup")}
    told = {
        "what is saved": rows["name"],
        "model": SURVEY,
        FEWER: [max(e, default=1.0) for e in ends["compression"]],
        SHARE: [min(e) / 100 for e in ends["performance"]],
        **dict.fromkeys(("from", "to", "low", "high"), NAN),
        FAST: [max(e, default=NAN) for e in ends["speedup"]],
        "way": rows["group"],
        "on the front": False,
    }
    return pd.DataFrame(told)


def survey_rows() -> Table:
    """The survey's table as it stands there, to be read."""
    names = {"group": "way", "name": "model", "model": "layers", "compression": FEWER, "performance": "score kept, %"}
    rows = survey_table.survey().rename(columns=names | {"speedup": FAST, "evaluation": "tasks"})
    rows["layers"] = [m.replace("mBERT", "m").replace("BERT", "").replace("BiLSTM", "LSTM ") for m in rows["layers"]]
    shown = rows[["model", "way", "layers", FEWER, "score kept, %", FAST, "tasks"]].replace("", "–")
    return Table(shown, {}, "Table 1 of the survey")


def first_edition() -> Table:
    """Where Table 1 of the survey's first edition (arXiv v1) is known to differ from that of TACL.

    Examples
    --------
    >>> print(first_edition().as_text().iloc[0].tolist())
    ['DistilBERT', 'bytes, times fewer', '2.5', '1.5']
    """
    later = survey_table.survey().set_index("name")
    columns = {
        "compression": (FEWER, "compression"),
        "score kept": ("score kept, %", "performance"),
        "speedup": (FAST, "speedup"),
    }
    told = []
    for figure in (f for f in reported.figures("siz.table1") if f.measure.endswith(FIRST)):
        for name, value in zip(figure.measure.removesuffix(FIRST).split(" / "), figure.values[""], strict=True):
            called, column = columns[name]
            cell = later.loc[figure.model, column]
            if survey_table.ends(cell) != (value,):
                told.append((figure.model, called, f"{value:g}", cell or NONE))
    rows = pd.DataFrame(told, columns=["model", "what", "first edition", "TACL"])
    return Table(rows, {}, "Table 1 of the survey's first edition where it differs")


def table(frame: pd.DataFrame) -> Table:
    """The same as a table to be read; a time that was not measured is left open."""
    said = frame.assign(**{"on the front": frame["on the front"].map({True: "yes", False: ""})})
    return Table(said[list(HEAD)], FIGURES, "what was saved and what was kept")


def _line(way: Way, settings: Settings) -> tuple | None:
    """The figures of a way; None where no record has them."""
    frame = _frame(way, settings)
    if frame is None:
        return None
    keys = dict(way.keys)
    saved = way.bytes
    if isinstance(saved, str):
        sized = matching(frame, saved, keys)
        if not len(sized):
            return None
        saved, keys = float(sized["value"].iloc[0]), keys or {"way": sized["way"].iloc[0]}  # the way chosen on dev
    kept, fast = matching(frame, way.kept, keys), matching(frame, way.time, keys | {"batch": BATCH})
    if way.time and not len(fast):  # of all ways of the record, or of all tasks
        fast = matching(frame, way.time, ALL if way.model else {"batch": BATCH})
    if not len(kept) or kept["value"].isna().all():
        return None
    value, low, high = kept[["value", "low", "high"]].iloc[0].astype(float)
    if "lost" in way.kept:
        value, low, high = 1 - value, 1 - high, 1 - low  # of a loss
    speed = float(fast["value"].iloc[0]) if len(fast) else NAN
    return way.says, RELEASED if way.model else settings.model, saved, value, low, high, speed, way.way


def _frame(way: Way, settings: Settings) -> pd.DataFrame | None:
    def ours(record: Evidence) -> bool:
        if way.model:
            return record.kind == "released" and record.model == way.model
        return record.kind == "rerun" and record.model == settings.model and record.data == settings.data

    return next((r.frame for r in evidence.find(way.claim, settings) if ours(r)), None)
