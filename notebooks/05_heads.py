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
# Layers and heads are counted from 0. Attention is between words: summed over the pieces of the word attended to,
# averaged over those of the word attending. A head is always *chosen* on one set of sentences and *scored* on another.
# Each claim ends with its **card**: what was claimed, what released outputs of the real BERT give, our figures for the
# model and its *untrained twin*, and the verdict.

# %%
import numpy as np

from bertology_utils import card, plotting, run
from bertology_utils.attention import patterns
from bertology_utils.claims import evidence
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

# %% [markdown]
# How large are their shares, over many pairs of sentences and all heads? An even map counts as heterogeneous, since it
# shows none of the other patterns; that is what the untrained twin's maps look like.

# %% mystnb={"image": {"alt": "Horizontal bars: share of the attention maps with each of five patterns, for the model and its untrained twin."}}
found = run("hed.patterns.kovaleva2019")
shown = plotting.series(found.frames, "share of maps")
plotting.bars(shown, "pattern", xlim=(0, 1), xlabel="share of all maps")
plotting.show(shown)
print(plotting.printed(plotting.series(found.frames, "accuracy on unseen generated maps")))

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
special = run("hed.special_tokens.clark2019")

# %% mystnb={"image": {"alt": "Curves: mean attention to the classification token, the separator, punctuation and other words by layer, for the model."}}
names = ("[CLS]", "[SEP]", "punctuation", "other")
model = {"": special.rows}
shown = {k: plotting.series(model, "mean, by layer", statistic=k)[""] for k in names}
plotting.lines(shown, "layer", ylim=(0, None), ylabel="mean attention", xlabel="layer (from 0)")
plotting.show(shown)

# %% mystnb={"image": {"alt": "Curve: size of the gradient of the masked language model loss by the attention on the separator, by layer, for the model and its untrained twin."}}
shown = plotting.series(special.frames, "gradient by attention to [SEP]")
plotting.lines(shown, "layer", ylabel="gradient by attention to [SEP]", xlabel="layer (from 0)")
print(plotting.printed(shown, digits=4))

# %%
card("hed.special_tokens.clark2019")

# %% [markdown]
# (hed-norms)=
# ## Weights are not the whole story
#
# What a head adds to a word is a sum of *transformed vectors* times weights; a large weight on a vector near zero adds
# nothing. {cite:t}`kobayashi2020` therefore look at the norm of the product, and special tokens lose most of their
# share. The rank correlation asks, over all heads: do those that look at \[SEP\] most make its vector short?

# %% mystnb={"image": {"alt": "Two curves for the model: the share of attention that the separator gets by layer, by weights and by norms of the weighted vectors."}}
norms = run("hed.norms.kobayashi2020")
model = {"": norms.rows}
shown = {
    f"{kind}, {what}": plotting.series(model, f"share of the {what}", kind=kind)[""]
    for kind in ("[SEP]", "[CLS]")
    for what in ("weights", "norms")
}
plotting.lines(shown, "layer", ylim=(0, None), ylabel="share", xlabel="layer (from 0)")
plotting.show(shown)

# %%
card("hed.norms.kobayashi2020")

# %% [markdown]
# (hed-redundancy)=
# ## Heads of a layer are alike
#
# {cite:t}`clark2019` compare heads by the Jensen–Shannon divergence of their distributions, averaged over words. On the
# map below near heads attend alike; colour is the layer, the figure the head. The permutation test deals the heads out
# over the layers at random.

# %% mystnb={"image": {"alt": "Points in the plane, one a head, coloured by layer: heads that attend alike lie near one another."}}
alike = run("hed.redundancy.clark2019")
points = alike.rows[alike.rows["measure"].isin(["x", "y"])]
plane = points.pivot(index=["layer", "head"], columns="measure", values="value").reset_index()
plotting.places(plane, "layer", "head", title="heads by the divergence of their attention")
for measure in ("divergence within a layer", "divergence between layers", "p of the permutation test"):
    print(plotting.printed(plotting.series(alike.frames, measure)))

# %%
card("hed.redundancy.clark2019")

# %% [markdown]
# (hed-syntactic)=
# ## Heads that know a relation
#
# For each relation, which head looks from the dependent to its head (or back)? A fixed offset — *the word before* — is
# hard to beat for determiners and easy for objects, so it is the baseline that counts {cite:p}`clark2019,htut2019,voita2019b`.
# Head and offset are chosen on one part of the treebank and scored on another.

# %%
syntactic = run("hed.syntactic.clark2019")

# %% mystnb={"image": {"alt": "Horizontal bars by relation: accuracy of the best head and of the best fixed offset for the model."}}
model = {"": syntactic.rows}
shown = {m: plotting.series(model, m)[""] for m in ("best head", "best offset")}
ax = plotting.axes(figsize=(7, 6))
plotting.bars(shown, "relation", xlim=(0, 1), xlabel="accuracy", title="this model", ax=ax)
plotting.show(shown)

