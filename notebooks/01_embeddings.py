# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Embeddings
#
# A word2vec model gives each word one vector. BERT gives it a new one in every sentence and at every layer. What kind
# of space do these vectors live in, and what do they keep of the word, of its sense and of its place? The survey
# {cite:p}`rogers2020` gathers what was found; this chapter measures it again.
#
# **Five things this chapter shows**

# %% tags=["remove-cell"]
# @title The package {display-mode: "form"}
PACKAGE = ""  # what pip is to install; empty: a wheel beside this notebook, or the repository around it
import sys
from importlib.util import find_spec
from pathlib import Path
from subprocess import check_call

if not find_spec("bertology_utils"):
    here = [*Path().glob("bertology_utils-*.whl"), *(p.parent for p in Path("..").glob("bertology_utils"))]
    if not (wanted := [PACKAGE] if PACKAGE else here[:1]):
        print("The package bertology_utils is not installed. In a copy of the repository, `pip wheel --no-deps .` makes a file")
        print("bertology_utils-(version).whl: put it beside this notebook and run this cell again; on Colab, choose it below.")
        colab = sys.modules.get("google.colab")
        wanted = (colab and list(colab.files.upload())) or sys.exit("The package is still missing.")
    check_call([sys.executable, "-m", "pip", "install", "-q", *wanted])

# %% tags=["remove-cell"]
# @title Model and data {display-mode: "form"}
MODEL = "default"  # @param ["default", "mini", "bert-base-uncased"] {allow-input: true}
DATA = "default"  # @param ["default", "builtin", "original"]
FAST = False  # @param {type: "boolean"}
from bertology_utils import choose

choose(MODEL, DATA, "embeddings", fast=FAST)

# %%
from bertology_utils import five, overview

five("embeddings")

# %%
overview("embeddings")

# %% [markdown]
# **How to read this chapter**
#
# Each claim has a question, one or two items with what a network answers to them now, a figure with 95% intervals, what
# we found in a few words, and a **card**: the real BERT (released outputs, scored again), `mpnet` (a network of
# BERT's size) and in part MiniLM (a smaller one), which others trained on far more text, our own small model `mini`, and its *untrained twin* (the same
# architecture with random weights). `results(id)` brings all subjects there are, on the study's own data; a model chosen
# in the first cell is measured now and drawn in red. `examples(id)` asks the chosen model, by default `mini`, on
# generated sentences where no others are asked for. Layer 0 is the embedding layer, before any context; layer 1 is the
# output of the first block.

# %% tags=["hide-input"]
import re

import pandas as pd

from bertology_utils import attempt, card, examples, found, plotting, results
from bertology_utils.experiments.embeddings.senses import sense_map

# %% [markdown]
# (emb-anisotropy)=
# ## Do vectors crowd into a cone?
#
# If vectors used all directions alike, two random words would have a cosine near 0. {cite:t}`ethayarajh2019` found that
# contextual vectors do not, and less so towards the top. We draw random words, each once, so that *the* weighs no more
# than *glass*, and average the cosine over all pairs; Gaussian vectors of the same size are the control.

# %%
examples("emb.anisotropy.ethayarajh2019")

# %%
cone = results("emb.anisotropy.ethayarajh2019", data="sts_semeval_2012_2016")

# %% mystnb={"figure": {"caption": "Mean cosine of two random words by layer; the dotted line is isotropy. The released curve of bert-base draws words as often as they occur, ours each once."}, "image": {"alt": "Curves: mean cosine of random words by layer, for every subject there is; a dotted line at 0 marks isotropy. The released curve of bert-base rises up to layer 11; that of mpnet's untrained twin rises less."}}
shown = cone.series("mean cosine")
plotting.lines(shown, "layer", chance=0.0, ylabel="mean cosine of random words")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(cone.series("mean cosine, Gaussian control")))
print(plotting.printed(cone.series("change of mean cosine")))

# %%
found("emb.anisotropy.ethayarajh2019")

# %%
card("emb.anisotropy.ethayarajh2019")

