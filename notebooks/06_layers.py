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
# # Layers
#
# A word's vector changes from layer to layer. What is added on the way up, and what is lost? The survey
# {cite:p}`rogers2020` draws a picture from many probing studies: word order at the bottom, syntax in the middle, the
# pretraining task at the top, meaning everywhere. This chapter measures the picture again, claim by claim.
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

choose(MODEL, DATA, "layers", fast=FAST)

# %%
from bertology_utils import five, overview

five("layers")

# %%
overview("layers")

# %% [markdown]
# **How to read this chapter**
#
# Layer 0 is the embeddings; with L layers, layer L is the last, and *depth* is a layer's number over L. No claim is decided
# by a best layer: of several layers that are nearly equal, chance picks one. One part of the stack is set against another,
# each by the layer that is best in it on *other* sentences, and the difference of their scores is the effect. Probes are
# fitted four times, on different sentences, so that the intervals cover the training too. "The middle" is between 0.25 and
# 0.85 of the depth, and must beat both the layers below and above it and what the words give without a model.
#
# `mini` has 8 layers and the *untrained twin* its shape with random weights. The figures show the studies' own data where
# they are at hand: `results(id)` brings every subject there is, and a model chosen in the first cell is measured now. The cards add the real BERT and `mpnet`, a network
# of its size; some add MiniLM, which has 6 layers. Others trained both on far more text.

# %% tags=["hide-input"]
import pandas as pd

from bertology_utils import Settings, card, examples, found, load, plotting, results
from bertology_utils.cards.words import model_name
from bertology_utils.claims import evidence
from bertology_utils.data import load as load_data


# %% tags=["hide-input"]
def named(frames):
    """Names that a reader knows, in place of keys."""
    return {model_name(m.removesuffix(", released")): f for m, f in frames.items()}


def by_depth(frames, layers=None):
    """Models of different depth on one axis: 0 the embeddings, 1 the last layer."""
    of = {m: layers or float(f["layer"].max()) for m, f in frames.items()}
    return {m: f.assign(depth=f["layer"].astype(float) / of[m]) for m, f in frames.items()}


# %% tags=["hide-input"]
def panels(shown, x, beside=None, **labels):
    """A panel for each title, one legend for all; what needs no network as a line across."""
    grid = plotting.panels(len(shown), 2, sharex=True)
    for ax, (title, frames) in zip(grid, shown.items()):
        if title in (beside or {}):
            ax.axhline(beside[title], color=plotting.QUIET, linestyle=":", label="words beside, no network")
        plotting.lines(frames, x, ax=ax, title=title, **labels)
    plotting.plt.show()


# %% [markdown]
# (lay-word-order)=
# ## Is word order told best in the low layers?
#
# Position is put into the model at the very bottom, as a vector added to each word's. {cite:t}`lin2019` ask a probe at
# which place of the sentence a word stands, and find that the answer gets harder to read from about the fourth of
# twelve layers. Here a linear probe tells the place of a word, up to the sixteenth, from its vector.
#
# This claim is taken apart. First two of the study's kind of sentences, generated here, and what is asked of them.

# %%
from bertology_utils.experiments.layers import order

data = load_data(["ambiguity"], "builtin", n=400)
targets = order.indices(data)
for k in (5, 18):
    where = targets.spans[k][0][0]
    print(f"{' '.join(targets.sentences[targets.sentence[k]])}\n  “{targets.types[k]}” stands at place {where}")

# %% [markdown]
# Each word has one vector per layer. A probe is fitted on words of the training sentences (here 1,000) and scores
# the sixteen places for a word of the test sentences; here for one of those words, from the embeddings and
# from the last layer.

# %%
from bertology_utils.probes import gather
from bertology_utils.probes.linear import fit_each

vectors = gather(load(), targets, settings=Settings())  # (9 layers, words, 256)
train = (targets.split == "train").nonzero()[0][:1000]
probes = fit_each(vectors[:, train], targets.labels[train], l2=0.1)
word = (targets.split == "test").nonzero()[0][-3]
for layer in (0, 8):
    logits = probes[layer].logits(vectors[layer, [word]])[0]
    best = logits.argsort(descending=True)[:3].tolist()
    said = ", ".join(f"place {int(probes[layer].classes[k])} ({float(logits[k]):.1f})" for k in best)
    print(f"layer {layer}: “{targets.types[word]}”, really at place {int(targets.labels[word])}; likeliest {said}")

# %% [markdown]
# Now the same on all of the study's own sentences, with four fits per layer.

