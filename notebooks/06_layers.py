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
# Layer 0 is the embeddings; with L layers, layer L is the last, and *depth* is a layer's number over L. No claim is decided
# by a best layer: of several layers that are nearly equal, chance picks one. One part of the stack is set against another,
# each by the layer that is best in it on *other* sentences, and the difference of their scores is the effect. Probes are
# fitted four times, on different sentences, so that the intervals cover the training too. "The middle" is between 0.25 and
# 0.85 of the depth, and must beat both the layers below and above it and what the words give without a model.
#
# `mini` has 8 layers and the *untrained twin* its shape with random weights. The figures show the studies' own data where
# they are at hand, from the recorded runs (`recall`); `run` measures again. The cards add the real BERT.
#
# **Five things this chapter shows**

# %%
from bertology_utils import Settings, card, five, found, load, plotting, recall
from bertology_utils.claims import evidence
from bertology_utils.data import load as load_data


def by_depth(frames):
    """Curves of models of different depth on one axis: 0 the embeddings, 1 the last layer."""
    return {m: f.assign(depth=f["layer"].astype(float) / float(f["layer"].max())) for m, f in frames.items()}


five("layers")

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
for k in (0, 12):
    where = targets.spans[k][0][0]
    print(f"{' '.join(targets.sentences[targets.sentence[k]])}\n  {targets.types[k]!r} stands at place {where}")

# %% [markdown]
# Each word has one vector per layer. A probe is fitted on some 1,000 words of the training sentences and scores
# the sixteen places for a word of the test sentences; here for the last word that is asked for, from the embeddings and
# from the last layer.

# %%
from bertology_utils.probes import gather
from bertology_utils.probes.linear import fit_each

vectors = gather(load("mini"), targets, settings=Settings())  # (9 layers, words, 256)
train = (targets.split == "train").nonzero()[0][:1000]
probes = fit_each(vectors[:, train], targets.labels[train], l2=0.1)
word = (targets.split == "test").nonzero()[0][-1]
for layer in (0, 8):
    logits = probes[layer].logits(vectors[layer, [word]])[0]
    best = logits.argsort(descending=True)[:3].tolist()
    said = ", ".join(f"place {int(probes[layer].classes[k])} ({float(logits[k]):.1f})" for k in best)
    print(f"layer {layer}: {targets.types[word]!r}, really at place {int(targets.labels[word])}; likeliest {said}")

# %% [markdown]
# The whole: the same on the study's own sentences, with four fits per layer.

# %%
words = recall("lay.word_order.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Accuracy of a probe for the place of a word, by layer. Dotted: what the word alone gives."}, "image": {"alt": "Curves: accuracy of a probe for the place of a word in its sentence, by layer, for mini and its untrained twin. The trained curve falls from layer 1 on, the untrained one is flat."}}
shown = words.series("accuracy", task="word order")
chance = words.value("word alone", task="word order")
plotting.lines(shown, "layer", chance=round(chance, 3), ylabel="place of the word told right")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("low - rest", "third - last layer"):
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

# %%
hierarchy = recall("lay.hierarchy.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Three probes on mini by layer: places of words, main auxiliaries, nouns of subjects."}, "image": {"alt": "Three curves by layer for mini: accuracy for the place of a word, for the main auxiliary and for the subject noun where the first candidate is wrong."}}
tasks = ("word order", "main auxiliary", "subject noun")
shown = {t: plotting.series({t: hierarchy.rows}, "accuracy", task=t)[t] for t in tasks}
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(hierarchy.series("upper - low")))

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
trees = recall("lay.tree_depth.hewitt2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of tree edges rebuilt by a structural probe, by layer. Dotted: neighbouring words joined."}, "image": {"alt": "Curves: share of tree edges rebuilt by a structural probe, by layer, for mini and its untrained twin. A dotted line marks what joining neighbours gives."}}
chain = trees.value("UUAS, neighbours joined")
plotting.lines(trees.series("UUAS"), "layer", chance=round(chain, 3), ylabel="UUAS")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "The same for multilingual BERT, mean of 23 treebanks; a repetition of the study released layers 5 to 10 of 12."}, "image": {"alt": "Curve: share of tree edges rebuilt by a structural probe on layers 5 to 10 of multilingual BERT, mean of 23 treebanks, highest at layer 7."}}
shown = evidence.curves("lay.tree_depth.hewitt2019", "UUAS")
plotting.lines(shown, "layer", ylabel="UUAS")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(trees.series("UUAS")))
print(plotting.printed(shown))

