"""Attention that is given and sublayers in another order: what they compute, and how such models are kept apart."""

from __future__ import annotations

import json

import pytest
import torch
from support import tiny_folder, write_model
from transformers import BertConfig, BertForPreTraining

from bertology_utils.settings import Settings
from bertology_utils.subject import variants
from bertology_utils.subject.models import ModelUnsuitable, load

SHAPE = {"vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}


def model(attention: str = "learned", sublayers: str = "", implementation: str = "eager") -> BertForPreTraining:
    """A model with the same weights whatever it computes with them."""
    torch.manual_seed(0)
    plain = BertConfig(**SHAPE, attn_implementation=implementation, initializer_range=0.2)
    config = BertConfig(
        **plain.to_diff_dict() | {"attn_implementation": implementation} | variants.mark(attention, sublayers)
    )
    made = BertForPreTraining(config).eval()
    variants.apply(made)
    return made


IDS = torch.randint(5, 60, (3, 9), generator=torch.Generator().manual_seed(1))
MASK = torch.tensor([[1] * 9, [1] * 6 + [0] * 3, [1] + [0] * 8])


def test_uniform_attention_is_the_mean_of_the_row():
    made = model("uniform")
    out = made.bert(IDS, attention_mask=MASK, output_attentions=True, output_hidden_states=True)
    layer = made.bert.encoder.layer[0].attention
    context, maps = layer.self(out.hidden_states[0], None)
    value = layer.self.value(out.hidden_states[0])
    torch.testing.assert_close(context, value.mean(1, keepdim=True).expand_as(value))
    for maps in out.attentions:
        expected = (MASK / MASK.sum(1, keepdim=True))[:, None, None].expand(3, 4, 9, 9)
        torch.testing.assert_close(maps, expected)


def test_preset_heads_look_where_they_should():
    """Row 1 has six pieces; whoever has nothing to look at looks at itself, and padding is never looked at."""
    maps = model("preset").bert(IDS, attention_mask=MASK, output_attentions=True).attentions
    for layer in maps:
        assert layer[1, 0].argmax(-1)[:6].tolist() == [0, 0, 1, 2, 3, 4] and layer[1, 0].max(-1)[0].min() == 1
        assert layer[1, 1].argmax(-1)[:6].tolist() == [1, 2, 3, 4, 5, 5]
        assert (layer[1, 2, :, 0] == 1).all()
        assert (layer[1, :, :6, 6:] == 0).all() and (layer[2, :, 0, 1:] == 0).all()
        torch.testing.assert_close(layer.sum(-1), torch.ones(3, 4, 9))
    assert not torch.allclose(maps[0][:, 3], maps[1][:, 3])  # the last head is the layer's own


def test_broad_contexts_grow_with_the_cube():
    seen = torch.ones(1, 5, dtype=torch.bool)
    left, right = variants.pattern("left", seen)[0], variants.pattern("right", seen)[0]
    torch.testing.assert_close(left[3], torch.tensor([1.0, 8.0, 27.0, 0, 0]) / 36)
    torch.testing.assert_close(right[1], torch.tensor([0, 0, 27.0, 8.0, 1.0]) / 36)
    assert left[0, 0] == right[4, 4] == 1
    torch.testing.assert_close(variants.pattern("current", seen)[0], torch.eye(5))


def test_the_learned_head_is_bert_s():
    plain, made = model(), model("preset")
    a = plain.bert(IDS, attention_mask=MASK, output_attentions=True).attentions[0]
    b = made.bert(IDS, attention_mask=MASK, output_attentions=True).attentions[0]
    torch.testing.assert_close(a[:, 3], b[:, 3])
    assert not torch.allclose(a[:, 0], b[:, 0], atol=0.1)


@pytest.mark.parametrize("order", ["sfsfsf", "ssfsff", "sssfff", "fsfsfs"])
def test_sublayers_are_computed_in_that_order(order):
    made = model(sublayers=order)
    out = made.bert(IDS, attention_mask=MASK, output_hidden_states=True, output_attentions=True)
    mask = torch.zeros(3, 1, 1, 9).masked_fill(MASK[:, None, None] == 0, torch.finfo(torch.float32).min)
    hidden, at, states = out.hidden_states[0], {"s": 0, "f": 0}, [out.hidden_states[0]]
    for n, letter in enumerate(order):
        layer = made.bert.encoder.layer[at[letter]]
        at[letter] += 1
        if letter == "s":
            context, _ = layer.attention.self(hidden, mask.expand(3, 1, 9, 9))
            hidden = layer.attention.output.LayerNorm(layer.attention.output.dense(context) + hidden)
        else:
            hidden = layer.output.LayerNorm(layer.output.dense(layer.intermediate(hidden)) + hidden)
        if n % 2:
            states.append(hidden)
    assert len(out.hidden_states) == 4 and len(out.attentions) == 3
    for one, two in zip(out.hidden_states, states, strict=True):
        torch.testing.assert_close(one[MASK > 0], two[MASK > 0])
    plain = model().bert(IDS, attention_mask=MASK).last_hidden_state
    assert torch.allclose(plain, out.last_hidden_state, atol=1e-5) == (order == "sfsfsf")


@pytest.mark.parametrize(
    ("attention", "order"), [("preset", ""), ("uniform", ""), ("learned", "ssfsff"), ("preset", "ssfsff")]
)
def test_both_kinds_of_masks_give_the_same(attention, order):
    """The boolean mask of fused attention and the additive one; and gradients reach the weights."""
    eager, fused = (model(attention, order, kind) for kind in ("eager", "sdpa"))
    one, two = (m(IDS, attention_mask=MASK).prediction_logits for m in (eager, fused))
    torch.testing.assert_close(one[MASK > 0], two[MASK > 0], atol=1e-5, rtol=1e-5)
    one.sum().backward()
    assert all(layer.attention.self.value.weight.grad.abs().sum() > 0 for layer in eager.bert.encoder.layer)


def folder(path, **told):
    """The tests' tiny model with another configuration."""
    for file in tiny_folder().iterdir():
        if file.is_file():
            (path / file.name).write_bytes(file.read_bytes())
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | told))
    return str(path), config