# %%
examples("lay.word_order.lin2019")

# %%
words = results("lay.word_order.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Accuracy of a probe for the place of a word, by depth. Dotted: what the word alone gives."}, "image": {"alt": "Curves: accuracy of a probe for the place of a word in its sentence, by depth, for every network there is. Trained curves fall, an untrained one is flat."}}
every = words.series("accuracy", task="word order")
shown = by_depth(named(every))
alone = words.value("word alone", task="word order")
labels = {"xlabel": "depth (0: embeddings)", "ylabel": "place told right", "ylim": (0, 1)}
plotting.lines(shown, "depth", chance=alone, reference="word alone", **labels)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("low above the embeddings - rest", "third - last layer"):
    print(plotting.printed(words.series(measure)))

# %%
found("lay.word_order.lin2019")

# %%
card("lay.word_order.lin2019")

# %% [markdown]
# (lay-hierarchy)=
# ## Does hierarchy grow as order fades?
#
# *The dog that can bark will run*: which auxiliary is the main one? The first candidate is right in every training
# sentence and wrong in every test sentence, so a probe that learnt "the first one" fails, and one that learnt
# the structure does not. {cite:t}`lin2019` find this knowledge above the layers where word order is told best.
# But what a word and two words on each side of it tell, without any network, is much too, and grows where a network
# does nothing but mix in ever more of them. So the upper layers must tell more than that.

# %%
examples("lay.hierarchy.lin2019")

# %%
hierarchy = results("lay.hierarchy.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Places of words, main auxiliaries and nouns of subjects, told by layer. The last two are scored where the first candidate is wrong; dotted: what words beside them tell."}, "image": {"alt": "Three panels of curves by layer, for every network there is. Word order: mini falls. Main auxiliary: mini is highest at layer 1 and falls, far below what the words beside tell. Subject noun: mini rises to layer 2 and stays a little below what the words beside tell."}}
tasks = ("word order", "main auxiliary", "subject noun")
shown = {t: named(hierarchy.series("accuracy", task=t)) for t in tasks}
beside = {t: hierarchy.value("words beside", task=t) for t in tasks[1:]}
panels(shown, "layer", beside, ylim=(0, 1.02))

# %% tags=["hide-output"]
for task, frames in shown.items():
    print(f"{task}\n{plotting.printed(frames)}")
print(plotting.printed(hierarchy.series("upper - low")))
print(plotting.printed(hierarchy.series("upper less words beside")))

# %%
found("lay.hierarchy.lin2019")

# %%
card("lay.hierarchy.lin2019")

# %% [markdown]
# (lay-trees)=
# ## From which layers are trees rebuilt?
#
# A structural probe looks for a linear map under which distances between vectors are distances in the syntax tree
# {cite:p}`hewitt2019`. UUAS is the share of the tree's edges that the probe gets back; joining neighbours gets
# a good part of them without any model. The survey reports layers 6 to 9 of 12, and 14 to 19 of 24.

# %%
examples("lay.tree_depth.hewitt2019")

# %%
trees = results("lay.tree_depth.hewitt2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of tree edges rebuilt by a structural probe, by depth. Multilingual BERT: mean of 23 treebanks, layers 5 to 10 of 12, from a released repetition of the study. MiniLM: a trained relative of BERT, 6 layers."}, "image": {"alt": "Curves by depth: share of tree edges rebuilt. Multilingual BERT is highest at layer 7 of 12, MiniLM at layer 3 of 6. mpnet rises to layer 6 of 12 and is flat to layer 10. mini is highest at layer 1 of 8. A dotted line marks what joining neighbours gives."}}
real = by_depth(named(evidence.curves("lay.tree_depth.hewitt2019", "UUAS")), 12)
shown = by_depth(named(trees.series("UUAS"))) | real
chain = trees.value("UUAS, neighbours joined")
labels = {"xlabel": "depth (0: embeddings)", "ylabel": "UUAS"}
plotting.lines(shown, "depth", chance=chain, reference="neighbours joined", ylim=(0.35, 0.82), **labels)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("lay.tree_depth.hewitt2019")

# %%
card("lay.tree_depth.hewitt2019")

# %% [markdown]
# (lay-agreement)=
# ## Where is agreement best?
#
# The survey has subject and verb agree best about two thirds up, at layers 8 and 9 of 12 {cite:p}`goldberg2019`. A model's own
# output head is made for the last layer, and would favour it. So the verb is masked, and a linear probe on each layer's vector
# there tells whether a singular or a plural form belongs in its place. It learns from sentences with other verbs, so that a
# verb that is mostly singular is no help; singular and plural weigh alike: who always says one of them scores one half.

