"""Copying the book's sources to a temporary folder, settling its addresses, and rendering it there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from ..claims import ledger
from .light import lighten

ROOT = Path(__file__).resolve().parents[2]  # of the checkout: the book is built from one, not from a wheel
SOURCES = ("_config.yml", "_toc.yml", "book", "notebooks")
REPOSITORY = "BERTOLOGY_REPOSITORY"  # address of the repository on GitHub
SITE = "BERTOLOGY_SITE"  # address the book is published at
_CLAIMS = "          - glob: claims/*\n"  # in the table of contents
_GITHUB = re.compile(r"^(?:https://|git@|ssh://git@)github\.com[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")


class BookError(RuntimeError):
    """The book could not be built; the message says at what."""


def stage(folder: Path, root: Path = ROOT) -> Path:
    """Copy what the book consists of into an empty folder and settle the configuration there."""
    for name in SOURCES:
        source = root / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("_build", ".ipynb_checkpoints", "_generated", "*.py")
            shutil.copytree(source, folder / name, ignore=ignore)
        elif source.exists():
            shutil.copy2(source, folder / name)
        elif name != "notebooks":
            raise BookError(f"{source} is missing: the book is built from a checkout of the repository")
    config = folder / "_config.yml"
    settled = settle(yaml.safe_load(config.read_text(encoding="utf-8")), repository(root), os.environ.get(SITE, ""))
    config.write_text(yaml.safe_dump(settled, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return folder


def repository(root: Path = ROOT) -> str:
    """Address of the repository on GitHub: from the environment, else from the remote; empty where there is neither.

    Raises
    ------
    BookError
        The environment names something that is no such address.
    """
    given = os.environ.get(REPOSITORY, "").strip()
    if not given:
        asked = subprocess.run(["git", "-C", str(root), "remote", "get-url", "origin"], capture_output=True, text=True)
        given = asked.stdout.strip() if asked.returncode == 0 and _GITHUB.match(asked.stdout.strip()) else ""
    match = _GITHUB.match(given)
    if given and not match:
        raise BookError(f"{REPOSITORY} is {given!r}; it must look like https://github.com/OWNER/NAME")
    return f"https://github.com/{match[1]}/{match[2]}" if match else ""


def addresses(folder: Path, root: Path = ROOT) -> tuple[str, str]:
    """Address of the repository, and of the site as a staged book's configuration has it; empty where not known."""
    config = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf-8"))
    return repository(root), config["html"].get("baseurl") or ""


def settle(config: dict[str, Any], address: str, site: str = "") -> dict[str, Any]:
    """The configuration for a repository and a site: buttons and maps that would lead nowhere are left out.

    Parameters
    ----------
    address : str
        As `repository` gives it; empty: no Colab or repository button.
    site : str
        Where the book will be read; empty: GitHub Pages of the repository, and without one no site map.
    """
    config = {**config, "html": dict(config["html"]), "sphinx": {**config["sphinx"]}}
    match = _GITHUB.match(address)
    if match:
        config["repository"] = {**config["repository"], "url": address}
        config["html"]["use_repository_button"] = True
        site = site or f"https://{match[1].lower()}.github.io/{match[2]}/"
    else:
        config["repository"] = {**config["repository"], "url": ""}
        config.pop("launch_buttons", None)
    if site:
        config["html"]["baseurl"] = site if site.endswith("/") else f"{site}/"
        config["sphinx"]["config"] = {**config["sphinx"]["config"], "ogp_site_url": config["html"]["baseurl"]}
    else:
        asks = ("sphinx_sitemap", "sphinxext.opengraph")  # both need an address to point to
        config["sphinx"]["extra_extensions"] = [e for e in config["sphinx"]["extra_extensions"] if e not in asks]
        kept = {k: v for k, v in config["sphinx"]["config"].items() if not k.startswith(("sitemap_", "ogp_"))}
        config["sphinx"]["config"] = kept
    return config


def render(folder: Path, output: Path) -> Path:
    """Render a staged book with warnings as errors; the folder of the pages.

    Raises
    ------
    BookError
        The builder reported anything, or left no landing page behind; or `output` holds something else than a book.
    """
    if output.exists() and any(output.iterdir()) and not (output / "index.html").is_file():
        raise BookError(f"{output} is not empty and holds no book (no index.html): remove it, or give another folder")
    toc = folder / "_toc.yml"
    files = [f"claims/{row.id}" for row in ledger.rows() if (folder / "claims" / f"{row.id}.md").is_file()]
    claims = "".join(f"          - file: {name}\n" for name in files)  # in the ledger's order
    toc.write_text(toc.read_text(encoding="utf-8").replace(_CLAIMS, claims), encoding="utf-8")
    start = "from jupyter_book.cli.main import main; main()"  # the package cannot be run with -m
    command = [sys.executable, "-c", start, "build", str(folder), "--path-output", str(folder), "--all"]
    quiet = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "NO_COLOR": "1"}
    built = subprocess.run(
        [*command, "-W", "-n", "--keep-going", "-q"],
        capture_output=True,
        text=True,
        env={**os.environ, **quiet},
    )
    pages = folder / "_build" / "html"
    if built.returncode or not (pages / "index.html").is_file():
        raise BookError(f"the book does not build (exit code {built.returncode}):\n{built.stdout}\n{built.stderr}")
    lighten(pages)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(pages, output)
    return output
