"""The page on which a reader tries a network: its weights as a file for the browser, and stored answers to begin with.

The page (`book/_static/try-network.js`) computes with `mini` itself. A matrix is written in 8 bits, with a scale per 64
numbers (one per row moved probabilities by twice as much); what only tuning would need (the pooler, the head for pairs
of sentences) is left out. The stored answers of the larger network, which no browser loads, are in
`assets/trying.json`; ``python -m bertology_utils.book try`` makes them again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..claims import ledger
from ..files import write as put
from ..settings import Settings
from ..subject import models
from ..worked_examples.sentences import compare, fill
from .templates import rendered

STORED = Path(__file__).parents[1] / "assets" / "trying.json"
NAME = "mini.bin"
NETWORKS = ("mini", "mini-untrained", "mpnet")
UNUSED = ("bert.pooler.", "cls.seq_relationship.", "cls.predictions.decoder.")  # the decoder is the word embeddings
K = 5
GROUP = 64  # numbers of a matrix that share a scale
FILLS = (  # (claim, what it is about, text)
    ("syn.agreement.goldberg2019", "agreement across another noun", "The keys to the cabinet [MASK] old."),
    ("syn.agreement.goldberg2019", "agreement across a clause", "The author that the guards like [MASK] young."),
    ("syn.negation.ettinger2019", "without “not”", "A robin is a [MASK]."),
    ("syn.negation.ettinger2019", "with “not”", "A robin is not a [MASK]."),
    ("sem.roles.ettinger2019", "who did it", "The restaurant owner forgot which customer the waitress had [MASK]."),
    ("sem.roles.ettinger2019", "roles reversed", "The restaurant owner forgot which waitress the customer had [MASK]."),
    ("wld.lama.petroni2019", "a fact", "The capital of France is [MASK]."),
    ("syn.malformed.ettinger2019", "words out of order", "Cabinet the to keys the [MASK] old."),
)
PAIRS = (
    (
        "syn.agreement.goldberg2019",
        "agreement",
        "The keys to the cabinet are old.",
        "The keys to the cabinet is old.",
    ),
    ("syn.npi.warstadt2019", "“ever” and what licenses it", "No boy has ever seen it.", "A boy has ever seen it."),
    ("wld.triples.davison2019", "plausibility", "The dog ate the meat.", "The meat ate the dog."),
)


def answers(networks: Sequence[str] = NETWORKS, settings: Settings | None = None) -> dict[str, Any]:
    """What networks answer to the examples: of each text the likeliest fillers, of each pair nats per sentence.

    Returns
    -------
    dict
        ``fill`` and ``pairs``, a dict per example; ``sha256`` of each network's weights.
    """
    settings = settings or Settings.of()
    filled: list[dict[str, Any]] = [{"claim": c, "about": about, "text": text} for c, about, text in FILLS]
    pairs: list[dict[str, Any]] = [{"claim": c, "about": about, "a": a, "b": b} for c, about, a, b in PAIRS]
    for network in networks:
        for each in filled:
            found = fill(each["text"], k=K, model=network, settings=settings)
            each[network] = [[str(w), round(float(p), 4)] for w, p in found.itertuples(index=False)]
        for each in pairs:
            each[network] = [
                round(float(x), 2) for x in compare(each["a"], each["b"], model=network, settings=settings)["log P"]
            ]
    hashes = {name: models.load(name, settings).sha256 for name in networks}
    return {"fill": filled, "pairs": pairs, "sha256": hashes}


def store() -> Path:
    """Make the stored answers again; errors as of `models.load`, where a network is not here."""
    return put(STORED, json.dumps(answers(), indent=1, ensure_ascii=False) + "\n")


def weights(path: Path) -> int:
    """Write `mini` for the browser; the file's size in bytes.

    A line of JSON (the configuration, the vocabulary, and the tensors: name, groups, numbers per group, 0 for a vector), then
    the tensors' bytes: of a vector float32; of a matrix a float32 scale per group, then its numbers in int8.
    """
    subject = models.load("mini", Settings())
    config = subject.model.config.to_dict()
    wanted = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "layer_norm_eps",
              "vocab_size", "max_position_embeddings", "initializer_range")  # fmt: skip
    vocabulary = subject.tokenizer.convert_ids_to_tokens(list(range(config["vocab_size"])))
    head: list[tuple[str, int, int]] = []
    body: list[bytes] = []
    for key, tensor in subject.model.state_dict().items():
        if key.startswith(UNUSED) or "position_ids" in key:
            continue
        values = tensor.float().numpy()
        if values.ndim == 2:
            values = values.reshape(-1, GROUP)
        head.append((key, len(values), GROUP if values.ndim == 2 else 0))
        if values.ndim == 2:
            scale = np.maximum(np.abs(values).max(1), 1e-12).astype(np.float32) / 127
            body += [scale.tobytes(), np.rint(values / scale[:, None]).astype(np.int8).tobytes()]
        else:
            body.append(values.astype(np.float32).tobytes())
    told = {"config": {k: config[k] for k in wanted}, "vocabulary": vocabulary, "tensors": head}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(told, ensure_ascii=False).encode() + b"\n" + b"".join(body))
    return path.stat().st_size


def page(size: int) -> str:
    """The page's forms and, as plain tables, the stored answers; the script fills in what a reader asks.

    The file of weights has `size` bytes.
    """
    stored = json.loads(STORED.read_text("utf-8"))
    titles = {e["claim"]: ledger.row(e["claim"]).title for e in (*stored["fill"], *stored["pairs"])}
    return _rendered(stored, size, tag="div", titles=titles)


def forms(size: int) -> dict[str, str]:
    """Claim -> a small form with its examples, folded, for its unit in a chapter."""
    stored = json.loads(STORED.read_text("utf-8"))
    claims = dict.fromkeys(e["claim"] for e in (*stored["fill"], *stored["pairs"]))
    own = {c: {kind: [e for e in stored[kind] if e["claim"] == c] for kind in ("fill", "pairs")} for c in claims}
    return {c: _rendered(examples, size, tag="details", titles={}) for c, examples in own.items()}


def _rendered(stored: dict[str, Any], size: int, **given: Any) -> str:
    return rendered("try.html", stored, name=NAME, size=size, stored=stored, networks=NETWORKS, **given)
