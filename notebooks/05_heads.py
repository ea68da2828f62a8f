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
# Each block of BERT has several attention heads, and each head gives every word a distribution over all words: a map.
# Do single heads do something we have a name for? The survey {cite:p}`rogers2020` collects the answers; this chapter
# measures them again.
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

choose(MODEL, DATA, "heads", fast=FAST)

# %%
from bertology_utils import five, overview

five("heads")

# %%
overview("heads")

# %% [markdown]
# **How to read this chapter**
#
# Blocks and heads are counted from 1 ("block 3, head 5"). Attention is between words: summed over the pieces of the word
# attended to, averaged over those of the word attending. A head is always *chosen* on one set of sentences and *scored*
# on another. Most claims about heads have a simple rival: a head that looks at a place (the word before, \[SEP\]) and
# knows nothing. Each figure is held against the best such rival.
#
# Each claim has a question, the call that measures it, a figure with 95% intervals, what we found in a few words, and a
# **card**: the real BERT (released outputs, scored again), `mpnet` (a network of BERT's size) and in part MiniLM (a
# smaller one), which others trained on far more text, our own small model `mini`, and its *untrained twin* (the same architecture with random weights).
# `results(id)` brings every subject there is, on the studies' own data; a model chosen in the first cell is measured now
# and drawn in red. `examples(id)` shows an item or two and what the chosen model, by default `mini`, answers to them now.

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from bertology_utils import Settings, card, examples, found, load, plotting, results
from bertology_utils.attention import patterns, relations
from bertology_utils.attention.maps import maps
from bertology_utils.claims import evidence
from bertology_utils.data import load as load_data

# %% [markdown]
# (hed-patterns)=
# ## What do the maps look like?
#
# {cite:t}`kovaleva2019` sorted maps into five patterns: *vertical* (all look at the same few tokens, mostly \[CLS\] and
# \[SEP\]), *diagonal* (at themselves or a neighbour), both together, *block* (within their own sentence), and
# *heterogeneous*, the only pattern that can depend on the words. Our classifier learns from made maps with noise, brought
# nearer to half of 220 real ones that the eye labelled; it is scored on the other half. Below the made maps stands the one of
# a pair of sentences that it is surest of, for each pattern.

# %% mystnb={"figure": {"caption": "Generated maps of the five patterns (above) and the clearest ones found in the network loaded above (by default mini; below), for one pair of sentences, with the probability that the classifier gives the pattern."}, "image": {"alt": "Two rows of attention maps. Above, generated examples of the vertical, diagonal, vertical and diagonal, block and heterogeneous patterns; below, the model's own clearest map of each pattern it has, with its probability; that for vertical and diagonal shows a diagonal and hardly a column."}} tags=["hide-input"]
first, second = (s.words for s in load_data("sentences", "builtin", n=2)["sentences"])
clearest = patterns.gallery(load(), first, second, settings=Settings.of())
made = [patterns.generate(p, 20, 10, np.random.default_rng(1)) for p in patterns.PATTERNS]
own = {e.pattern: e for e in clearest}
names = {e.pattern: f"{e.pattern} ({e.probability:.2f})\n{relations.called(e.layer, e.head)}" for e in clearest}
below = [own[p].map if p in own else None for p in patterns.PATTERNS]
titles = [*patterns.PATTERNS, *(names.get(p, f"{p}: no map") for p in patterns.PATTERNS)]
plotting.tiles([*made, *below], titles, [[]] * len(made) + [clearest[0].tokens] * len(below))
plotting.plt.show()

# %%
examples("hed.patterns.kovaleva2019")

# %%
shares = results("hed.patterns.kovaleva2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of all maps with each pattern. A map that is the same everywhere counts as heterogeneous, since it shows none of the other patterns."}, "image": {"alt": "Horizontal bars: share of the attention maps with each of five patterns, for every network there is."}}
whole = {"maps": "weights", "block": "all"}
shown = shares.series("share of maps", **whole)
plotting.bars(shown, "pattern", xlim=(0, 1), xlabel="share of all maps")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(shares.series("agreement with maps labelled by eye")))
print(plotting.printed(shares.series("agreement - commonest label")))

# %%
found("hed.patterns.kovaleva2019")

# %%
card("hed.patterns.kovaleva2019")