# %%
found("lay.tree_depth.hewitt2019")

# %%
card("lay.tree_depth.hewitt2019")

# %% [markdown]
# (lay-agreement)=
# ## Where is agreement best?
#
# The survey has subject and verb agree best about two thirds up, at layers 8 and 9 of 12 {cite:p}`goldberg2019`. To predict
# a word from a lower layer we put a linear map in front of the model's own masked-LM head, fitted on running text; every
# layer gets its map by the same recipe. Singular and plural verbs weigh alike: who always says *is* scores one half.

# %%
agreement = recall("lay.agreement.goldberg2019", data="gulordava2018_linzen2016")

# %% mystnb={"figure": {"caption": "Share of sentences in which the right verb form is preferred, read from each layer."}, "image": {"alt": "Curves: share of sentences in which the right verb form is preferred, read from each layer, for mini and its untrained twin; a dotted line at one half is chance."}}
shown = agreement.series("balanced accuracy")
plotting.lines(shown, "layer", chance=0.5, ylim=(0.3, 0.8), ylabel="right verb form preferred")
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
# good for the masked word is not what is good for other tasks. The same fitted heads fill in masked pieces (right if the
# likeliest piece of the whole vocabulary is the one that stood there), and linear probes tell parts of speech, chunks and
# dependencies.

# %%
specific = recall("lay.task_specific.liu2019a", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "mini by layer: masked pieces filled in, and the mean of the probes."}, "image": {"alt": "Two curves by layer for mini: masked pieces filled in right, and the mean accuracy of linear probes."}}
tasks = ("masked words", "mean of probes")
shown = {t: plotting.series({t: specific.rows}, "accuracy", task=t)[t] for t in tasks}
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
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
# Here is such a table for the treebank that carries four of our tasks: parts of speech, chunks, dependencies and semantic
# roles.

# %%
transfer = recall("lay.transferability.liu2019a", data="up_english_ewt")

# %% mystnb={"figure": {"caption": "Accuracy of linear probes on mini, task by layer."}, "image": {"alt": "Heatmap: rows are probing tasks, columns are layers from the embeddings to the last; each cell shows the accuracy of a linear probe of mini. Layer 1 is the brightest column."}}
scores = transfer.rows[transfer.rows["measure"] == "accuracy"]
table = scores.pivot_table(index="task", columns="layer", values="value", sort=False, aggfunc="first")
plotting.heatmap(
    table.to_numpy(float), list(table.index), [f"{c}" for c in table.columns],
    label="accuracy", xlabel="layer (0: embeddings)",
)  # fmt: skip
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Mean accuracy over the four tasks by layer."}, "image": {"alt": "Curves: mean accuracy over the tasks by layer, for mini and its untrained twin."}}
shown = transfer.series("mean accuracy")
word = transfer.value("mean accuracy", layer=0)
plotting.lines(shown, "layer", ylabel="mean accuracy of the tasks")
plotting.plt.show()

# %% tags=["hide-output"]
print(table.round(3).to_string())
print(plotting.printed(shown))
print(plotting.printed(transfer.series("middle - best other", task="all")))

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
# sizes of BERT was released; its curves stand beside ours.

# %%
sentences = recall("lay.sentence_tasks.jawahar2019", data="ud_english_ewt")
kinds = ("surface", "syntactic", "semantic")

