"""The rule of syn.probe_size.liu2019a is met by what has the property and by nothing else."""

from bertology_utils.calibrate import calibrate
from bertology_utils.settings import Settings


def test_the_rule_cannot_be_fooled():
    trials = calibrate("syn.probe_size.liu2019a", Settings.of(n=400))
    assert {t.role for t in trials} == {"null", "planted"}
    assert [(t.name, t.wrong) for t in trials if t.wrong] == []