# %% [markdown]
# (hed-special-tokens)=
# ## Where do \[CLS\], \[SEP\] and full stops get their attention?
#
# Much of the attention goes to tokens that say little. {cite:t}`clark2019` saw it move with depth: \[CLS\] first,
# \[SEP\] in the middle, full stops and commas at the end; and since the gradient of the loss by the attention on
# \[SEP\] is small just where that attention is large, they took it for a way to do nothing.

# %%
examples("hed.special_tokens.clark2019")

# %%
special = results("hed.special_tokens.clark2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Mean attention to special tokens and to full stops and commas, by block: in a rerun, and in the real BERT, read off the picture that its authors released."}, "image": {"alt": "Two panels of curves, above for the network that its title names and below for bert-base-uncased: mean attention to the classification token, the separator and to full stops and commas, by block."}}
kinds = ("[CLS]", "[SEP]", ". or ,")
records = evidence.find("hed.special_tokens.clark2019")
real = next(r.frame for r in records if r.data.endswith("clark2019_general_digitised"))
for ax, (name, rows) in zip(plotting.panels(2, 1.6, sharex=True, sharey=True), {special.title: special.rows, "BERT base": real}.items()):
    shown = {k: plotting.rows_of(rows, "mean, by block", statistic=k) for k in kinds}
    plotting.lines(shown, "block", ylim=(0, None), ylabel="mean attention", title=name, ax=ax)
plotting.plt.show()

# %% mystnb={"figure": {"caption": "How much the masked-word loss depends on the attention to [SEP] and to ordinary words, by block."}, "image": {"alt": "Curves: size of the gradient of the masked language model loss by the attention on the separator and on ordinary words, by block, for the model."}}
measure = "gradient by attention, by block"
named = {"[SEP]": "[SEP]", "words": "other"}
shown = special.split(measure, "statistic", named)
plotting.lines(shown, "block", ylim=(0, None), ylabel="gradient by attention", title=special.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(special.series("depth of the peak")))
print(plotting.printed(special.series("peak in the middle - elsewhere")))
name = "relative gradient, blocks that attend to [SEP] most / others"
print(plotting.printed(special.series(name)))

# %%
found("hed.special_tokens.clark2019")

# %%
card("hed.special_tokens.clark2019")

# %% [markdown]
# (hed-norms)=
# ## Are the weights the whole story?
#
# What a head adds to a word is a sum of *transformed vectors* times weights; a large weight on a vector near zero adds
# nothing. {cite:t}`kobayashi2020` therefore look at the norm of the product. Do special tokens lose their share?

# %%
examples("hed.norms.kobayashi2020")