# %%
examples("lay.agreement.goldberg2019")

# %%
agreement = results("lay.agreement.goldberg2019", data="gulordava2018_linzen2016")

# %% mystnb={"figure": {"caption": "Share of sentences in which a probe on each layer tells the number of the masked verb."}, "image": {"alt": "Curves: share of sentences in which a probe on each layer tells the number of a masked verb, for every network there is; a dotted line at one half is chance. mpnet climbs to 0.94 at layer 7 of 12 and to 0.97 at the top; mini to 0.8 at layer 2 and hardly further."}}
shown = named(agreement.series("balanced accuracy"))
plotting.lines(shown, "layer", chance=0.5, ylim=(0.3, 1), ylabel="number told")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(agreement.series("balanced accuracy, the model's own head")))

# %%
found("lay.agreement.goldberg2019")

# %%
card("lay.agreement.goldberg2019")

# %% [markdown]
# (lay-task-specific)=
# ## What do the last layers serve?
#
# The top of the stack was trained to fill in masked words. {cite:t}`liu2019a` conclude that it has specialised: what is
# good for the masked word is not what is good for other tasks. In web text masked as in pretraining, a linear probe on each
# layer tells which of the fifty commonest pieces (the, a comma, …) a mask stands for; other probes tell parts of speech, chunks
# and dependencies. The model's own output head is not used: it was made for the last layer.

# %%
examples("lay.task_specific.liu2019a")

# %%
specific = results("lay.task_specific.liu2019a", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Masked pieces told, and the mean accuracy of probes for parts of speech, chunks and dependencies, by layer."}, "image": {"alt": "Two panels of curves by layer, for every network there is. Masked words: mpnet rises to the last layer, mini steeply to layer 2 and is flat from there. Mean of probes: mpnet is flat from layer 1, mini is highest at layer 1 and falls to the top."}}
tasks = ("masked words", "mean of probes")
shown = {t: named(specific.series("accuracy", task=t)) for t in tasks}
panels(shown, "layer", ylim=(0, 1))

# %% tags=["hide-output"]
for task, frames in shown.items():
    print(f"{task}\n{plotting.printed(frames)}")
for measure in ("high - rest", "rest - high"):
    print(plotting.printed(specific.series(measure)))

# %%
found("lay.task_specific.liu2019a")

# %%
card("lay.task_specific.liu2019a")

# %% [markdown]
# (lay-transferability)=
# ## Which layers transfer best?
#
# Figure 4 of the survey is a table of tasks by layers, after {cite:t}`liu2019a`: the middle columns are the brightest.
# Here is such a table: parts of speech, chunks and dependencies in the English Web Treebank, and relations between nouns in
# the sentences of SemEval 2010.

# %%
examples("lay.transferability.liu2019a")

# %%
transfer = results("lay.transferability.liu2019a", data="ud_english_ewt")
roles = results("lay.transferability.liu2019a", data="up_english_ewt")
nouns = results("lay.transferability.liu2019a", data="semeval2010_task8")

# %% mystnb={"figure": {"caption": "Accuracy of linear probes on the network that the title names, task by layer."}, "image": {"alt": "Heatmap: rows are four probing tasks, columns are layers from the embeddings to the last; each cell shows the accuracy of a linear probe."}}
one = [r.rows for r in (transfer, nouns) if r.focus == transfer.focus]  # of one network alone
scores = pd.concat([rows[rows["measure"] == "accuracy"] for rows in one])
table = scores.pivot_table(index="task", columns="layer", values="value", sort=False, aggfunc="first")
plotting.heatmap(
    table.to_numpy(float), list(table.index), [f"{int(c)}" for c in table.columns],
    label="accuracy", title=transfer.title, xlabel="layer (0: embeddings)",
)  # fmt: skip
plotting.plt.show()

# %% [markdown]
# The study's figures for the real BERT are pictures only. The nearest released ones are eleven sentence tasks on both
# sizes: a related measure, in a panel of its own of the figure folded here. They decide nothing. MiniLM was put to the treebank with semantic roles,
# `mpnet` to the one without; `mini` to both.

# %% mystnb={"figure": {"caption": "Mean accuracy by depth. Each panel has its own tasks: compare curves within a panel, and only shapes across panels."}, "image": {"alt": "Three panels of curves by depth. Three tasks per word: mpnet is highest at layer 2 of 12, sags in the middle and rises again above it; mini is highest at layer 1 of 8 and falls; an untrained network is flat. The same and semantic roles: MiniLM is highest at layer 2 of 6 and falls steeply, mini falls. Eleven sentence tasks, released: BERT-base and BERT-large rise slowly and are highest in the upper half."}}
tasks = {"three tasks per word": transfer.series("mean accuracy"), "and semantic roles": roles.series("mean accuracy"),
         "eleven sentence tasks": evidence.curves("lay.transferability.liu2019a", "mean accuracy")}  # fmt: skip
shown = {title: by_depth(named(frames)) for title, frames in tasks.items()}
panels(shown, "depth", ylim=(0.3, 0.95))

# %% tags=["hide-output"]
print(f"{transfer.title}\n{table.round(3).to_string()}")
for title, frames in shown.items():
    print(f"{title}\n{plotting.printed(frames)}")
for made in (transfer, roles):
    print(plotting.printed(made.series("middle - best other", task="all")))

# %%
found("lay.transferability.liu2019a")

# %%
card("lay.transferability.liu2019a")

# %% [markdown]
# (lay-sentence-tasks)=
# ## Surface low, syntax in the middle, meaning high?
#
# {cite:t}`jawahar2019` run ten sentence tasks on every layer and see three storeys. The survey itself doubts the top
# one. The tasks below are *SentEval-like*: the questions are those of {cite:t}`conneau2018probing`, the sentences are
# a treebank's. The vector of a sentence is the mean of its words'. An independent run of the original tasks on both
# sizes of BERT was released; its curves stand beside ours. The study's own table (base, layers 1 to 12, read off a later
# drawing) is not drawn: there surface tasks rise to layer 4 and then fall, and tasks of meaning are best at layer 9.

# %%
examples("lay.sentence_tasks.jawahar2019")

# %%
sentences = results("lay.sentence_tasks.jawahar2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Mean accuracy of surface, syntactic and semantic sentence tasks by depth: the study's tasks for the real BERT, ours for reruns. Compare shapes, not heights."}, "image": {"alt": "Three panels of curves by depth. Surface: BERT-base and -large are highest at layer 1, and mpnet, MiniLM and mini at the embeddings; all fall from there, mpnet to layer 8 only. Syntactic: the real BERTs and MiniLM are highest in the middle, mpnet rises to layer 6 and hardly falls, mini is flat. Semantic: the real BERTs rise to about two thirds and fall a little, mpnet rises a little, mini and MiniLM are flat."}}
kinds = ("surface", "syntactic", "semantic")
shown = {k: by_depth(named(sentences.series("mean accuracy", kind=k))) for k in kinds}
panels(shown, "depth", ylim=(0.4, 1))

