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
print(plotting.printed(shown))
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
print(plotting.printed(shown))

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
print(plotting.printed(shown))

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
