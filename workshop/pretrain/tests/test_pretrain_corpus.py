"""From text files to pieces: layouts, sentences, held-out documents, the vocabulary and the cache."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
import torch
import yaml
from pretrain_corpus import configuration, write
from tokenizers import Tokenizer

from bertology_pretrain import ConfigError, CorpusError, load_config, names, rates, text, wordpiece
from bertology_pretrain import corpus as corpora
from bertology_pretrain.step import build
from bertology_utils.provenance import sha256


def test_sentences_end_where_they_do():
    assert text.sentences('Mr. J. Smith came. "Why?" she said. He left!') == [
        "Mr. J. Smith came.",
        '"Why?" she said.',
        "He left!",
    ]
    assert text.sentences("In the U.S. Army, etc. he rose. Then he fell... and rose. 5 more") == [
        "In the U.S. Army, etc. he rose.",
        "Then he fell... and rose.",
        "5 more",
    ]
    assert text.sentences("起初，神创造天地。地是空虚混沌。「好！」他说。") == [
        "起初，神创造天地。",
        "地是空虚混沌。",
        "「好！」",
        "他说。",
    ]
    assert text.sentences("राम गया। सीता आई।") == ["राम गया।", "सीता आई।"]
    assert text.sentences("   ") == []


def test_blank_lines_part_documents(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n\nOne. Two.\nThree.\n\n\nFour.\n", "utf-8")
    assert [d.sentences for d in text.documents(path, "blank")] == [["One.", "Two.", "Three."], ["Four."]]
    assert [d.sentences for d in text.documents(path, "line")] == [["One.", "Two."], ["Three."], ["Four."]]


def test_compressed_files_read_the_same(tmp_path):
    plain = write(tmp_path / "a.txt")
    with lzma.open(tmp_path / "b.txt.xz", "wt", encoding="utf-8") as stream:
        stream.write(plain.read_text("utf-8"))
    assert list(text.documents(plain, "blank")) == list(text.documents(tmp_path / "b.txt.xz", "blank"))


def test_verses_are_sentences_and_chapters_documents(tmp_path):
    path = tmp_path / "bible.txt"
    path.write_text("one. two\n\nthree\nfour\n\n\n", "utf-8")
    ids = tmp_path / "verse_ids.txt"
    ids.write_text("GEN.1.1\nGEN.1.2\nGEN.2.1\nGEN.2.2\nEXO.1.1\nEXO.1.2\n", "utf-8")
    found = list(text.documents(path, "verse"))
    assert [(d.key, d.sentences) for d in found] == [("GEN.1", ["one. two"]), ("GEN.2", ["three", "four"])]
    ids.write_text("GEN.1.1\n", "utf-8")
    with pytest.raises(CorpusError, match=r"bible\.txt has 6 lines, verse_ids\.txt has 1"):
        list(text.documents(path, "verse"))
    ids.unlink()
    path.write_text("verse\n" * 60, "utf-8")
    assert [len(d.sentences) for d in text.documents(path, "verse")] == [25, 25, 10]


def test_files_are_found_in_one_order_and_missing_ones_named(tmp_path):
    for name in ("b.txt", "a.txt", "ids.txt", "c.md"):
        (tmp_path / name).write_text("x", "utf-8")
    assert [f.name for f in text.find(tmp_path, ("*ids.txt*",))] == ["a.txt", "b.txt"]
    assert text.find([tmp_path / "b.txt", tmp_path]) == text.find(tmp_path)
    with pytest.raises(CorpusError, match=r"no such file or folder: .*nowhere"):
        text.find(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match=r"no \.txt or \.txt\.xz file"):
        text.find(tmp_path, ("*",))
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(CorpusError, match=r"bad\.txt"):
        list(text.lines(tmp_path / "bad.txt"))


def test_a_corpus_is_the_files_pieces_in_order(tmp_path):
    path, config = write(tmp_path / "a.txt"), configuration()
    made = corpora.load(path, config, tmp_path / "cache")
    documents = list(text.documents(path, "blank"))
    assert len(made.held) == len(documents) and made.held.sum() == sum(
        text.is_held_out(d.key, config.held_out) for d in documents
    )
    assert len(made.sentences) - 1 == sum(len(d.sentences) for d in documents)
    for i in (0, len(documents) // 2, len(documents) - 1):
        first = made.documents[i]
        for k, sentence in enumerate(documents[i].sentences):
            a, b = made.sentences[first + k : first + k + 2]
            assert made.tokens[a:b].tolist() == made.tokenizer.encode(sentence, add_special_tokens=False).ids
    assert made.files[0]["pieces"] == len(made.tokens) and made.files[0]["documents"] == len(documents)
    assert made.files[0]["sha256"] == sha256(path)
    assert not np.isin(made.tokens, [wordpiece.PAD, wordpiece.CLS, wordpiece.SEP, wordpiece.MASK]).any()


def test_the_cache_is_used_again_and_knows_its_inputs(tmp_path, monkeypatch):
    path, config, cache = write(tmp_path / "a.txt"), configuration(), tmp_path / "cache"
    one = corpora.load(path, config, cache)
    with monkeypatch.context() as patch:
        patch.setattr(corpora, "_build", None)
        two = corpora.load(path, config, cache)
    assert np.array_equal(one.tokens, two.tokens) and one.tokenizer.to_str() == two.tokenizer.to_str()
    corpora.load(path, configuration(seed=3, learning_rate=1.0), cache)
    assert len(list((cache / "pretrain").iterdir())) == 1  # neither matters to the pieces
    corpora.load(path, configuration(vocab=280), cache)
    path.write_text(path.read_text("utf-8") + "\n\nbada bado.", "utf-8")
    corpora.load(path, config, cache)
    assert len(list((cache / "pretrain").iterdir())) == 3


def test_a_broken_off_build_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "_tidy", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        corpora.load(write(tmp_path / "a.txt"), configuration(), tmp_path / "cache")
    assert list((tmp_path / "cache" / "pretrain").iterdir()) == []


def test_held_out_documents_are_chosen_by_their_text_and_unknown_to_the_vocabulary(tmp_path):
    keys = [f"document {i}" for i in range(20_000)]
    held = sum(text.is_held_out(k, 0.1) for k in keys)
    assert abs(held - 2000) < 4.5 * (20_000 * 0.09) ** 0.5
    assert all(text.is_held_out(k, 0.2) for k in keys if text.is_held_out(k, 0.1))

    path, config = write(tmp_path / "a.txt", documents=100), configuration()
    documents = [d.sentences for d in text.documents(path, "blank")]
    secret = next(f"xqx {i}." for i in range(1000) if text.is_held_out(" ".join(["xqx xqx", f"xqx {i}."]), 0.1))
    documents.append(["xqx xqx " + secret])
    path.write_text("\n\n".join(" ".join(d) for d in documents), "utf-8")
    made = corpora.load(path, config, tmp_path / "cache")
    assert made.held[-1]
    assert not any("x" in piece or "q" in piece for piece in made.tokenizer.get_vocab() if piece[0] != "[")
    assert (made.tokens[made.sentences[-2] :] == wordpiece.UNK).any()


def test_the_vocabulary_is_the_same_in_every_training_and_in_bert_s_form(tmp_path):
    sentences = [s for d in text.documents(write(tmp_path / "a.txt"), "blank") for s in d.sentences]
    config = configuration()
    one, two = wordpiece.train(sentences, config), wordpiece.train(sentences, config)
    assert one.to_str() == two.to_str() and one.get_vocab_size() == config.vocab
    assert [one.token_to_id(s) for s in wordpiece.SPECIAL] == [0, 1, 2, 3, 4]
    pair = one.encode("Bada", "bado!")
    assert pair.ids[0] == wordpiece.CLS and pair.ids[-1] == wordpiece.SEP
    assert set(pair.type_ids[: pair.ids.index(wordpiece.SEP) + 1]) == {0} and pair.type_ids[-1] == 1
    assert one.encode("BÄDA").ids == one.encode("bada").ids  # lower-case, accents stripped
    with pytest.raises(CorpusError, match=r"yields \d+ pieces, the configuration 'tiny' asks for 5000"):
        wordpiece.train(sentences[:50], configuration(vocab=5000))


def test_the_alphabet_is_the_commonest_characters():
    config = configuration(alphabet=4, lowercase=False, strip_accents=False)
    first, inside = wordpiece.alphabet(["aaab bbc cc. 中中中 d"], config)
    assert first == sorted(["a", "b", "c", "中"]) and inside == ["##a", "##b", "##c"]  # ideographs stand alone


@pytest.mark.parametrize("name", names())
def test_the_configurations_of_the_package_are_sound(name):
    config = load_config(name)
    assert config.name == name and sum(p.share for p in config.phases) == pytest.approx(1)
    assert config.digest() == load_config(name).digest()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"heads": 5}, "heads 5"),
        ({"phases": [{"length": 16, "share": 0.5}]}, "shares"),
        ({"phases": []}, "phases"),
        ({"phases": [{"length": 999, "share": 1}]}, "length 999"),
        ({"phases": [{"length": 16, "share": 1, "layers": 1}]}, r"layers \[1\]"),
        ({"phases": [{"lenght": 16, "share": 1}]}, "lenght"),
        ({"batch_tokens": 20}, "batch_tokens"),
        ({"eval_length": 999}, "eval_length 999"),
        ({"vocab": 70_000}, "vocab 70000"),
        ({"mask_rate": 1.5}, "mask_rate"),
        ({"held_out": 1.0}, "held_out"),
        ({"precision": "fp8"}, "precision 'fp8'"),
        ({"layouts": [["*", "page"]]}, "layouts"),
        ({"learning_rate": "1e-3"}, r"learning_rate '1e-3' is no float \(YAML"),
        ({"layers": 0}, "layers 0"),
        ({"hidden": 32.0}, "hidden 32.0 is no int"),
        ({"nsp": 1}, "nsp 1, pair 'nsp': name the second task once"),
        ({"tokens": "many"}, "many"),
        ({"colour": "red"}, "unknown field colour"),
    ],
)
def test_wrong_configurations_name_the_field(changes, named, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"base": "tiny"} | changes), "utf-8")
    with pytest.raises(ConfigError, match=named):
        load_config(path)


def test_missing_configurations_and_fields_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no configuration 'huge'.*mini, "):
        load_config("huge")
    path = tmp_path / "empty.yaml"
    path.write_text("", "utf-8")
    with pytest.raises(ConfigError, match="holds no fields"):
        load_config(path)
    path.write_text("layers: 2", "utf-8")
    with pytest.raises(ConfigError, match="'hidden'"):
        load_config(path)


def test_the_rate_warms_up_and_falls_to_nothing():
    config = configuration(tokens=1000, warmup=0.1, learning_rate=1.0)
    assert [rates.rate(config, t) for t in (50, 100, 550, 1000)] == pytest.approx([0.5, 1.0, 0.5, 0.0])
    assert 0 < rates.rate(config, 0) < 0.01 and rates.rate(config, 2000) == 0
    assert rates.bounds(config) == pytest.approx([250, 1000])


@pytest.mark.parametrize(
    ("name", "megabytes"), [("mini", 18), ("mini-cpu", 18), ("mini-multi", 20), ("mini-multi-cpu", 20)]
)
def test_the_models_to_be_bundled_are_small_enough_in_half_precision(name, megabytes):
    with torch.device("meta"):
        model = build(load_config(name))
    assert 0.8 * megabytes < 2 * sum(p.numel() for p in model.parameters()) / 1e6 < megabytes - 0.05


def test_another_model_s_pieces_are_kept_whatever_the_text(tmp_path):
    path = write(tmp_path / "a.txt")
    base = corpora.load(path, configuration(), tmp_path / "cache")
    wordpiece.save(base.tokenizer, configuration(), tmp_path)
    assert wordpiece.adopted(configuration(vocabulary=str(tmp_path))).to_str() == base.tokenizer.to_str()
    other = tmp_path / "b.txt"
    other.write_text("zebras quiz.\n\nzebras doze.\n", "utf-8")
    kept = corpora.load(other, configuration(vocabulary=str(tmp_path)), tmp_path / "cache")
    assert kept.tokenizer.get_vocab() == base.tokenizer.get_vocab()
    config = configuration(vocab=8192, vocabulary="mini", lowercase=True, strip_accents=True)
    bundled = Tokenizer.from_file(str(wordpiece.MODELS / "mini" / "tokenizer.json"))
    assert wordpiece.adopted(config).to_str() == bundled.to_str()
    for changes, said in (({"vocabulary": "nowhere"}, "no vocab.txt"), ({"vocabulary": "mini", "vocab": 99}, "99")):
        with pytest.raises(ConfigError, match=said):
            wordpiece.adopted(configuration(**changes))
