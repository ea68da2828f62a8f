"""What draws a verb's form: known pulls are found again, and the model that has the grammar goes by the subject."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_pretrain import pulls
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import load


@pytest.fixture(scope="module")
def toy():
    return load("toy", Settings.of(device="cpu"))


def values(frame):
    return frame.set_index("measure")["value"]


def test_every_frame_stands_there_in_its_four_numbers(toy):
    items = pulls.items(toy)
    numbers = [(i.meta["subject"], i.meta["other"]) for i in items]
    assert numbers == [(0, 0), (0, 1), (1, 0), (1, 1)] * (len(items) // 4) and len(items) > 400
    assert len({(i.text, i.good) for i in items}) == len(items)  # nothing is asked twice
    assert {i.good for i in items if i.meta["subject"]} == {"are", "were", "have"}
    assert all(i.meta["nouns"][0] != i.meta["nouns"][1] for i in items)


def test_known_pulls_are_found_again(toy, monkeypatch):
    """Margins made of 2 nats of the subject, 0.5 of the nearer noun and 1 for the plural, which is neither."""

    def made(subject, items, settings=None):
        number = np.array([(i.meta["subject"], i.meta["other"]) for i in items]) * 2 - 1
        return (2 * number[:, 0] + 0.5 * number[:, 1] + 1) * number[:, 0]

    monkeypatch.setattr(cloze, "choose", made)
    frame = pulls.rows(toy)
    found = values(frame)
    assert found["pull of the subject"] == pytest.approx(2) and found["pull of the nearer noun"] == pytest.approx(0.5)
    assert found["right where they have not"] == 1
    assert ((frame.low <= frame.value) & (frame.value <= frame.high)).all() and (frame.clusters >= 10).all()


def test_who_goes_by_the_nearest_noun_is_seen_to(toy, monkeypatch):
    monkeypatch.setattr(
        cloze, "choose", lambda subject, items, settings=None: np.array(
            [1.0 if (i.meta["first"] or i.meta["subject"] == i.meta["other"]) else -1.0 for i in items]
        )
    )  # fmt: skip
    found = values(pulls.rows(toy))
    assert found["pull of the subject"] == pytest.approx(0) and found["pull of the nearer noun"] == pytest.approx(1)
    assert found["right where both have the same number"] == 1 and found["right where they have not"] == 0
    assert found["right where they have not, phrase first"] == 1  # there the nearest noun is the subject


def test_who_goes_by_the_first_noun_is_seen_to(toy, monkeypatch):
    """Right behind the subject in every number, wrong where the phrase comes first: the control that such a model fails."""

    def made(subject, items, settings=None):
        return np.array([-1.0 if i.meta["first"] and i.meta["subject"] != i.meta["other"] else 1.0 for i in items])

    monkeypatch.setattr(cloze, "choose", made)
    found = values(pulls.rows(toy))
    assert found["right where they have not"] == 1 and found["right where they have not, phrase first"] == 0


def test_the_model_of_the_generated_language_goes_by_the_subject_and_its_twin_by_neither(toy):
    settings = Settings.of(device="cpu", draws=200)
    learnt = pulls.rows(toy, settings).set_index("measure")
    assert learnt.low["pull of the subject"] > learnt.high["pull of the nearer noun"]
    twin = pulls.rows(toy.twin(), settings).set_index("measure")
    assert abs(twin.value[:2]).max() < 0.1 * learnt.value["pull of the subject"]
