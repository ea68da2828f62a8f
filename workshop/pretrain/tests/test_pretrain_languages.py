"""Several languages in one run: how they are written, what stands beside a sentence, what is kept while one is learnt."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from bertology_pretrain import ConfigError, beside, corpus, generated_languages, instances, languages, load_config
from bertology_pretrain.family import languages as measuring
from bertology_pretrain.loop import Run
from bertology_pretrain.parallel import join
from bertology_pretrain.step import build
from bertology_pretrain.text import CorpusError
from bertology_utils.family import grid
from bertology_utils.family.config import FIRST_PIECE, Phase
from bertology_utils.family.reading import from_plain

VOCAB = 400
BASE = load_config(
    "tiny", pair="none", vocab=VOCAB, alphabet=60, layouts=(("*", "line"),), held_out=0.1, eval_length=16,
    phases=(Phase(length=16, share=1.0),), short_share=0.0, batch_tokens=256, tokens=2_000, exports=0,
    languages="eng deu", final_predictions=50, eval_predictions=50,
)  # fmt: skip
SWAP = replace(BASE, own_pieces=1.0, body="frozen", phases=(Phase(length=16, share=0.5), Phase(length=16, share=0.5)))


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    folder = tmp_path_factory.mktemp("languages")
    back = set()
    for file in ("eng", "deu", "eng-b", "eng-p", "deu-p"):
        lines = list(generated_languages.lines(file, 300, back))
        (folder / "text").mkdir(exist_ok=True)
        (folder / "text" / f"{file}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def read(text):
    return lambda config: corpus.load(text / "text", config, text / "cache")


def sentences_of(found, group):
    bounds = found.sentences
    return [
        found.tokens[bounds[s] : bounds[s + 1]].tolist()
        for d in np.flatnonzero(found.groups == group)
        for s in range(found.documents[d], found.documents[d + 1])
    ]


def test_the_second_language_has_pieces_of_its_own_and_may_be_turned_round(read):
    plain, own = read(BASE), read(replace(BASE, own_pieces=1.0))
    turned = read(replace(BASE, own_pieces=1.0, inverted=True))
    assert sentences_of(plain, 0) == sentences_of(own, 0) == sentences_of(turned, 0)
    shifted = [[p + VOCAB - FIRST_PIECE for p in s] for s in sentences_of(plain, 1)]
    assert sentences_of(own, 1) == shifted
    assert sentences_of(turned, 1) == [s[::-1] for s in shifted]
    assert not set(own.tokens[: own.sentences[own.documents[300]]]) & set(
        own.tokens[own.sentences[own.documents[300]] :]
    )
    assert own.tokens.max() < replace(BASE, own_pieces=1.0).symbols == 2 * VOCAB - FIRST_PIECE


def test_a_share_of_the_pieces_may_be_its_own(read):
    half, none = replace(BASE, own_pieces=0.5), read(BASE)
    chosen = languages.own(half)
    assert not chosen[:FIRST_PIECE].any() and chosen.sum() == pytest.approx((VOCAB - FIRST_PIECE) / 2, abs=1)
    assert (languages.own(replace(BASE, own_pieces=1.0))[FIRST_PIECE:]).all() and not languages.own(BASE).any()
    shifted = np.where(chosen[none.tokens], none.tokens + VOCAB - FIRST_PIECE, none.tokens)
    german = none.sentences[none.documents[300]]
    assert (read(half).tokens[german:] == shifted[german:]).all() and 0.2 < (shifted != none.tokens)[
        german:
    ].mean() < 0.8


def test_runs_on_some_languages_have_the_pieces_and_held_out_sentences_of_runs_on_more(read):
    two, other, half = read(BASE), read(replace(BASE, languages="eng-b eng")), read(replace(BASE, part=0.5))
    assert sentences_of(two, 0) == sentences_of(other, 1)
    assert [f["name"] for f in other.files] == ["eng-b.txt", "eng.txt"]
    assert (two.held[two.groups == 0] == other.held[other.groups == 1]).all()
    assert half.held.sum() == two.held.sum() and (~half.held).sum() == pytest.approx((~two.held).sum() / 2, abs=2)
    with pytest.raises(CorpusError, match="no file of the text is called fra"):
        read(replace(BASE, languages="eng fra"))


def test_a_part_of_a_text_is_the_beginning_of_each_file(read):
    whole, half = read(replace(BASE, languages="")), read(replace(BASE, languages="", part=0.5))
    assert [f["name"] for f in half.files] == [f["name"] for f in whole.files]
    for group in np.unique(whole.groups):
        of, some = (sentences_of(c, group) for c in (whole, half))
        kept = np.flatnonzero(~whole.held[whole.groups == group])
        assert some[0] == of[0] and len(of) > len(some) > len(of) / 4
        assert (~half.held[half.groups == group]).sum() == round(len(kept) / 2)
    assert half.held.sum() == whole.held.sum()


def test_type_ids_tell_the_language_or_nothing(read):
    given = replace(BASE, language_ids=True)
    found = read(given)
    rows = torch.from_numpy(instances.plan(found, np.arange(len(found.held)), 16, given, instances.generator(0)))
    types = languages.Layout(given, found, torch.device("cpu"))(rows, torch.zeros(len(rows), 16, dtype=torch.int64))[0]
    german = rows[:, 0].numpy() >= found.sentences[found.documents[300]]
    assert (types.numpy() == german[:, None]).all() and 0 < german.mean() < 1
    assert build(replace(given, languages="eng deu eng-b")).config.type_vocab_size == 3


def test_positions_begin_again_in_the_second_segment(read):
    reset = replace(BASE, languages="eng-p deu-p", beside="translation", reset_positions=True)
    rows = torch.tensor([[0, 3, 10, 4, 0]])
    types, at = languages.Layout(reset, read(reset), torch.device("cpu"))(rows, torch.ones(1, 10, dtype=torch.int64))
    # [CLS] a a a [SEP] b b b b [SEP]
    assert at.tolist() == [[0, 1, 2, 3, 4, 1, 2, 3, 4, 5]] and not types.any()
    plain = languages.Layout(replace(reset, reset_positions=False), read(reset), torch.device("cpu"))
    assert plain(rows, types)[1] is None


def test_beside_a_sentence_stands_its_translation_or_another_of_its_language(read):
    config = replace(BASE, languages="eng-p deu-p", beside="translation")
    found = read(config)
    documents = np.flatnonzero(~found.held)
    number = {int(b): k for k, b in enumerate(found.sentences[:-1])}
    for kind in ("translation", "another"):
        rows = beside.rows_of(found, documents, 48, replace(config, beside=kind), instances.generator(0))
        a, b = ([number[int(x)] for x in rows[:, k]] for k in (0, 2))
        assert len(rows) == (~found.held[:300]).sum() // (1 if kind == "translation" else 2) * (
            1 if kind == "translation" else 2
        )
        if kind == "translation":
            assert all(abs(x - y) == 300 for x, y in zip(a, b)) and 0.3 < np.mean(np.array(a) < 300) < 0.7
        else:
            assert all((x < 300) == (y < 300) and x != y for x, y in zip(a, b))
        assert not {d % 300 for d in a + b} & set(np.flatnonzero(found.held) % 300)
    rows = beside.rows_of(found, documents, 48, replace(config, beside="either"), instances.generator(0))
    translated = [abs(number[int(x)] - number[int(y)]) == 300 for x, y in rows[:, [0, 2]]]
    assert 0.3 < np.mean(translated) < 0.7
    with pytest.raises(CorpusError, match="no translations"):
        beside.rows_of(found, documents[:-1], 48, config, instances.generator(0))


def test_a_new_language_learns_its_embeddings_and_nothing_else(read, tmp_path):
    run = Run(SWAP, read(SWAP), tmp_path, join("cpu"), resume=False)
    while run.phase == 0:
        before = {n: p.detach().clone() for n, p in run.model.named_parameters()}
        run.advance()
    first = {n: p.detach().clone() for n, p in run.model.named_parameters()}
    assert any(not torch.equal(before[n], first[n]) for n in first)
    # the step that crossed over has already learnt from the second language: take the next ones
    run.save()
    for _ in range(3):
        run.advance()
    changed = {n for n, p in run.model.named_parameters() if not torch.equal(p, first[n])}
    assert changed == {"bert.embeddings.word_embeddings.weight", "cls.predictions.bias"}
    table = run.model.bert.embeddings.word_embeddings.weight
    moved = (table != first["bert.embeddings.word_embeddings.weight"]).any(1)
    assert moved[VOCAB:].any() and not moved[:VOCAB].any()
    again = Run(SWAP, read(SWAP), tmp_path, join("cpu"), resume=True)
    for _ in range(3):
        again.advance()
    assert again.order == run.order
    assert torch.equal(again.model.bert.embeddings.word_embeddings.weight, table), "taken up again, it ends the same"


def test_with_a_random_body_the_first_language_too_learns_its_embeddings_alone(read, tmp_path):
    config = replace(SWAP, body="random")
    run = Run(config, read(config), tmp_path, join("cpu"), resume=False)
    first = {n: p.detach().clone() for n, p in run.model.named_parameters()}
    run.advance()
    changed = {n for n, p in run.model.named_parameters() if not torch.equal(p, first[n])}
    assert changed == {"bert.embeddings.word_embeddings.weight", "cls.predictions.bias"}
    table = run.model.bert.embeddings.word_embeddings.weight
    moved = (table != first["bert.embeddings.word_embeddings.weight"]).any(1)
    assert moved[:VOCAB].any() and not moved[VOCAB:].any()


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"languages": "eng", "own_pieces": 1.0}, "own_pieces is for two languages"),
        ({"pair": "nsp"}, "for pair 'none'"),
        ({"part": 0.0}, "part 0.0"),
        ({"reset_positions": True}, "something beside"),
        ({"beside": "translation", "language_ids": True}, "rows of one language"),
        ({"body": "frozen"}, "two phases"),
        ({"beside": "nonsense"}, "is none of nothing"),
    ],
)
def test_what_contradicts_itself_is_refused(changes, why):
    with pytest.raises(ConfigError, match=why):
        load_config(BASE, **changes)


def test_records_of_runs_without_languages_say_nothing_of_them():
    plain = grid.tiers()["generated"].group("base")[0].config
    assert not {"languages", "multilingual", "part", "own_pieces", "beside", "body"} & plain.as_dict().keys()
    assert from_plain(SWAP.as_dict()) == SWAP and SWAP.as_dict()["body"] == "frozen"


def test_files_say_other_things_but_two_and_none_what_is_asked():
    said = {file: list(generated_languages.propositions(file, 400, set())) for file in generated_languages.FILES}
    assert said["eng-p"] == said["deu-p"]
    others = [set(said[file]) for file in generated_languages.FILES if file != "deu-p"]
    assert all(len(a & b) < 0.2 * len(a) for a, b in itertools.combinations(others, 2))
    back = set(said["eng"][::2])
    assert not back & set(generated_languages.propositions("eng", 400, back))


def test_what_goes_together_is_said_more_often_and_in_every_language():
    together, apart = [], []
    for p in generated_languages.propositions("fin", 400, set()):
        (together if generated_languages._together(p.subject.noun, p.verb) == 1 else apart).append(p)
    assert len(together) > 4 * len(apart) > 0
    assert {generated_languages._together(*pair) for pair in (("king", "see"), ("cat", "see"), ("dog", "see"))} <= {
        0.1,
        1,
    }


@pytest.fixture
def reader(read, text, monkeypatch):
    """A model made by hand that reads English and English in pieces of its own."""
    from transformers import PreTrainedTokenizerFast

    monkeypatch.setattr(measuring, "PAIRS", 60)
    monkeypatch.setattr(measuring, "DEV", 20)
    monkeypatch.setattr(measuring, "TREEBANK", {"train": 40, "dev": 10, "test": 20})
    config = replace(BASE, languages="eng eng-b", own_pieces=1.0)
    torch.manual_seed(0)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=read(config).tokenizer)
    return measuring.Reader(build(config).eval(), tokenizer, config)


def alike(reader):
    """Give each word the same embedding in both languages."""
    table = reader.model.bert.embeddings.word_embeddings.weight
    with torch.no_grad():
        table[VOCAB:] = table[FIRST_PIECE:VOCAB]


def share(text):
    return text.count("1") / len(text)


def test_a_model_with_the_same_vectors_for_both_languages_translates_and_one_without_does_not(reader):
    before, probed = measuring.retrieval(reader), measuring.probes(reader)
    assert share(before["retrieval"]["to"]) < 0.2 and share(before["words"]) < 0.2
    assert before["retrieval"]["chance"] == 1 / 40 == 1 / len(before["retrieval"]["to"])
    alike(reader)
    after, told = measuring.retrieval(reader), measuring.probes(reader)
    assert share(after["retrieval"]["to"]) == share(after["retrieval"]["back"]) == share(after["words"]) == 1
    assert told["transfer"] == told["own"] and sum(probed["transfer"]["right"]) < sum(told["transfer"]["right"])
    assert sum(told["own"]["right"]) > 0.8 * sum(told["own"]["n"])


def test_a_language_turned_round_is_read_as_it_was_written(reader):
    turned = replace(reader, config=replace(reader.config, inverted=True))
    from bertology_world import multilingual

    sentences = [i.sentences["eng"] for i in multilingual.translations(3, 0)]
    (straight, owners), (back, others) = reader.pieces(sentences, 1), turned.pieces(sentences, 1)
    assert all((a == b[::-1]).all() for a, b in zip(straight, back))
    assert all((a == b[::-1]).all() for a, b in zip(owners, others))


def test_held_out_losses_are_those_of_a_fair_die_for_a_model_that_knows_nothing(reader, read):
    with torch.no_grad():
        reader.model.cls.predictions.decoder.weight.zero_()
        reader.model.cls.predictions.bias.zero_()
    told = measuring.losses(reader, read(reader.config))
    for sums in told.values():
        assert sum(sums["loss"]) / sum(sums["n"]) == pytest.approx(np.log(reader.config.symbols), rel=1e-3)
        assert sum(sums["unigram"]) < sum(sums["loss"])
    assert set(told) == {"eng", "eng-b"}
