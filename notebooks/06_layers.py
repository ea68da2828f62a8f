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
# Layer 0 is the embeddings; with L layers, layer L is the last, and *depth* is a layer's number over L. "Best layer" is
# a treacherous figure: of several layers that are nearly equal, chance picks one. So every best layer is bootstrapped
# over sentences like any other number, and "best inside the stack" is decided by two differences: the inner layer
# chosen on *other* sentences (dev) against the embeddings, and against the last layer. A figure whose interval
# covers half the stack says nothing, and its verdict is *inconclusive*.
#
# As everywhere in this book, an *untrained twin* (same architecture, random weights) is measured beside the model: a
# profile that the twin has too is the architecture's, not the training's.

# %%
from bertology_utils import card, plotting, run
from bertology_utils.claims import evidence

# %% [markdown]
# (lay-word-order)=
# ## Word order is a matter of the low layers
#
# Position is put into the model at the very bottom, as a vector added to each word's. {cite:t}`lin2019` ask a probe at
# which place of the sentence a word stands, and find that the answer gets harder to read from about the fourth of
# twelve layers. Here a linear probe tells the index of a word (up to 16) from its vector.

# %%
order = run("lay.word_order.lin2019")

# %% mystnb={"image": {"alt": "Curves: accuracy of a probe for the index of a word in its sentence, by layer, for the model and its untrained twin."}}
shown = plotting.series(order.frames, "accuracy")
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="index of the word told right")
print(plotting.printed(shown))

# %%
card("lay.word_order.lin2019")

# %% [markdown]
# (lay-hierarchy)=
# ## As order fades, hierarchy grows
#
# *The dog that can bark will run*: which auxiliary is the main one? The first candidate is right in every
# training sentence and wrong in every test sentence, so a probe that learnt "the first one" fails, and one that learnt
# the structure does not. {cite:t}`lin2019` find this knowledge in higher layers than that of word order. Both are
# drawn together; the claim is decided by the distance between the two best layers.

# %%
hierarchy = run("lay.hierarchy.lin2019")

# %% mystnb={"image": {"alt": "Three curves by layer for the model: accuracy for the word's index, for the main auxiliary and for the subject noun where the first candidate is wrong."}}
tasks = ("word order", "main auxiliary", "subject noun")
shown = {t: plotting.series({t: hierarchy.rows}, "accuracy", task=t)[t] for t in tasks}
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="accuracy", title="Word order against hierarchy")
print(plotting.printed(shown))
print(plotting.printed(plotting.series(hierarchy.frames, "best layer")))

# %%
card("lay.hierarchy.lin2019")

# %% [markdown]
# (lay-trees)=
# ## Trees are best rebuilt from the middle
#
# A structural probe looks for a linear map under which distances between vectors are distances in the syntax tree
# {cite:p}`hewitt2019`. UUAS is the share of the tree's edges that the probe gets back. The survey reports layers 6 to 9
# of 12, and 14 to 19 of 24.

# %%
trees = run("lay.tree_depth.hewitt2019")

# %% mystnb={"image": {"alt": "Curves: share of tree edges rebuilt by a structural probe, by layer, for the model and its untrained twin."}}
shown = plotting.series(trees.frames, "UUAS")
plotting.lines(shown, "layer", ylabel="UUAS")
print(plotting.printed(shown))
print(plotting.printed(plotting.series(trees.frames, "best layer / depth")))

# %%
card("lay.tree_depth.hewitt2019")

# %% [markdown]
# (lay-agreement)=
# ## Agreement, two thirds up
#
# Subject and verb agree best, {cite:t}`goldberg2019` reports, when the word is predicted from about layer 8 or 9 of 12.
# To predict a word from a lower layer we put a linear map in front of the model's own masked-LM head, fitted on running
# text; every layer gets its map by the same recipe. The first step of the fit makes the layer look like the last one,
# the following ones make it predict the masked words.