# %% tags=["hide-output"]
for kind, frames in shown.items():
    print(f"{kind}\n{plotting.printed(frames)}")

# %%
found("lay.sentence_tasks.jawahar2019")

# %%
card("lay.sentence_tasks.jawahar2019")

# %% [markdown]
# (lay-pipeline)=
# ## Does the classical pipeline appear?
#
# Tag the words, chunk them, parse, find the names, the roles, who is who: that was once a chain of programs, and
# {cite:t}`tenney2019a` find its order again in the layers of one network. Probes read mixtures of layers 0 to l for growing
# l, and each layer counts by the accuracy it adds; the mean layer so weighted is the *expected layer*. A layer that lowers
# the score adds nothing.

# %%
examples("lay.pipeline.tenney2019a")

# %%
pipeline = results("lay.pipeline.tenney2019a", data="up_english_ewt")

# %% tags=["hide-input"]
STAGES = ["POS", "chunks", "dependencies", "entities", "roles", "coreference"]


def staged(result, measure, tasks=STAGES):
    """The rows of a measure, stage by stage; constituents stand for chunks in the released scores."""
    found = {m: f.replace({"task": {"constituents": "chunks"}}) for m, f in result.series(measure).items()}
    found = {m: f[f["task"].isin(tasks)] for m, f in found.items()}
    return named({m: f.sort_values("task", key=lambda t: t.map(tasks.index)) for m, f in found.items()})


