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
# # Syntactic knowledge
#
# What does a masked language model know of syntax? The survey {cite:p}`rogers2020` answers from two kinds of study:
# those that look at what the model *predicts* where grammar decides, and those that look for trees in its vectors and
# attention maps. This chapter reruns them, claim by claim.
#
# Each claim below has the same four parts: the call that measures it, a figure with 95 % intervals, the plotted numbers
# as text, and a **card** with everything known — what the survey says, what the authors' released outputs give when
# scored again, what this rerun gives for the model and for its *untrained twin* (same architecture, random weights), and
# the verdict with its rule. On another model: set `BERTOLOGY_MODEL` and run the same cells.

# %%
from bertology_utils import card, plotting, run

# %% [markdown]
# (syn-agreement)=
# ## Agreement, with distractors and without meaning
#
# *The key**s** to the cabinet **are** …* — a model that only knew which words stand next to each other would say *is*.
# {cite:t}`goldberg2019` masks the verb and compares the probabilities of its two forms. *Attractors* are nouns of the
# other number between subject and verb; *nonce* sentences keep the structure and drop the sense, as in
# {cite:t}`gulordava2018`.

# %%
agreement = run("syn.agreement.goldberg2019")

# %% mystnb={"image": {"alt": "Horizontal bars: share of sentences in which the model prefers the right verb form, by construction, for the model and its untrained twin; the twin stays at one half."}}
shown = plotting.series(agreement.frames, "accuracy")
plotting.bars(shown, "condition", chance=0.5, xlim=(0, 1), xlabel="right verb form preferred (share of items)")
plotting.show(shown)

# %% mystnb={"image": {"alt": "Two curves: agreement accuracy by number of attractors between subject and verb, for the model and its untrained twin, with interval bands."}}
shown = plotting.series(agreement.frames, "accuracy by attractors")
plotting.lines(shown, "attractors", chance=0.5, ylim=(0, 1.02), ylabel="accuracy")
plotting.show(shown)

# %%
card("syn.agreement.goldberg2019")

# %% [markdown]
# (syn-negation)=
# ## "Not" changes nothing
#
# *A robin is a* \[bird\]. *A robin is not a* \[bird\]? {cite:t}`ettinger2019` found that BERT completes both alike. For
# each pair we ask whether the filler that makes the sentence true beats the one that makes it false; a model deaf to
# *not* is right on the affirmative and wrong on the negated version of the same items.

# %%
negation = run("syn.negation.ettinger2019")

# %% mystnb={"image": {"alt": "Horizontal bars: accuracy on affirmative and on negated sentences, for the model."}}
pair = {"affirmative": "accuracy, affirmative", "negated": "accuracy, negated"}
subject = negation.records[0].model
shown = {name: plotting.series(negation.frames, measure)[subject] for name, measure in pair.items()}
plotting.bars(shown, "set", chance=0.5, xlim=(0, 1), xlabel="true filler preferred (share of items)")
plotting.show(shown)

# %%
for measure in ("affirmative - negated", "unmoved by not", "top-5 overlap"):
    print(plotting.printed(plotting.series(negation.frames, measure)))
card("syn.negation.ettinger2019")

# %% [markdown]
# (syn-malformed)=
# ## Broken sentences, much the same predictions
#
# If word order mattered to the prediction, shuffling the context should change it. {cite:t}`ettinger2019` shuffles,
# truncates and removes arguments. We count how many of the five likeliest fillers survive, beyond those an unrelated
# sentence would share anyway.

# %%
malformed = run("syn.malformed.ettinger2019")

# %% mystnb={"image": {"alt": "Horizontal bars: overlap of the five likeliest fillers before and after each perturbation, less the overlap with an unrelated sentence."}}
shown = plotting.series(malformed.frames, "overlap over control")
plotting.bars(shown, "perturbation", xlabel="top-5 overlap, less that with an unrelated item")
plotting.show(shown)
card("syn.malformed.ettinger2019")

# %% [markdown]
# (syn-probing)=
# ## Parts of speech, chunks and relations, layer by layer
#
# A *probe* is a small classifier that is given a word's vector and must tell its part of speech. {cite:t}`tenney2019b`
# and {cite:t}`liu2019a` found that a linear one does this well on BERT's vectors, and chunks and dependency relations
# too. But a good score alone says little. We show four controls: always saying the commonest label; the embeddings
# before the first layer; an untrained network of the same shape; and *control labels*, one drawn at random for each
# word type, which can only be memorised {cite:p}`hewitt2019control`. Layers are counted from 0, the embeddings.

# %%
probing = run("syn.pos_chunks_deps.tenney2019b")

