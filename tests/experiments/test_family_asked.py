"""Claims about training asked like any other: from the records, each tier by its data, on a card."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_runs import IDS, SETTINGS

from bertology_utils import runs
from bertology_utils.cards import card
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.family.record import RecordError
from bertology_utils.family.recorded import Recorded
from bertology_utils.settings import Settings


def test_a_claim_about_runs_is_run_from_the_records_and_says_which_is_missing(tmp_path):
    with pytest.raises(RecordError, match="bertology family run 'generated/base'"):
        replace(Recorded.of("builtin"), root=tmp_path).group("base")
    with pytest.raises(RecordError, match="no runs of the family are on elsewhere"):
        Recorded.of("elsewhere")
    with pytest.raises(NotRunnable, match="builtin"):
        runs.run(IDS[0], SETTINGS, data="clams", save=False)
    (found,) = runs.run("trn.hidden_size.wang2019b", SETTINGS, model="no-such-model", save=False).records
    assert (found.model, found.data, found.over_twin) == ("family", "builtin", None)
    assert found.provenance["subject_sha256"] == Recorded.of("builtin").sha256


def test_each_tier_is_asked_by_the_name_of_its_data(tmp_path):
    """A large tier that nobody has trained is refused by its name, not taken for the small one."""
    tiers = {data: replace(Recorded.of(data), root=tmp_path) for data in ("builtin", "corpus", "corpus-large")}
    assert [t.tier.name for t in tiers.values()] == ["generated", "english", "english-large"]
    small, large = (tiers[d].tier.group("base") for d in ("corpus", "corpus-large"))
    assert large[0].config.tokens >= 10 * small[0].config.tokens and len(large) == 5
    with pytest.raises(RecordError, match="bertology family run 'english-large/base'"):
        tiers["corpus-large"].group("base")
    assert not tiers["corpus"].has("a group of another tier") and not tiers["corpus"].has("base")


def test_the_card_of_a_claim_about_runs_shows_them_in_our_column(tmp_path):
    settings = replace(SETTINGS, evidence=tmp_path)
    runs.run("trn.hidden_size.wang2019b", settings)
    said = card("trn.hidden_size.wang2019b", settings)
    assert "OUR RUNS" in repr(said) and "UNTRAINED" not in repr(said)
    shown = said._repr_html_()
    assert "compared with one another" in shown and "slot-mini" in shown and "our pretraining runs" in shown
    assert "mini with random weights" not in shown


def test_a_bug_in_an_experiment_on_recorded_runs_keeps_its_traceback():
    with pytest.raises(AttributeError, match="nothing"):
        runs.run("trn.hidden_size.wang2019b", Settings.of(data="builtin"), experiment=lambda found, *_: found.nothing)