# %%
agreement = run("lay.agreement.goldberg2019")

# %% mystnb={"image": {"alt": "Curves: share of sentences in which the right verb form is preferred, read from each layer, for the model and its untrained twin; a dotted line at one half is chance."}}
shown = plotting.series(agreement.frames, "accuracy")
plotting.lines(shown, "layer", chance=0.5, ylim=(0, 1.02), ylabel="right verb form preferred")
print(plotting.printed(shown))
print(plotting.printed(plotting.series(agreement.frames, "accuracy, the model's own head")))

# %%
card("lay.agreement.goldberg2019")

# %% [markdown]
# (lay-task-specific)=
# ## The last layers serve the pretraining task
#
# The top of the stack was trained to fill in masked words. {cite:t}`liu2019a` conclude that it has specialised: what is
# good for the masked word is not what is good for other tasks. The same fitted heads tell masked words (right if the
# likeliest piece of the whole vocabulary is the one that stood there), and four linear probes tell parts of speech,
# chunks, dependencies and entities. The claim needs both: masked words best at the last layer, the probes not.

# %%
specific = run("lay.task_specific.liu2019a")

# %% mystnb={"image": {"alt": "Two curves by layer for the model: masked words told right, and the mean accuracy of four linear probes."}}
tasks = ("masked words", "mean of probes")
shown = {t: plotting.series({t: specific.rows}, "accuracy", task=t)[t] for t in tasks}
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="accuracy", title="Pretraining task against probes")
print(plotting.printed(shown))

# %%
card("lay.task_specific.liu2019a")

# %% [markdown]
# (lay-transferability)=
# ## Middle layers transfer best
#
# Figure 4 of the survey is a table of tasks by layers, after {cite:t}`liu2019a`: the middle columns are the brightest.
# Here it is again, from linear probes on generated sentences with known analyses. Each task ranks the layers; the
# claim is about the mean rank (1 is best), and asks an inner layer to beat both ends.

# %%
transfer = run("lay.transferability.liu2019a")

# %% mystnb={"image": {"alt": "Heatmap: rows are probing tasks, columns are layers from the embeddings to the last; each cell shows the accuracy of a linear probe of the model."}}
scores = transfer.rows[transfer.rows["measure"] == "accuracy"]
table = scores.pivot_table(index="task", columns="layer", values="value", sort=False, aggfunc="first")
plotting.heatmap(
    table.to_numpy(float), list(table.index), [f"{c}" for c in table.columns],
    label="accuracy", xlabel="layer (0: embeddings)", title="Linear probes, task by layer",
)  # fmt: skip
print(table.round(3).to_string())

# %% mystnb={"image": {"alt": "Curves: mean rank of each layer over the tasks, 1 being best, for the model and its untrained twin."}}
shown = plotting.series(transfer.frames, "mean rank")
plotting.lines(shown, "layer", ylabel="mean rank over tasks (1 is best)")
print(plotting.printed(shown))

# %%
card("lay.transferability.liu2019a")

# %% [markdown]
# (lay-sentence-tasks)=
# ## Surface low, syntax in the middle, meaning high?
#
# {cite:t}`jawahar2019` run ten sentence tasks on every layer and see three storeys. The survey itself doubts the top
# one. The tasks below are *SentEval-like*: the questions are those of {cite:t}`conneau2018probing`, the sentences are
# ours, few and simple: the figures compare layers, not papers. The vector of a sentence is the mean of its words'.
# Only surface against syntax is decided; the semantic storey is printed as found.

# %%
sentences = run("lay.sentence_tasks.jawahar2019")

