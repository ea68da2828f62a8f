"""Readers of senses, similarity, associations, negated facts and sentence classes."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from standin import items_of, read

from bertology_utils.data.original.reading import ReaderError

# --- senses -----------------------------------------------------------------------------------------------------------

TAGGED = """<contextfile concordance=brown>
<context filename=br-a01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00:: pn=group>Grand_Jury</wf>
<wf cmd=done pos=VBD lemma=say wnsn=1 lexsn=2:32:00::>said</wf>
<wf cmd=done pos=JJ lemma=odd wnsn=0 lexsn=1>odd</wf>
<wf cmd=done pos=NN lemma=art wnsn=1;2 lexsn=1:06:00::;1:04:00::>art</wf>
<punc>.</punc>
</s>
</p>
</context>
</contextfile>
"""
FILE = "data/semcor3.0/brown1/tagfiles/br-a01"


def test_semcor_gives_single_words_with_a_sense(tmp_path):
    items, notes = read("semcor", "senses", tmp_path, {FILE: TAGGED})
    assert [(i.words[i.target], i.lemma, i.upos, i.sense) for i in items] == [
        ("said", "say", "VERB", "say%2:32:00::"), ("art", "art", "NOUN", "art%1:06:00::")]  # fmt: skip
    assert items[0].words == ("The", "Grand", "Jury", "said", "odd", "art", ".") and items[0].condition == "brown1"
    assert "1 left out: expressions of several words" in notes


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("<punc>.</punc>", "a bare word", 10), ("lemma=say ", "", 11), ("cmd=done pos=VBD", "cmd pos=VBD", 7)],
)
def test_malformed_semcor_names_its_line(tmp_path, old, new, line):
    with pytest.raises(ReaderError, match=rf"br-a01:{line}: "):
        read("semcor", "senses", tmp_path, {FILE: TAGGED.replace(old, new)})


FRAMEWORK = """<?xml version="1.0" encoding="UTF-8" ?>
<corpus lang="en" source="x"><text id="d0"><sentence id="d0.s0">
<wf lemma="the" pos="DET">The</wf>
<instance id="d0.s0.t0" lemma="art" pos="NOUN">art</instance>
<instance id="d0.s0.t1" lemma="take_place" pos="VERB">took place</instance>
</sentence></text></corpus>
"""


def framework(
    text: str = FRAMEWORK, keys: str = "d0.s0.t0 art%1:04:00:: art%1:06:00::\nd0.s0.t1 take_place%2:30:00::\n"
):
    contents = {f"semcor::{FILE}": TAGGED}
    for test in ("senseval2", "senseval3", "semeval2007", "semeval2013", "semeval2015"):
        stem = f"Evaluation_Datasets/{test}/{test}"
        contents |= {f"{stem}.data.xml": text, f"{stem}.gold.key.txt": keys}
    return contents


def test_the_all_words_tasks_are_trained_on_semcor(tmp_path):
    items, _ = read("wsd_eval_framework", "senses", tmp_path, framework())
    assert Counter((i.split, i.condition) for i in items)["train", "brown1"] == 2
    test = [i for i in items if i.condition == "senseval3"]
    assert [(i.words, i.target, i.split) for i in test] == [(("The", "art", "took", "place"), 1, "test")]
    assert test[0].sense == "art%1:04:00::" and test[0].meta["senses"] == ("art%1:04:00::", "art%1:06:00::")
    assert test[0].meta["most_frequent"]  # the second accepted sense is the one that SemCor has
    assert [i.meta["most_frequent"] for i in items if i.split == "train"] == [True, True]


def test_malformed_tasks_are_an_error(tmp_path):
    with pytest.raises(ReaderError, match=r"senseval2\.data\.xml:4: unclosed token"):
        read("wsd_eval_framework", "senses", tmp_path, framework(FRAMEWORK.replace("</wf>", "")[:150]))
    with pytest.raises(ReaderError, match=r"senseval2\.data\.xml:d0\.s0\.t0: KeyError"):
        read("wsd_eval_framework", "senses", tmp_path, framework(keys="other x\n"))


def coarse(**changed: str) -> dict[str, str]:
    files = {
        "classes_map.txt": '{"0": "bass_fish", "1": "bass_sound"}',
        "train.data.txt": "1\tthe bass sang .\n0\tbass swim .\n2\ta big bass .\n", "train.gold.txt": "1\n0\n0\n",
        "test.data.txt": "1\tno bass .\n", "test.gold.txt": "1\n",
    } | changed  # fmt: skip
    return {f"data/CoarseWSD-20/bass/{name}": text for name, text in files.items()} | {
        "data/CoarseWSD-20.outofdomain.tsv": "bass\tbass_fish\t0\tbass here\n"}  # fmt: skip


def test_coarse_senses(tmp_path):
    items, _ = read("coarsewsd20", "senses", tmp_path, coarse())
    assert [(i.split, i.words[i.target], i.sense, i.meta["most_frequent"], i.condition) for i in items] == [
        ("train", "bass", "bass_sound", False, "in domain"), ("train", "bass", "bass_fish", True, "in domain"),
        ("train", "bass", "bass_fish", True, "in domain"), ("test", "bass", "bass_sound", False, "in domain"),
        ("test", "bass", "bass_fish", True, "out of domain")]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"test.gold.txt": "1\n1\n"}, r"test\.gold\.txt:2: 2 lines, where .*test\.data\.txt has 1"),
        ({"test.gold.txt": "7\n"}, r"test\.data\.txt:1: KeyError"),
        ({"test.data.txt": "9\tno bass .\n"}, r"test\.data\.txt:1: ItemError: target lies outside"),
        ({"classes_map.txt": "{"}, r"classes_map\.txt:1: "),
    ],
)
def test_malformed_coarse_senses(tmp_path, changed, where):
    with pytest.raises(ReaderError, match=where):
        read("coarsewsd20", "senses", tmp_path, coarse(**changed))


@pytest.mark.mirror
def test_sense_sets_have_their_sizes():
    items, notes = items_of("wsd_eval_framework", "senses")
    counts = Counter(i.condition for i in items if i.split == "test")
    instances = {"senseval2": 2282, "senseval3": 1850, "semeval2007": 455, "semeval2013": 1644, "semeval2015": 1022}
    assert all(0.92 * n < counts[name] <= n for name, n in instances.items())  # as raganato2017 counts them
    skipped = next(int(note.split()[0]) for note in notes if "several words" in note)
    semcor, semcor_notes = items_of("semcor", "senses")
    assert (
        skipped - next(int(n.split()[0]) for n in semcor_notes if "several" in n)
        == sum(instances.values()) - counts.total()
    )
    known = {(i.lemma, i.upos) for i in items if i.split == "train"}
    frequent = [i.meta["most_frequent"] for i in items if i.split == "test" and (i.lemma, i.upos) in known]
    assert len(frequent) == 6415 and 0.6 < sum(frequent) / len(frequent) < 0.65  # a strong baseline, as everybody finds
    assert {i.split for i in semcor} == {"train", "dev", "test"}
    coarse, _ = items_of("coarsewsd20", "senses")
    assert Counter((i.split, i.condition) for i in coarse) == {
        ("train", "in domain"): 23370, ("test", "in domain"): 10196, ("test", "out of domain"): 339}  # fmt: skip
    assert len({i.lemma for i in coarse}) == 20


# --- WiC --------------------------------------------------------------------------------------------------------------


def wic(line: str = "board\tN\t2-2\tRoom and board .\tHe nailed boards .\n", gold: str = "F\n") -> dict[str, str]:
    whole = "go\tV\t0-1\tGo on .\tThey went .\n"
    contents = {f"HW2/WiC_dataset/{s}/{s}.data.txt": whole for s in ("train", "dev")}
    contents |= {f"HW2/WiC_dataset/{s}/{s}.gold.txt": "T\n" for s in ("train", "dev")}
    return contents | {"HW2/WiC_dataset/test/test.data.txt": line, "HW2/WiC_dataset/test/test.gold.txt": gold}


def test_wic_pairs(tmp_path):
    items, _ = read("wic", "sense_pairs", tmp_path, wic())
    assert [(i.split, i.label) for i in items] == [("train", "T"), ("dev", "T"), ("test", "F")]
    meta = items[-1].meta
    assert (meta["words_a"][meta["target_a"]], meta["words_b"][meta["target_b"]]) == ("board", "boards")
    for bad in (wic(gold="X\n"), wic(gold="F\nT\n"), wic("board\tN\t2-9\ta b c\td\n"), wic("board\tN\t2-2\ta b c\n")):
        with pytest.raises(ReaderError, match=r"test\.(data|gold)\.txt:[12]: "):
            read("wic", "sense_pairs", tmp_path, bad)


# --- similarity -------------------------------------------------------------------------------------------------------


def test_word_pairs(tmp_path):
    contents = {
        "data/word-sim/EN-RG-65.txt": "gem\tjewel\t3.94\n",
        "data/word-sim/EN-MC-30.txt": "car automobile 3.92\n",
    }
    items, _ = read("word_similarity", "word_similarity", tmp_path, contents)
    assert [(i.condition, i.a, i.b, i.score) for i in items] == [
        ("MC-30", "car", "automobile", 3.92), ("RG-65", "gem", "jewel", 3.94)]  # fmt: skip
    for bad in ("gem\tjewel\n", "gem\tjewel\thigh\n"):
        with pytest.raises(ReaderError, match=r"EN-RG-65\.txt:2: (2 fields|ValueError)"):
            read("word_similarity", "word_similarity", tmp_path, {"data/word-sim/EN-RG-65.txt": f"a\tb\t1\n{bad}"})


def test_the_sts_benchmark_is_read_as_csv(tmp_path):
    path = "data/stsb-en-dev.csv"
    (item,), _ = read("stsb_multi", "sts", tmp_path, {path: '"A ""man"", here.",A man.,4.2\n'})
    assert (item.a, item.b, item.score, item.split, item.condition) == ('A "man", here.', "A man.", 4.2, "dev", "en")
    for bad in ("a,b\n", "a,b,6\n", "a,b,c\n"):
        with pytest.raises(ReaderError, match=r"stsb-en-dev\.csv:2: "):
            read("stsb_multi", "sts", tmp_path, {path: f"x,y,1\n{bad}"})


STS, SICK = "data/sts/semeval-sts/2012/MSRpar.train.tsv", "data/sts/sick2014/SICK_{}.txt"
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def sts(text: str) -> dict[str, str]:
    parts = {"train": "7\ta\tb\t3.6\tNEUTRAL\n", "trial": "", "test_annotated": ""}
    return {STS: text} | {SICK.format(part): SICK_HEADER + rows for part, rows in parts.items()}


def test_sts_pairs_without_a_score_are_counted(tmp_path):
    text = '4.400\tOne "word.\tTwo words.\n\tOne "word.\tThree.\n'
    items, notes = read("sts_semeval_2012_2016", "sts", tmp_path, sts(text))
    assert [(i.condition, i.split, i.score) for i in items] == [("2012 MSRpar", "train", 4.4), ("sick", "train", 3.6)]
    assert notes == ("1 left out: STS pairs without a score",)
    sentences, _ = read("sts_semeval_2012_2016", "sentences", tmp_path, sts(text))
    assert [s.words for s in sentences] == [("One", '"', "word", "."), ("Two", "words", "."), ("Three", ".")]
    with pytest.raises(ReaderError, match=r"MSRpar\.train\.tsv:1: ValueError: score 5\.5"):
        read("sts_semeval_2012_2016", "sts", tmp_path, sts("5.5\ta\tb\n"))


@pytest.mark.mirror
def test_similarity_sets_have_their_sizes():
    words = Counter(i.condition for i in items_of("word_similarity", "word_similarity")[0])
    assert len(words) == 13 and (words["SimVerb-3500"], words["SIMLEX-999"], words["RG-65"]) == (3500, 999, 65)
    stsb = Counter((i.condition, i.split) for i in items_of("stsb_multi", "sts")[0])
    assert len(stsb) == 15 and [stsb["en", s] for s in ("train", "dev", "test")] == [5749, 1500, 1379]
    items, notes = items_of("sts_semeval_2012_2016", "sts")
    counts = Counter(i.condition for i in items)
    assert counts["sick"] == 9927 and int(notes[0].split()[0]) == 13497
    assert counts["2015 images"] == counts["2014 images"] == 750


# --- associations, negated facts, sentence classes ---------------------------------------------------------------------


def seat(name: str, **changed) -> dict[str, str]:
    test = {
        k: {"category": k, "examples": [f"{k} 1", f"{k} 2"]} for k in ("targ1", "targ2", "attr1", "attr2")
    } | changed
    return {f"tests/{name}.jsonl": json.dumps(test)}


def test_association_tests(tmp_path):
    items, _ = read("may2019_seat", "association", tmp_path, seat("weat1") | seat("sent-weat1"))
    assert [(i.condition, i.meta["bleached"]) for i in items] == [("sent-weat1", True), ("weat1", False)]
    assert items[0].x == ("targ1 1", "targ1 2") and items[0].b == ("attr2 1", "attr2 2")
    for changed in ({"targ1": {}}, {"targ1": {"category": "x", "examples": []}}):
        with pytest.raises(ReaderError, match=r"weat1\.jsonl:1: "):
            read("may2019_seat", "association", tmp_path, seat("weat1", **changed))


FACTS = "data/TREx/random/P101_random.jsonl"


def fact(**changed) -> str:
    entry = {"sub_label": "Galen", "obj_label": "medicine", "masked_sentences": ["Galen does [MASK] ."],
             "masked_negations": ["Galen does not do [MASK] ."]} | changed  # fmt: skip
    return json.dumps(entry) + "\n"


def test_negated_facts_come_in_pairs(tmp_path):
    items, notes = read("lama_negated", "negated_facts", tmp_path, {FACTS: fact() + fact(masked_negations=[])})
    assert [(i.condition, i.text, i.answers) for i in items] == [
        ("affirmative", "Galen does [MASK] .", ("medicine",)),
        ("negated", "Galen does not do [MASK] .", ("medicine",))]  # fmt: skip
    assert (
        items[0].meta == items[1].meta == {"pair": "TREx-P101-1", "set": "TREx", "relation": "P101", "subject": "Galen"}
    )
    assert notes == ("1 left out: facts without a negated sentence",)
    for bad in ("{", fact(masked_sentences=["no gap"]), "[]\n"):
        with pytest.raises(ReaderError, match=r"P101_random\.jsonl:2: "):
            read("lama_negated", "negated_facts", tmp_path, {FACTS: fact() + bad})


@pytest.mark.parametrize(
    ("dataset", "task", "path", "others", "good", "bad", "texts"),
    [
        ("glue_sst2", "sentiment", "glue_data/SST-2/{}.tsv", ("train_full", "dev", "test-labeled"),
         "sentence\tlabel\nfine . \t1\n",
         ["sentence\tlabel\nfine .\t2\n", "text\tlabel\nfine .\t1\n", "sentence\tlabel\nfine .\n"], ("fine .", None)),
        ("mrpc_msr_paraphrase", "paraphrase", "data/para/msr/msr-para-{}.tsv", ("train", "val", "test"),
         '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tSays "a".\tSays b.\n',
         ["h\n2\t7\t8\ta\tb\n", "h\n1\t7\ta\tb\n"], ('Says "a".', "Says b.")),
    ],
)  # fmt: skip
def test_sentence_classes(tmp_path, dataset, task, path, others, good, bad, texts):
    contents = {path.format(part): good for part in others}
    items, _ = read(dataset, task, tmp_path, contents)
    assert [(i.split, i.label, i.text, i.text_b) for i in items] == [(s, "1", *texts) for s in ("train", "dev", "test")]
    for text in bad:
        with pytest.raises(ReaderError, match=rf"{others[2]}\.tsv:[12]: "):
            read(dataset, task, tmp_path, contents | {path.format(others[2]): text})


@pytest.mark.mirror
def test_the_other_sets_have_their_sizes():
    tests, _ = items_of("may2019_seat", "association")
    assert len(tests) == 46 and {"weat1", "weat2", "sent-weat1", "sent-weat2"} <= {t.condition for t in tests}
    assert Counter(i.split for i in items_of("mrpc_msr_paraphrase", "paraphrase")[0]) == {
        "train": 3576,
        "dev": 500,
        "test": 1725,
    }
    sst = items_of("glue_sst2", "sentiment")[0]
    assert Counter(i.split for i in sst) == {"train": 67349, "dev": 872, "test": 1821}
    assert Counter(i.split for i in items_of("wic", "sense_pairs")[0]) == {"train": 5428, "dev": 638, "test": 1400}
    facts, _ = items_of("lama_negated", "negated_facts")
    pairs = Counter(i.meta["pair"] for i in facts)
    assert set(pairs.values()) == {2} and len({i.meta["relation"] for i in facts if i.meta["set"] == "TREx"}) == 40
