"""Released results on embeddings: the published figures come out."""

from __future__ import annotations

import numpy as np
import pytest
from released_figures import figures
from released_figures import released_rows as rows
from support import NEEDS_MIRROR

from bertology_rescore import scores

pytestmark = NEEDS_MIRROR


def test_anisotropy_and_self_similarity():
    cosine = rows("emb.anisotropy.ethayarajh2019", "ethayarajh2019").query("subject == 'bert-base-cased'")
    curve = cosine[cosine.measure == "mean cosine"].value.tolist()
    assert curve == [0.105, 0.168, 0.219, 0.245, 0.327, 0.377, 0.420, 0.398, 0.399, 0.484, 0.561, 0.675, 0.477]
    assert cosine.low.notna().all() and (cosine[cosine.measure == "mean cosine"].eval("high - low") > 0.17).all()
    steps = cosine[cosine.measure == "change of mean cosine"].set_index("step")
    assert steps.value["lower to upper"] == pytest.approx(np.mean(curve[9:]) - np.mean(curve[:5]))
    assert steps.low["lower to upper"] > 0.1
    words = rows("emb.context_specificity.ethayarajh2019", "ethayarajh2019")
    falls = words[words.step == "lower to upper"].set_index("measure")
    assert falls.high["change of adjusted self-similarity"] < falls.high["change of relative self-similarity"] < -0.1


def test_senses():
    frame = figures(rows("emb.sense_clusters.wiedemann2019", "Loureiro et al. 2021"), "subject", "word")
    assert round(100 * frame["bert-base-uncased", "all", "micro accuracy"], 2) == 95.71
    assert round(100 * frame["bert-base-uncased", "all", "macro accuracy"], 2) == 93.97
    assert frame["bert-base-uncased", "all", "gain over baseline"] > 0.2
    (scored,) = (s for s in scores("emb.sense_clusters.wiedemann2019") if s.release.study == "Loureiro et al. 2021")
    assert scored.release.baselines == ("commonest sense",)
    layers = figures(rows("emb.sense_clusters.wiedemann2019", "Loureiro et al. 2022"), "subject", "task", "layer")
    assert layers["bert-base-uncased", "disambiguation", "best", "best layer"] == 11
    assert layers["bert-base-uncased", "uninformed matching", "best", "best layer"] <= 6


def test_pooling():
    frame = rows("emb.sentence_pooling.toshniwal2020", "jklj077 2019")
    gains = frame[frame.measure == "gain"].set_index(["task", "over"])
    assert gains.low["similarity", "[CLS], last layer"] > 0.1 and gains.high["similarity", "mean, layer 0"] < 0
    assert gains.value["sentiment", "[CLS], last layer"] == pytest.approx((1554 - 1515) / 1821, abs=1e-9)
    plain = rows("emb.sentence_pooling.toshniwal2020", "Reimers & Gurevych 2019")
    assert plain[plain.measure == "gain"].set_index("over").value.round(4).to_dict() == {
        "[CLS], last layer": 0.2985,
        "averaged GloVe vectors": -0.1167,
    }
    assert (
        figures(rows("emb.static_distillation.bommasani2020", "Chronis & Erk 2020"), "set", "prototypes", "layer")[
            "WordSim-353", 1, "best", "best layer"
        ]
        == 0
    )
