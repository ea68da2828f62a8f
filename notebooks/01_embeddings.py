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
# # Embeddings
#
# A word2vec model gives each word one vector. BERT gives it a new one in every sentence and at every layer. What kind
# of space do these vectors live in, and what do they keep of the word, of its sense and of its place? The survey
# {cite:p}`rogers2020` gathers what was found; this chapter measures it again.
#
# Each claim has a call that measures it, a figure with 95 % intervals, the plotted numbers as text, and a **card** with
# the survey's claim, the released results of others scored again, our figures for the model and for its *untrained
# twin* (same architecture, random weights), and the verdict. Layers are counted from 0, which is the embedding layer.

# %%
from bertology_utils import card, plotting, run
from bertology_utils.claims import evidence
from bertology_utils.experiments.embeddings.senses import sense_map

# %% [markdown]
# (emb-anisotropy)=
# ## The narrow cone
#
# If vectors used all directions alike, two random words would have a cosine near 0. {cite:t}`ethayarajh2019` found that
# they do not: contextual vectors crowd into a cone, and the cone narrows towards the top. We draw random words (each
# word once, so that *the* weighs no more than *glass*), take one vector each, and average the cosine over all pairs.
# Gaussian vectors of the same size are the control: they show how far from 0 chance alone leads.
#
# The released curve of bert-base, where it is at hand, is drawn beside ours. Mind the twin: random layers on top of
# random embeddings share their position and segment vectors and their layer normalisation, and make a cone, too.

# %%
cone = run("emb.anisotropy.ethayarajh2019")

# %% mystnb={"image": {"alt": "Curves: mean cosine of random words by layer, for the model, its untrained twin and, where at hand, the released figures of bert-base. A dotted line at 0 marks isotropy."}}
shown = plotting.series(cone.frames, "mean cosine")
released = evidence.curves("emb.anisotropy.ethayarajh2019", "mean cosine")
both = {**shown, **{name: rows for name, rows in released.items() if "bert" in name}}
plotting.lines(both, "layer", chance=0.0, ylabel="mean cosine of random words")
plotting.show(shown)
print(plotting.printed(plotting.series(cone.frames, "mean cosine, Gaussian control")))

# %%
card("emb.anisotropy.ethayarajh2019")

# %% [markdown]
# (emb-context)=
# ## One word, many vectors
#
# How much of a word is left when its context changes? *Self-similarity* is the mean cosine between the vectors of one
# word in different sentences; *intra-sentence similarity* that between a sentence's words and their mean; *explained
# variance* the share of a word's vectors that a single static direction could hold {cite:p}`ethayarajh2019`. In a
# narrow cone everything is similar, so each figure is adjusted: less the same figure of random words. A falling curve
# says that the vectors of one word drift apart relative to those of any two words.

# %%
context = run("emb.context_specificity.ethayarajh2019")

# %% mystnb={"image": {"alt": "Curves: self-similarity of words by layer after subtracting the similarity of random words, for the model, its untrained twin and, where at hand, the released figures of bert-base."}}
shown = plotting.series(context.frames, "adjusted self-similarity")
released = evidence.curves("emb.context_specificity.ethayarajh2019", "adjusted self-similarity")
plotting.lines({**shown, **released}, "layer", ylabel="self-similarity, adjusted")
plotting.show(shown)

# %% mystnb={"image": {"alt": "Curves for the model alone: self-similarity, intra-sentence similarity and explained variance by layer, each adjusted by its baseline."}}
measures = ("self-similarity", "intra-sentence similarity", "explained variance")
name = context.records[0].model
shown = {m: plotting.series(context.frames, f"adjusted {m}")[name] for m in measures}
plotting.lines(shown, "layer", chance=0.0, ylabel="adjusted by the baseline")
plotting.show(shown)
card("emb.context_specificity.ethayarajh2019")

# %% [markdown]
# (emb-postprocessing)=
# ## Taking the top off
#
# Static vectors improve when their mean and a few leading directions are removed {cite:p}`mu2018`; the survey names
# this as something to try on BERT. No study of the survey did, so this row goes beyond it. We compare the rank
# correlation of cosines with graded similarity before and after, for words alone in their input and for sentences.

# %%
top = run("emb.postprocessing.mu2018")