# %%
norms = results("hed.norms.kobayashi2020", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of the separator and of the classification token, by weights and by norms of the weighted vectors."}, "image": {"alt": "Curves for the model: the share of attention that the separator and the classification token get by block, by weights and by norms of the weighted vectors."}}
model = {norms.title: norms.rows}
shown = {
    f"{kind}, {what}": plotting.series(model, f"share of the {what}", kind=kind)[norms.title]
    for kind in ("[SEP]", "[CLS]")
    for what in ("weights", "norms")
}
plotting.lines(shown, "block", ylim=(0, None), ylabel="share", title=norms.title)
plotting.plt.show()

# %% tags=["hide-output"]
for what in ("weights", "norms", "norms - weights"):
    print(plotting.printed(norms.series(f"share of special tokens, {what}")))

# %%
found("hed.norms.kobayashi2020")

# %% tags=["brief"]
card("hed.norms.kobayashi2020")

# %% [markdown]
# (hed-special-tokens-removed)=
# ## Does it matter when it is gone?
#
# Neither gradients nor norms say what a network would do without this attention, and the survey leaves open whether it
# matters when a text is read. Here it is taken away in all layers at once, and masked pieces are guessed again. *Removed*:
# nobody attends to the token, and the other weights of a row grow to make up for it. *Silenced*: the weights stay, but the
# token hands nothing on, which a no-op would not notice. A stop, a word, and words that have as much attention as [SEP]
# say what the same does elsewhere.

# %%
examples("hed.special_tokens_removed.clark2019")

# %%
gone = results("hed.special_tokens_removed.clark2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "What a masked piece loses where the attention to a token is taken away: removed before the softmax, or silenced."}, "image": {"alt": "Bars: nats added to the masked-word loss by removing or silencing the attention to the classification token, the separator, both, a stop, a word, and words that have as much of the attention as the separator."}}
shown = gone.split("loss added", "how", {"removed": "removed", "silenced": "silenced"})
plotting.bars(shown, "token", chance=0.0, reference="no change", xlabel=f"nats added per masked piece, {gone.title}")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("loss added", "share of the attention", "loss added per share, words - token"):
    print(plotting.printed(gone.series(measure)))

# %%
found("hed.special_tokens_removed.clark2019")

# %%
card("hed.special_tokens_removed.clark2019")

# %% [markdown]
# (hed-redundancy)=
# ## Do heads of a block behave alike?
#
# {cite:t}`clark2019` compare heads by the Jensen–Shannon divergence of their distributions, averaged over words. On the
# map near heads attend alike; colour is the block, the figure the head. Assigning the heads to blocks at
# random says how much of a difference chance makes.

# %%
examples("hed.redundancy.clark2019")

# %%
alike = results("hed.redundancy.clark2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Heads, on a plane that keeps their divergences as well as two dimensions can; colour is the block, the number the head."}, "image": {"alt": "Points in the plane, one per head, coloured by block: heads that attend alike lie near one another."}}
points = alike.rows[alike.rows["measure"].isin(["x", "y"])]
plane = points.pivot(index=["block", "place"], columns="measure", values="value").reset_index()
plotting.places(plane, "block", "place", title=alike.title)
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("divergence within a layer", "divergence between layers", "p of the permutation test"):
    print(plotting.printed(alike.series(measure), digits=4))

# %%
found("hed.redundancy.clark2019")

# %% tags=["brief"]
card("hed.redundancy.clark2019")

# %% [markdown]
# (hed-syntactic)=
# ## Does a head know a relation?
#
# For each relation, which head looks from a word to its dependent, or back? A fixed offset (*two words on*) is hard to
# beat for determiners and easy for objects, so it is the baseline that counts {cite:p}`clark2019,htut2019,voita2019b`.
#
# We take this claim apart. Here are the verb–object pairs of two test sentences, and what one head, the best for objects,
# gives each word when the verb looks.

# %%
subject = load()
trees = load_data("treebank", "builtin", n=4000)["treebank"]
arcs = relations.arcs(trees)
down = (arcs.relation == "obj") & (arcs.direction == "head to dependent")
objects = arcs[down].reset_index(drop=True)
for arc in objects[objects["sentence"] < 3].itertuples():
    words = trees[arc.sentence].words
    print(" ".join(words), "|", words[arc.query], "->", words[arc.target])

# %% [markdown]
# One call asks all heads about all pairs: is the most attended word the object? Special tokens and the verb itself are no
# answers. The head is chosen on the first half and its share of right answers is that on the other.

# %%
few = objects[objects["sentence"] < 600].reset_index(drop=True)
right = relations.score(subject, [t.words for t in trees[:600]], few)
half = len(few) // 2
best = int(right[:half].mean(0).argmax())
print(relations.head_name(best, subject.n_layers, subject.n_heads))
print(f"right on the other half: {right[half:, best].mean():.2f}")
offset = relations.offset_hits(few)[:half].mean(0).argmax()
print(f"the best offset, {relations.OFFSETS[offset]:+d}: {relations.offset_hits(few)[half:, offset].mean():.2f}")

# %% [markdown]
# The figure has all relations, with head and offset chosen on dev sentences and scored on test sentences. Its third bar is a
# baseline that the studies do not have: the nearest word of the right part of speech. For each relation a model's head
# looks in the direction in which it leads the offset most on dev, and the two baselines look in the same one.

# %%
examples("hed.syntactic.clark2019")

# %%
syntactic = results("hed.syntactic.clark2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Right answers by relation, for the 16 commonest relations of the treebank, of two networks, named above: the best head, the best fixed offset and the nearest word of the right part of speech. Compare bars within a panel: directions may differ between them."}, "image": {"alt": "Two panels of horizontal bars by relation, one per network: accuracy of the best head, of the best fixed offset and of the nearest word of the right part of speech."}}
bars = ("best head", "best offset", "nearest of its tag")
grid = plotting.panels(2, 3.1, sharex=True)
for ax, (name, rows) in zip(grid, syntactic.reruns(2).items()):
    shown = {m: rows[rows["measure"] == m].head(16) for m in bars}
    plotting.bars(shown, "relation", xlim=(0, 1), xlabel="right answers", title=plotting.SHORT.get(name, name), ax=ax)