# %% [markdown]
# (emb-context)=
# ## How much of a word survives a change of context?
#
# *Self-similarity* is the mean cosine between the vectors of one word in different sentences {cite:p}`ethayarajh2019`.
# In a narrow cone everything is similar, so the similarity of different words is taken away (*adjusted*; the study takes
# random words, we the same words, each in one sentence). That figure must fall when the cone narrows, whatever words do; we
# therefore also divide by the room that different words leave (*relative*: 1 for identical vectors, 0 for those of any two words).

# %%
examples("emb.context_specificity.ethayarajh2019")

# %%
context = results("emb.context_specificity.ethayarajh2019", data="sts_semeval_2012_2016")

# %% mystnb={"figure": {"caption": "Self-similarity of a word over contexts, relative to the room that different words leave."}, "image": {"alt": "Curves: relative self-similarity of words by layer, for every subject there is. The released curve of bert-base falls; that of mpnet's untrained twin falls little."}}
shown = context.series("relative self-similarity")
plotting.lines(shown, "layer", ylabel="relative self-similarity")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for kind in ("adjusted", "relative"):
    print(plotting.printed(context.series(f"change of {kind} self-similarity")))

# %%
found("emb.context_specificity.ethayarajh2019")

# %%
card("emb.context_specificity.ethayarajh2019")

# %% [markdown]
# (emb-neighbours)=
# ## What does a word know of its neighbours?
#
# {cite:t}`klafka2020` ask what one word's vector tells of the words around it. We ask of which part of speech the next word
# is, and the one before. Much of that can be guessed: after *the* comes a noun or an adjective. So the same linear probe
# also gets the word without its context, with its own gold tags, and every layer of an untrained network, in which random
# weights mix neighbours into each vector as well.

# %%
examples("emb.context.klafka2020")

# %%
neighbours = results("emb.context.klafka2020", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Accuracy with which a linear probe tells the part of speech of the word before and of the word after, by layer, on EWT. Dotted: the word and its own tags without context, for the first of the networks."}, "image": {"alt": "Two panels: accuracy by layer for the part of speech of the word before, and of the word after, for every subject there is."}}
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, side in zip(panels, ("before", "after")):
    alone = neighbours.value("accuracy of the word itself", neighbour=side)
    labels = {"title": f"the word {side}", "ylim": (0, 1), "reference": "word and tags alone"}
    plotting.lines(neighbours.series("accuracy", neighbour=side), "layer", chance=round(alone, 2), ax=ax, **labels)
panels[0].set_ylabel("accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(neighbours.deciding()))
print(plotting.printed(neighbours.series("accuracy of the word itself")))

# %%
found("emb.context.klafka2020")

# %%
card("emb.context.klafka2020")

# %% [markdown]
# (emb-postprocessing)=
# ## Does it help to take the top off?
#
# Static vectors improve when their mean and a few leading directions are removed {cite:p}`mu2018`; the survey names
# this as something to try on BERT. No study it names did, so this row goes beyond it: the rank correlation of cosines with
# graded similarity before and after, for words alone in their input and for sentences.

# %%
examples("emb.postprocessing.mu2018")

# %%
words = results("emb.postprocessing.mu2018", data="word_similarity")
sentences = results("emb.postprocessing.mu2018", data="stsb_multi")

# %% mystnb={"figure": {"caption": "Rank correlation with graded similarity by layer, before and after removing the mean and the leading directions."}, "image": {"alt": "Two panels, words and sentences: Spearman correlation with graded similarity by layer, before and after removing the mean and leading directions, for the one network that the panels name."}}
kinds = {when: f"Spearman {when}" for when in ("before", "after")}
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, kind, top in zip(panels, ("words", "sentences"), (words, sentences)):
    plotting.lines(top.by(kinds), "layer", chance=0.0, ax=ax, title=f"{top.title}: {kind}")
panels[0].set_ylabel("Spearman")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "What is gained over the vectors as they are, layers chosen on dev."}, "image": {"alt": "Horizontal bars: gain in Spearman correlation by removing the mean and leading directions, for words and for sentences, for every subject there is."}}
gains = [top.series("gain", over="before") for top in (words, sentences)]
names = dict.fromkeys(name for g in gains for name in g)
shown = {name: pd.concat([g[name] for g in gains if name in g]).drop_duplicates() for name in names}
plotting.bars(shown, "benchmark", chance=0.02, reference="asked for", xlabel="gain in Spearman")
plotting.plt.show()

