"""Names and sentences for readers."""

from __future__ import annotations

import json
from functools import partial

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.book import studies
from bertology_utils.cards import card, words
from bertology_utils.cards.card import Card
from bertology_utils.cards.standing import Slot, Standing
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.rules import LABELS
from bertology_utils.settings import Settings


def test_the_packages_copy_of_the_bibliography_is_the_bibliography():
    read = studies.read()
    assert json.loads(words.STUDIES.read_text(encoding="utf-8")) == read
    assert not [v for s in read.values() for v in s.values() if "\\" in v or "{" in v]


def test_every_study_of_the_ledger_can_be_cited():
    for row in ledger.rows():
        for key in row.studies:
            assert words.cited(key) != key, key


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mini", "mini"),
        ("mini-untrained", "mini, untrained"),
        ("all-MiniLM-L6-v2-untrained", "MiniLM, untrained"),
        ("bert-large-cased", "BERT large, cased"),
        ("google-bert/bert-base-multilingual-cased", "multilingual BERT base, cased"),
        ("bert-base-uncased, fine-tuned", "BERT base, uncased (fine-tuned)"),
        ("roberta-base", "roberta-base"),
    ],
)
def test_models_are_called_as_people_call_them(name, shown):
    assert words.model_name(name) == shown


def test_every_data_set_of_the_evidence_has_a_name_without_underscores():
    names = {e.data for e in evidence.find(settings=Settings(evidence=evidence.SHIPPED))}
    assert [n for n in names if "_" in words.data_name(n) or "/" in words.data_name(n)] == []


def test_every_outcome_has_a_sign_and_a_colour():
    assert set(words.SIGNS) == set(words.KINDS) == set(LABELS)


def test_figures_without_leading_zero():
    assert [words.share(v) for v in (0.83, -0.05, 1.27, -1.0)] == [".83", "−.05", "1.27", "−1.00"]


def standing(real: str, mini: str, untrained: str) -> Standing:
    made = Standing(ledger.row("syn.agreement.goldberg2019"), ())
    decided = {"decision": object()}
    for name, label in (("real", real), ("mini", mini), ("untrained", untrained)):
        made.__dict__[name] = Slot(label, **decided) if label != "not rerun" else Slot()
    return made


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (("not rerun", "holds, learned", "does not hold"), "an untrained network does not do it: training taught it"),
        (("not rerun", "holds, learned", "holds"), "does it too, but less: training added to it"),
        (("not rerun", "holds, untrained too", "holds"), "the measurement does not need training"),
        (("not rerun", "does not hold", "does not hold"), "For mini it does not hold; an untrained network fails."),
        (("not rerun", "not rerun", "not rerun"), "It was not rerun with mini."),
    ],
)
def test_the_sentence_says_what_the_slots_say(labels, said):
    assert said in words.sentence(standing(*labels))


@pytest.mark.parametrize(
    ("stances", "label", "said"),
    [
        (["supports"], "related", "decide it; related ones support it."),
        (["contradicts", "supports", "", "supports"], "digitised", "related ones support and contradict it."),
        (["qualifies"], "authors", "decide it; related ones qualify it."),  # of a network that is no BERT
        ([""], "related", "No outputs of the real BERT decide it."),
    ],
)
def test_released_outputs_that_decide_nothing_are_not_passed_over(stances, label, said):
    claim = "syn.agreement.goldberg2019"
    row = {"measure": "a measure that no rule asks for", "value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    record = partial(evidence.Evidence, claim=claim, rows=[row])
    records = [
        record(model="elmo", data=f"d{k}", kind="released", label=label, stance=s) for k, s in enumerate(stances)
    ]
    mine = record(model="mini", data="builtin", kind="rerun")
    made = Standing(ledger.row(claim), (mine, *records))
    assert said in words.sentence(made)
    shown = BeautifulSoup(Card(made)._repr_html_(), "html.parser").get_text()
    assert ("related outputs" in shown) == bool(made.related)


def test_what_was_scored_is_called_by_its_name():
    """A hundred and thirty tuned networks are no items, nor are eight tasks."""
    said = {s.row.id: words.sentence(s) for s in shipped_standings() if s.row.id in words.SCORED}
    assert set(said) == set(words.SCORED)
    assert all(f" {words.SCORED[id]}" in text.split(")")[0] for id, text in said.items()), said


def test_what_bears_on_a_claim_is_silent_where_the_real_bert_decides():
    decided = [s for s in shipped_standings() if s.real.decision]
    assert decided and not any(s.related for s in decided)
    assert card("mbt.word_alignment.libovicky2019").standing.related == ("supports",)