# %% mystnb={"figure": {"caption": "Expected layer as a share of depth, stage by stage. Chunks: constituents in the released scores. Entities and coreference are not annotated in the reruns' treebank."}, "image": {"alt": "Horizontal bars: expected layer as a share of depth for six stages, for BERT-base and BERT-large lowest for parts of speech and highest for coreference, with entities below dependencies; for mpnet and MiniLM, highest for roles; and for mini, between 0.14 and 0.2 for its three stages."}}
shown = staged(pipeline, "expected layer / depth")
plotting.bars(shown, "task", xlim=(0, 0.6), xlabel="expected layer / depth", ax=plotting.axes(figsize=(plotting.NARROW, 3.4)))
plotting.plt.show()

# %% [markdown]
# The study's second measure is the mean layer under the weights of the mixture, its *centre of gravity*. Folded under the figure it
# stands for MiniLM, mini and its untrained twin, whose layers add nothing, on a treebank with entities and coreference.

# %% mystnb={"figure": {"caption": "Centre of gravity of the mixing weights as a share of depth."}, "image": {"alt": "Horizontal bars for five stages: centre of gravity of the mixing weights as a share of depth, for every network there is."}}
gum = results("lay.pipeline.tenney2019a", data="ud_english_gum")
weights = staged(gum, "centre of gravity / depth")
plotting.bars(weights, "task", xlim=(0, 0.6), xlabel="centre of gravity / depth")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(weights))
for result in (pipeline, gum):
    print(plotting.printed(named(result.series("gain over embeddings"))))

# %%
found("lay.pipeline.tenney2019a")

# %%
card("lay.pipeline.tenney2019a")

# %% [markdown]
# (lay-chunks)=
# ## Where do chunks live?
#
# On chunks (noun phrases, verb groups) the studies contradict one another: {cite:t}`jawahar2019` have them low,
# {cite:t}`tenney2019a` early in the pipeline, {cite:t}`liu2019a` in the middle, like parts of speech. Each used a measure of
# its own. Here all three measure the same chunks: clusters of their vectors, what each layer adds, a probe per layer.

# %%
examples("lay.chunks_conflict.liu2019a")

# %%
chunks = results("lay.chunks_conflict.liu2019a", data="nltk_corpora")

# %% mystnb={"figure": {"caption": "Chunks of CoNLL-2000 by three studies' measures: accuracy of a probe per layer, accuracy of probes on mixtures of layers 0 to l, mutual information of clusters with the kinds of chunk."}, "image": {"alt": "Three panels of curves by layer, for every network there is. For mini a probe per layer is highest at layer 2, clusters at layer 1; mixtures rise to layer 2 and are flat from there."}}
shown = {
    "a probe per layer": chunks.series("accuracy", task="chunks", probe="linear"),
    "mixtures of layers 0 to l": chunks.series("cumulative accuracy", task="chunks"),
    "clusters of spans": chunks.series("mutual information"),
}
shown = {title: named(frames) for title, frames in shown.items()}
panels(shown, "layer")

# %% tags=["hide-output"]
for title, frames in shown.items():
    print(f"{title}\n{plotting.printed(frames)}")

# %%
found("lay.chunks_conflict.liu2019a")

# %%
card("lay.chunks_conflict.liu2019a")

# %% [markdown]
# (lay-semantics)=
# ## Is meaning spread over the whole stack?
#
# A mixture that needs every layer has even weights; one that finds all it needs in a few has not. {cite:t}`tenney2019a`
# measure this by the divergence from even shares, of the weights and of what each layer adds, and find semantic tasks
# flatter. They also watch single examples: hard ones turn right only high up.

# %%
examples("lay.semantics_spread.tenney2019a")

# %%
semantics = results("lay.semantics_spread.tenney2019a", data="up_english_ewt")

# %% mystnb={"figure": {"caption": "How uneven the mixing weights are, in bits; 0 is spread evenly over the layers. Chunks: constituents in the released weights of BERT-large."}, "image": {"alt": "Horizontal bars for eight tasks: divergence of the mixing weights from even ones. For mini it is lowest for roles, for BERT-large for proto-roles, relations and entities."}}
tasks = [*STAGES, "relations", "proto-roles"]
weights = staged(semantics, "KL of mixing weights (bits)", tasks)
axes = plotting.axes(figsize=(plotting.NARROW, 3.9))
plotting.bars(weights, "task", ax=axes, xlabel="divergence of mixing weights from even ones (bits)")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Share of examples that turn right above the lowest third of the layers, less those that turn wrong there."}, "image": {"alt": "Horizontal bars for eight tasks: net share of examples that turn right above the lowest third of the layers. Above 0 for every task in BERT-large, most for relations and coreference; at or below 0 for mini."}}
late = staged(semantics, "gain above the lowest third", tasks)
axes = plotting.axes(figsize=(plotting.NARROW, 3.6))
plotting.bars(late, "task", chance=0.0, ax=axes, xlabel="net share of examples that turn right higher up")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(weights))
print(plotting.printed(late))