plotting.plt.show()

# %% [markdown]
# Folded under the figure: one head at work in a sentence, and the released figures of bert-base on the Penn Treebank
# {cite:p}`clark2019`, whose heads and offsets were
# chosen on the sentences they are scored on. Its objects (obj) are told from the object to the verb, ours above from the verb.

# %% mystnb={"figure": {"caption": "What one head, the best for objects in the network loaded above (by default mini), gives each word of one sentence when its verb looks."}, "image": {"alt": "Horizontal bars: attention from a verb to each word of its sentence by the head of the loaded network that finds objects best."}}
arc = next(few.itertuples())
words = trees[arc.sentence].words
(batch,) = maps(subject, [words])
row = batch.weights[0].flatten(0, 1)[best, arc.query + 1, 1 : len(words) + 1].cpu().numpy()
ax = plotting.axes(figsize=(plotting.NARROW, 3.4))
ax.barh([f"{k + 1} {w}" for k, w in enumerate(words)], row, color=plotting.COLOURS[0])
ax.set(xlabel=f"attention from “{words[arc.query]}” (its object: “{words[arc.target]}”)")
ax.invert_yaxis()
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Released figures of bert-base-uncased, by relation of the Penn Treebank."}, "image": {"alt": "Horizontal bars by relation: released accuracy of the best head and of the best offset for bert-base-uncased."}}
released = next(r for r in evidence.find("hed.syntactic.clark2019") if r.model == "bert-base-uncased")
real = {"bert-base-uncased": released.frame}
drawn = {m: plotting.series(real, m)["bert-base-uncased"] for m in bars[:2]}
drawn = {m: rows[rows["relation"] != "all"].head(16) for m, rows in drawn.items()}
plotting.bars(drawn, "relation", xlim=(0, 1), xlabel="right answers", ax=plotting.axes(figsize=(plotting.NARROW, 4.2)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(syntactic.series("head - offset")))

# %%
found("hed.syntactic.clark2019")

# %%
card("hed.syntactic.clark2019")

# %% [markdown]
# (hed-combination)=
# ## One head or several?
#
# {cite:t}`hoover2019` doubt that one head carries a relation. A mixture of heads, with weights learnt on other
# sentences, is compared with the best single head on the same words; both may read attention either way.

# %%
examples("hed.combination.hoover2019")

# %%
combined = results("hed.combination.hoover2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "The head of a dependent found by a learnt mixture of heads and by the best single one, by relation."}, "image": {"alt": "Horizontal bars by relation: accuracy of a learnt mixture of heads and of the best single head, for the model."}}
model = {combined.title: combined.rows}
shown = {m: plotting.series(model, m)[combined.title] for m in ("mixture", "best head")}
plotting.bars(shown, "relation", xlim=(0, 1), xlabel="right answers", title=combined.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(combined.series("mixture - best head")))
print(plotting.printed(combined.series("mixture - best head, mean over relations")))

# %%
found("hed.combination.hoover2019")

# %%
card("hed.combination.hoover2019")

# %% [markdown]
# (hed-no-full-tree)=
# ## How much of the tree does one head have?
#
# If each word's answer is its most attended word, how much of the whole tree does a single head have
# {cite:p}`clark2019`? The best fixed offset takes the next word for every word's head.

# %%
examples("hed.no_full_tree.clark2019")

# %%
tree = results("hed.no_full_tree.clark2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Unlabelled attachment score of every head, over all relations, read in the better direction. Of the real BERT only the best head's is released."}, "image": {"alt": "Matrix: unlabelled attachment score of every head of the model, blocks from top to bottom."}}
plotting.headmap(plotting.rows_of(tree.rows, "UAS, each head"), label="UAS").set_title(tree.title)
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("best head", "best offset", "a head for each relation", "an offset for each relation"):
    print(plotting.printed(tree.series(f"UAS, {measure}")))

# %%
found("hed.no_full_tree.clark2019")

# %%
card("hed.no_full_tree.clark2019")

# %% [markdown]
# (hed-tuned-on-trees)=
# ## Do heads follow trees once a network is tuned on them?
#
# {cite:t}`kondratyuk2019` tune BERT on treebanks. We tune it to parse 600 sentences, and ask how much of the tree the best head has
# then. Any tuning moves attention, so the same sentences also teach parts of speech, and arcs that are no grammar: from each
# word to the next.

# %%
examples("hed.tuned_on_trees.kondratyuk2019")

# %%
treebank = results("hed.tuned_on_trees.kondratyuk2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Unlabelled attachment score of the best head before tuning, and tuned on trees, on parts of speech and on neighbours; the dotted line is the best fixed offset."}, "image": {"alt": "Horizontal bars: unlabelled attachment score of the best head before tuning and after tuning on trees, tags and neighbours, for every network there is; a dotted line marks the best fixed offset."}}
shown = treebank.series("UAS, best head")
fixed = round(treebank.value("UAS, best offset"), 2)
plotting.bars(shown, "arm", xlim=(0, 1), xlabel="UAS", chance=fixed, reference="best offset")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("UAS, best head, trees - rival", "UAS, a head for each relation", "parsing UAS over chain"):
    print(plotting.printed(treebank.series(measure)))

