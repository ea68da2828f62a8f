# %% [markdown]
# (syn-attention-trees)=
# ## No whole tree in any attention map
#
# Some heads link determiners to nouns, others objects to verbs. Does any one head hold the whole dependency tree?
# {cite:t}`htut2019` let every head try: the attention between the words of a sentence becomes the scores of arcs, the
# gold root is given away, and the best spanning tree is compared with the gold one, whichever end of an arc is the head
# (UUAS). We read each map both ways, choose the best of all heads on one part of the sentences and score it on another.
# Punctuation is left out.
#
# The number to beat is cheap: link every word with its neighbour. As undirected trees, the left- and the right-branching
# chain are the same.

# %%
attention_trees = run("syn.no_tree_in_attention.htut2019")

# %% mystnb={"image": {"alt": "Horizontal bars: share of gold arcs found by the best head's tree, by the chain of neighbours and by random trees, for the model and its untrained twin."}}
shown = plotting.series(attention_trees.frames, "UUAS")
plotting.bars(shown, "tree", xlim=(0, 1), xlabel="gold arcs found, direction ignored (UUAS)")
plotting.show(shown)

# %% [markdown]
# Every head on its own, on the sentences among which it was chosen, counted from 0. The title has the chain's figure: a
# head is remarkable only where it is well above.

# %% mystnb={"image": {"alt": "Heatmap: UUAS of the spanning tree of each head, one row a layer, one column a head."}}
heads = plotting.series({"model": attention_trees.rows}, "UUAS when choosing")["model"]
grid = heads.astype({"layer": int, "head": int}).pivot(index="layer", columns="head", values="value")
chain = plotting.series({"model": attention_trees.rows}, "UUAS", tree="chain")["model"]["value"].item()
labels = {"xlabel": "head", "ylabel": "layer", "title": f"UUAS by head; the chain of neighbours has {chain:.2f}"}
plotting.heatmap(grid.to_numpy(), list(grid.index), list(grid.columns), ax=plotting.axes(figsize=(7, 4.2)), **labels)
plotting.plt.show()
print(grid.round(3).to_string())

# %%
card("syn.no_tree_in_attention.htut2019")

# %% [markdown]
# (syn-perturbed-masking)=
# ## Perturbed masking: trees without a probe
#
# A probe has parameters, and parameters can learn what they are asked to find. {cite:t}`wu2020` need none. Hide a word
# and take its vector; hide a second word as well and take it again. The distance is the *impact* of the second word on
# the first. A word's head should have a large impact on it, so the impact matrix is a matrix of scores of arcs, and a
# decoder turns it into a tree: Eisner's algorithm into a projective one, the spanning tree into any.
#
# Trees that may not cross have short arcs, and short arcs are often right. So the random trees here are projective too.

# %%
masking = run("syn.perturbed_masking.wu2020")

# %% mystnb={"image": {"alt": "Horizontal bars: share of gold arcs found by trees from impact matrices with two decoders, by the chain of neighbours and by random projective trees, for the model and its untrained twin."}}
shown = plotting.series(masking.frames, "UUAS")
plotting.bars(shown, "tree", xlim=(0, 1), xlabel="gold arcs found, direction ignored (UUAS)")
plotting.show(shown)

# %% [markdown]
# One sentence, as in the survey's first figure {cite:p}`rogers2020`. Lighter is more impact; a ring marks the gold head
# of each row's word. Where rings lie on light squares, the tree shows through.

# %%
from bertology_utils import models, perturb, trees
from bertology_utils.data import load

subject = models.load()
treebank = load("treebank", "builtin", n=200)["treebank"]
sentence = next(s for s in treebank if len(s.words) == 9 and "nmod" in s.deprels)
matrix = perturb.impact(subject, sentence.words)

# %% mystnb={"image": {"alt": "Heatmap: impact of hiding each word (columns) on the vector of each word (rows) of one sentence, with rings on the gold heads."}}
ax = plotting.axes(figsize=(7, 4.6))
labels = {"xlabel": "also hidden", "ylabel": "word looked at", "title": "impact, with gold heads ringed"}
plotting.heatmap(matrix, sentence.words, sentence.words, ax=ax, digits=1, **labels)
arcs = [(head, word) for word, head in enumerate(sentence.heads) if head >= 0]
ax.scatter(*zip(*arcs), s=420, facecolors="none", edgecolors="#D55E00", linewidths=2)
plotting.plt.show()
found = trees.eisner(matrix.T, sentence.heads.index(-1))
for word, gold, head in zip(sentence.words, sentence.heads, found):
    name = {i: w for i, w in enumerate(sentence.words)} | {-1: "(root)"}
    print(f"{word:<14} gold head {name[gold]:<14} decoded {name[int(head)]}")

# %%
card("syn.perturbed_masking.wu2020")

# %% [markdown]
# (syn-npi)=
# ## Negative polarity items: the item, its licensor, its scope
#
# *Any*, *ever* and *yet* need a licensor such as *no* or *if*, and must stand in its scope: *No guest who thanked the
# host has ever sung* is fine, *The guest who thanked no host has ever sung* is not. {cite:t}`warstadt2019` ask the same
# question in several ways, and so do we: which of two sentences is the likelier (*minimal pairs*), which of two words
# fills the gap (*cloze*), and what a linear classifier on the mean word vector says of acceptability (*probe*; its layer
# is chosen on other sentences). In each, one half is chance.