def test_a_folder_is_loaded_as_what_it_says(tmp_path):
    settings = Settings(device="cpu")
    plain = load(str(tiny_folder()), settings)
    order = "s" * plain.n_layers + "f" * plain.n_layers
    where, _ = folder(tmp_path, **variants.mark("preset", order))
    subject = load(where, settings)
    encoder = subject.base.encoder
    for made in (subject, subject.twin()):
        assert all(isinstance(layer, variants.OrderedLayer) for layer in made.layers)
        assert all(isinstance(layer.attention.self, variants.FixedAttention) for layer in made.layers)
    assert encoder.layer[0].plan[1][1] is encoder.layer[1] and encoder.layer[0].plan[1][0] == "s"
    assert subject.sha256 != plain.sha256 and len(subject.model.state_dict()) == len(plain.model.state_dict())


def test_heads_that_are_not_in_the_weights_leave_the_hash_as_it_is(tmp_path):
    """They are drawn at random; a model is still the same one when it is loaded again, as a detector's encoder is."""
    where = write_model(tmp_path / "headless", mlm=False, nsp=False)
    torch.manual_seed(3)
    drawn = torch.rand(1)
    torch.manual_seed(3)
    one, two = (load(str(where), Settings(device="cpu")) for _ in range(2))
    assert not one.has_mlm and not one.has_nsp and one.sha256 == two.sha256
    assert torch.equal(torch.rand(1), drawn)  # the caller's random state is not moved


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"attention": "sparse", "sublayers": ""}, "attention 'sparse'"),
        ({"attention": "learned", "sublayers": "sf"}, "sublayers 'sf'"),
        ({"attention": "learned", "sublayers": "", "norm": "pre"}, "none that is known"),
        ("preset", "none that is known"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(tmp_path, told, says):
    where, _ = folder(tmp_path, **{variants.MARK: told})
    with pytest.raises(ModelUnsuitable, match=says) as caught:
        load(where, Settings(device="cpu"))
    assert "\n" not in str(caught.value)
