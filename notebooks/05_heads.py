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
# # Attention heads
#
# Each layer of BERT has several attention heads, and each head gives every word a distribution over all words: a map.
# Do single heads do something we have a name for? The survey {cite:p}`rogers2020` collects the answers; this chapter
# measures them again.
#
# Layer 0 is the embeddings; blocks and heads are counted from 1. Attention is between words: summed over the pieces of the word attended to,
# averaged over those of the word attending. A head is always *chosen* on one set of sentences and *scored* on another.
# Each claim has the figures that decide it, with 95% intervals, on generated sentences (a demonstration, from recorded
# runs: `run(id)` in place of `recall(id)` measures them again), and a **card**: the real BERT, our small model `mini` on
# the studies' own data, and its *untrained twin*.

# %%
import numpy as np

from bertology_utils import card, plotting, recall
from bertology_utils.attention import patterns
from bertology_utils.data import load
from bertology_utils.settings import Settings
from bertology_utils.subject import models

# %% [markdown]
# (hed-patterns)=
# ## Five patterns
#
# {cite:t}`kovaleva2019` sorted maps into five patterns: *vertical* (all look at the same few tokens, mostly \[CLS\] and
# \[SEP\]), *diagonal* (at themselves or a neighbour), both together, *block* (within their own sentence), and
# *heterogeneous*, the only pattern that can depend on the words. We need no hand labels: maps of each pattern are made
# from its definition, with noise, and a classifier learns from those. The upper row shows made maps with their labels,
# the lower one the model's clearest map of each pattern that it has, on one pair of sentences.

# %% mystnb={"image": {"alt": "Two rows of attention maps. Above, generated examples of the vertical, diagonal, vertical and diagonal, block and heterogeneous patterns; below, the model's own clearest map of each pattern it has."}}
first, second = (s.words for s in load("sentences", "builtin", n=2)["sentences"])
examples = patterns.gallery(models.load(), first, second, settings=Settings.of())
made = [patterns.generate(p, 20, 10, np.random.default_rng(1)) for p in patterns.PATTERNS]
titles = [*patterns.PATTERNS, *(f"{e.pattern}\nlayer {e.layer}, head {e.head}" for e in examples)]
plotting.tiles([*made, *(e.map for e in examples)], titles, [*[[]] * 5, *(e.tokens for e in examples)])
for e in examples:
    print(f"{e.pattern:<20} layer {e.layer}, head {e.head}: probability {e.probability:.2f}")

# %%
result = recall("hed.patterns.kovaleva2019")

# %% mystnb={"figure": {"caption": "Head maps fall into five patterns: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that head maps fall into five patterns, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.patterns.kovaleva2019")

# %% [markdown]
# (hed-special-tokens)=
# ## \[CLS\], \[SEP\], punctuation
#
# Much of the attention goes to tokens that say little. {cite:t}`clark2019` saw it move with depth: \[CLS\] first,
# \[SEP\] in the middle, full stops and commas at the end; and since the gradient of the loss by the attention on
# \[SEP\] is small just where that attention is large, they took it for a way to do nothing.

# %%
result = recall("hed.special_tokens.clark2019")

# %% mystnb={"figure": {"caption": "[CLS] early, [SEP] in the middle, punctuation at the end: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that [CLS] early, [SEP] in the middle, punctuation at the end, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.special_tokens.clark2019")

# %% [markdown]
# (hed-norms)=
# ## Are weights the whole story?
#
# What a head adds to a word is a sum of *transformed vectors* times weights; a large weight on a vector near zero adds
# nothing. {cite:t}`kobayashi2020` therefore look at the norm of the product, and special tokens lose most of their
# share. The rank correlation asks, over all heads: do those that look at \[SEP\] most make its vector short?

# %%
result = recall("hed.norms.kobayashi2020")

# %% mystnb={"figure": {"caption": "Weighted by norms, special tokens matter less: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that weighted by norms, special tokens matter less, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.norms.kobayashi2020")

# %% [markdown]
# (hed-redundancy)=
# ## Are the heads of a block alike?
#
# {cite:t}`clark2019` compare heads by the Jensen–Shannon divergence of their distributions, averaged over words. On the
# map below near heads attend alike; colour is the layer, the figure the head. The permutation test deals the heads out
# over the layers at random.

# %%
result = recall("hed.redundancy.clark2019")

# %% mystnb={"figure": {"caption": "Heads of one layer behave alike: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that heads of one layer behave alike, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.redundancy.clark2019")

# %% [markdown]
# (hed-syntactic)=
# ## Do heads know a relation?
#
# For each relation, which head looks from the dependent to its head (or back)? A fixed offset — *the word before* — is
# hard to beat for determiners and easy for objects, so it is the baseline that counts {cite:p}`clark2019,htut2019,voita2019b`.
# Head and offset are chosen on one part of the treebank and scored on another.

# %%
result = recall("hed.syntactic.clark2019")

# %% mystnb={"figure": {"caption": "Some heads specialise in a syntactic relation: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that some heads specialise in a syntactic relation, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.syntactic.clark2019")

# %% [markdown]
# (hed-combination)=
# ## Do several heads together know more?
#
# {cite:t}`hoover2019` doubt that one head carries a relation. A mixture of heads, with weights learnt on other
# sentences, is compared with the best single head on the same words; both may read attention either way.

# %%
result = recall("hed.combination.hoover2019")

# %% mystnb={"figure": {"caption": "Several heads together carry a relation: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that several heads together carry a relation, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.combination.hoover2019")