# %%
npi = run("syn.npi.warstadt2019")

# %% mystnb={"image": {"alt": "Three panels of horizontal bars, one a method: accuracy on licensors, polarity items and scope, for the model and its untrained twin."}}
panels = plotting.axes(ncols=3, figsize=(10, 2.8), sharey=True)
for ax, method in zip(panels, ("minimal pairs", "cloze", "probe")):
    shown = plotting.series(npi.frames, "accuracy", method=method)
    plotting.bars(shown, "phenomenon", chance=0.5, ax=ax, title=method, xlim=(0, 1))
    ax.legend().set_visible(method == "probe")
plotting.show(plotting.series(npi.frames, "accuracy"))

# %%
card("syn.npi.warstadt2019")

# %% [markdown]
# (syn-structural-bias)=
# ## Which rule does fine-tuning prefer?
#
# All training sentences of {cite:t}`warstadt2020` fit two rules: one speaks of structure (*the main verb is in the past
# tense*), one of the surface (*the first verb is*). New sentences tell which was learnt. There are four such tasks; for
# each we fine-tune the model and count how often it sides with the structure. A classifier that says the same of every
# sentence does so in half of them. `accuracy, ambiguous` is that on unseen sentences that still fit both rules: if it is
# low, no rule was learnt, and the task says nothing.
#
# Fine-tuning costs more than reading off, so here and below the untrained twin is left to the card.

# %%
bias = run("syn.structural_bias.warstadt2020", twin=False)

# %% mystnb={"image": {"alt": "Two panels of horizontal bars by task: share of structural choices on disambiguating sentences, and accuracy on ambiguous ones."}}
panels = plotting.axes(ncols=2, figsize=(9, 3), sharey=True)
for ax, measure in zip(panels, ("structural choice", "accuracy, ambiguous")):
    shown = plotting.series(bias.frames, measure)
    plotting.bars(shown, "condition", chance=0.5, ax=ax, title=measure, xlim=(0, 1))
plotting.plt.show()
for measure in ("structural choice", "accuracy, ambiguous"):
    print(plotting.printed(plotting.series(bias.frames, measure)))

# %%
card("syn.structural_bias.warstadt2020")

# %% [markdown]
# (syn-triggers)=
# ## Three words that flip the verdict
#
# {cite:t}`wallace2019a` put a few words in front of a text, any text, and the classifier changes its mind. The words are
# found by gradients: which token, to first order, would raise the loss most? We tune a sentiment classifier, look for a
# trigger of three words against each class on the training texts — only words that none of these texts has, so no
# trigger can simply say *awful* — and try it on other texts. The control is what random words of the same kind do.
# Transfer is tried on a classifier tuned with another seed, and on one that has only the lower half of the layers.

# %%
attack = run("syn.triggers.wallace2019a", twin=False)
print(attack.records[0].notes[-1])

# %% mystnb={"image": {"alt": "Horizontal bars: accuracy without a trigger, with random triggers and with the trigger found, on the model attacked, on another seed and on a smaller model."}}
texts = ("no trigger", "random trigger", "trigger")
shown = {text: plotting.series({"": attack.rows}, "accuracy", text=text)[""] for text in texts}
plotting.bars(shown, "attacked", xlim=(0, 1), xlabel="accuracy")
plotting.show({"model": attack.rows[attack.rows["measure"].isin(("accuracy", "drop over random"))]})

# %%
card("syn.triggers.wallace2019a")

# %% [markdown]
# (syn-parsing-first)=
# ## Parsing first makes little difference
#
# If syntax helps understanding, a model that has learnt to parse should be tuned to better effect. {cite:t}`glavas2020`
# train a biaffine dependency parser on top of the encoder, keep the encoder, and fine-tune it on entailment. We do the
# same with and without that stage. *Little difference* is a strong claim: the whole interval must lie within one point,
# and the parser must parse well.

# %%
parsing = run("syn.intermediate_parsing.glavas2020", twin=False)

# %% mystnb={"image": {"alt": "Horizontal bars: entailment accuracy by kind of test item, after a stage of parsing and without it."}}
arms = ("accuracy with parsing", "accuracy without")
shown = {arm: plotting.series({"": parsing.rows}, arm)[""] for arm in arms}
plotting.bars(shown, "set", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.show(shown)
print(plotting.printed(plotting.series({"": parsing.rows}, "parsing UAS")))

# %%
card("syn.intermediate_parsing.glavas2020")

# %% [markdown]
# (syn-method-favours-model)=
# ## The method decides which model wins
#
# {cite:t}`htut2019` read trees off BERT and off RoBERTa by two methods, and the order of the two models depends on the
# method. The claim is about two published models, so it is rerun only where both are to be had:
# `bertology run syn.method_favours_model.htut2019 --model bert-base-uncased --data original` loads RoBERTa as well and
# compares them, by the most attended word of the best head for each relation and by the spanning tree of the best head.
# The model that comes with this book has no partner, and the row stays without a verdict.

# %%
card("syn.method_favours_model.htut2019")
