"""Words that the command line does not know, and a Hub that fails: a case for each such row of the table of faults."""

from __future__ import annotations

import fake_hub
from bench import CASES, GAPS, Bench, Said, case
from support import tiny_folder

for _id, _words in {
    "seed-negative": ("--seed", -1),
    "seed-large": ("--seed", 99999999999),
    "device-unknown": ("--device", "abacus"),
    "device-meta": ("--device", "meta"),
    "device-absent": ("--device", "cuda:99"),
    "dtype-unknown": ("--dtype", "float8"),
    "data-unknown": ("--data", "nonsense"),
}.items():
    CASES[_id] = lambda bench, words=_words: bench.run(*words)


@case("n-zero")
def _(bench):
    return bench("run", GAPS, "--n", 0)


@case("n-few")
def _(bench):
    return bench(
        "run", "emb.sense_clusters.wiedemann2019", "--n", 20, "--model", tiny_folder(), "--no-twin", "--no-save"
    )


@case("variable-unknown")
def _(bench):
    bench.patch.setenv("BERTOLOGY_MODLE", "bert-base-uncased")
    return bench.run()


@case("variable-bad")
def _(bench):
    bench.patch.setenv("BERTOLOGY_N", "many")
    return bench("list")


@case("claim-unknown")
def _(bench):
    return bench("run", "syn.agreement.goldberg2018")


for _id, _words in {
    "sentence-no-gap": ("fill", "the dog sleeps"),
    "sentence-empty": ("compare", "the dog sleeps", " "),
    "sentence-alike": ("compare", "the 猫 sleeps", "the 犬 sleeps"),
    "sentence-layer": ("attend", "the dog sleeps", "--layer", 12),
}.items():
    CASES[_id] = lambda bench, words=_words: bench(*words, "--model", tiny_folder())


@case("claim-mistyped")
def _(bench):
    return bench("run", "npis")


@case("mirror-absent")
def _(bench):
    return bench("data", "check", "--mirror", "/nonexistent")


@case("mirror-absent-run")
def _(bench):
    return bench.run("--mirror", "/nonexistent")


@case("section-unknown")
def _(bench):
    return bench("list", "--section", "phonology")


@case("score-unknown")
def _(bench):
    return bench("score", "nobody")


# The Hub


def _asked(bench: Bench, fault: str, name: str = fake_hub.REPO) -> Said:
    with fake_hub.serving(tiny_folder(), bench.folder / "hub", bench.patch, fault):
        return bench.run("--model", name)


for _fault in ("500", "hangs", "cuts"):
    CASES[f"hub-{_fault}"] = lambda bench, fault=_fault: _asked(bench, fault)


@case("hub-404")
def _(bench):
    return _asked(bench, "", "nobody/nothing")