# %% mystnb={"image": {"alt": "Three panels, one a task: accuracy of a linear probe by layer for the model and its untrained twin, with control labels and the majority label."}}
tasks = ("parts of speech", "chunks", "relations")
figure, panels = plotting.plt.subplots(1, 3, figsize=(11, 3.2), sharey=True, layout="constrained")
model = {"model": probing.rows}
for task, ax in zip(tasks, panels):
    shown = plotting.series(model | {"untrained twin": probing.twin}, "accuracy", task=task)
    if task != "relations":
        shown |= {"control labels": plotting.series(model, "control accuracy", task=task)["model"]}
    majority = plotting.series(model, "majority", task=task)["model"]["value"].item()
    plotting.lines(shown, "layer", ax=ax, title=task, ylim=(0, 1.02), ylabel="accuracy").axhline(majority, ls=":", c="0.3")
    print(plotting.printed(shown), f"\nmajority label: {majority:.3f}  (dotted)")

# %%
card("syn.pos_chunks_deps.tenney2019b")

# %% [markdown]
# (syn-hierarchical)=
# ## Structure, or only position?
#
# *The girl who **can** swim **will** win.* The first auxiliary is not the main one. {cite:t}`lin2019` train a probe to
# find the main auxiliary (or the subject's head noun) on sentences in which the first candidate happens to be right,
# then test it where the first is wrong. A probe that learnt "take the first" falls to zero; one that found structure in
# the vectors generalises.

# %%
hierarchical = run("syn.hierarchical.lin2019")

# %% mystnb={"image": {"alt": "Two panels, main auxiliary and subject noun: share of test sentences in which the structurally right word scores above the first candidate, by layer, for the model and its untrained twin."}}
figure, panels = plotting.plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
for condition, ax in zip(("main_auxiliary", "subject_noun"), panels):
    shown = plotting.series(hierarchical.frames, "right by layer", condition=condition)
    title = condition.replace("_", " ")
    plotting.lines(shown, "layer", chance=0.5, ax=ax, title=title, ylim=(-0.02, 1.02), ylabel="right word above the first")
    print(plotting.printed(shown))

# %%
card("syn.hierarchical.lin2019")

# %% [markdown]
# (syn-distant-parents)=
# ## Distant ancestors
#
# Can a word's vector tell what its parent in the tree does there, and its grandparent? {cite:t}`liu2019a` found the
# answer fading with distance. We ask for the relation of the parent, grandparent and great-grandparent of the same words
# and subtract what the commonest answer scores. The farther up, the more often the answer is simply the root, so the
# printed *error reduction*, which allows for that, should be read beside it.

# %%
ancestors = run("syn.distant_parents.liu2019a")

# %% mystnb={"image": {"alt": "Horizontal bars: accuracy over majority of a probe for the relation of parent, grandparent and great-grandparent, for the model and its untrained twin."}}
shown = plotting.series(ancestors.frames, "accuracy over majority")
plotting.bars(shown, "ancestor", xlabel="accuracy less that of the commonest label")
plotting.show(shown)
print(plotting.printed(plotting.series(ancestors.frames, "error reduction")))

# %%
card("syn.distant_parents.liu2019a")

# %% [markdown]
# (syn-structural-probe)=
# ## A tree, one linear map away
#
# {cite:t}`hewitt2019` look for a matrix under which the squared distance of two words' vectors is the number of steps
# between them in the dependency tree. The tree with the shortest edges under that distance is then compared with the
# gold tree: *UUAS* is the share of gold edges found, whatever their direction. A chain that joins neighbours finds many
# edges already, and so do the embeddings and an untrained network under the same probe.

# %%
structural = run("syn.structural_probe.hewitt2019")

# %% mystnb={"image": {"alt": "Left: UUAS of the structural probe by layer for the model and its untrained twin, with the chain as reference. Right: UUAS at the best layer by rank of the probe."}}
figure, (left, right) = plotting.plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
shown = plotting.series(structural.frames, "UUAS")
chain = plotting.series(structural.frames, "UUAS of the chain")
plotting.lines(shown, "layer", ax=left, ylabel="UUAS", title="by layer").axhline(
    next(iter(chain.values()))["value"].item(), ls=":", c="0.3")
ranks = plotting.series(structural.frames, "UUAS by rank")
plotting.lines(ranks, "rank", ax=right, title="by rank").set_xscale("log", base=2)
print(plotting.printed(shown), plotting.printed(chain), plotting.printed(ranks), sep="\n")

# %% [markdown]
# One test sentence, its gold tree above and the probe's tree below; dashed edges are not in the gold tree.

