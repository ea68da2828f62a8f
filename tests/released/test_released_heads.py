"""Released results on heads, and real attention maps: the published figures come out, and the known heads are there."""

from __future__ import annotations

import numpy as np
from released_figures import figures
from support import NEEDS_MIRROR
from support import released_rows as rows

from bertology_utils.claims.evidence import find
from bertology_utils.released import attention_maps as maps

pytestmark = NEEDS_MIRROR


def test_clark_relations():
    frame = rows("hed.syntactic.clark2019", "clark2019").set_index(["relation", "measure"])
    published = {"det": 94.3, "obj": 86.8, "poss": 80.5, "pobj": 76.3, "nsubj": 58.5, "amod": 75.6, "prep": 66.7}
    for relation, accuracy in published.items():
        assert round(100 * frame.loc[(relation, "best head"), "value"], 1) == accuracy
    assert frame.loc[("obj", "head - offset"), "low"] > 0.4
    assert frame.loc[("possessive", "head - offset"), "low"] <= 0 <= frame.loc[("possessive", "head - offset"), "high"]
    whole = rows("hed.no_full_tree.clark2019", "clark2019").set_index("measure").value
    assert round(whole["UAS, best head"], 3) == 0.347 and round(whole["best head - best offset"], 2) == 0.08
    assert 0.15 < whole["heads - offsets, each relation its own"] < 0.25
    mixture = rows("hed.combination.hoover2019", "clark2019").set_index("measure").value
    assert mixture["mixture"] == 0.78 and mixture["mixture - best head"] > 0.4


def test_special_tokens_peak_in_turn():
    peaks = {
        study: rows("hed.special_tokens.clark2019", study).set_index(["statistic", "measure"]).value
        for study in ("clark2019", "kovaleva2019")
    }
    depths = [peaks["clark2019"][kind, "depth of the peak"] for kind in ("[CLS]", "[SEP]", ". or ,")]
    assert depths == sorted(depths) and len(set(depths)) == 3
    assert depths[0] < 1 / 3 and 0.25 < depths[1] < 0.85 and depths[2] > 2 / 3
    assert peaks["kovaleva2019"]["[SEP]", "depth of the peak"] > 0.85  # not the middle
    assert peaks["kovaleva2019"]["[SEP]", "peak in the middle - elsewhere"] < 0
    stretches = zip(("[CLS]", "[SEP]", ". or ,"), ("the first third", "the middle", "the last third"))
    assert all(peaks["clark2019"][kind, f"peak in {stretch} - elsewhere"] > 0 for kind, stretch in stretches)


def test_patterns_of_heads():
    frame = rows("hed.patterns.kovaleva2019", "prasanna2020")
    share = frame[frame.measure == "share of maps"]
    by_set = share.groupby(["subject", "maps"]).value.sum()
    assert np.allclose(by_set, 1, atol=0.01)
    assert (share[share["pattern"] == "heterogeneous"].value < 0.4).all()
    assert (share[share["pattern"] == "vertical"].high < 0.2).all()
    by_task = frame[(frame.measure == "share of maps, by task") & (frame.maps == "weights")]
    pretrained = by_task[by_task.subject.str.endswith("pretrained")].set_index("task").value
    assert set(pretrained[pretrained > 0.5].index) == {"QNLI", "QQP", "STS-B"}
    ours = rows("hed.patterns.kovaleva2019", "bertviz notebooks").set_index("measure").value
    assert (
        ours["share of maps with stripes"] > 0.75
    )  # by our classifier, of four inputs: two instruments, not two networks
    records = {r.model: r for r in find("hed.patterns.kovaleva2019") if r.kind == "released"}
    assert {r.label for r in records.values()} == {"related"}
    heavy = figures(rows("hed.heavy_lifters.prasanna2020", "prasanna2020"), "subject", "maps")
    tuned = heavy["bert-base-uncased, fine-tuned", "norms"]
    assert tuned["heterogeneous, survivors"] < min(0.35, tuned["heterogeneous, all heads"])
    assert (
        abs(heavy["bert-base-uncased, fine-tuned", "weights"]["Pearson of a head's entropy and its survival, CoLA"])
        < 0.05
    )


def test_negation_scope_head_transfers_between_data_sets():
    frame = rows("hed.negation_scope.zhao2020", "zhao2020")
    for (subject, data), part in frame.groupby(["subject", "data"]):
        chosen = part[part.measure == "F1, head chosen on the other data"].value.item()
        assert chosen > 2 * part[part.measure == "F1, median head"].value.item(), (subject, data)
        best = part[part.measure == "F1, best head of each run"].set_index("kind")
        assert best.loc["tuned: neg", "low"] > best.loc["tuned: control", "high"]
        gap = part[part.measure == "F1, best head, tuned for negation - for a control"].iloc[0]
        assert gap.low > 0.02 and gap.n == 10


def test_explanation_and_norms():
    tau = rows("hed.explanation_debate.jain2019", "jain2019")
    assert (tau.value < 0.3).all() and (tau[tau.subject == "average"].value.abs() < 0.1).all()
    gain = figures(rows("hed.explanation_debate.jain2019", "Abnar & Zuidema 2020"), "method", "block")["difference"]
    assert [gain[i, "rollout - raw attention"] > 0 for i in range(1, 7)] == [False, False, True, True, True, True]
    share = rows("hed.norms.kobayashi2020", "Kobayashi et al. 2021")
    assert (share[share.measure == "weights - norms"].value > 0.1).all()


def test_trees_from_averaged_attention_stay_below_the_chain():
    frame = rows("syn.no_tree_in_attention.htut2019", "Westera 2019")
    assert (frame[frame.measure == "best layer - undirected chain"].value < 0).all()


def test_real_maps_have_the_known_heads():
    found = maps.attention_maps()
    assert len(found) == 4
    following = np.mean([maps.offset_attention(a, 1) for _, a in found], 0)
    before = np.mean([maps.offset_attention(a, -1) for _, a in found], 0)
    best = [tuple(int(x) for x in np.unravel_index(i, following.shape)) for i in np.argsort(-following, axis=None)[:2]]
    assert sorted(best) == [(2, 0), (2, 9)]
    assert tuple(int(x) for x in np.unravel_index(before.argmax(), before.shape)) == (3, 5)
    sep = np.mean([maps.token_mass(a, tokens, "[SEP]") for tokens, a in found], 0)
    assert (sep[5:] > 0.5).all() and (sep[:3] < 0.5).all()


def test_offset_attention_and_token_mass_on_a_known_map():
    identity = np.broadcast_to(np.eye(4), (1, 2, 4, 4))
    assert (maps.offset_attention(identity, 0) == 1).all() and (maps.offset_attention(identity, 1) == 0).all()
    shifted = np.roll(identity, 1, axis=-1)
    assert (maps.offset_attention(shifted, 1) == 1).all()
    assert maps.token_mass(identity, ["a", "b", "a", "c"], "a").tolist() == [0.5]