# %%
found("lay.semantics_spread.tenney2019a")

# %%
card("lay.semantics_spread.tenney2019a")

# %% [markdown]
# (lay-commonsense)=
# ## Do commonsense relations grow upward?
#
# *Shark* and *fish*, *day* and *night*: {cite:t}`cui2020` find that what relates two concepts is weakest in the early
# layers and grows. A linear probe tells the relation from the two words' vectors and their product, on pairs
# of ConceptNet; it has seen neither word of a pair that it is scored on.

# %%
examples("lay.conceptnet.cui2020")

# %%
concepts = results("lay.conceptnet.cui2020", data="ckbc_conceptnet")

# %% mystnb={"figure": {"caption": "Accuracy of a probe for the relation of two concepts, by layer. Dotted: the commonest relation."}, "image": {"alt": "Curves: accuracy of a probe for the relation of two concepts by layer, for every network there is. A dotted line marks the commonest relation."}}
shown = named(concepts.series("accuracy"))
most = concepts.value("majority")
plotting.lines(shown, "layer", chance=most, reference="commonest relation", ylabel="relation told right")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("upper third - lower third", "upper third - middle third"):
    print(plotting.printed(concepts.series(measure)))

# %%
found("lay.conceptnet.cui2020")

# %%
card("lay.conceptnet.cui2020")

# %% [markdown]
# (lay-depth)=
# ## Is a deeper model the same, stretched?
#
# Between BERT-base and BERT-large, {cite:t}`tenney2019a` see the same profiles over twice as many layers. If so, a task's
# expected layer keeps its share of the depth. Both sizes' scores were released. Our own pair needs a second model, of
# another depth and otherwise alike: a folder or a Hub name in `BERTOLOGY_SHALLOW`.

# %% mystnb={"figure": {"caption": "Expected layer of BERT-large less that of BERT-base, as shares of depth, by task."}, "image": {"alt": "Horizontal bars around 0: difference of the expected layers of BERT-large and BERT-base as shares of depth, by task."}}
(pair,) = [r.frame for r in evidence.find("lay.base_vs_large.tenney2019a") if r.label == "authors"]
shown = plotting.series({"BERT-large less BERT-base": pair}, "expected depth, deep - shallow")
plotting.bars(shown, "task", chance=0.0, xlim=(-0.3, 0.3), xlabel="difference of expected layers, shares of depth")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
examples("lay.base_vs_large.tenney2019a")

# %% tags=["hide-output"]
print(plotting.printed(results("lay.base_vs_large.tenney2019a").deciding()))

# %%
found("lay.base_vs_large.tenney2019a")

# %%
card("lay.base_vs_large.tenney2019a")

# %% [markdown]
# (layers-since)=
# ## Since the survey
#
# {cite:t}`ravichander2021` show that networks encode what their task does not need; a layer that tells a property best need not
# be the one that uses it. So these profiles say where something can be read, not where it works. {cite:t}`niu2022` dispute that
# BERT's layers are a <a href="../claims/lay.pipeline.tenney2019a.html">pipeline</a> at all. {cite:t}`papadimitriou2022` find
# BERT's lower layers lexical and the upper ones bound to word order where words alone mislead, which is hard to see in averages:
# <a href="../claims/lay.word_order.lin2019.html">word order itself</a> is read off the lower layers best.

# %% [markdown]
# (layers-exercise)=
# ## Exercise: Where do two senses part?
#
# The two *banks* are one word at the embeddings. Their cosine says how far each layer has moved them apart.
#
# ```python
# import numpy as np
# from bertology_utils import load
# from bertology_utils.subject.encode import hidden_states
#
# pair = ["He sat on the bank of the river .".split(), "The bank raised its rates again .".split()]
# states = dict(hidden_states(load(), pair))  # (layers, words, dimensions) of each
# for layer, (one, other) in enumerate(zip(states[0][:, 4], states[1][:, 1])):
#     print(layer, round(float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)), 2))
# ```
#
# A fall alone does not show senses: any two contexts move a word. Put two sentences beside it in which *bank* means the same,
# and look at the difference. The page [Look into layers](../book/layers) shows neighbours of such words.
