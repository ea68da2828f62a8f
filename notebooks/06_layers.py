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
from bertology_utils import card, plotting, recall

# %% [markdown]
# (lay-word-order)=
# ## Is word order a matter of the low layers?
#
# Position is put into the model at the very bottom, as a vector added to each word's. {cite:t}`lin2019` ask a probe at
# which place of the sentence a word stands, and find that the answer gets harder to read from about the fourth of
# twelve layers. Here a linear probe tells the index of a word (up to 16) from its vector.

# %%
result = recall("lay.word_order.lin2019")

# %% mystnb={"figure": {"caption": "Linear word order is highest in low layers: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that linear word order is highest in low layers, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.word_order.lin2019")

# %% [markdown]
# (lay-hierarchy)=
# ## Does hierarchy grow as order fades?
#
# *The dog that can bark will run*: which auxiliary is the main one? The first candidate is right in every
# training sentence and wrong in every test sentence, so a probe that learnt "the first one" fails, and one that learnt
# the structure does not. {cite:t}`lin2019` find this knowledge in higher layers than that of word order. Both are
# drawn together; the claim is decided by the distance between the two best layers.

# %%
result = recall("lay.hierarchy.lin2019")

# %% mystnb={"figure": {"caption": "Hierarchical knowledge grows as word order fades: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that hierarchical knowledge grows as word order fades, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.hierarchy.lin2019")

# %% [markdown]
# (lay-trees)=
# ## Are trees best rebuilt from the middle?
#
# A structural probe looks for a linear map under which distances between vectors are distances in the syntax tree
# {cite:p}`hewitt2019`. UUAS is the share of the tree's edges that the probe gets back. The survey reports layers 6 to 9
# of 12, and 14 to 19 of 24.

# %%
result = recall("lay.tree_depth.hewitt2019")

# %% mystnb={"figure": {"caption": "Trees are best rebuilt from middle layers: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that trees are best rebuilt from middle layers, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.tree_depth.hewitt2019")

# %% [markdown]
# (lay-agreement)=
# ## Is agreement best two thirds up?
#
# Subject and verb agree best, {cite:t}`goldberg2019` reports, when the word is predicted from about layer 8 or 9 of 12.
# To predict a word from a lower layer we put a linear map in front of the model's own masked-LM head, fitted on running
# text; every layer gets its map by the same recipe. The first step of the fit makes the layer look like the last one,
# the following ones make it predict the masked words.

# %%
result = recall("lay.agreement.goldberg2019")

# %% mystnb={"figure": {"caption": "Agreement is best about two thirds up: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that agreement is best about two thirds up, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.agreement.goldberg2019")

# %% [markdown]
# (lay-task-specific)=
# ## Do the last layers serve the pretraining task?
#
# The top of the stack was trained to fill in masked words. {cite:t}`liu2019a` conclude that it has specialised: what is
# good for the masked word is not what is good for other tasks. The same fitted heads tell masked words (right if the
# likeliest piece of the whole vocabulary is the one that stood there), and four linear probes tell parts of speech,
# chunks, dependencies and entities. The claim needs both: masked words best at the last layer, the probes not.

# %%
result = recall("lay.task_specific.liu2019a")

# %% mystnb={"figure": {"caption": "The last layers serve the pretraining task: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that the last layers serve the pretraining task, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.task_specific.liu2019a")

# %% [markdown]
# (lay-transferability)=
# ## Do middle layers transfer best?
#
# Figure 4 of the survey is a table of tasks by layers, after {cite:t}`liu2019a`: the middle columns are the brightest.
# Here it is again, from linear probes on generated sentences with known analyses. Each task ranks the layers; the
# claim is about the mean rank (1 is best), and asks an inner layer to beat both ends.

# %%
result = recall("lay.transferability.liu2019a")

# %% mystnb={"figure": {"caption": "Middle layers transfer best: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that middle layers transfer best, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("lay.sentence_tasks.jawahar2019")

# %% mystnb={"figure": {"caption": "Surface low, syntax in the middle, semantics high (disputed): the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that surface low, syntax in the middle, semantics high (disputed), for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.sentence_tasks.jawahar2019")

# %% [markdown]
# (lay-pipeline)=
# ## Does the classical pipeline appear?
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
result = recall("lay.pipeline.tenney2019a")

# %% mystnb={"figure": {"caption": "The classical pipeline appears in the layers: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that the classical pipeline appears in the layers, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("lay.chunks_conflict.liu2019a")

# %% mystnb={"figure": {"caption": "Studies disagree where chunks live: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that studies disagree where chunks live, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.chunks_conflict.liu2019a")

# %% [markdown]
# (lay-semantics)=
# ## Is semantics everywhere?
#
# If a task is solved in one place, the mixture puts its weight there; if it is spread over the stack, the weights are
# near uniform. {cite:t}`tenney2019a` measure this by the divergence (KL) from uniform weights and find semantic tasks
# flatter; the released weights of BERT-large, divided again by our code, are in the card. They also watch single
# examples: some settle early, hard ones only high up. Here an example settles at the lowest layer from which on
# the answer of the cumulative probe no longer changes; *hard* are those the embeddings get wrong and the mixture right.
# The two kinds of task must differ by more than a tenth of a bit; this least difference was added after a first run, in
# which the untrained twin's was above zero by a hair.

# %%
result = recall("lay.semantics_spread.tenney2019a")

# %% mystnb={"figure": {"caption": "Semantics is spread over the whole stack: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that semantics is spread over the whole stack, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.semantics_spread.tenney2019a")

# %% [markdown]
# (lay-commonsense)=
# ## Do commonsense relations grow upward?
#
# *Shark* and *fish*, *day* and *night*: {cite:t}`cui2020` find that what relates two concepts is weakest in the early
# layers and grows. A linear probe tells the relation from the two words' vectors and their product. Mind the twin: in
# generated sentences a relation can partly be guessed from the words alone.

# %%
result = recall("lay.conceptnet.cui2020")

# %% mystnb={"figure": {"caption": "Commonsense relations grow upward through the layers: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that commonsense relations grow upward through the layers, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("lay.conceptnet.cui2020")

# %% [markdown]
# (lay-depth)=
# ## Is a deeper model the same profile stretched?
#
# Between BERT-base and BERT-large, {cite:t}`tenney2019a` see the same profiles over twice as many layers. This needs a
# second model, of another depth and otherwise alike: a folder or a Hub name in `BERTOLOGY_SHALLOW`. The cumulative
# scores of both are stretched to depth 0 to 1 and correlated, task by task. Cumulative curves rise in any model, so the
# mixing weights are correlated beside them. Without a second model the verdict is inconclusive, and the card says what
# is missing; what the released scores of the two BERTs give stands there in any case. On the original data our line
# compares with `mini-shallow`, which is no part of the package: four layers, a quarter of the pieces, made by
# `bertology pretrain --config mini-shallow-cpu`.

# %%
card("lay.base_vs_large.tenney2019a")