# %% mystnb={"image": {"alt": "Curves: Spearman correlation with graded word and sentence similarity by layer, before and after removing the mean and leading directions, for the model alone."}}
name = top.records[0].model
shown = {
    f"{b}, {when}": plotting.series(top.frames, f"Spearman {when}", benchmark=f"{b} similarity")[name]
    for b in ("word", "sentence")
    for when in ("before", "after")
}
plotting.lines(shown, "layer", chance=0.0, ylabel="Spearman with the gold scores")
plotting.show(shown)
print(plotting.printed(plotting.series(top.frames, "gain")))

# %%
card("emb.postprocessing.mu2018")

# %% [markdown]
# (emb-static)=
# ## Static vectors from contexts
#
# Can a contextual model give one good vector for a word? {cite:t}`bommasani2020` average a word's vectors over many
# sentences and find them better at word similarity than the vector of the word alone. We pool 1 to 50 contexts; the
# layer is chosen on one half of the pairs and scored on the other.

# %%
static = run("emb.static_distillation.bommasani2020")

# %% mystnb={"image": {"alt": "Horizontal bars: Spearman correlation with word similarity of the word alone and of vectors pooled over 1, 5, 10, 20 and 50 contexts, for the model and its untrained twin."}}
sizes = ["isolated", *(f"{k} contexts" for k in (1, 5, 10, 20, 50))]
chosen = plotting.series(static.frames, "Spearman, layer chosen on dev")
shown = {name: rows[rows["pooling"].isin(sizes)] for name, rows in chosen.items()}
plotting.bars(shown, "pooling", chance=0.0, xlabel="Spearman with word similarity (layer chosen on dev)")
plotting.show(shown)
print(plotting.printed(plotting.series(static.frames, "pooled less isolated")))

# %%
card("emb.static_distillation.bommasani2020")

# %% [markdown]
# (emb-bleached)=
# ## Sentences that say nothing
#
# Association tests ask whether one set of words (flowers) lies nearer to a second (pleasant things) than a third
# (insects) does. They were made for word vectors; {cite:t}`may2019` put the words into bleached sentences such as
# *This is a rose.* and compare sentence vectors. Before such a test may speak of social bias it should find what nobody
# doubts: flowers over insects, instruments over weapons. The effect size lies between −2 and 2; p is that of a
# permutation test.

# %%
bleached = run("emb.bleached.may2019")

# %% mystnb={"image": {"alt": "Horizontal bars: effect size of each association test with bleached sentences and the [CLS] vector, with intervals, for the model and its untrained twin."}}
asked = {"input": "bleached sentences", "vector": "[CLS]"}
shown = plotting.series(bleached.frames, "effect size", **asked)
ax = plotting.axes(figsize=(7, 5))
plotting.bars(shown, "test", chance=0.0, ax=ax, xlim=(-2, 2), xlabel="effect size (above 0: as expected)")
for measure in ("effect size", "permutation p"):
    print(plotting.printed(plotting.series(bleached.frames, measure, known="yes", **asked)))

# %%
card("emb.bleached.may2019")

# %% [markdown]
# (emb-senses)=
# ## Senses as neighbourhoods
#
# Is the vector of *bank* by the river nearer to other river banks than to banks with money? {cite:t}`wiedemann2019`
# tag senses by nearest neighbours in training data. The baseline is to always say the sense that is most frequent
# there. The layer is chosen on development data; no sentence pattern of the test occurs in training.

# %%
senses = run("emb.sense_clusters.wiedemann2019")

# %% mystnb={"image": {"alt": "Curves: accuracy of nearest-neighbour sense tagging by layer, for the model and its untrained twin; a dotted line marks the most frequent sense."}}
shown = plotting.series(senses.frames, "kNN accuracy")
baseline = plotting.series(senses.frames, "baseline", task="senses")
at = float(next(iter(baseline.values()))["value"].iloc[0])
ax = plotting.lines(shown, "layer", ylabel="accuracy")
ax.axhline(at, color="#555555", linestyle=":", label="most frequent sense")
ax.legend()
plotting.show(shown)
print(plotting.printed(plotting.series(senses.frames, "gain over baseline")))

# %% [markdown]
# Below, the occurrences of one word whose two senses are about equally common, in the plane of their two main
# directions at each layer. Where the senses part, marks of one kind lie together. The silhouette measures the same in
# all dimensions: 1 for far apart and tight, 0 for mixed.

# %% mystnb={"image": {"alt": "Small multiples: the occurrences of one ambiguous word as points in a plane, one panel a layer, coloured by sense."}}
points = sense_map()
points["panel"] = [f"layer {k} ({s:+.2f})" for k, s in zip(points["layer"], points["silhouette"])]
plotting.scatters(points, "panel", "sense", title=f"“{points['word'][0]}” by layer (silhouette)")
for layer, part in points.groupby("layer"):
    print(f"layer {layer}: silhouette {part['silhouette'].iloc[0]:.3f}, {len(part)} occurrences")