# %% mystnb={"image": {"alt": "A test sentence twice: the gold dependency tree drawn as half circles over the words, and below it the tree of the structural probe, wrong edges dashed."}}
from bertology_utils.experiments.syntax.probing_trees import example

best = structural.rows[structural.rows.measure == "UUAS over baseline"]["layer"].iloc[0]
tree = example(best, which=1)
figure, (above, below) = plotting.plt.subplots(2, 1, figsize=(8, 4.2), layout="constrained")
plotting.arcs(tree["words"], tree["gold"], ax=above, title="gold")
plotting.arcs(tree["words"], tree["predicted"], right=tree["gold"], ax=below, title="structural probe")
print(" ".join(tree["words"]), tree["gold"], tree["predicted"], sep="\n")

# %%
card("syn.structural_probe.hewitt2019")

# %% [markdown]
# (syn-parsing-as-tagging)=
# ## Parsing word by word
#
# {cite:t}`vilares2020` turn parsing into tagging: each word gets one label that says where its head is (*the second noun
# to the left*), told by a linear layer from the word's vector. {cite:t}`kim2020` train nothing: they split a sentence
# where neighbouring vectors lie farthest apart. *UAS* is the share of words with the right head; the baseline makes every
# word depend on its neighbour.

# %%
parsing = run("syn.trees_from_vectors.vilares2020")

# %% mystnb={"image": {"alt": "UAS of parsing as tagging by layer for the model and its untrained twin; the chain baseline as a dotted line."}}
shown = plotting.series(parsing.frames, "UAS")
chain = plotting.series(parsing.frames, "UAS of the chain")
plotting.lines(shown, "layer", ylabel="UAS", ylim=(0, 1)).axhline(next(iter(chain.values()))["value"].item(), ls=":", c="0.3")
print(plotting.printed(shown), plotting.printed(chain), sep="\n")
for measure in ("F1 of constituents", "F1 of right-branching", "F1 over right-branching"):
    print(plotting.printed(plotting.series(parsing.frames, measure)))

# %%
card("syn.trees_from_vectors.vilares2020")

# %% [markdown]
# (syn-tpdn)=
# ## What holds \[CLS\] together?
#
# If the vector of \[CLS\] were a sum of words bound to places, which places would they be? {cite:t}`jawahar2019` rebuild it
# from word embeddings multiplied with role embeddings: positions from the left, from the right, from both ends, paths in
# the tree, or one role for all. The lower the error on unseen sentences, the better the roles fit; 1 is the error of
# always predicting the mean vector.

# %%
tensor = run("syn.tpdn.jawahar2019")

# %% mystnb={"image": {"alt": "Horizontal bars: error of rebuilding the CLS vector from words bound to roles, for five role schemes, for the model and its untrained twin."}}
shown = plotting.series(tensor.frames, "error")
plotting.bars(shown, "roles", xlabel="mean squared error (1: the mean vector)")
plotting.show(shown)

# %%
card("syn.tpdn.jawahar2019")

# %% [markdown]
# (syn-concatenated)=
# ## Whole sentences from concatenated vectors
#
# {cite:t}`miaschi2020` probe for properties of whole sentences: depth of the tree, length of arcs, shares of parts of
# speech. We concatenate the word vectors and fit a ridge regression. Many such properties follow from length alone, so
# each is compared with a regression on nothing but the number of words.

# %%
concatenated = run("syn.concatenated.miaschi2020")

# %% mystnb={"image": {"alt": "Horizontal bars: rank correlation gained over length alone, for each sentence property, for the model and its untrained twin."}}
shown = plotting.series(concatenated.frames, "gain over length")
ax = plotting.axes(figsize=(7, 5))
plotting.bars(shown, "feature", ax=ax, xlabel="Spearman's rho less that of length alone")
plotting.show(shown)

# %%
card("syn.concatenated.miaschi2020")

# %% [markdown]
# (syn-mdl)=
# ## Description length against accuracy
#
# A probe may reach the same accuracy on labels that are plain in the vectors and on labels it has to memorise.
# {cite:t}`voita2020` count effort as well: how many bits does it take to send the labels if the receiver has the vectors
# and learns as the labels come in? *Compression* is how many times shorter this code is than a uniform one.

# %%
mdl = run("syn.mdl.voita2020")

