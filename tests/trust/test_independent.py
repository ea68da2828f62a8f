"""Figures computed a second time, by code that shares nothing with the package but the items: transformers, numpy and sklearn.

A check is what a reviewer would write by hand. Items are generated ones, and the studies' own where there is a mirror.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch
from by_hand import measured, plain, value
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from bertology_utils.attention.choosing import sides
from bertology_utils.settings import Settings

MIRROR = Settings.of().mirror
FEW = 80  # items per task, where each costs much: the same are measured twice
PENALTIES = (1e-1, 1e-2, 1e-3)  # of half the squared weights beside the mean loss; of equals on dev the first
OWN = pytest.mark.skipif(not MIRROR, reason="no BERTOLOGY_MIRROR")


def on(*sources: str):
    """Parametrise by source: generated items, and a study's own where there is a mirror."""
    marked = [pytest.param(s, marks=() if s == "builtin" else (OWN, pytest.mark.mirror)) for s in sources]
    return pytest.mark.parametrize("source", marked)


def of_test(items):
    """What statistics of maps are of: test sentences of four words and more."""
    return [i for i in items if i.split == "test" and len(i.words) > 3]


@on("builtin", "ud_english_ewt")
def test_attention_to_special_tokens(source):
    rows, data = measured("hed.special_tokens.clark2019", source, FEW)
    maps = [plain().read(i.words)[1] for i in of_test(data["sentences"])]
    for unit, name in ((0, "[CLS]"), (-1, "[SEP]")):
        mean = np.mean([m[..., unit].mean((1, 2)) for m in maps], 0)
        for block in range(8):
            assert value(rows, "mean, by block", statistic=name, block=block + 1) == pytest.approx(
                mean[block], abs=2e-3
            )


@on("builtin", "ud_english_ewt")
def test_each_head_as_a_parser(source):
    rows, data = measured("hed.no_full_tree.clark2019", source, FEW)
    hits = {"forwards": [], "backwards": []}
    for item in (i for i in data["treebank"] if i.split == "test"):
        for way, maps in zip(hits, (looked(item.words), looked(item.words, backwards=True))):
            hits[way] += [maps[..., w] == h for w, h, _ in arcs(item)]
    shares = [np.mean(own, 0) for own in hits.values()]  # each head is read the way that was better on dev sentences
    for block in range(8):
        for head in range(8):
            there = value(rows, "UAS, each head", block=block + 1, place=head + 1)
            assert min(abs(there - share[block, head]) for share in shares) < 2e-3


@cache
def looked(words: tuple[str, ...], backwards: bool = False) -> np.ndarray:
    """(layers, heads, words): the other word that each attends to most (or that attends to it most)."""
    maps = plain().read(words)[1][:, :, 1:-1, 1:-1].copy()
    maps = maps.swapaxes(-1, -2).copy() if backwards else maps
    maps[..., range(len(words)), range(len(words))] = -1
    return maps.argmax(-1)


def arcs(item):
    named = ((w, h, r.split(":")[0]) for w, (h, r) in enumerate(zip(item.heads, item.deprels)) if h >= 0)
    return [(w, h, r) for w, h, r in named if r != "punct"]


@on("builtin", "ud_english_ewt")
def test_the_best_head_of_each_relation(source):
    rows, data = measured("hed.syntactic.clark2019", source)
    test = [i for i in data["treebank"] if i.split == "test"]
    for row in rows[rows["measure"] == "best head"].head(6).itertuples():
        block, head = (int("".join(filter(str.isdigit, part))) - 1 for part in row.head.split(","))
        right = []
        for item in test:
            best = looked(item.words)[block, head]
            for w, h, _ in (a for a in arcs(item) if a[2] == row.relation):
                at, to = (h, w) if row.direction == "head to dependent" else (w, h)
                right.append(best[at] == to)
        assert (row.n, row.value) == (len(right), pytest.approx(np.mean(right), abs=0.01)), row.relation