# %% tags=["hide-output"]
for top in (words, sentences):
    print(plotting.printed(top.series("gain")))
    print(plotting.printed(top.series("gain of removing the mean alone")))

# %%
found("emb.postprocessing.mu2018")

# %%
card("emb.postprocessing.mu2018")

# %% [markdown]
# (emb-static)=
# ## Can many contexts make one good vector?
#
# {cite:t}`bommasani2020` average a word's vectors over many sentences and find them better at word similarity than the
# vector of the word alone. We pool 1 to 50 contexts; layers are chosen on one half of the pairs and scored on the other.
# A second baseline pools the embeddings in the same way: it averages over positions and sees no context at all.

# %%
examples("emb.static_distillation.bommasani2020")

# %%
static = results("emb.static_distillation.bommasani2020", data="word_similarity")

# %% mystnb={"figure": {"caption": "Rank correlation with word similarity by how a word's vector is made."}, "image": {"alt": "Horizontal bars: Spearman correlation with word similarity of the word alone and of vectors pooled over 1, 5, 10, 20 and 50 contexts, for every subject there is."}}
sizes = ["the word alone", *(f"{k} contexts" for k in (1, 5, 10, 20, 50))]
chosen = static.series("Spearman, layer chosen on dev")
shown = {name: rows[rows["pooling"].isin(sizes)] for name, rows in chosen.items()}
shown = {name: rows.replace({"pooling": {"1 contexts": "1 context"}}) for name, rows in shown.items()}
plotting.bars(shown, "pooling", chance=0.0, xlabel="Spearman with word similarity (layer chosen on dev)")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("pooled less baseline", "50 contexts less 1, over the embeddings' gain"):
    print(plotting.printed(static.series(measure)))

# %%
found("emb.static_distillation.bommasani2020")

# %%
card("emb.static_distillation.bommasani2020")

# %% [markdown]
# (emb-bleached)=
# ## What do sentences that say nothing tell?
#
# Association tests ask whether one set of words (flowers) lies nearer to a second (pleasant things) than a third
# (insects) does. {cite:t}`may2019` put the words into bleached sentences such as *This is a rose.* and compare sentence
# vectors. Before such a test may speak of social bias it should find what nobody doubts: flowers over insects, instruments
# over weapons. The survey also names such sentences as a way to better vectors of words, which word similarity tests.

# %%
examples("emb.bleached.may2019")

# %%
bleached = results("emb.bleached.may2019", data="may2019_seat")
similar = results("emb.bleached.may2019", data="word_similarity")

# %% mystnb={"figure": {"caption": "Effect sizes of the two tests that nobody doubts, by the last layer's vectors of words and of bleached sentences; the claim is judged by [CLS] of sentences."}, "image": {"alt": "Horizontal bars: effect sizes of flowers over insects and instruments over weapons, by words and by bleached sentences, for two kinds of vector, for every subject there is; a dotted line marks the effect asked for."}}
tests = {"weat1": "flowers, words", "sent-weat1": "flowers, sentences"}
tests |= {"weat2": "instruments, words", "sent-weat2": "instruments, sentences"}
known = bleached.series("effect size", known="yes")
shown = {name: rows.assign(asked=rows["test"].map(tests) + ", " + rows["vector"]) for name, rows in known.items()}
ax = plotting.axes(figsize=(plotting.NARROW, 3.9))
plotting.bars(shown, "asked", chance=0.2, reference="asked for", ax=ax, xlabel="effect size (above 0: as expected)")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(known))
print(plotting.printed(bleached.series("permutation p", known="yes")))
print(plotting.printed(similar.series("bleached less baseline")))

# %%
found("emb.bleached.may2019")

# %%
card("emb.bleached.may2019")

# %% [markdown]
# (emb-senses)=
# ## Are senses neighbourhoods?
#
# Is the vector of *bank* by the river nearer to other river banks than to banks with money? {cite:t}`wiedemann2019` tag
# senses by nearest neighbours in training data. All cosines are high, since everything lies in a cone; their order is
# what counts.
#
# The experiment takes the majority among the five nearest, here for words of SemCor, with the layer chosen on
# development data. Three baselines see the same training sentences: always the commonest sense; the nearest by the
# word's embedding, which knows its form alone; and the nearest by a bag of the sentence's other words (the mean of their
# embeddings in that network), which knows its topic.

