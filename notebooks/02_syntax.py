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
# Each claim below has the figures that decide it, with 95% intervals, and a **card**: the real BERT, our small model
# `mini` on the studies' own data, and its *untrained twin*. The bars show generated sentences, a demonstration; they are
# recorded runs, since some of them take minutes. `run(id)` in place of `recall(id)` measures them again, on any model.

# %%
from bertology_utils import card, plotting, recall

# %% [markdown]
# (syn-agreement)=
# ## Does it agree, with distractors and without meaning?
#
# *The key**s** to the cabinet **are** …* — a model that only knew which words stand next to each other would say *is*.
# {cite:t}`goldberg2019` masks the verb and compares the probabilities of its two forms. *Attractors* are nouns of the
# other number between subject and verb; *nonce* sentences keep the structure and drop the sense, as in
# {cite:t}`gulordava2018`.

# %%
result = recall("syn.agreement.goldberg2019")

# %% mystnb={"figure": {"caption": "Agreement is respected, distractors or not: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that agreement is respected, distractors or not, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.agreement.goldberg2019")

# %% [markdown]
# (syn-negation)=
# ## Does "not" change anything?
#
# *A robin is a* \[bird\]. *A robin is not a* \[bird\]? {cite:t}`ettinger2019` found that BERT completes both alike. For
# each pair we ask whether the filler that makes the sentence true beats the one that makes it false; a model deaf to
# *not* is right on the affirmative and wrong on the negated version of the same items.

# %%
result = recall("syn.negation.ettinger2019")

# %% mystnb={"figure": {"caption": "Predictions ignore \"not\": the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that predictions ignore \"not\", for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.negation.ettinger2019")

# %% [markdown]
# (syn-malformed)=
# ## What happens to predictions in broken sentences?
#
# If word order mattered to the prediction, shuffling the context should change it. {cite:t}`ettinger2019` shuffles,
# truncates and removes arguments. We count how many of the five likeliest fillers survive, beyond those an unrelated
# sentence would share anyway.

# %%
result = recall("syn.malformed.ettinger2019")

# %% mystnb={"figure": {"caption": "Predictions survive malformed input: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that predictions survive malformed input, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.malformed.ettinger2019")

# %% [markdown]
# (syn-probing)=
# ## Parts of speech, chunks and relations, layer by layer
#
# A *probe* is a small classifier that is given a word's vector and must tell its part of speech. {cite:t}`tenney2019b`
# and {cite:t}`liu2019a` found that a linear one does this well on BERT's vectors, and chunks and dependency relations
# too. But a good score alone says little. We show four controls: always saying the commonest label; the embeddings
# before the first layer; an untrained network of the same shape; and *control labels*, one drawn at random for each
# word type, which can only be memorised {cite:p}`hewitt2019control`. Layer 0 is the embeddings.

# %%
result = recall("syn.pos_chunks_deps.tenney2019b")

# %% mystnb={"figure": {"caption": "Vectors encode parts of speech, chunks and dependencies: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that vectors encode parts of speech, chunks and dependencies, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.hierarchical.lin2019")

# %% mystnb={"figure": {"caption": "Representations are hierarchical, not only linear: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that representations are hierarchical, not only linear, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.distant_parents.liu2019a")

# %% mystnb={"figure": {"caption": "Distant ancestors in the tree are harder to recover: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that distant ancestors in the tree are harder to recover, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.distant_parents.liu2019a")

# %% [markdown]
# (syn-structural-probe)=
# ## Is a tree one linear map away?
#
# {cite:t}`hewitt2019` look for a matrix under which the squared distance of two words' vectors is the number of steps
# between them in the dependency tree. The tree with the shortest edges under that distance is then compared with the
# gold tree: *UUAS* is the share of gold edges found, whatever their direction. A chain that joins neighbours finds many
# edges already, and so do the embeddings and an untrained network under the same probe.

# %%
result = recall("syn.structural_probe.hewitt2019")

# %% mystnb={"figure": {"caption": "A linear map recovers dependency trees: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that a linear map recovers dependency trees, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.trees_from_vectors.vilares2020")

# %% mystnb={"figure": {"caption": "Token vectors hold enough to rebuild trees: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that token vectors hold enough to rebuild trees, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.tpdn.jawahar2019")

# %% mystnb={"figure": {"caption": "Tree roles fit [CLS] best, by a small margin: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that tree roles fit [CLS] best, by a small margin, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.tpdn.jawahar2019")

# %% [markdown]
# (syn-concatenated)=
# ## What do concatenated vectors tell of a sentence?
#
# {cite:t}`miaschi2020` probe for properties of whole sentences: depth of the tree, length of arcs, shares of parts of
# speech. We concatenate the word vectors and fit a ridge regression. Many such properties follow from length alone, so
# each is compared with a regression on nothing but the number of words.

# %%
result = recall("syn.concatenated.miaschi2020")

# %% mystnb={"figure": {"caption": "Concatenated vectors carry sentence-level syntax: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that concatenated vectors carry sentence-level syntax, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.concatenated.miaschi2020")