# %% [markdown]
# (hed-no-full-tree)=
# ## Does a head have the whole tree?
#
# If each word's answer is its most attended word, how much of the whole tree does a single head have
# {cite:p}`clark2019`? The *right chain* takes the next word for every head.

# %%
result = recall("hed.no_full_tree.clark2019")

# %% mystnb={"figure": {"caption": "No single head has the whole tree: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that no single head has the whole tree, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.no_full_tree.clark2019")

# %% [markdown]
# (hed-negation-scope)=
# ## Negation and its scope
#
# Which words does *not* deny? {cite:t}`zhao2020` read the scope off single heads, before and after fine-tuning. A word
# is in scope if it gets more than a threshold of the cue's attention (or gives the cue as much). Position alone knows a
# lot, so the baseline is the best window of fixed offsets; sentences that are all scope are left out. A second baseline,
# one fixed offset, was taken out of the rule after figures of an unfinished model had been seen; it is printed below.

# %%
result = recall("hed.negation_scope.zhao2020")

# %% mystnb={"figure": {"caption": "Some heads encode negation scope: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that some heads encode negation scope, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.negation_scope.zhao2020")

# %% [markdown]
# (hed-coreference)=
# ## Who is *she*?
#
# {cite:t}`clark2019` found a head whose most attended mention is the antecedent about as often as a rule-based system
# finds it. Our rules are sieves: the same words, the same head word, nothing against gender, number or person; within
# each the nearest mention wins. Heads are chosen on the train and dev parts together: so since figures of an unfinished
# model, with heads chosen on dev alone, had been seen.

# %%
result = recall("hed.coreference.clark2019")

# %% mystnb={"figure": {"caption": "One head resolves coreference like a rule-based system: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that one head resolves coreference like a rule-based system, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.coreference.clark2019")

# %% [markdown]
# (hed-agreement)=
# ## Does agreement leave a trace?
#
# Does the verb look at its subject more than at a noun in between? {cite:t}`lin2019` divide the attention over the
# candidate nouns. *Excess* is the right noun's share beyond an even one; *confusion* is 1 where all get the same. What a
# distractor does is measured by the excess that is lost: a slope of the confusion, which noise alone can make, was the
# measure until figures of an unfinished model had been seen.

# %%
result = recall("hed.agreement_attention.lin2019")

# %% mystnb={"figure": {"caption": "Attention is a weak indicator of agreement: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that attention is a weak indicator of agreement, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.agreement_attention.lin2019")

# %% [markdown]
# (hed-subwords)=
# ## Pieces of a word
#
# A rare word comes in pieces. {cite:t}`correia2019` saw heads that join them. We divide the attention between
# neighbouring pieces of one word by that between neighbouring pieces of two words; 1 means the head knows no words. The
# generated sentences get compounds written as one word, so that there are pieces to join.

# %%
result = recall("hed.subwords.correia2019")

# %% mystnb={"figure": {"caption": "Some heads join the pieces of a word: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that some heads join the pieces of a word, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.subwords.correia2019")

# %% [markdown]
# (hed-frames)=
# ## Roles, and whether they are needed
#
# {cite:t}`kovaleva2019` found two heads whose strongest links join predicates to the core elements of their frames, and
# could switch them off without loss. We choose the two heads on one part, compare their attention to a core argument
# with that to a random span, and take them away while the model fills masked words.

# %%
result = recall("hed.frames.kovaleva2019")

# %% mystnb={"figure": {"caption": "A few heads align with frames, yet are not needed: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that a few heads align with frames, yet are not needed, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.frames.kovaleva2019")

# %% [markdown]
# (hed-lexical)=
# ## Hand and finger
#
# {cite:t}`cui2020` report that attention carries lexical and commonsense relations. Two related concepts stand in a
# neutral carrier sentence; the control is the same sentence with another pair's second concept. Here too heads are chosen
# on train and dev together, since figures of an unfinished model had been seen.

# %%
result = recall("hed.lexical_relations.cui2020")

# %% mystnb={"figure": {"caption": "Attention carries lexical and commonsense relations: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that attention carries lexical and commonsense relations, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.lexical_relations.cui2020")

# %% [markdown]
# (hed-heavy-lifters)=
# ## Which heads do the work?
#
# After fine-tuning, most heads can be taken off with little loss {cite:p}`michel2019`. If the survivors were the ones
# with telling maps, heterogeneous maps should be more frequent among them; {cite:t}`prasanna2020` found they are not.
# Pruning says something only about a model that has learnt its task: where the tuned model does not beat the majority
# label by an interval, there are no survivors, and the claim stays open. (That condition came in after a run in which
# an unfinished model had learnt nothing.)
#
# Fine-tuning costs more than reading off, so the cell leaves the untrained twin out (`twin=False`); its figures, measured
# by `bertology run`, are on the card.

# %%
result = recall("hed.heavy_lifters.prasanna2020")

# %% mystnb={"figure": {"caption": "The heads that matter most are rarely interpretable: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that the heads that matter most are rarely interpretable, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.heavy_lifters.prasanna2020")

# %% [markdown]
# (hed-explanation)=
# ## Is attention an explanation?
#
# If another map gives the same output, the map explains little {cite:p}`jain2019`; how much of that follows is contested
# {cite:p}`serrano2019,wiegreffe2019`. We deal out each head's weights anew, at random in every row, and measure how far
# the prediction of a masked word moves. And {cite:t}`brunner2020` count dimensions: with more tokens than a head's
# vectors have dimensions, different weights give exactly the same output.

# %%
result = recall("hed.explanation_debate.jain2019")

# %% mystnb={"figure": {"caption": "Attention is contested as explanation: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that attention is contested as explanation, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("hed.explanation_debate.jain2019")
