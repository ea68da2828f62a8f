"""Models from the Hub: pinned, safetensors only, from the local cache without a word to the network where they are there.

A model is fetched file by file and then read from its folder: the library's own loading asks the Hub for files that few
models have, and without a network repeats each question for minutes.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

from .suitable import ModelUnavailable

# Hub names whose figures the book speaks of, each at the commit it was looked at: a name alone may change its weights.
REVISIONS = {
    "bert-base-uncased": "86b5e0934494bd15c9632b12f734a8a67f723594",
    "bert-large-uncased": "6da4b6a26a1877e173fca3225479512db81a5e5b",
    "bert-base-cased": "cd5ef92a9fb2f889e972770a36d4ed042daf221e",
    "bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
    "roberta-base": "e2da8e2f811d1448a5b465c236feacd80ffbac7b",
}
ORGANISATION = {"roberta-base": "FacebookAI"}
WANTED = (  # no pickled weights, no code
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
    "model.safetensors",
    "model.safetensors.index.json",
    "model-*-of-*.safetensors",
)
TIMEOUT = 10.0  # seconds until the Hub must have answered
_NAME = re.compile(r"^[\w-][\w.-]*(/[\w.-]+)?(@[\w./-]+)?$")


def could_be(name: str) -> bool:
    """Whether a model's name could be the Hub's: ``name`` or ``organisation/name``, perhaps with ``@revision``.

    >>> could_be("bert-base-uncased"), could_be("./bert-base-uncased"), could_be("runs/mini/model")
    (True, False, False)
    """
    return bool(_NAME.match(name))


def refuse_folder(name: str) -> NoReturn:
    """Say that a name is a folder here too: which of the two was meant nobody can know."""
    raise ModelUnavailable(
        f"model {name!r} is a folder here and could be a model of the Hub: write ./{name} for the folder, "
        f"{name.partition('@')[0]}@main for the Hub's from another directory"
    )


def fetch(name: str, instead: str = "") -> tuple[Path, str]:
    """The folder of a Hub model in the local cache, and its commit; downloaded first where it is not whole.

    Parameters
    ----------
    name : str
        ``name``, ``organisation/name``, either with ``@revision``.
    instead : str
        The bundled models, for the message.

    Raises
    ------
    ModelUnavailable
        The Hub has no such model, or cannot be reached, or broke off; one line.
    """
    repo, _, revision = name.partition("@")
    if "/" not in repo and repo in REVISIONS:
        repo, revision = f"{ORGANISATION.get(repo, 'google-bert')}/{repo}", revision or REVISIONS[repo]
    pinned = bool(re.fullmatch(r"[0-9a-f]{40}", revision))
    if pinned and (folder := cached(repo, revision)):
        return folder, revision
    try:
        return _downloaded(repo, revision)
    except Exception as error:  # the client's error types differ between its versions; every one means: not to be had
        if not pinned and (folder := cached(repo, revision or "main")):
            return folder, folder.name  # as it was when it was fetched: the evidence names the commit
        raise ModelUnavailable(
            f"model {name!r} is not bundled ({instead or 'none is'}), is no local folder, and {why(error)}; "
            "connect to the network, or give a folder with config.json, tokenizer.json and model.safetensors"
        ) from error


def cached(repo: str, revision: str) -> Path | None:
    """The cache's folder of a revision, if it holds all that is needed."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(repo, "config.json", revision=revision)
    except HFValidationError:
        return None
    folder = Path(config).parent if isinstance(config, str) else None
    return folder if folder is not None and _whole(folder) else None


def _whole(folder: Path) -> bool:
    names = {p.name for p in folder.iterdir() if p.exists()}  # a link into nothing is a file cut off
    shards = "model.safetensors.index.json" in names
    if shards:
        index = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))
        shards = set(index["weight_map"].values()) <= names
    tokenizer = {"tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model"} & names
    return bool(tokenizer) and ("model.safetensors" in names or shards)


def _downloaded(repo: str, revision: str) -> tuple[Path, str]:
    """Asked once and with a time-out what a revision stands for, then every file of it that is wanted."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    constants.HF_HUB_DISABLE_TELEMETRY = True  # the Hub is told a model's name, and nothing of who asks
    hub = HfApi()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # what it retried is no news; what failed, we say
    told = hub.model_info(repo, revision=revision or None, timeout=TIMEOUT)
    commit = str(told.sha)
    if folder := cached(repo, commit):
        return folder, commit
    quiet = are_progress_bars_disabled()
    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        names = [f.rfilename for f in told.siblings or () if any(fnmatch(f.rfilename, wanted) for wanted in WANTED)]
        # weights last: a folder that has them has the rest, for another process too, and after one that was killed
        for name in sorted(names, key=lambda name: name.endswith(".safetensors")):
            # one file by the revision's own name: the cache then knows what `main` was, for a day without a network
            which = revision or "main" if name == "config.json" else commit
            found = hub.hf_hub_download(repo, name, revision=which, etag_timeout=TIMEOUT)
    finally:
        if not quiet:
            enable_progress_bars()
    _sweep(Path(found).parents[2] / "blobs")
    return Path(found).parent, commit


def _sweep(blobs: Path) -> None:
    """Remove what a killed download left of files that are there whole by now: the client never looks at it again."""
    for part in blobs.glob("*.incomplete"):
        if (blobs / part.name.partition(".")[0]).is_file():
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def why(error: BaseException) -> str:
    """In a few words, why the Hub did not give a model."""
    from huggingface_hub.errors import HFValidationError

    answer = getattr(getattr(error, "response", None), "status_code", None)
    if answer in (401, 404) or isinstance(error, HFValidationError):
        return "the Hub has no such model"  # to a stranger it says 401 of what is not there
    return (
        f"the Hub answered {answer}"
        if answer
        else f"the Hub could not be reached, or broke off ({type(error).__name__})"
    )