# %% mystnb={"image": {"alt": "Scatter: accuracy against compression, one point a layer, for real and for control labels of the model and its untrained twin."}}
ax = plotting.axes(figsize=(6, 3.6))
for k, (name, frame) in enumerate(mdl.frames.items()):
    for kind in ("real", "control"):
        x, y = (frame[(frame.measure == m) & (frame["labels"] == kind)]["value"] for m in ("accuracy", "compression"))
        face = plotting.COLOURS[k] if kind == "real" else "none"
        ax.scatter(x, y, label=f"{name}, {kind}", marker="os"[k], edgecolor=plotting.COLOURS[k], facecolor=face)
ax.set(xlabel="accuracy", ylabel="compression")
ax.legend()
for measure in ("accuracy", "compression", "compression gap", "accuracy gap"):
    print(plotting.printed(plotting.series(mdl.frames, measure)))

# %%
card("syn.mdl.voita2020")

# %% [markdown]
# (syn-amnesic)=
# ## Erased, and missed?
#
# That a probe finds something does not mean the model uses it. {cite:t}`elazar2020` erase it: they project out every
# direction from which a linear probe can tell the part of speech {cite:p}`ravfogel2020`, and look whether the model's
# predictions at masks suffer more than from erasing as many random directions.

# %%
amnesic = run("syn.amnesic.elazar2020")

# %% mystnb={"image": {"alt": "Two panels: drop of masked-word accuracy and KL divergence after erasing part of speech, or as many random directions, by layer at which they are erased."}}
figure, panels = plotting.plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for measure, ax in zip(("drop of accuracy", "KL divergence (nats)"), panels):
    kinds = ("part of speech", "random")
    shown = {k: plotting.series({"": amnesic.rows}, measure, erased=k)[""] for k in kinds}
    plotting.lines(shown, "layer", ax=ax, ylabel=measure, xlabel="layer after which it is erased")
    print(plotting.printed(shown))

# %%
card("syn.amnesic.elazar2020")

# %% [markdown]
# (syn-formalism)=
# ## One relation, two formalisms
#
# {cite:t}`kuznetsov2020` warn that *where* a probe finds semantic roles depends on whose roles they are. We probe the same
# pairs of predicate and argument for a PropBank label and for a set of proto-role properties (did it exist before? did it
# act on purpose?), and test by permutation whether the two profiles over layers differ in shape.

# %%
formalism = run("syn.formalism.kuznetsov2020")

# %% mystnb={"image": {"alt": "Two panels: score by layer for role labels and for proto-role properties of the same pairs, for the model and its untrained twin."}}
figure, panels = plotting.plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for name, ax in zip(("role label", "proto-role properties"), panels):
    shown = plotting.series(formalism.frames, "score", formalism=name)
    plotting.lines(shown, "layer", ax=ax, title=name, ylabel="score")
    print(plotting.printed(shown))
print(plotting.printed(plotting.series(formalism.frames, "permutation p")))

# %%
card("syn.formalism.kuznetsov2020")

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
# (They were drawn uniformly at first; we chose this harder baseline after seeing the figures of an unfinished model.)

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
from bertology_utils.data import load
from bertology_utils.scores import trees
from bertology_utils.subject import models, perturb

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
print(f"largest impact {matrix.max():.2f}, mean {matrix.mean():.2f}; {len(arcs)} gold arcs")

# %% [markdown]
# The tree that the decoder makes of it: a full line is a gold arc, a dashed one is not.

# %% mystnb={"image": {"alt": "Arcs over the words of the sentence: the tree decoded from the impact matrix, gold arcs as full lines, others dashed."}}
found = trees.eisner(matrix.T, sentence.heads.index(-1))
decoded = [(int(head), word) for word, head in enumerate(found) if head >= 0]
plotting.arcs(sentence.words, decoded, right=arcs, title="decoded from impacts")
plotting.plt.show()
for word, gold, head in zip(sentence.words, sentence.heads, found):
    name = {i: w for i, w in enumerate(sentence.words)} | {-1: "(root)"}
    print(f"{word:<14} gold head {name[gold]:<14} decoded {name[int(head)]}")
same = sum(int(gold == head) for gold, head in zip(sentence.heads, found))
print(f"{same} of {len(found)} heads as in the gold tree")

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
    ax.get_legend().set_visible(method == "minimal pairs")
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
# Fine-tuning costs more than reading off. In this and the next two sections the cell therefore leaves the untrained twin
# out (`twin=False`); its figures, measured by `bertology run`, are on the card.

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
# Transfer is tried on a classifier tuned with another seed, and on one that has only the lower half of the layers. The
# verdict also asks that all three classifiers tell the classes apart to begin with; we added this after seeing the figures
# of an unfinished model, whose classifiers knew nothing and were flipped by anything.

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
shown = {arm.removeprefix("accuracy "): plotting.series({"": parsing.rows}, arm)[""] for arm in arms}
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