# %%
found("hed.tuned_on_trees.kondratyuk2019")

# %% tags=["brief"]
card("hed.tuned_on_trees.kondratyuk2019")

# %% [markdown]
# (hed-negation-scope)=
# ## Does a head know what *not* denies?
#
# {cite:t}`zhao2020` read the scope of a negation off single heads, before and after fine-tuning. A word is in scope if it
# gets more than a threshold of the cue's attention (or gives the cue as much). Position alone knows a lot, so the
# baseline is the best window of places around the cue; sentences that are all scope are left out.

# %%
examples("hed.negation_scope.zhao2020")

# %%
scope = results("hed.negation_scope.zhao2020", data="builtin")

# %% mystnb={"figure": {"caption": "F1 of the negation scope read off the best head on generated sentences, before and after fine-tuning; the dotted line is the best window of places."}, "image": {"alt": "Horizontal bars: F1 of the negation scope read off the best head before and after fine-tuning, for every network there is; a dotted line marks the best window of fixed places."}}
shown = scope.series("F1, best head")
window = round(scope.value("F1, fixed offsets"), 2)
plotting.bars(shown, "stage", xlim=(0, 1), xlabel="F1 of the scope", chance=window, reference="fixed places")
plotting.plt.show()

# %% [markdown]
# Then the real BERT, from the released figures of {cite:t}`zhao2020`, on stories and reviews. They hold no positions.

# %% mystnb={"figure": {"caption": "Released F1 of bert-base-uncased: the median head, the head that is best on the other data, and the best head of each tuning run."}, "image": {"alt": "Horizontal bars for stories and reviews: F1 of the negation scope by the median head, by a head chosen on the other data, and by the best heads after tuning for a control task and for negation, of bert-base-uncased."}}
records = evidence.find("hed.negation_scope.zhao2020")
frame = next(r.frame for r in records if r.kind == "released" and r.model == "bert-base-uncased")
runs = frame[frame["measure"] == "F1, best head of each run"]
shown = {m: frame[frame["measure"] == f"F1, {m}"] for m in ("median head", "head chosen on the other data")}
tuned = {"tuned: control": "tuned for a control", "tuned: neg": "tuned for negation"}
shown |= {said: runs[runs["kind"] == kind] for kind, said in tuned.items()}
plotting.bars(shown, "data", xlim=(0, 1), xlabel="F1 of the scope")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("F1, fixed offsets", "F1, best head - fixed offsets", "share of attention in scope, cue - control"):
    print(plotting.printed(scope.series(measure)))

# %%
found("hed.negation_scope.zhao2020")

# %% tags=["brief"]
card("hed.negation_scope.zhao2020")

# %% [markdown]
# (hed-coreference)=
# ## Who is *she*?
#
# {cite:t}`clark2019` found a head whose most attended mention is the antecedent about as often as a rule-based system
# finds it. Our rules are sieves: the same words, the same head word, nothing against gender, number or person; within
# each the nearest mention wins. Simpler still are the nearest mention, the first, and the one that is named most often.

# %%
examples("hed.coreference.clark2019")

# %%
pronouns = results("hed.coreference.clark2019", data="gap")
mentions = results("hed.coreference.clark2019", data="ud_english_gum")