# %%
examples("emb.sense_clusters.wiedemann2019")

# %%
senses = results("emb.sense_clusters.wiedemann2019", data="semcor")

# %% mystnb={"figure": {"caption": "Accuracy of nearest-neighbour sense tagging by layer on the fine senses of SemCor; dotted, the best baseline: a bag of words by the embeddings of mpnet (or of a network chosen above); each network has its own."}, "image": {"alt": "Curves: accuracy of nearest-neighbour sense tagging by layer, for every subject there is; a dotted line marks mpnet's bag of words."}}
shown = senses.series("kNN accuracy")
at = senses.value("baseline", task="senses", over="bag of words")
plotting.lines(shown, "layer", chance=at, reference="bag of words", ylabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(senses.series("gain over baseline")))
print(plotting.printed(senses.series("adjusted Rand index")))

# %% [markdown]
# Folded under the figure: the real BERT on the words of CoarseWSD-20, from released predictions.

# %% mystnb={"figure": {"caption": "Released nearest-neighbour predictions of bert-base-uncased, scored again, word by word."}, "image": {"alt": "Horizontal bars: accuracy of nearest-neighbour sense tagging by bert-base-uncased for each of twenty ambiguous words; a dotted line marks the commonest sense, averaged over the words."}}
real = senses.beside("accuracy")
always = senses.others["commonest sense"].set_index("measure").at["macro accuracy", "value"]
ax = plotting.axes(figsize=(plotting.NARROW, 4.2))
plotting.bars(real, "word", xlim=(0, 1), chance=round(always, 2), reference="commonest sense", ax=ax, xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(real))

# %% [markdown]
# There, too: the occurrences of one word whose two senses are about equally common, in the plane of their two main
# directions at each layer. Where the senses part, marks of one kind lie together. The silhouette measures the same in
# all dimensions: 1 for far apart and tight, 0 for mixed. In `mini` the senses of this word hardly part: the marks stay
# mixed up to the last layer, and the silhouette rises only a little above 0.

# %% mystnb={"figure": {"caption": "One ambiguous word, layer by layer, in the plane of its two main directions."}, "image": {"alt": "Small multiples: the occurrences of one ambiguous word as points in a plane, one panel per layer, coloured by sense."}}
with attempt():
    points = sense_map()
    points["panel"] = [f"layer {k} ({s:+.2f})" for k, s in zip(points["layer"], points["silhouette"])]
    plotting.scatters(points, "panel", "sense", title=f"“{points['word'][0]}” by layer (silhouette)")
    plotting.plt.show()

# %% tags=["hide-output"]
with attempt():
    for layer, part in sense_map().groupby("layer"):
        print(f"layer {layer}: silhouette {part['silhouette'].iloc[0]:.3f}, {len(part)} occurrences")

# %%
found("emb.sense_clusters.wiedemann2019")

# %%
card("emb.sense_clusters.wiedemann2019")

# %% [markdown]
# (emb-segments)=
# ## First sentence or second?
#
# BERT read two segments at a time and had to say whether the second follows the first. {cite:t}`mickus2019` found that
# a word's vectors differ by the segment it stands in, and suspect that task. We toss a coin for which sentence of a
# pair comes first, and compare cosines of one word's occurrences within a segment and across; the same inputs
# without segment ids show what place alone does.
#
# Whether the task is to blame needs two models with segment ids, one of them pretrained without the task. There is no
# such pair, so that part is left untested.

# %%
examples("emb.segment_position.mickus2019")

# %%
segments = results("emb.segment_position.mickus2019", data="mrpc_msr_paraphrase")

# %% mystnb={"figure": {"caption": "How much less alike a word's vectors are across segments than within one, by layer."}, "image": {"alt": "Curves: cosine within a segment less cosine across segments of the same word's occurrences, by layer, for every subject there is, and for one of them without segment ids."}}
without = {f"{segments.title}, without segment ids": "shift without segment ids by layer"}
shown = segments.series("shift by layer") | segments.by(without)
plotting.lines(shown, "layer", chance=0.0, ylabel="cosine within less across segments")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("shift", "shift beyond place", "relative shift"):
    print(plotting.printed(segments.series(measure)))