# %% [markdown]
# Beside it, the released accuracies of bert-base on the Penn Treebank {cite:p}`clark2019`, whose heads and offsets were
# chosen on the sentences they are scored on.

# %% mystnb={"image": {"alt": "Horizontal bars by relation: released accuracy of the best head and of the best offset for bert-base."}}
released = [e for e in evidence.find("hed.syntactic.clark2019") if e.kind == "released" and e.label == "authors"]
for record in released:
    shown = {m: plotting.series({"": record.frame}, m)[""] for m in ("best head", "best offset")}
    ax = plotting.axes(figsize=(7, 6))
    plotting.bars(shown, "relation", xlim=(0, 1), xlabel="accuracy", title=f"{record.model}, released", ax=ax)
    plotting.show(shown)

# %%
card("hed.syntactic.clark2019")

# %% [markdown]
# (hed-combination)=
# ## Several heads together
#
# {cite:t}`hoover2019` doubt that one head carries a relation. A mixture of heads, with weights learnt on other
# sentences, is compared with the best single head on the same words; both may read attention either way.

# %% mystnb={"image": {"alt": "Horizontal bars by relation: accuracy of a learnt mixture of heads and of the best single head for the model."}}
combined = run("hed.combination.hoover2019")
model = {"": combined.rows}
shown = {m: plotting.series(model, m)[""] for m in ("mixture", "best head")}
plotting.bars(shown, "relation", xlim=(0, 1), xlabel="head of the dependent found")
plotting.show(shown)
card("hed.combination.hoover2019")

# %% [markdown]
# (hed-no-full-tree)=
# ## No head has the whole tree
#
# If each word's answer is its most attended word, how much of the whole tree does a single head have
# {cite:p}`clark2019`? The *right chain* takes the next word for every head.

# %% mystnb={"image": {"alt": "Matrix: unlabelled attachment score of every head, layers from top to bottom."}}
tree = run("hed.no_full_tree.clark2019")
table = plotting.series({"": tree.rows}, "UAS, each head")[""].pivot(index="layer", columns="head", values="value")
plotting.heatmap(table.to_numpy(float), table.index, table.columns, label="UAS", xlabel="head", ylabel="layer")
for measure in ("UAS, best head", "UAS, right chain", "UAS, best offset"):
    print(plotting.printed(plotting.series(tree.frames, measure)))
card("hed.no_full_tree.clark2019")

# %% [markdown]
# (hed-negation-scope)=
# ## Negation and its scope
#
# Which words does *not* deny? {cite:t}`zhao2020` read the scope off single heads, before and after fine-tuning. A word
# is in scope if it gets more than a threshold of the cue's attention (or gives the cue as much). Position alone knows a
# lot, so the baseline is the best window of fixed offsets; sentences that are all scope are left out. A second baseline,
# one fixed offset, was taken out of the rule after figures of an unfinished model had been seen; it is printed below.

# %% mystnb={"image": {"alt": "Horizontal bars: F1 of the negation scope read off the best head before and after fine-tuning, for the model and its untrained twin."}}
scope = run("hed.negation_scope.zhao2020")
shown = plotting.series(scope.frames, "F1, best head")
plotting.bars(shown, "stage", xlim=(0, 1), xlabel="F1 of the scope")
plotting.show(shown)
for measure in ("F1, one offset", "F1, fixed offsets", "share of attention in scope, cue - control"):
    print(plotting.printed(plotting.series({"": scope.rows}, measure)))
card("hed.negation_scope.zhao2020")

# %% [markdown]
# (hed-coreference)=
# ## Who is *she*?
#
# {cite:t}`clark2019` found a head whose most attended mention is the antecedent about as often as a rule-based system
# finds it. Our rules are sieves: the same words, the same head word, nothing against gender, number or person; within
# each the nearest mention wins. Heads are chosen on the train and dev parts together: so since figures of an unfinished
# model, with heads chosen on dev alone, had been seen.

# %% mystnb={"image": {"alt": "Horizontal bars: share of anaphors resolved by the best head, the nearest mention, rules and chance, for pronouns and for all mentions."}}
antecedents = run("hed.coreference.clark2019")
model = {"": antecedents.rows}
shown = {m: plotting.series(model, m)[""] for m in ("best head", "nearest mention", "rules", "chance")}
plotting.bars(shown, "task", xlim=(0, 1), xlabel="antecedent found")
plotting.show(shown)
card("hed.coreference.clark2019")

# %% [markdown]
# (hed-agreement)=
# ## Agreement leaves a faint trace
#
# Does the verb look at its subject more than at a noun in between? {cite:t}`lin2019` divide the attention over the
# candidate nouns. *Excess* is the right noun's share beyond an even one; *confusion* is 1 where all get the same. What a
# distractor does is measured by the excess that is lost: a slope of the confusion, which noise alone can make, was the
# measure until figures of an unfinished model had been seen.