# %% mystnb={"figure": {"caption": "Antecedents found by the best head, by rules and by trivial choices: pronouns in GAP, mentions in GUM."}, "image": {"alt": "Horizontal bars: share of anaphors resolved by the best head, rules, the nearest mention, the first, the most repeated one and chance, for pronouns of GAP and all mentions of GUM."}}
rivals = ("best head", "rules", "nearest", "first", "most repeated", "chance")
both = pd.concat([pronouns.rows.assign(data="GAP"), mentions.rows.assign(data="GUM")])
shown = {m: both[both["measure"] == m] for m in rivals}
ax = plotting.axes(figsize=(plotting.NARROW, 3.3))
plotting.bars(shown, "data", xlim=(0, 1), xlabel="antecedents found", title=pronouns.title, ax=ax)
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("best head - best trivial", "rules - best trivial", "rules - best head"):
    for result in (pronouns, mentions):
        print(plotting.printed(result.series(measure)))

# %%
found("hed.coreference.clark2019")

# %%
card("hed.coreference.clark2019")

# %% [markdown]
# (hed-agreement)=
# ## Does a verb look at its subject?
#
# {cite:t}`lin2019` divide the attention of a verb, or of a reflexive, over the candidate nouns. A head that looks back two
# words will find the right noun wherever it stands two words back, so we take off what a head's mean attention by place
# explains. *Right less wrong* is the attention to the right noun less that to the others, for the head that is best at it.

# %%
examples("hed.agreement_attention.lin2019")

# %%
subjects = results("hed.agreement_attention.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Attention to the right noun less that to wrong ones, beyond what place explains, by the best head."}, "image": {"alt": "Horizontal bars: attention to the right noun less that to wrong ones beyond position by the best head, for agreement and reflexives, for every network there is."}}
shown = subjects.series("right - wrong noun beyond position, best head")
plotting.bars(shown, "kind", chance=0.1, reference="a pointer has", xlabel="right less wrong, beyond place")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "What the right noun gets of all heads' attention to the nouns, less an even share, by what stands in between."}, "image": {"alt": "Horizontal bars by construction: share of the right noun beyond an even one, for every network there is."}}
shown = subjects.series("excess over an even share, by distractor")
shown = {name: rows.replace({"condition": {"pp": "prepositional phrase"}}) for name, rows in shown.items()}
plotting.bars(shown, "condition", xlabel="share of the right noun less an even one")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("excess over an even share, all heads", "excess over position, easiest - hardest distractor"):
    print(plotting.printed(subjects.series(measure)))

# %%
found("hed.agreement_attention.lin2019")

# %% tags=["brief"]
card("hed.agreement_attention.lin2019")

# %% [markdown]
# (hed-subwords)=
# ## Do heads join the pieces of a word?
#
# A rare word comes in pieces. {cite:t}`correia2019` saw heads that join them. We divide the attention between
# neighbouring pieces of one word by that of two controls: neighbouring pieces of two words, and pieces that continue
# another word; 1 means the head knows no words.

# %%
examples("hed.subwords.correia2019")

# %%
joined = results("hed.subwords.correia2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Attention between pieces of one word, divided by that of the harder control, for every head."}, "image": {"alt": "Matrix: attention between pieces of one word divided by that of the harder control, for every head of the model, blocks from top to bottom."}}
rows = plotting.rows_of(joined.rows, "ratio over the harder control, each head")
plotting.headmap(rows, label="ratio").set_title(joined.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(joined.series("ratio, best head")))

# %%
found("hed.subwords.correia2019")

# %%
card("hed.subwords.correia2019")

# %% [markdown]
# (hed-frames)=
# ## Does a head know who did what, and is it needed?
#
# {cite:t}`kovaleva2019` found two heads whose strongest links join predicates to the core elements of their frames, and
# could switch them off without loss. We choose the two heads on one part, compare their attention to a core argument
# with that to a span as far from another word and with that to another predicate's argument exactly as far off, and
# take them away while the model fills masked words.

# %%
examples("hed.frames.kovaleva2019")

# %%
frames = results("hed.frames.kovaleva2019", data="up_english_ewt")