# %% mystnb={"figure": {"caption": "mini: mean accuracy of the surface, syntactic and semantic tasks by layer."}, "image": {"alt": "Three curves by layer for mini: mean accuracy of surface, syntactic and semantic sentence tasks."}}
shown = {k: plotting.series({k: sentences.rows}, "mean accuracy", kind=k)[k] for k in kinds}
plotting.lines(shown, "layer", ylabel="mean accuracy")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "BERT-base, released: the same three kinds of task by layer."}, "image": {"alt": "Three curves by layer for BERT-base, from a released run: surface tasks fall from the bottom, syntactic ones peak in the middle, semantic ones rise to a plateau."}}
(base,) = [r.frame for r in evidence.find("lay.sentence_tasks.jawahar2019")
           if r.model == "bert-base-uncased" and r.label == "rerun"]
released = {k: plotting.series({k: base}, "mean accuracy", kind=k)[k] for k in kinds}
plotting.lines(released, "layer", ylabel="mean accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(released))

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
pipeline = recall("lay.pipeline.tenney2019a", data="ud_english_gum")

# %% mystnb={"figure": {"caption": "Expected layer as a share of depth, by task. Constituents stand for chunks in the released scores."}, "image": {"alt": "Horizontal bars: expected layer as a share of depth, by task, for mini and for the released scores of BERT-base and BERT-large."}}
shown = {f"{r.model}, released": plotting.series({"r": r.frame}, "expected layer / depth")["r"]
         for r in evidence.find("lay.pipeline.tenney2019a") if r.kind == "released"}
ours = plotting.series({"mini": pipeline.rows}, "expected layer / depth")
plotting.bars(shown | ours, "task", xlim=(0, 1), xlabel="expected layer / depth")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown | ours))
print(plotting.printed(pipeline.series("gain over embeddings")))

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
chunks = recall("lay.chunks_conflict.liu2019a", data="nltk_corpora")

# %% mystnb={"figure": {"caption": "Chunks in mini by three studies' measures."}, "image": {"alt": "Three curves by layer for mini on chunks: accuracy of a probe per layer, accuracy of probes on mixtures of layers 0 to l, and mutual information of clusters of spans."}}
shown = {
    "a probe per layer": plotting.series({"p": chunks.rows}, "accuracy", task="chunks", probe="linear")["p"],
    "mixtures of layers 0 to l": plotting.series({"m": chunks.rows}, "cumulative accuracy", task="chunks")["m"],
    "clusters of spans": plotting.series({"c": chunks.rows}, "mutual information")["c"],
}
plotting.lines(shown, "layer", ylabel="accuracy, or mutual information")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

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
semantics = recall("lay.semantics_spread.tenney2019a", data="ud_english_gum")

# %% mystnb={"figure": {"caption": "How uneven the mixing weights are, by task; 0 is spread evenly over the layers."}, "image": {"alt": "Horizontal bars: divergence of the mixing weights from even ones in bits, by task, for mini and its untrained twin."}}
shown = semantics.series("KL of mixing weights (bits)")
plotting.bars(shown, "task", xlabel="divergence of mixing weights from even ones (bits)")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("gain of the lowest third", "gain above the lowest third"):
    print(plotting.printed(semantics.series(measure)))

# %%
found("lay.semantics_spread.tenney2019a")

# %%
card("lay.semantics_spread.tenney2019a")

# %% [markdown]
# (lay-commonsense)=
# ## Do commonsense relations grow upward?
#
# *Shark* and *fish*, *day* and *night*: {cite:t}`cui2020` find that what relates two concepts is weakest in the early
# layers and grows. A linear probe tells the relation from the two words' vectors and their product, on pairs of ConceptNet.

# %%
concepts = recall("lay.conceptnet.cui2020", data="ckbc_conceptnet")

# %% mystnb={"figure": {"caption": "Accuracy of a probe for the relation of two concepts, by layer. Dotted: the commonest relation."}, "image": {"alt": "Curves: accuracy of a probe for the relation of two concepts by layer, for mini and its untrained twin. A dotted line marks the commonest relation."}}
shown = concepts.series("accuracy")
most = concepts.value("majority")
plotting.lines(shown, "layer", chance=round(most, 3), ylabel="relation told right")
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
found("lay.base_vs_large.tenney2019a")

# %%
card("lay.base_vs_large.tenney2019a")