# %%
found("emb.segment_position.mickus2019")

# %%
card("emb.segment_position.mickus2019")

# %% [markdown]
# (emb-identity)=
# ## Is a token lost on the way up, and found again?
#
# A masked language model must guess tokens from context. {cite:t}`voita2019a` describe two stages: lower layers give up
# some of a token's identity for its context, upper layers rebuild the token that is to be predicted. Of each vector we
# ask whether its nearest neighbours are tokens of its own type (average precision: 1 if they all come first), for tokens
# left as they were, masked, or replaced by another.

# %%
examples("emb.token_identity.voita2019a")

# %%
identity = results("emb.token_identity.voita2019a", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "How well a token's type is told from its neighbours, by layer."}, "image": {"alt": "Two panels: average precision with which neighbours are tokens of the original type, by layer; above for kept, masked and replaced tokens of the one network that the title names, below for kept tokens of every subject there is."}}
by = {"decoder": "average precision of neighbours"}
kinds = ("kept", "masked", "replaced")
shown = {k: rows for kind in kinds for k, rows in identity.by({kind: "identity recovered"}, token=kind, **by).items()}
kept = identity.series("identity recovered", token="kept", **by)
left, right = plotting.panels(2, sharex=True, sharey=True)
plotting.lines(shown, "layer", ax=left, title=identity.title, ylim=(-0.02, 1.02), ylabel="average precision")
plotting.lines(kept, "layer", ax=right, title="kept tokens")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("bottom less minimum", "context gained at the minimum", "top less minimum"):
    print(plotting.printed(identity.series(measure)))

# %%
found("emb.token_identity.voita2019a")

# %%
card("emb.token_identity.voita2019a")

# %% [markdown]
# (emb-pooling)=
# ## Which vector stands for a sentence?
#
# [CLS] was meant to, but means over the pieces and other layers compete {cite:p}`toshniwal2020,tanaka2020,ma2019`. Two
# tasks: similarity of sentences by plain cosine, with nothing trained, and sentiment by a linear probe. The pooling is
# chosen on development data, and compared with the last layer's [CLS] on the test data.

# %%
examples("emb.sentence_pooling.toshniwal2020")

# %%
similarity = results("emb.sentence_pooling.toshniwal2020", data="stsb_multi")
sentiment = results("emb.sentence_pooling.toshniwal2020", data="glue_sst2")

# %% tags=["hide-input"]
def by_layer(rows, pooling):
    """The rows of one way of pooling, with the layer that it pools; the last one is counted."""
    own = rows["pooling"].str.fullmatch(rf"{re.escape(pooling)}, (last layer|layer \d+)")
    layers = rows["pooling"].str.extract(r" layer (\d+)")[0].astype(float)
    last = layers.max() + ("mean, last layer" in set(rows["pooling"]))
    return rows[own].assign(layer=layers.fillna(last)[own])


# %% mystnb={"figure": {"caption": "Rank correlation with sentence similarity (STS-B) by layer, for [CLS] (above) and for means over pieces."}, "image": {"alt": "Two panels: Spearman with sentence similarity by layer, above for the classification token and below for means over pieces, for every subject there is. Means lie above the classification token."}}
both = similarity.series("Spearman", task="similarity")
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, pooling in zip(panels, ("[CLS]", "mean")):
    shown = {name: by_layer(rows, pooling) for name, rows in both.items()}
    plotting.lines(shown, "layer", ax=ax, ylim=(0, 0.95), title=pooling)