# %% mystnb={"figure": {"caption": "Largest attention between a predicate and its core argument, and between words as far apart, by the two top heads and by all heads."}, "image": {"alt": "Horizontal bars: attention to a core argument and to a span as far off by the two top heads and by the mean of all, for every network there is."}}
names = {name: plotting.SHORT.get(name, name) for name in frames.frames}
both = pd.concat([rows.assign(of=rows["heads"] + f" heads, {names[name]}") for name, rows in frames.frames.items()])
shown = {m: both[both["measure"] == m] for m in ("core argument", "as far off")}
plotting.bars(shown, "of", xlim=(0, None), xlabel="largest attention, either way")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("core argument - as far off", "core argument - another predicate's"):
    print(plotting.printed(frames.series(measure, heads="top")))

# %% mystnb={"figure": {"caption": "Masked words no longer predicted when heads are switched off."}, "image": {"alt": "Horizontal bars: masked-word accuracy lost without the two top heads, without two others and without every second head, for the model."}}
model = {frames.title: frames.rows}
off = ("the top heads", "as many others", "every second head")
lost = {m: plotting.series(model, f"accuracy lost without {m}")[frames.title] for m in off}
plotting.bars(lost, "heads", xlabel="share of masked pieces", title=frames.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(frames.series("core argument - as far off")))
print(plotting.printed(frames.series("share of heads with half of the top heads' lead")))

# %%
found("hed.frames.kovaleva2019")

# %%
card("hed.frames.kovaleva2019")

# %% [markdown]
# (hed-lexical)=
# ## Do related words look at each other?
#
# {cite:t}`cui2020` report that attention carries lexical and commonsense relations. Two related concepts stand in a
# neutral carrier sentence; the control is the same sentence with another pair's second concept. Pairs whose words look
# alike (*snow*, *snowman*) are left out.

# %%
examples("hed.lexical_relations.cui2020")

# %%
lexical = results("hed.lexical_relations.cui2020", data="ckbc_conceptnet")

# %% mystnb={"figure": {"caption": "Attention between related concepts divided by that between shuffled ones, by the head whose difference is largest on other pairs; relations with 40 pairs and more."}, "image": {"alt": "Horizontal bars by relation: attention between related concepts divided by that between shuffled ones, for every network there is; a line marks 1."}}
shown = lexical.series("related / shuffled")
shown = {name: rows[(rows["relation"] != "all") & (rows["n"] >= 40)] for name, rows in shown.items()}
ax = plotting.axes(figsize=(plotting.NARROW, 3.2))
plotting.bars(shown, "relation", chance=1.0, reference="no difference", xlim=(0, None), ax=ax, xlabel="related / shuffled")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(lexical.series("related / shuffled", relation="all")))

# %%
found("hed.lexical_relations.cui2020")

# %% tags=["brief"]
card("hed.lexical_relations.cui2020")

# %% [markdown]
# (hed-heavy-lifters)=
# ## What do the heads that do the work look like?
#
# After fine-tuning, most heads can be removed one at a time with little loss, two in five together {cite:p}`michel2019`. If the survivors did something we
# could name, their maps would be heterogeneous, since those are the only ones that depend on the words;
# {cite:t}`prasanna2020` found that most are not. Pruning says something only about a model that has learnt its task.

# %%
examples("hed.heavy_lifters.prasanna2020")

# %%
entailment = results("hed.heavy_lifters.prasanna2020", data="glue_rte_wnli")

# %% mystnb={"figure": {"caption": "Accuracy, tuned for entailment (RTE), and of always giving the commonest label."}, "image": {"alt": "Horizontal bars: accuracy of the tuned model and of the commonest label on entailment."}}
rows = entailment.rows
shown = {"tuned": "accuracy", "commonest label": "accuracy, majority"}
shown = {name: rows[rows["measure"] == m] for name, m in shown.items()}
plotting.bars(shown, "task", xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% [markdown]
# The real BERT learns its tasks. A figure of its own has its surviving heads, from released maps over eight tasks.

# %% mystnb={"figure": {"caption": "Share of maps by norms with each pattern, among all heads of bert-base-uncased and among those that survive pruning (released figures, eight tasks)."}, "image": {"alt": "Horizontal bars: share of maps with each of five patterns among all heads of bert-base-uncased and among the heads that survive pruning."}}
records = evidence.find("hed.heavy_lifters.prasanna2020")
frame = next(r.frame for r in records if r.model == "bert-base-uncased, pretrained")
frame = frame[frame["maps"] == "norms"]
split = frame["measure"].str.extract(r"^(?P<pattern>.+), (?P<heads>survivors|all heads)$")
frame = frame.assign(pattern=split["pattern"], heads=split["heads"]).dropna(subset="heads")
shown = {heads: rows for heads, rows in frame.groupby("heads")}
plotting.bars(shown, "pattern", xlim=(0, 1), xlabel="share of maps")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(entailment.series("heterogeneous, all heads")))