# %% mystnb={"image": {"alt": "Heatmap: ten SentEval-like sentence tasks by layer; each cell shows the accuracy of a linear probe of the model."}}
scores = sentences.rows[sentences.rows["measure"] == "accuracy"]
table = scores.pivot_table(index=["kind", "task"], columns="layer", values="value", sort=False, aggfunc="first")
plotting.heatmap(
    table.to_numpy(float), [f"{t} ({k})" for k, t in table.index], [f"{c}" for c in table.columns],
    label="accuracy", xlabel="layer (0: embeddings)", title="SentEval-like tasks, by layer",
)  # fmt: skip
for measure in ("mean best layer", "difference of mean best layers"):
    print(plotting.printed(plotting.series(sentences.frames, measure)))

# %%
card("lay.sentence_tasks.jawahar2019")

# %% [markdown]
# (lay-pipeline)=
# ## The classical pipeline
#
# Tag the words, chunk them, parse, find the names, the roles, who is who: that was once a chain of programs, and
# {cite:t}`tenney2019a` find its order again in the layers of one network. Two figures say where a task lives. *Expected
# layer*: probes read mixtures of layers 0 to l for growing l, and each layer counts by the accuracy it adds. *Centre of
# gravity*: the mean layer under the mixture's learnt weights. A task that the embeddings alone solve as well as
# the whole model has no expected layer; with simple generated sentences that happens. (How mixtures are fitted, a penalty
# that holds weights to even ones and mixtures brought to unit size, was settled after figures of unfinished models had
# been seen, for this section and for that on semantics.)
#
# Beside ours stand the released scores of BERT-base and BERT-large, counted again by our code where they are at hand;
# all as shares of depth, since the models differ in layers.

# %%
pipeline = run("lay.pipeline.tenney2019a")

# %% mystnb={"image": {"alt": "Horizontal bars: expected layer as a share of depth, by task, for the model and, where at hand, the released scores of BERT-base and BERT-large."}}
shown = {}
for record in evidence.find("lay.base_vs_large.tenney2019a"):
    if record.kind == "released" and "expected layer / depth" in set(record.frame["measure"]):
        shown[f"{record.model}, released"] = plotting.series({"r": record.frame}, "expected layer / depth")["r"]
ours = pipeline.rows[pipeline.rows["measure"] == "expected layer / depth"]
shown |= {pipeline.records[0].model: ours} if len(ours) else {}
if shown:
    plotting.bars(shown, "task", xlim=(-0.1, 1), xlabel="expected layer / depth", title="What each layer adds")
    print(plotting.printed(shown))

# %% mystnb={"image": {"alt": "Horizontal bars: centre of gravity of the mixing weights as a share of depth, by task, for the model and its untrained twin."}}
shown = plotting.series(pipeline.frames, "centre of gravity / depth")
plotting.bars(shown, "task", chance=0.5, xlim=(0, 1), xlabel="centre of gravity / depth", title="Mixing weights")
print(plotting.printed(shown))

# %%
card("lay.pipeline.tenney2019a")

# %% [markdown]
# (lay-chunks)=
# ## Where do chunks live?
#
# On chunks (noun phrases, verb groups) the studies contradict one another: {cite:t}`jawahar2019` have them low,
# {cite:t}`tenney2019a` early in the pipeline, {cite:t}`liu2019a` in the middle, like parts of speech. We ask two
# probe families. "Replicated" means that our data side with the middle, "not replicated" that they side with the low
# layers, and "partly" that the two probes disagree as the studies do. Expected layer and centre of gravity of the same
# task are printed below: they need not agree with the best layer, nor with each other.

# %%
chunks = run("lay.chunks_conflict.liu2019a")

# %% mystnb={"image": {"alt": "Curves: accuracy for chunk tags and parts of speech by layer, each with a linear probe and with a probe of one hidden layer, for the model."}}
keys = [(t, p) for t in ("POS", "chunks") for p in ("linear", "one hidden layer")]
keys = [(t, p) for t, p in keys if ((chunks.rows["task"] == t) & (chunks.rows["probe"] == p)).any()]
shown = {f"{t}, {p}": plotting.series({"m": chunks.rows}, "accuracy", task=t, probe=p)["m"] for t, p in keys}
plotting.lines(shown, "layer", ylabel="accuracy")
print(plotting.printed(shown))
where = chunks.rows["measure"].isin(["best layer / depth", "expected layer / depth", "centre of gravity / depth"])
print(plotting.printed({"model": chunks.rows[where]}))

