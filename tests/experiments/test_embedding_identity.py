"""Token identity: whole at the bottom, gone under the mask, its minimum found on one half and scored on the other."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
from embedding_items import SETTINGS, data
from support import tiny

from bertology_utils.experiments.embeddings import identity
from bertology_utils.runs import registered
from bertology_utils.subject import encode


def test_identity_is_whole_at_the_bottom_and_gone_under_the_mask():
    id = "emb.token_identity.voita2019a"
    rows = registered()[id].experiment(tiny(), data(id, 300), SETTINGS)
    at = rows[(rows.measure == "identity recovered") & (rows.layer == 0)].set_index(["decoder", "token"]).value
    assert at["linear", "kept"] > 0.85, "an embedding is its token's"
    assert at["linear", "masked"] < 0.5 and at["linear", "replaced"] < 0.1, "a false input names another token"


def test_a_planted_dip_is_found_on_one_half_and_scored_on_the_other():
    right = np.ones((3, 3, 200, 5))
    right[:, :, :, 2] = np.arange(200)[None, None] % 4 < 1
    dev, groups = np.arange(200) % 2 == 0, {"text": np.arange(200)}
    rows = pd.DataFrame(identity._rows(right, dev, groups, SETTINGS))
    gaps = rows[rows.measure.isin(["bottom less minimum", "top less minimum"])]
    assert set(gaps.layer) == {2} and (gaps.low > 0.3).all() and len(gaps) == 2 * len(identity.DECODERS)
    flat = pd.DataFrame(identity._rows(np.ones((3, 3, 200, 5)), dev, groups, SETTINGS))
    assert (flat[flat.measure == "top less minimum"].value == 0).all()


def test_average_precision():
    scores = np.array([[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]])
    relevant = np.array([[True, True, False, False]] * 2)
    np.testing.assert_allclose(identity.average_precision(scores, relevant), [1, (1 / 3 + 2 / 4) / 2])


def test_disturbed_queries():
    subject = tiny()
    (row,) = encode.tokenize(subject, [("the", "dog", "walked", "unable")])
    whole = identity._single(row)
    assert [subject.tokenizer.convert_ids_to_tokens(q.token) for q in whole] == ["the", "dog"], "one piece only"
    types = [q.token for q in whole]
    masked = identity._disturb(subject, whole[1], "masked", types, random.Random(0))
    replaced = identity._disturb(subject, whole[1], "replaced", types, random.Random(0))
    assert masked.row.ids[whole[1].at] == subject.tokenizer.mask_token_id and masked.token == whole[1].token
    assert replaced.row.ids[whole[1].at] == whole[0].token
    assert sum(a != b for a, b in zip(masked.row.ids, row.ids)) == 1