# %%
card("emb.sense_clusters.wiedemann2019")

# %% [markdown]
# (emb-segments)=
# ## First sentence or second?
#
# BERT read two segments at a time and had to say whether the second follows the first. {cite:t}`mickus2019` found the
# trace: a word's vectors differ by the segment it stands in. We toss a coin for which sentence of a pair comes first,
# and compare cosines of one word's occurrences within a segment and across. Position and segment vectors are added to
# every embedding, so even random weights shift; only a model pretrained without next-sentence prediction can show what
# that task adds. It is no part of the package: name one in `BERTOLOGY_NONSP`. Without it the second half of the
# prediction stays open, and the verdict says so.
#
# The card also has lines for `mini-shallow`, one of a pair made for this question and not part of the package either:
# four layers, 15 M pieces of the same text on the same schedule, once with next-sentence prediction and segments and
# once without. `bertology pretrain` with the configurations `mini-shallow-cpu` and `mini-shallow-nonsp-cpu` makes them again.

# %%
segments = run("emb.segment_position.mickus2019")

# %% mystnb={"image": {"alt": "Curves: cosine within a segment less cosine across segments of the same word's occurrences, by layer, for the model and its untrained twin."}}
shown = plotting.series(segments.frames, "shift by layer")
plotting.lines(shown, "layer", chance=0.0, ylabel="cosine within less across segments")
plotting.show(shown)
card("emb.segment_position.mickus2019")

# %% [markdown]
# (emb-identity)=
# ## A token lost and found
#
# A masked language model must guess tokens from context. {cite:t}`voita2019a` describe two stages: lower layers give up
# some of a token's identity for its context, upper layers rebuild the token that is to be predicted. We ask of each
# layer's vector which token stood there, with a nearest neighbour and with a linear classifier, for tokens left as they
# were, masked, or replaced by another. The claim is a dip inside the stack for tokens left as they were.

# %%
identity = run("emb.token_identity.voita2019a")

# %% mystnb={"image": {"alt": "Curves: how often a linear classifier tells the original token from a layer's vector, for kept, masked and replaced tokens, for the model alone."}}
name = identity.records[0].model
kinds = ("kept", "masked", "replaced")
shown = {
    k: plotting.series(identity.frames, "identity recovered", decoder="linear", token=k)[name] for k in kinds
}
plotting.lines(shown, "layer", ylim=(-0.02, 1.02), ylabel="original token recovered (linear)")
plotting.show(shown)
for measure in ("bottom less minimum", "top less minimum"):
    print(plotting.printed(plotting.series(identity.frames, measure)))

# %%
card("emb.token_identity.voita2019a")

# %% [markdown]
# (emb-pooling)=
# ## One vector for a sentence
#
# [CLS] was meant to stand for the sentence, but means over the pieces and other layers compete
# {cite:p}`toshniwal2020,tanaka2020,ma2019`. Two tasks: similarity of sentences by plain cosine, with nothing trained, and
# sentiment by a linear probe. The pooling is chosen on development data for both tasks together, and compared with the
# last layer's [CLS] on the test data.

# %%
pooled = run("emb.sentence_pooling.toshniwal2020")

# %% mystnb={"image": {"alt": "Horizontal bars: Spearman on sentence similarity of five poolings, for the model and its untrained twin."}}
some = ["[CLS], last layer", "max, last layer", "normalised mean, last layer", "mean, all layers averaged", "mean, layer 0"]
similarity = plotting.series(pooled.frames, "Spearman", task="similarity")
shown = {name: rows[rows["pooling"].isin(some)] for name, rows in similarity.items()}
plotting.bars(shown, "pooling", chance=0.0, xlabel="Spearman with graded similarity")
plotting.show(shown)

# %% mystnb={"image": {"alt": "Horizontal bars: accuracy of a linear probe for sentiment on five poolings and of the majority class, for the model and its untrained twin."}}
sentiment = plotting.series(pooled.frames, "accuracy", task="sentiment")
shown = {name: rows[rows["pooling"].isin([*some, "none (majority)"])] for name, rows in sentiment.items()}
plotting.bars(shown, "pooling", xlim=(0, 1), xlabel="accuracy")
plotting.show(shown)
print(plotting.printed(plotting.series(pooled.frames, "gain over last-layer [CLS]")))

# %%
card("emb.sentence_pooling.toshniwal2020")