# %%
card("lay.chunks_conflict.liu2019a")

# %% [markdown]
# (lay-semantics)=
# ## Semantics is everywhere
#
# If a task is solved in one place, the mixture puts its weight there; if it is spread over the stack, the weights are
# near uniform. {cite:t}`tenney2019a` measure this by the divergence (KL) from uniform weights and find semantic tasks
# flatter; the released weights of BERT-large, divided again by our code, are in the card. They also watch single
# examples: some settle early, hard ones only high up. Here an example settles at the lowest layer from which on
# the answer of the cumulative probe no longer changes; *hard* are those the embeddings get wrong and the mixture right.
# The two kinds of task must differ by more than a tenth of a bit; this least difference was added after a first run, in
# which the untrained twin's was above zero by a hair.

# %%
semantics = run("lay.semantics_spread.tenney2019a")

# %% mystnb={"image": {"alt": "Horizontal bars: divergence of the mixing weights from uniform ones in bits, by task, for the model and its untrained twin."}}
shown = plotting.series(semantics.frames, "KL from uniform (bits)")
plotting.bars(shown, "task", xlabel="KL from uniform weights (bits); 0: spread evenly")
print(plotting.printed(shown))
where = semantics.rows["measure"].str.startswith("settling layer")
print(plotting.printed({"model": semantics.rows[where]}))

# %%
card("lay.semantics_spread.tenney2019a")

# %% [markdown]
# (lay-commonsense)=
# ## Commonsense relations grow upward
#
# *Shark* and *fish*, *day* and *night*: {cite:t}`cui2020` find that what relates two concepts is weakest in the early
# layers and grows. A linear probe tells the relation from the two words' vectors and their product. Mind the twin: in
# generated sentences a relation can partly be guessed from the words alone.

# %%
concepts = run("lay.conceptnet.cui2020")

# %% mystnb={"image": {"alt": "Curves: accuracy of a probe for the relation of two concepts by layer, for the model and its untrained twin."}}
shown = plotting.series(concepts.frames, "accuracy")
plotting.lines(shown, "layer", ylim=(0, 1.02), ylabel="relation told right")
print(plotting.printed(shown))
print(plotting.printed(plotting.series(concepts.frames, "majority")))

# %%
card("lay.conceptnet.cui2020")

# %% [markdown]
# (lay-depth)=
# ## A deeper model, the same profile stretched
#
# Between BERT-base and BERT-large, {cite:t}`tenney2019a` see the same profiles over twice as many layers. This needs a
# second model, of another depth and otherwise alike: a folder or a Hub name in `BERTOLOGY_SHALLOW`. The cumulative
# scores of both are stretched to depth 0 to 1 and correlated, task by task. Cumulative curves rise in any model, so the
# mixing weights are correlated beside them. Without a second model the verdict is inconclusive, and the card says what
# is missing; what the released scores of the two BERTs give stands there in any case. On the original data our line
# compares with `mini-shallow`, which is no part of the package: four layers, a quarter of the pieces, made by
# `bertology pretrain --config mini-shallow-cpu`.

# %% mystnb={"image": {"alt": "Horizontal bars: correlation of two models' cumulative profiles and of their mixing weights after stretching depth, by task, where a second model is at hand."}}
depths = run("lay.base_vs_large.tenney2019a")
names = ("profile correlation", "mixing weight correlation")
if set(names) <= set(depths.rows["measure"]):
    shown = {m: plotting.series({"": depths.rows}, m)[""] for m in names}
    plotting.bars(shown, "task", xlabel="correlation over relative depth")
    plotting.show(shown)

# %%
card("lay.base_vs_large.tenney2019a")