# %%
found("hed.heavy_lifters.prasanna2020")

# %%
card("hed.heavy_lifters.prasanna2020")

# %% [markdown]
# (hed-explanation)=
# ## Is attention an explanation?
#
# If another map gives the same output, the map explains little {cite:p}`jain2019`; how much of that follows is contested
# {cite:p}`serrano2019,wiegreffe2019`. We shuffle the weights of a whole block, at random in every row, and measure
# how far the prediction of a masked word moves. We leave each word out and ask whether attention ranks words as that
# does. And {cite:t}`brunner2020` count dimensions: with more tokens than a head's vectors have dimensions, different
# weights give exactly the same output.

# %%
examples("hed.explanation_debate.jain2019")

# %%
debate = results("hed.explanation_debate.jain2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Median change of a masked word's prediction when a block's maps, or one head's, are shuffled. Below 0.1 the debate calls it small."}, "image": {"alt": "Curves by block: median change of the prediction when all maps of the block, or those of one head, are shuffled, for the model. A dotted line marks 0.1."}}
model = {debate.title: debate.rows}
shown = {
    "all heads of the block": plotting.series(model, "median change, one block shuffled")[debate.title],
    "one head": plotting.series(model, "median change, one head shuffled, mean over heads")[debate.title],
}
plotting.lines(
    shown,
    "block",
    chance=0.1,
    reference="small is below",
    ylim=(0, None),
    ylabel="total variation distance",
    title=debate.title,
)
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Agreement of attention with what leaving a word out does, by block."}, "image": {"alt": "Curves by block: Kendall's tau between attention and the change by leaving words out, for every network there is. A dotted line marks 0.3."}}
shown = debate.series("Kendall's tau of attention and leaving out")
plotting.lines(shown, "block", chance=0.3, reference="weak is below", ylabel="Kendall's tau")
plotting.plt.show()

# %% tags=["hide-output"]
tau = "Kendall's tau of attention and leaving out, best block"
for measure in (tau, "Kendall's tau of nearness and leaving out", "dimensions of the null space"):
    print(plotting.printed(debate.series(measure)))

# %%
found("hed.explanation_debate.jain2019")

# %%
card("hed.explanation_debate.jain2019")

# %% [markdown]
# (heads-since)=
# ## Since the survey
#
# {cite:t}`bondarenko2023` take up the idea that a head may do nothing: to leave a word as it is, heads put their weight on tokens
# of little content, and what training must do to reach weights of zero elsewhere makes the outliers of other parts. It is the
# survey's reading of <a href="../claims/hed.special_tokens.clark2019.html">attention to [SEP]</a> with a cause.
# {cite:t}`chen2024` watch <a href="../claims/hed.syntactic.clark2019.html">syntactic heads</a> emerge: within a short stretch of
# pretraining, together with a steep fall of the loss, and before grammar in predictions. Holding them back for a while even
# helped. Whether a part is used can be asked more finely than by <a href="../claims/hed.frames.kovaleva2019.html">switching it
# off</a>: {cite:t}`geiger2021` put vectors of one input in the place of another's, and see whether the answer follows.

# %% [markdown]
# (heads-exercise)=
# ## Exercise: Which head looks back?
#
# Of all heads of `mini` one looks most from each word to the word before it.
#
# ```python
# import numpy as np
# from bertology_utils import attend, load
#
# subject, text = load(), "The old man saw a small dog near the river."
# back = {}
# for layer in range(subject.n_layers):
#     for head in range(subject.n_heads):
#         weights = attend(text, layer=layer, head=head).to_numpy()  # from a row to a column
#         back[layer, head] = np.diagonal(weights, -1).mean()
# layer, head = max(back, key=back.get)
# print(f"block {layer + 1}, head {head + 1}: {back[layer, head]:.2f}")
# ```
#
# Find it on ten other sentences: is it the same head? Which head looks from an adjective to its noun, and how many of its right
# answers would this rule of *the next word* give? All heads are on the page [Look into heads](../book/heads).