@on("builtin", "ud_english_ewt")
@torch.no_grad()
def test_weights_times_norms(source):
    rows, data = measured("hed.norms.kobayashi2020", source, FEW)
    shares = []
    for item in of_test(data["sentences"]):
        enc = plain().tokenizer(list(item.words), is_split_into_words=True, return_tensors="pt")
        out = plain().model(**enc, output_hidden_states=True, output_attentions=True)
        of = []
        for layer, block in enumerate(plain().model.bert.encoder.layer):
            v, o = block.attention.self.value, block.attention.output.dense
            x = torch.nn.functional.linear(out.hidden_states[layer][0], v.weight, v.bias)  # (T, H)
            x = x.view(len(x), 8, -1)
            f = torch.einsum("tad,aod->ato", x, o.weight.view(o.weight.shape[0], 8, -1).transpose(0, 1))
            norms = out.attentions[layer][0] * f.norm(dim=-1)[:, None]  # (heads, from, to)
            of.append((norms[..., 0] / norms.sum(-1)).mean().item())
        shares.append(of)
    for block in range(8):
        there = value(rows, "share of the norms", kind="[CLS]", block=block + 1)
        assert there == pytest.approx(np.mean(shares, 0)[block], abs=0.02), block


@on("builtin")
def test_divergence_of_heads(source):
    rows, data = measured("hed.redundancy.clark2019", source)
    within, between = [], []
    for item in of_test(data["sentences"]):
        p = plain().read(item.words)[1].reshape(64, len(item.words) + 2, -1)
        p = p / p.sum(-1, keepdims=True)
        entropy = lambda q: -(q * np.log(np.maximum(q, 1e-12))).sum(-1)  # noqa: E731
        own = entropy(p)
        js = np.array([(entropy((p + a) / 2) - (own + h) / 2).mean(-1) for a, h in zip(p, own)])
        same = np.arange(64)[:, None] // 8 == np.arange(64) // 8
        within.append(js[same & ~np.eye(64, dtype=bool)].mean())
        between.append(js[~same].mean())
    assert value(rows, "divergence within a layer") == pytest.approx(np.mean(within), rel=0.05)
    assert value(rows, "divergence between layers") == pytest.approx(np.mean(between), rel=0.05)


@on("builtin", "gulordava2018_linzen2016")
def test_agreement_of_subject_and_verb(source):
    rows, data = measured("syn.agreement.goldberg2019", source, FEW)
    right = defaultdict(list)
    for item in data["agreement"]:
        if plain().single(item.good, item.bad):
            logs = plain().logs(item.text)
            right[item.condition].append(logs[plain().id(item.good)] > logs[plain().id(item.bad)])
    shown = rows[(rows["measure"] == "accuracy") & rows["condition"].notna()]
    for condition, n, there in zip(shown["condition"], shown["n"], shown["value"]):
        mine = right[condition]  # of a set with hundreds of sentences of one frame, the package takes some
        assert n <= len(mine) and there == pytest.approx(np.mean(mine), abs=1e-6 if n == len(mine) else 0.05), condition


@on("builtin")
def test_negation(source):
    rows, data = measured("syn.negation.ettinger2019", source)
    pairs = defaultdict(dict)
    for item in data["negation"]:
        if not plain().single(item.good, item.bad):
            continue
        logs = plain().logs(item.text)
        pairs[item.meta["pair"]][item.condition] = logs[plain().id(item.good)] > logs[plain().id(item.bad)]
    whole = [p for p in pairs.values() if len(p) == 2]
    for condition in ("affirmative", "negated"):
        there = value(rows, f"accuracy, {condition}", pairs="all")
        assert there == pytest.approx(np.mean([p[condition] for p in whole]), abs=0.02)


@on("builtin", "lama_trex_pararel")
def test_facts_named_first(source):
    rows, data = measured("wld.lama.petroni2019", source)
    ranks = defaultdict(list)
    for item in data["facts"]:
        if item.meta.get("origin", "manual") == "manual" and plain().single(*item.answers):
            logs = plain().logs(item.text)
            ranks[item.condition].append(min(int((logs > logs[plain().id(a)]).sum()) for a in item.answers))
    for measure, of in (("P@1", lambda r: r < 1), ("P@10", lambda r: r < 10), ("MRR", lambda r: 1 / (r + 1))):
        mean = np.mean([np.mean([of(r) for r in found]) for found in ranks.values()])
        assert float(rows[rows["measure"] == measure]["value"].iloc[0]) == pytest.approx(mean, abs=0.01), measure


