"""Students learn from their teacher, modules are replaced, vectors are dropped; each does what it says."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils import Settings
from bertology_utils.compress import drop_layers, elimination, gates, replacing, sizes, students
from bertology_utils.compress.students import Lessons
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import Recipe, classify
from bertology_utils.subject.encode import batches
from bertology_utils.subject.models import load
from tests.subject.packed_networks import write_mpnet

WORDS = ("the dog sleeps", "the cat runs near the tree", "a robin likes keys", "old men run")
ITEMS = [
    Labelled(id=str(k), split="train", text=f"{WORDS[k % 4]} {'. ' * (k % 3)}.", label=str(k % 2)) for k in range(24)
]
RECIPE = Recipe(epochs=3, batch=4, rate=2e-3)
LONG = Recipe(epochs=12, batch=4, rate=2e-3)


@pytest.fixture(scope="module")
def teacher():
    return classify(tiny(), ITEMS, LONG)


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def either(request, teacher, tmp_path_factory):
    """A subject of either kind of layers, and a teacher made of it."""
    if request.param == "bert":
        return tiny(), teacher
    subject = load(str(write_mpnet(tmp_path_factory.mktemp("mpnet") / "model")))
    return subject, classify(subject, ITEMS, RECIPE)


def test_a_student_follows_its_teacher_where_the_labels_are_wrong(teacher):
    wrong = [Labelled(id=i.id, split=i.split, text=i.text, label=str(1 - int(i.label))) for i in ITEMS]
    small, settings = drop_layers(tiny(), [1]), Settings()
    said = teacher.predict(ITEMS, settings)
    assert said == [i.label for i in ITEMS]  # the teacher knows
    taught = students.distil(small, teacher, wrong, LONG, Lessons(share=1.0))
    assert taught.predict(ITEMS, settings) == said
    alone = students.distil(small, teacher, wrong, LONG, Lessons(share=0.0))
    assert alone.predict(ITEMS, settings) == [i.label for i in wrong]


def test_matching_brings_hidden_states_nearer(either):
    subject, teacher = either

    def apart(lessons):
        found = students.distil(drop_layers(subject, [1]), teacher, ITEMS, RECIPE, lessons)
        (batch,) = batches(subject, students.text_rows(subject, ITEMS), 10**6)
        with torch.inference_mode():
            a, b = (students.states(s, batch)[batch.mask.bool()] for s in (found.subject, teacher.subject))
        for held in (found.subject, teacher.subject):  # nobody listens any more
            modules = [m for block in held.layers for m in (block, held.part(block, "attention"))]
            hooks = [h for m in modules for h in (*m._forward_hooks.values(), *m._forward_pre_hooks.values())]
            assert not any(h.__module__.startswith("bertology_utils") for h in hooks)
        return float((torch.nn.functional.normalize(a, dim=-1) - torch.nn.functional.normalize(b, dim=-1)).norm())

    assert apart(Lessons(hidden=20.0, attention=1.0)) < apart(Lessons())


def test_labels_of_unlabelled_texts_are_not_looked_at(teacher):
    other = [Labelled(id=i.id, split=i.split, text=i.text, label=str(1 - int(i.label))) for i in ITEMS]
    small = drop_layers(tiny(), [1])
    found = [students.distil(small, teacher, ITEMS[:8], RECIPE, unlabelled=more[8:]) for more in (ITEMS, other)]
    assert np.array_equal(*(f.logits(ITEMS, Settings()) for f in found))


def test_a_bilstm_learns_what_it_is_told():
    labels = torch.tensor([int(i.label) for i in ITEMS])
    model = students.train_bilstm(tiny(), ITEMS, labels, 2, epochs=40)
    assert students.bilstm_right(model, tiny(), ITEMS, ("0", "1")).mean() > 0.9
    assert sizes.file_bytes(model) > 0


def test_replaced_modules_are_alone_in_the_end(either):
    subject, teacher = either
    before = teacher.logits(ITEMS, Settings())
    found = replacing.replace_modules(subject, teacher, ITEMS, RECIPE, by=3)
    assert len(found.subject.layers) == found.subject.n_layers == 1
    assert not any(isinstance(b, replacing.Replaced) for b in found.subject.layers)
    assert np.array_equal(teacher.logits(ITEMS, Settings()), before)  # the teacher is as it was
    assert sizes.file_bytes(found.subject.base) < sizes.file_bytes(teacher.subject.base)


def fewer(teacher, share):
    return replace(teacher, read=elimination.fewer(share))


def test_with_no_vector_eliminated_the_logits_are_the_classifiers(teacher):
    got = fewer(teacher, 0.0).logits(ITEMS, Settings())
    np.testing.assert_allclose(got, teacher.logits(ITEMS, Settings()), atol=1e-5)


def test_eliminated_vectors_are_gone_from_the_layers_above(teacher):
    widths = []
    handles = [b.register_forward_hook(lambda m, a, out: widths.append(out.shape[1])) for b in teacher.subject.layers]
    try:
        got = fewer(teacher, 1 / 3).logits(ITEMS[:1], Settings())
    finally:
        for handle in handles:
            handle.remove()
    assert widths[0] > widths[1] > widths[2]
    assert not np.allclose(got, teacher.logits(ITEMS[:1], Settings()), atol=1e-6)


def test_padding_does_not_change_what_is_eliminated(teacher):
    together = fewer(teacher, 0.3).logits(ITEMS[:6], Settings(batch_tokens=10**6))
    alone = np.concatenate([fewer(teacher, 0.3).logits([i], Settings()) for i in ITEMS[:6]])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_model_learns_with_fewer_vectors(teacher):
    """Another task than it was tuned on, by what it reads of fewer vectors alone; the model itself stays as it was."""
    before = teacher.logits(ITEMS, Settings())
    turned = [replace(i, label="10"[int(i.label)]) for i in ITEMS]
    again = classify(
        teacher.subject, turned, LONG, head=lambda *_: copy.deepcopy(teacher.head), read=elimination.fewer(0.3)
    )
    assert again.right(turned, Settings()).mean() > 0.9 > fewer(teacher, 0.3).right(turned, Settings()).mean()
    assert np.array_equal(teacher.logits(ITEMS, Settings()), before)


def test_random_vectors_are_other_ones_for_another_seed(teacher):
    first, again, other = (
        replace(teacher, read=elimination.fewer(0.3, seed)).logits(ITEMS, Settings()) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again) and not np.allclose(first, other, atol=1e-6)


def test_more_vectors_than_there_are_cannot_go():
    with pytest.raises(ValueError, match="cannot go"):
        elimination.schedule(3, 0.6)


def test_retention_is_one_of_a_model_with_itself():
    right = np.random.default_rng(0).integers(0, 2, (3, 50))
    value, low, high = sizes.retention(right, right)
    assert value == 1 and low <= 1 <= high


def test_gates_are_pushed_shut_and_the_classifier_is_left_alone(teacher):
    before = teacher.logits(ITEMS, Settings())
    recipe = Recipe(epochs=6, batch=4, rate=1e-3)
    pushed, free = (gates.survival(teacher, ITEMS, recipe, penalty=p) for p in (2.0, 0.0))
    assert pushed.shape == (3, 4) and pushed.mean() < free.mean() - 0.5
    assert np.array_equal(teacher.logits(ITEMS, Settings()), before)  # no hook is left


def test_a_gate_can_be_quite_open_and_quite_shut():
    made = gates.Gates(torch.nn.Linear(2, 2), 1, 3)
    with torch.no_grad():
        made.place[0] = torch.tensor([20.0, 0.0, -20.0]) / gates.FAST
    assert made.eval().draw(0).tolist() == pytest.approx([1.0, 0.5, 0.0])
    drawn = torch.stack([made.train().draw(0) for _ in range(200)])
    assert (drawn[:, 0] == 1).all() and (drawn[:, 2] == 0).all() and 0.2 < drawn[:, 1].mean() < 0.8
