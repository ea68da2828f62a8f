"""Running one claim imports the modules that name it, and no others: they must name it."""

from __future__ import annotations

import inspect
import subprocess
import sys

from bertology_utils import runs

CLAIM, OTHERS = "syn.agreement.goldberg2019", "bertology_utils.experiments.size"


def test_a_claims_module_names_it():
    modules = {id: inspect.getmodule(inspect.unwrap(claim.experiment)) for id, claim in runs.registered().items()}
    assert [id for id, module in modules.items() if f'"{id}"' not in inspect.getsource(module)] == []


def test_one_claim_brings_its_own_experiment_alone():
    words = f"import sys; from bertology_utils import runs; runs.get({CLAIM!r}); print({OTHERS!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