@on("builtin", "sts_semeval_2012_2016")
def test_similarity_of_pooled_sentences(source):
    rows, data = measured("emb.sentence_pooling.toshniwal2020", source)
    pairs = [i for i in data["sts"] if i.split == "test"]
    read = {t: sentence(t) for p in pairs for t in (p.a, p.b)}
    for layer in (0, 4, 8):
        cos = [c(read[p.a][layer], read[p.b][layer]) for p in pairs]
        there = rows[(rows["measure"] == "Spearman") & (rows["pooling"] == f"mean, layer {layer}")]["value"].iloc[0]
        assert there == pytest.approx(spearmanr(cos, [p.score for p in pairs]).statistic, abs=0.01)


@torch.inference_mode()
def sentence(text: str) -> np.ndarray:
    """Mean of a text's pieces, special tokens left out, (layers, H)."""
    out = plain().model.base_model(**plain().tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return np.stack([h[0, 1:-1].double().mean(0).numpy() for h in out.hidden_states])


def c(a, b) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@on("builtin", "sts_semeval_2012_2016")
def test_the_cone(source):
    rows, data = measured("emb.anisotropy.ethayarajh2019", source)
    seen = {}  # each word once, where it stands first
    for item in data["sentences"]:
        states = plain().read(item.words)[0]
        for w, word in enumerate(item.words):
            if word.isalpha():
                seen.setdefault(word, states[:, w])
    words = np.stack(list(seen.values()), 1)  # (layers, words, H)
    unit = words / np.linalg.norm(words, axis=-1, keepdims=True)
    for layer in range(9):
        cosines = unit[layer] @ unit[layer].T
        mean = (cosines.sum() - len(unit[layer])) / (len(cosines) * (len(cosines) - 1))
        assert value(rows, "mean cosine", layer=layer) == pytest.approx(mean, abs=0.05), layer


@on("builtin", "ud_english_ewt")
def test_trees_of_neighbours(source):
    rows, data = measured("syn.structural_probe.hewitt2019", source)
    right = total = 0
    for item in (i for i in data["treebank"] if i.split == "test"):
        words = [w for w, tag in enumerate(item.upos) if tag != "PUNCT"]
        gold = {frozenset((w, h)) for w, h in enumerate(item.heads) if h >= 0 and w in words and h in words}
        right += len(gold & {frozenset(pair) for pair in pairwise(words)})
        total += len(gold)
    assert value(rows, "UUAS of the chain") == pytest.approx(right / total, abs=0.005)


@on("builtin")
def test_parts_of_speech_by_layer(source):
    rows, data = measured("syn.pos_chunks_deps.tenney2019b", source, 100)
    parts = {s: [i for i in data["treebank"] if i.split == s] for s in ("train", "dev", "test")}
    parts["train"] = parts["train"][: 4 * len(parts["test"])]  # no more are learnt from
    x = {s: np.concatenate([plain().read(i.words)[0] for i in own], 1) for s, own in parts.items()}
    y = {s: [tag for i in own for tag in i.upos] for s, own in parts.items()}
    shown = rows[(rows["measure"] == "accuracy") & (rows["task"] == "parts of speech")]
    for layer in (0, 2):
        scale = StandardScaler().fit(x["train"][layer])
        seen = {part: scale.transform(x[part][layer]) for part in x}
        own = [
            LogisticRegression(max_iter=400, C=1 / p / len(y["train"])).fit(seen["train"], y["train"])
            for p in PENALTIES
        ]
        mine = max(own, key=lambda probe: probe.score(seen["dev"], y["dev"])).score(seen["test"], y["test"])
        there = shown[shown["layer"] == layer]["value"].iloc[0]
        assert there == pytest.approx(mine, abs=0.02), layer
    commonest = Counter(y["train"]).most_common(1)[0][0]
    there = rows[(rows["measure"] == "majority") & (rows["task"] == "parts of speech")]["value"].iloc[0]
    assert there == pytest.approx(np.mean(np.array(y["test"]) == commonest), abs=0.01)  # of some of the words


@on("builtin")
def test_licensed_and_unlicensed(source):
    rows, data = measured("syn.npi.warstadt2019", source, 60)
    right = defaultdict(list)
    for pair in data["npi_pairs"]:
        right[pair.condition].append(likelihood(pair.good) > likelihood(pair.bad))
    shown = rows[(rows["measure"] == "accuracy") & (rows["method"] == "minimal pairs")]
    for phenomenon in shown["phenomenon"]:
        assert value(shown, "accuracy", phenomenon=phenomenon) == pytest.approx(np.mean(right[phenomenon]), abs=0.03)


@torch.inference_mode()
def likelihood(text: str) -> float:
    """Each piece hidden in turn together with the later ones of its word (kauf2023)."""
    enc = plain().tokenizer(text, return_tensors="pt")
    ids, words = enc["input_ids"][0], enc.word_ids()
    rows = ids.repeat(len(ids) - 2, 1)
    for k in range(1, len(ids) - 1):
        rows[k - 1, [t for t, w in enumerate(words) if w == words[k] and t >= k]] = plain().tokenizer.mask_token_id
    at = torch.arange(len(rows))
    logs = plain().fill(plain().model.base_model(rows).last_hidden_state[at, at + 1])
    return float(logs.double()[at, ids[1:-1]].sum())


@on("builtin", "ettinger2019_lm_diagnostics")
def test_completions_of_the_right_category(source):
    rows, data = measured("wld.pragmatic.ettinger2019", source)
    for against, measure in (("related", "accuracy, within category"), ("unrelated", "accuracy, between categories")):
        right = []
        for item in data["plausibility"]:
            good, bad = item.meta.get("right"), item.meta.get(against)
            if good and bad and plain().single(good, bad):
                logs = plain().logs(item.text)
                right.append(logs[plain().id(good)] > logs[plain().id(bad)])
        assert value(rows, measure) == pytest.approx(np.mean(right), abs=0.03)


@on("builtin")
def test_sentences_found_in_another_language(source):
    rows, data = measured("mbt.retrieval.pires2019", source, 60, "mini-multi")
    states = defaultdict(dict)  # language -> sentence -> (layers, H)
    for item in data["translations"]:
        for code, own in item.sentences.items():
            states[code][item.id] = plain("mini-multi").read(own.words)[0].mean(1)
    codes = sorted(states)
    for layer in (0, 4):
        right = []
        for a in codes:
            for b in codes:
                ids = [k for k in states[a] if k in states[b]]
                if a != b and ids:
                    x, y = (np.stack([states[c][k][layer] for k in ids]) for c in (a, b))
                    x, y = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
                    right.append((x @ y.T).argmax(1) == np.arange(len(ids)))
        there = value(rows, "P@1 by layer", layer=layer, centred=False)
        assert there == pytest.approx(np.concatenate(right).mean(), abs=0.02)


@on("builtin")
def test_completions_of_damaged_texts(source):
    rows, data = measured("syn.malformed.ettinger2019", source, FEW)
    shown = rows[rows["measure"] == "same first filler"]
    for part in ("subject", "object"):
        same = []
        for item in data["completion"]:
            start, end = item.meta[part]
            words = item.text.split()
            cut = " ".join([*words[:start], *words[end:]])
            same.append(plain().logs(item.text).argmax() == plain().logs(cut).argmax())
        there = shown[shown["perturbation"] == f"no {part}"]["value"].iloc[0]
        assert there == pytest.approx(np.mean(same), abs=0.02), part


@on("builtin")
def test_first_fillers_with_and_without_a_negation(source):
    rows, data = measured("syn.negation.ettinger2019", source, 150)
    texts = defaultdict(dict)
    for item in [*data["negation"], *data["negated_facts"]]:
        texts[item.meta["set"], item.meta["pair"]][item.condition] = item.text
    whole = [p for p in texts.values() if len(p) == 2]
    same = [plain().logs(p["affirmative"]).argmax() == plain().logs(p["negated"]).argmax() for p in whole]
    assert value(rows, "same first filler", pairs="all") == pytest.approx(np.mean(same), abs=0.01)


@on("ud_english_ewt")
@torch.no_grad()
def test_attention_within_a_word(source):
    rows, data = measured("hed.subwords.correia2019", source)
    row = rows[(rows["measure"] == "ratio, best head") & (rows["control"] == "neighbours of two words")].iloc[0]
    block, head = (int("".join(filter(str.isdigit, part))) - 1 for part in row["head"].split(","))
    within, between = [], []
    for item in (i for i in data["treebank"] if i.split == "test"):
        enc = plain().tokenizer(list(item.words), is_split_into_words=True, return_tensors="pt")
        weights, of = plain().model(**enc, output_attentions=True).attentions[block][0, head], enc.word_ids()
        for k, (one, other) in enumerate(pairwise(of)):
            if one is not None and other is not None:
                (within if one == other else between).append(float(weights[k, k + 1] + weights[k + 1, k]) / 2)
    assert row["value"] == pytest.approx(np.mean(within) / np.mean(between), rel=0.02)


@on("builtin")
def test_a_word_in_five_contexts(source):
    rows, data = measured("emb.context_specificity.ethayarajh2019", source, 400)
    vectors, rng = defaultdict(list), np.random.default_rng(3)  # other contexts than the package draws
    for words in dict.fromkeys(i.words for i in data["sentences"]):
        states = plain().read(words)[0]
        for word in dict.fromkeys(w for w in words if w.isalpha()):
            vectors[word].append(states[:, words.index(word)])
    similar, once = [], []
    for own in (v for v in vectors.values() if len(v) >= 5):
        five = np.stack([own[k] for k in rng.permutation(len(own))[:5]], 1)
        unit = five / np.linalg.norm(five, axis=-1, keepdims=True)
        similar.append(((unit @ unit.swapaxes(1, 2)).sum((1, 2)) - 5) / 20)
        once.append(unit[:, 0])
    n, other = len(once), np.stack(once, 1)  # (layers, words, H): the same words, each in one context
    cone = ((other @ other.swapaxes(1, 2)).sum((1, 2)) - n) / (n * (n - 1))
    for layer, mean in enumerate(np.mean(similar, 0)):
        assert value(rows, "self-similarity", layer=layer) == pytest.approx(mean, abs=0.02), layer
        room = (mean - cone[layer]) / (1 - cone[layer])
        assert value(rows, "relative self-similarity", layer=layer) == pytest.approx(room, abs=0.03), layer


def head_named(name: str) -> tuple[int, int]:
    block, head = (int("".join(filter(str.isdigit, part))) - 1 for part in name.split(","))
    return block, head


@on("builtin", "gap")
def test_whom_a_pronoun_looks_at(source):
    rows, data = measured("hed.coreference.clark2019", source, 100)
    row = rows[(rows["measure"] == "best head") & (rows["task"] == "coreference")].iloc[0]
    block, head = head_named(row["head"])
    pieces = lambda i: plain().tokenizer(list(i.words), is_split_into_words=True)["input_ids"]  # noqa: E731
    _, test, _ = sides([i for i in data["coreference"] if len(pieces(i)) <= 256], train=True)
    right = []
    for item in (i for i in test if i.answer is not None and len(i.candidates) > 1):
        given = plain().read(item.words)[1][block, head][item.pronoun[1]]  # from its last word; [CLS] stands before
        right.append(np.argmax([given[end] for _, end in item.candidates]) == item.answer)
    assert (row["n"], row["value"]) == (len(right), pytest.approx(np.mean(right), abs=0.005))


@on("builtin", "lin2019_open_sesame")
def test_what_a_verb_gives_to_its_subject(source):
    rows, data = measured("hed.agreement_attention.lin2019", source, 100)
    measure = "right - wrong noun, best head"
    row = rows[(rows["measure"] == measure) & (rows["kind"] == "agreement")].iloc[0]
    block, head = head_named(row["head"])
    _, test, _ = sides([i for i in data["agreement_attention"] if len(i.candidates) > 1])
    leads = []
    for item in (i for i in test if not i.condition.startswith("reflexive")):
        given = plain().read(item.words)[1][block, head, item.meta["from"] + 1, 1:]
        leads.append(given[item.target] - np.mean([given[c] for c in item.candidates if c != item.target]))
    assert row["n"] == len(leads) and row["value"] == pytest.approx(np.mean(leads), abs=0.005)