panels[0].set_ylabel("Spearman")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Accuracy of a linear probe for sentiment (SST-2) by pooling."}, "image": {"alt": "Horizontal bars: accuracy of a linear probe for sentiment on four poolings and of the majority class, for every subject there is."}}
some = ["[CLS], last layer", "max, last layer", "mean, all layers averaged", "mean, layer 0", "none (majority)"]
shown = sentiment.series("accuracy", task="sentiment")
shown = {name: rows[rows["pooling"].isin(some)] for name, rows in shown.items()}
plotting.bars(shown, "pooling", xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
for result in (similarity, sentiment):
    print(plotting.printed(result.series("gain")))
    print(plotting.printed(result.series("gain of another layer")))

# %%
found("emb.sentence_pooling.toshniwal2020")

# %%
card("emb.sentence_pooling.toshniwal2020")

# %% [markdown]
# (embeddings-since)=
# ## Since the survey
#
# Two studies qualify the cone. {cite:t}`timkey2021` show that one to three dimensions with very large values decide the cosine in
# BERT and its relatives: a mean cosine says little of all others. {cite:t}`cai2021` look inside clusters of vectors, and find
# that there they do spread evenly. So <a href="../claims/emb.anisotropy.ethayarajh2019.html">our claim</a> holds of the whole
# space, as the study's does; <a href="../claims/emb.postprocessing.mu2018.html">postprocessing</a> takes off what all vectors
# share. The first of these findings takes a few lines: the mean cosine of random words in generated sentences, with all dimensions
# and without the three that are largest in each layer. Which these are is told by half of the words, and the cosines are of the
# other half. If a cone were three dimensions, the curve without them would lie near 0.

# %% tags=["hide-input"]
from pathlib import Path

import numpy as np

from bertology_utils import Settings, load
from bertology_utils.data import load as load_data
from bertology_utils.experiments.embeddings.context import by_layer
from bertology_utils.scores import intervals
from bertology_utils.vectors import geometry

subject, settings = load(), Settings.of()
texts = [item.words for item in load_data("sentences", "builtin", n=600)["sentences"]]
places = [where[0] for where in geometry.sample(texts, words=600, seed=settings.seed).values()]
models = {Path(subject.name).name: subject, "untrained": subject.twin()}  # of a folder its last name
vectors = {name: geometry.collect(model, texts, places) for name, model in models.items()}  # (words, layers, dimensions)

# %% mystnb={"figure": {"caption": "Mean cosine of two random words by layer, with all dimensions and without the three that are largest in the layer."}, "image": {"alt": "Four curves by layer: the mean cosine of random words in mini and in its untrained twin, with all dimensions and without the three largest. Without them mini's curve is lower everywhere, most at the last layer, and stays far above 0; the twin's hardly moves."}}
shown = {}
for name, (choosing, scored) in {name: (of[::2], of[1::2]) for name, of in vectors.items()}.items():
    fewer = scored.copy()
    for layer, sizes in enumerate(np.abs(choosing).mean(0)):
        fewer[:, layer, np.argsort(sizes)[-3:]] = 0
    counts = intervals.counts(len(scored), settings.draws, settings.seed)
    for label, kept in ((name, scored), (f"{name}, without three", fewer)):
        cosines = geometry.mean_cosine(kept), geometry.mean_cosine_draws(kept, counts)
        shown[label] = pd.DataFrame(by_layer("mean cosine", *cosines, len(kept)))
plotting.lines(shown, "layer", chance=0.0, reference="isotropy", ylabel="mean cosine of random words")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% [markdown]
# (embeddings-exercise)=
# ## Exercise: Is the cone a few dimensions?
#
# Above, three dimensions were taken away that are large on the average. That is one way to choose: what is left of the cone without
# those that differ most from word to word?
#
# ```python
# import numpy as np
# from bertology_utils import load
# from bertology_utils.data import load as load_data
# from bertology_utils.subject.encode import hidden_states
# from bertology_utils.vectors.geometry import mean_cosine
#
# words = [item.words for item in load_data("sentences", "builtin", n=300)["sentences"]]
# vectors = np.stack([states[:, len(words[i]) // 2] for i, states in hidden_states(load(), words)])
# smaller = vectors.copy()  # (words, layers, dimensions)
# for layer, spread in enumerate(vectors.std(0)):
#     smaller[:, layer, np.argsort(spread)[-3:]] = 0  # the three that vary most
# print(mean_cosine(vectors).round(2), mean_cosine(smaller).round(2))
# ```
#
# Take away one dimension, then ten. Then give `load` another model, and see whether its cone goes the same way.
