"""Released results of multilingual models: figures counted again from the files, and what the claims make of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from picked import value
from released_figures import outcomes, table_rows
from released_figures import released_rows as frame
from support import NEEDS_MIRROR

from bertology_rescore import crosslingual, scores
from bertology_utils.claims import ledger

pytestmark = NEEDS_MIRROR


def test_xnli_is_above_a_third_in_every_language():
    rows = frame("mbt.zero_shot.pires2019", "wang2020b")
    (table,) = [r for r in table_rows("readme_tables/microsoft__unilm_minilm", "xnli.csv") if r["model"] == "mBERT"]
    part = rows[rows.measure == crosslingual.MEASURE].set_index("language")
    assert len(part) == 14 and (part.low > 0.15).all()
    for code in ("sw", "zh", "es"):
        assert part.value[code] == pytest.approx(float(table[code]) / 100 - 1 / 3, abs=1e-4)
    assert set(part[part.script == "other"].index) == {"el", "bg", "ru", "ar", "th", "zh", "hi", "ur"}
    for study, case in (("wang2020b", "cased"), ("devlin2019", "uncased")):
        found = outcomes("mbt.zero_shot.pires2019", study, f"bert-base-multilingual-{case}")
        assert found == {"transfer": "holds", "scripts": "holds"}


def test_a_tagger_transfers_best_within_a_branch():
    table = {r["src"]: r for r in table_rows("pires_like_npfl120", "pud_pos_zero_shot.csv")}
    names = [n for n in table if n != "zh"]
    mutual = {(a, b): (float(table[a][b]) + float(table[b][a])) / 200 for a, b in itertools.combinations(names, 2)}
    groups = ({"de", "en", "sv"}, {"es", "fr", "it", "pt"}, {"cs", "ru"})
    within = {pair for pair in mutual if any(set(pair) <= g for g in groups)}
    assert len(mutual) == 78 and len(within) == 10
    gap = np.mean([mutual[p] for p in within]) - np.mean([v for p, v in mutual.items() if p not in within])
    rows = frame("mbt.typology.pires2019", "toni5rovic/npfl120")
    assert value(rows, "accuracy, same branch - other") == pytest.approx(gap)
    r = np.corrcoef(list(mutual.values()), [p in within for p in mutual])[0, 1]
    assert value(rows, "Mantel correlation with branch") == pytest.approx(r)
    pairs = frame("mbt.zero_shot.pires2019", "toni5rovic/npfl120")
    least = min(float(table[a][b]) for a in names for b in names if a != b) / 100
    assert value(pairs, "least zero-shot accuracy") == pytest.approx(least)


def test_a_permuted_matrix_correlates_with_itself_alone():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((12, 12))
    same = np.kron(np.eye(3), np.ones((4, 4)))
    assert crosslingual.mantel(noise + noise.T, same, draws=200)[1] > 0.05
    assert crosslingual.mantel(same + 0.1 * (noise + noise.T), same, draws=200)[1] < 0.01


def test_agreement_by_language_and_pooled():
    printed, read = (s for s in scores("mbt.agreement.bacon2019"))
    assert (printed.release.label, read.release.label) == ("related", "digitised")
    assert value(printed.rows, "accuracy, languages pooled", kind="all") == pytest.approx(0.942675, abs=1e-5)
    found = {
        r["language"]: float(r["accuracy_digitised"])
        for r in table_rows("bacon_regier2019_agreement", "accuracy_by_language_digitised.csv")
    }
    assert min(found, key=found.get) == "Persian" and len(found) == 26
    rows = read.rows[read.rows.measure == "accuracy by language"].set_index("language")
    assert rows.value.to_dict() == pytest.approx(found, abs=1e-3) and (rows.low > 0.55).all()
    mean = np.mean([v for k, v in found.items() if k != "English"])
    assert value(read.rows, "accuracy, mean over languages") == pytest.approx(mean)
    assert rows.subject["English"] == "bert-base, English"


def test_names_of_languages_and_alignments():
    rows = frame("mbt.language_identity.libovicky2019", "Gonen et al. 2020")
    table = table_rows("gonen2020_mbert_language", "translator_langs.csv")
    named = [float(r["acc1"]) for r in table]
    assert len(named) == 47
    assert value(rows, "language named", among="first 1") == pytest.approx(sum(named) / 47)
    assert value(rows, "share of languages never named") == pytest.approx(
        sum(float(r["acc10"]) == 0 for r in table) / 47
    )
    leads = frame("mbt.word_alignment.libovicky2019", "Jalili Sabet et al. 2020")
    assert value(leads, "alignment F1, mBERT - fast-align") == pytest.approx(np.mean([9, 10, 21, 10, 17, -3]) / 100)
    assert value(leads, "alignment F1, mBERT - eflomal") == pytest.approx(np.mean([2, 4, 4, 1, 3, -7]) / 100)


def test_more_languages_hurt_and_pairs_help_in_the_tables_of_xlm():
    few = frame("mbt.more_languages.artetxe2019", "lample2019")
    name = "XNLI accuracy, 17 - 100 languages"
    assert value(few, name) == pytest.approx(np.mean([1.1, 2.8, 2.6, 4.1, 3.3]) / 100)
    assert (few.value > 0).all() and value(few, name, "low") > 0
    chinese = frame("mbt.more_languages.artetxe2019", "devlin2019")
    assert value(chinese, "XNLI accuracy, one language - many") == pytest.approx(0.03, abs=2e-4)
    pairs = frame("mbt.tlm.lample2019", "lample2019")
    assert value(pairs, "XNLI accuracy, TLM - MLM") == pytest.approx(np.mean([1.8, 2.6, 3.6, 4.6, 4.6, 3.9]) / 100)
    assert outcomes("mbt.tlm.lample2019", "lample2019", "xlm-15") == {"helps": "holds"}


def test_no_two_records_of_a_claim_would_lie_in_one_file():
    for row in (*ledger.rows("size"), *ledger.rows("mbert")):
        places = [(subject, s.release.folder) for s in scores(row.id) for subject in s.rows.subject.unique()]
        assert len(places) == len(set(places)), row.id


@pytest.mark.parametrize("row", [r for r in ledger.rows("mbert")], ids=lambda r: r.id)
def test_what_decides_nothing_says_so(row):
    names = {t.measure for c in row.clauses for t in c.tests}
    for s in scores(row.id):
        if names.isdisjoint(s.rows.measure):
            assert "decide" in s.release.note and "nothing here" in s.release.note, s.release.study