# %% mystnb={"image": {"alt": "Horizontal bars by construction: share of the right noun beyond an even share, for the model and its untrained twin, close to zero."}}
subjects = run("hed.agreement_attention.lin2019")
shown = plotting.series(subjects.frames, "excess over even attention, by distractor")
plotting.bars(shown, "condition", xlabel="share of the right noun beyond an even one")
plotting.show(shown)
print(plotting.printed(plotting.series(subjects.frames, "confusion, by layer")))
card("hed.agreement_attention.lin2019")

# %% [markdown]
# (hed-subwords)=
# ## Pieces of a word
#
# A rare word comes in pieces. {cite:t}`correia2019` saw heads that join them. We divide the attention between
# neighbouring pieces of one word by that between neighbouring pieces of two words; 1 means the head knows no words. The
# generated sentences get compounds written as one word, so that there are pieces to join.

# %% mystnb={"image": {"alt": "Matrix: attention between pieces of one word divided by that across words, for every head, layers from top to bottom."}}
joined = run("hed.subwords.correia2019")
table = plotting.series({"": joined.rows}, "ratio, each head")[""].pivot(index="layer", columns="head", values="value")
plotting.heatmap(table.to_numpy(float), table.index, table.columns, label="ratio", xlabel="head", ylabel="layer")
for measure in ("ratio, best head", "ratio, median head"):
    print(plotting.printed(plotting.series(joined.frames, measure)))
card("hed.subwords.correia2019")

# %% [markdown]
# (hed-frames)=
# ## Roles, and whether they are needed
#
# {cite:t}`kovaleva2019` found two heads whose strongest links join predicates to the core elements of their frames, and
# could switch them off without loss. We choose the two heads on one part, compare their attention to a core argument
# with that to a random span, and take them away while the model fills masked words.

# %% mystnb={"image": {"alt": "Horizontal bars: masked-word accuracy lost without the two top heads and without two other heads, for the model and its untrained twin."}}
frames = run("hed.frames.kovaleva2019")
lost = {m: plotting.series({"": frames.rows}, f"accuracy lost without {m} heads")[""] for m in ("top", "other")}
plotting.bars(lost, "heads", xlabel="masked-word accuracy lost")
plotting.show(lost)
print(plotting.printed(plotting.series(frames.frames, "core argument - random span")))
card("hed.frames.kovaleva2019")

# %% [markdown]
# (hed-lexical)=
# ## Hand and finger
#
# {cite:t}`cui2020` report that attention carries lexical and commonsense relations. Two related concepts stand in a
# neutral carrier sentence; the control is the same sentence with another pair's second concept. Here too heads are chosen
# on train and dev together, since figures of an unfinished model had been seen.

# %% mystnb={"image": {"alt": "Horizontal bars by relation: attention between related concepts less that between shuffled ones, for the model and its untrained twin."}}
lexical = run("hed.lexical_relations.cui2020")
shown = plotting.series(lexical.frames, "related - shuffled")
plotting.bars(shown, "relation", chance=0.0, xlabel="attention, related - shuffled")
print(plotting.printed(shown, digits=4))
card("hed.lexical_relations.cui2020")

# %% [markdown]
# (hed-heavy-lifters)=
# ## The heads that do the work
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
lifters = run("hed.heavy_lifters.prasanna2020", twin=False)

# %% mystnb={"image": {"alt": "Horizontal bars: share of heterogeneous maps among all heads and, where a task was learnt, among the heads that survive pruning, by task, for the model."}}
there = [m for m in ("all heads", "survivors") if f"heterogeneous, {m}" in set(lifters.rows["measure"])]
shown = {m: plotting.series({"": lifters.rows}, f"heterogeneous, {m}", maps="weights")[""] for m in there}
plotting.bars(shown, "task", xlim=(0, 1), xlabel="share of heterogeneous maps")
plotting.show(shown)
for measure in ("accuracy", "accuracy, majority"):
    print(plotting.printed(plotting.series(lifters.frames, measure)))

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

# %% mystnb={"image": {"alt": "Curves by layer: median change of the prediction when a head's weights are shuffled, mean over heads, for the model and its untrained twin."}}
debate = run("hed.explanation_debate.jain2019")
shown = plotting.series(debate.frames, "median change, mean over heads")
plotting.lines(shown, "layer", ylim=(0, None), ylabel="total variation distance", xlabel="layer (from 0)")
plotting.show(shown)
print(plotting.printed(plotting.series(debate.frames, "share of heads with a median change below 0.1")))
print(plotting.printed(plotting.series(debate.frames, "dimensions of the null space")))
card("hed.explanation_debate.jain2019")