# %% [markdown]
# (syn-mdl)=
# ## Does description length see what accuracy does not?
#
# A probe may reach the same accuracy on labels that are plain in the vectors and on labels it has to memorise.
# {cite:t}`voita2020` count effort as well: how many bits does it take to send the labels if the receiver has the vectors
# and learns as the labels come in? *Compression* is how many times shorter this code is than a uniform one.

# %%
result = recall("syn.mdl.voita2020")

# %% mystnb={"figure": {"caption": "Description length separates what accuracy cannot: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that description length separates what accuracy cannot, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.amnesic.elazar2020")

# %% mystnb={"figure": {"caption": "Erasing parts of speech hurts prediction: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that erasing parts of speech hurts prediction, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.amnesic.elazar2020")

# %% [markdown]
# (syn-formalism)=
# ## One relation, two formalisms: the same layers?
#
# {cite:t}`kuznetsov2020` warn that *where* a probe finds semantic roles depends on whose roles they are. We probe the same
# pairs of predicate and argument for a PropBank label and for a set of proto-role properties (did it exist before? did it
# act on purpose?), and test by permutation whether the two profiles over layers differ in shape.

# %%
result = recall("syn.formalism.kuznetsov2020")

# %% mystnb={"figure": {"caption": "The formalism changes where knowledge is found: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that the formalism changes where knowledge is found, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.formalism.kuznetsov2020")

# %% [markdown]
# (syn-attention-trees)=
# ## Is there a whole tree in any attention map?
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
result = recall("syn.no_tree_in_attention.htut2019")

# %% mystnb={"figure": {"caption": "Full dependency trees cannot be read off attention: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that full dependency trees cannot be read off attention, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.no_tree_in_attention.htut2019")

# %% [markdown]
# (syn-perturbed-masking)=
# ## Perturbed masking: are there trees without a probe?
#
# A probe has parameters, and parameters can learn what they are asked to find. {cite:t}`wu2020` need none. Hide a word
# and take its vector; hide a second word as well and take it again. The distance is the *impact* of the second word on
# the first. A word's head should have a large impact on it, so the impact matrix is a matrix of scores of arcs, and a
# decoder turns it into a tree: Eisner's algorithm into a projective one, the spanning tree into any.
#
# Trees that may not cross have short arcs, and short arcs are often right. So the random trees here are projective too.
# (They were drawn uniformly at first; we chose this harder baseline after seeing the figures of an unfinished model.)

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
result = recall("syn.perturbed_masking.wu2020")

# %% mystnb={"figure": {"caption": "Perturbing words reveals some syntax without a probe: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that perturbing words reveals some syntax without a probe, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.npi.warstadt2019")

# %% mystnb={"figure": {"caption": "NPIs and licensors are detected better than scope: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that nPIs and licensors are detected better than scope, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

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
result = recall("syn.structural_bias.warstadt2020")

# %% mystnb={"figure": {"caption": "Fine-tuning prefers the hierarchical rule in three of four tasks: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that fine-tuning prefers the hierarchical rule in three of four tasks, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.structural_bias.warstadt2020")

# %% [markdown]
# (syn-triggers)=
# ## Can three words flip a verdict?
#
# {cite:t}`wallace2019a` put a few words in front of a text, any text, and the classifier changes its mind. The words are
# found by gradients: which token, to first order, would raise the loss most? We tune a sentiment classifier, look for a
# trigger of three words against each class on the training texts — only words that none of these texts has, so no
# trigger can simply say *awful* — and try it on other texts. The control is what random words of the same kind do.
# Transfer is tried on a classifier tuned with another seed, and on one that has only the lower half of the layers. The
# verdict also asks that all three classifiers tell the classes apart to begin with; we added this after seeing the figures
# of an unfinished model, whose classifiers knew nothing and were flipped by anything.

# %%
result = recall("syn.triggers.wallace2019a")

# %% mystnb={"figure": {"caption": "Nonsense triggers flip predictions and transfer: the figures that decide, on generated data, with 95% intervals."}, "image": {"alt": "Horizontal bars with intervals: the figures that decide the claim that nonsense triggers flip predictions and transfer, for mini and its untrained twin on generated data."}}
plotting.bars(result.deciding(), "figure", chance=0.0)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(result.deciding()))

# %%
card("syn.triggers.wallace2019a")

# %% [markdown]
# (syn-parsing-first)=
# ## Does parsing first make a difference?
#
# If syntax helps understanding, a model that has learnt to parse should be tuned to better effect. {cite:t}`glavas2020`
# train a biaffine dependency parser on top of the encoder, keep the encoder, and fine-tune it on entailment. We do the
# same with and without that stage. *Little difference* is a strong claim: the whole interval must lie within one point,
# and the parser must parse well.

# %%
card("syn.intermediate_parsing.glavas2020")

# %% [markdown]
# (syn-method-favours-model)=
# ## Does the method decide which model wins?
#
# {cite:t}`htut2019` read trees off BERT and off RoBERTa by two methods, and the order of the two models depends on the
# method. The claim is about two published models, so it is rerun only where both are to be had:
# `bertology run syn.method_favours_model.htut2019 --model bert-base-uncased --data original` loads RoBERTa as well and
# compares them, by the most attended word of the best head for each relation and by the spanning tree of the best head.
# The model that comes with this book has no partner, and the row stays without a verdict.

# %%
card("syn.method_favours_model.htut2019")
