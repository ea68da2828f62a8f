"""The generated parts of the book's pages: written at build time from ledger, evidence, models and data, never by hand.

Each part is a file that a page of `book/` includes. The same inputs give the same bytes.
"""

from __future__ import annotations

import json
import shutil
from math import prod
from pathlib import Path

from safetensors import safe_open

from ..cards import recipes
from ..cards.standing import standings
from ..claims import ledger
from ..settings import Settings
from ..subject import models
from . import (
    archive,
    atlas,
    bootstrap,
    cards_of_models,
    cite,
    claim_pages,
    concordance_page,
    coverage,
    faults,
    heads,
    landing,
    layers,
    methods,
    own_data,
    samples,
    scoreboard,
    social,
    speed,
    survey_figures,
    trust,
    trying,
)

BOOK_MODEL = "mini"


def write(folder: Path, settings: Settings, repository: str = "", site: str = "") -> None:
    """Write every generated part into a folder.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    settings : Settings
        Its evidence folder is read beside what the package ships.
    repository : str
        Address for links to notebooks and records; empty where it is not known.
    site : str
        Address the book is read at, for the pictures of linked claims; empty where it is not known.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = standings(settings=settings)
    weights = trying.weights(folder.parent / "_static" / "try" / trying.NAME)
    parts = {
        "result": landing.result(found),
        "answer": landing.answer(found, settings),
        "lines": landing.lines(found),
        "map": atlas.page(found),
        "map_alone": f'<div class="map-of-bert">{atlas.picture(found, "map.html")}</div>',
        "surprises": landing.surprises(found, settings),
        "doors": landing.doors(),
        "cite": cite.page(site),
        "model": model_in_words(),
        "scoreboard": scoreboard.table(found),
        "calibration": trust.calibration(),
        "changes": trust.changes(),
        "discovery": trust.discovery(),
        "coverage": coverage.page(),
        "cited": coverage.cited_page(),
        "faults": faults.table(),
        "speed": speed.table(),
        "precision": speed.precision(),
        "scale": speed.scale(),
        "checkout": checkout(repository),
        "colab": colab(),
        "licences": samples.licences(),
        "samples": samples.page(),
        "own_data": own_data.table(folder.parent / "_static" / "own"),
        "models": cards_of_models.page(folder),
        "recipes": recipes.markdown(recipes.table(settings)),
        "own_pieces": recipes.markdown(recipes.own_pieces(settings)),
        "try": trying.page(weights),
        "heads": heads.page(weights),
        "layers": layers.page(),
        "methods_drawn": methods.page(),
        **{f"figure_{name}": svg for name, svg in survey_figures.page().items()},
        "concordance_in_a_line": concordance_page.headline(),
        **{f"concordance_{name}": text for name, text in concordance_page.page().items()},
    }
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text.rstrip() + "\n", encoding="utf-8")
    static = folder.parent / "_static"
    static.mkdir(exist_ok=True)
    (static / "claims.json").write_text(scoreboard.as_json(found), encoding="utf-8")
    (static / "claims.csv").write_text(scoreboard.as_csv(found), encoding="utf-8")
    shutil.copyfile(cite.CITATION, static / cite.CITATION.name)
    archive.write(static, found, (static / "claims.csv", static / "claims.json", *sorted(ledger.LEDGER.glob("*.yaml"))))
    social.draw_book(found, static / "social.png")
    claim_pages.write(folder.parent.parent / "claims", found, repository, site)


def model_in_words() -> str:
    """What the book's model is, in one line from its own files."""
    folder = models.bundled()[BOOK_MODEL]
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    with safe_open(folder / "model.safetensors", framework="numpy") as weights:
        size = sum(prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    return (
        f"[`{BOOK_MODEL}`](models.md) is a small BERT: {config['num_hidden_layers']} layers of hidden size "
        f"{config['hidden_size']}, {size / 1e6:.1f} million parameters (BERT-base has 12 layers and 110 million)."
    )


def checkout(repository: str = "") -> str:
    """Where the commands of the page on running are given, and where that is to be had.

    >>> checkout("https://github.com/example/bert").partition("(")[2].partition(")")[0]
    'https://github.com/example/bert'
    """
    marks = "the folder with `Makefile` and `pyproject.toml`"
    if repository:
        return f"These commands run in a checkout of [this book's repository]({repository}), {marks}."
    return f"These commands run in a checkout of this book's repository, {marks}; this copy does not know its address."


def colab() -> str:
    """What a hosted runtime installs the package from."""
    if bootstrap.ADDRESS:
        return f"The first cell installs `{bootstrap.ADDRESS}`."
    return (
        "This copy of the book has no address to install the package from. `pip wheel --no-deps .` makes a wheel in the "
        "checkout; upload it beside the notebook, and the first cell installs it."
    )
