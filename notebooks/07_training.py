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
# # Training BERT
#
# How deep, how wide, what to hide, what to learn beside it, how long? The survey {cite:p}`rogers2020` reports choices that
# took others thousands of processor hours. Here each choice is a **family** of small runs that differ in one thing. They
# learn the package's own generated language: two blocks of width 128, 640,000 pieces, half a minute of one processor core.
#
# Such runs cannot say what BERT would do. They can say what a choice does to a small model early in its training, with
# several seeds each, and how large an effect would have to be to be seen. Runs of one seed see the same text in the same
# order, and all are asked for the same hidden pieces of held-out documents; intervals are over seeds and documents.
#
# Trained runs are compared with one another here, so the cards have no untrained network. Where no rule can be decided, the
# card says *undecided*, or that a check failed and it *cannot be tested here*. Training magnifies differences of rounding, so
# the figures are read from records; `bertology family run` trains all of it again.
#
# **Five things this half of the chapter shows**

# %%
from bertology_utils import card, five, found, plotting, recall
from bertology_utils.cards import family

five("training")

# %% [markdown]
# The whole family, a line per group: held-out loss (and its standard deviation over seeds), agreement, a probe, a tuned task,
# and what a run costs.

# %%
family.table()

# %% [markdown]
# Is a lower loss at the end a lower loss all the way? The bands reach from the luckiest seed to the unluckiest.

# %% mystnb={"figure": {"caption": "Held-out loss while training, by pieces seen: mean over seeds and the range of the seeds. The rate of learning falls over the last quarter."}, "image": {"alt": "Line chart: held-out loss in nats over pieces seen, for the base, one block, width 192, batches four times as large, and no second task."}}
curves = family.curves(["base", "half layers", "wider", "large batch", "no second task"])
plotting.lines(curves, "tokens", xlabel="pieces seen", ylabel="nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed({name: rows.iloc[[0, -1]] for name, rows in curves.items()}))

# %% [markdown]
# Loss falls long before grammar is there. Agreement at the checkpoints of the longest runs, by the number of nouns between
# subject and verb that have the other number:

# %% mystnb={"figure": {"caption": "Share of agreement items with the right verb form at checkpoints of runs with four times the pieces, by attractors: mean and range over seeds."}, "image": {"alt": "Line chart: share of agreement items right over pieces seen, for none, one and two attractors; a dotted line marks one half."}}
growth = family.growth("four times the pieces")
plotting.lines(growth, "tokens", chance=0.5, ylim=(0.3, 1), xscale="log", xlabel="pieces seen", ylabel="share of items")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(growth))

# %% [markdown]
# (trn-layers-vs-heads)=
# ## Half the layers or half the heads: which costs more?
#
# Two blocks of four heads each are the base. {cite:t}`wang2019b` vary one thing at a time; so here one run has one
# block, another two heads per block of twice the size, at equal width and equal pieces. Half the layers is also a
# quarter fewer operations.

# %%
depth = recall("trn.layers_vs_heads.wang2019b")

# %% mystnb={"figure": {"caption": "Half the layers or half the heads: which costs more? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
depth.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(depth.series("loss")))
print(plotting.printed(depth.series("loss, half the layers - half the heads")))

# %%
found("trn.layers_vs_heads.wang2019b")

# %%
card("trn.layers_vs_heads.wang2019b")

# %% [markdown]
# (trn-hidden-size)=
# ## Is wider better?
#
# Width 64, 128 and 192, with heads of 32 and two blocks each ({cite:t}`wang2019b`).

# %%
width = recall("trn.hidden_size.wang2019b")

# %% mystnb={"figure": {"caption": "Is wider better? Loss, narrower - wider; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss, narrower - wider by step."}}
width.plot("loss, narrower - wider", "step", kind="bars", xlabel="nats that the wider model gains")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(width.series("loss, narrower - wider")))

# %%
found("trn.hidden_size.wang2019b")

# %%
card("trn.hidden_size.wang2019b")

# %% [markdown]
# (trn-fixed-attention)=
# ## Must attention be learned?
#
# {cite:t}`raganato2020` fix all heads but one: to the piece before, the piece after, the first piece. What if all heads
# just average the row? If that costs nothing, attention was not needed and the comparison says nothing.

# %%
preset = recall("trn.fixed_attention.raganato2020")

# %% mystnb={"figure": {"caption": "Must attention be learned? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
preset.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(preset.series("loss")))
print(plotting.printed(preset.series("loss, preset - learned")))

# %%
found("trn.fixed_attention.raganato2020")

# %%
card("trn.fixed_attention.raganato2020")

# %% [markdown]
# (trn-sublayer-order)=
# ## Attention first, feed-forward last?
#
# {cite:t}`press2020` reorder sublayers: `sfsf` is BERT, `ssff` a sandwich of the same sublayers. Two blocks leave room
# for one reordering only.

# %%
order = recall("trn.sublayer_order.press2020")

# %% mystnb={"figure": {"caption": "Attention first, feed-forward last? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
order.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(order.series("loss")))
print(plotting.printed(order.series("loss, interleaved - sandwich")))

# %%
found("trn.sublayer_order.press2020")

# %%
card("trn.sublayer_order.press2020")

# %% [markdown]
# (trn-large-batch)=
# ## Do larger batches cost anything?
#
# Four times the batch at twice the learning rate, equal pieces: a quarter of the steps ({cite:t}`liu2019b`). Half the
# pieces is the yardstick: a loss of training must be seen.

# %%
batch = recall("trn.large_batch.liu2019b")

# %% mystnb={"figure": {"caption": "Do larger batches cost anything? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
batch.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(batch.series("loss")))
print(plotting.printed(batch.series("loss, large batch - small batch")))

# %%
found("trn.large_batch.liu2019b")

# %%
card("trn.large_batch.liu2019b")

# %% [markdown]
# (trn-warm-start)=
# ## Does stacking save time?
#
# {cite:t}`gong2019` train a shallow model first and stack it. Here one block for half of the pieces, then two. How long
# would a run from scratch take to the same loss? That is read off between runs with half, all and twice the pieces;
# time is processor time, not the clock of a busy machine.

# %%
stacked = recall("trn.warm_start.gong2019")

# %% mystnb={"figure": {"caption": "Does stacking save time? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
stacked.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(stacked.series("loss")))
print(plotting.printed(stacked.series("time saved to equal loss")))

# %%
found("trn.warm_start.gong2019")

# %%
card("trn.warm_start.gong2019")

# %% [markdown]
# (trn-masking-rate)=
# ## Why 15%?
#
# {cite:t}`raffel2019` find little difference between masking rates. All runs are asked under the same masks of 15%. A
# rate of 80% is the yardstick: it should be seen to cost.

# %%
rates = recall("trn.masking_rate.raffel2019")

# %% mystnb={"figure": {"caption": "Why 15%? Loss, rate - 15%; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss, rate - 15% by rate."}}
rates.plot("loss, rate - 15%", "rate", kind="bars", xlabel="nats more than at 15%")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(rates.series("loss, rate - 15%")))

# %%
found("trn.masking_rate.raffel2019")

# %%
card("trn.masking_rate.raffel2019")

# %% [markdown]
# (trn-dynamic-masking)=
# ## Fresh masks or the same again?
#
# In nearly three passes over the text, masks are drawn afresh or are the same at every pass, on the same rows
# ({cite:t}`liu2019b`).

# %%
masks = recall("trn.dynamic_masking.liu2019b")

# %% mystnb={"figure": {"caption": "Fresh masks or the same again? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
masks.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(masks.series("loss")))
print(plotting.printed(masks.series("loss, dynamic - static")))

# %%
found("trn.dynamic_masking.liu2019b")

# %%
card("trn.dynamic_masking.liu2019b")

# %% [markdown]
# (trn-unk-mask)=
# ## Must it be [MASK]?
#
# [UNK] in its place, in training and when asked ({cite:t}`clinchant2019`). A random piece in its place hides where the
# gap is; that must be seen to cost.

# %%
symbol = recall("trn.unk_mask.clinchant2019")

# %% mystnb={"figure": {"caption": "Must it be [MASK]? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
symbol.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(symbol.series("loss")))
print(plotting.printed(symbol.series("loss, [UNK] - [MASK]")))

# %%
found("trn.unk_mask.clinchant2019")

# %%
card("trn.unk_mask.clinchant2019")

# %% [markdown]
# (trn-whole-word)=
# ## Pieces, words or spans?
#
# Hide single pieces, whole words, or spans of words {cite:p}`devlin2019,joshi2020`; then ask for agreement and probe
# the vectors.

# %%
words = recall("trn.whole_word.devlin2019")

# %% mystnb={"figure": {"caption": "Pieces, words or spans? Agreement; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: agreement by group."}}
words.plot("agreement", "group", kind="bars", xlabel="share of agreement items")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(words.series("agreement")))
print(plotting.printed(words.series("probe accuracy, whole word - piece")))

# %%
found("trn.whole_word.devlin2019")

# %%
card("trn.whole_word.devlin2019")

# %% [markdown]
# (trn-entity-mask)=
# ## Does masking entities teach facts?
#
# {cite:t}`sun2019b` hide whole names. The generated text has a few hundred facts; a quarter of their sentences is held
# out.

# %%
entities = recall("trn.entity_mask.sun2019b")

# %% mystnb={"figure": {"caption": "Does masking entities teach facts? P@1 over majority object; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: P@1 over majority object by group."}}
entities.plot("P@1 over majority object", "group", kind="bars", xlabel="P@1 less that of the commonest object")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(entities.series("P@1 over majority object")))
print(plotting.printed(entities.series("P@1, entity masks - piece masks")))

# %%
found("trn.entity_mask.sun2019b")

# %%
card("trn.entity_mask.sun2019b")

# %% [markdown]
# (trn-replaced-tokens)=
# ## Does one learn more from every position?
#
# {cite:t}`clark2020` let a small generator fill the gaps, and the encoder tell at every piece whether it was replaced.
# Encoder and generator take as many operations per piece as the masked model, within three hundredths.

# %%
replaced = recall("trn.replaced_tokens.clark2020")

# %% mystnb={"figure": {"caption": "Does one learn more from every position? Probe accuracy, replaced - masked; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: probe accuracy, replaced - masked by probe."}}
replaced.plot("probe accuracy, replaced - masked", "probe", kind="bars", xlabel="accuracy more than after masked pieces")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(replaced.series("probe accuracy, replaced - masked")))

# %%
found("trn.replaced_tokens.clark2020")

# %%
card("trn.replaced_tokens.clark2020")

# %% [markdown]
# (trn-nsp)=
# ## Does next-sentence prediction help?
#
# The base learns it beside the masked pieces; the other runs learn masked pieces alone, on rows of one segment
# ({cite:t}`liu2019b`). Each is asked for the same hidden pieces, in rows as it was taught.

# %%
nsp = recall("trn.nsp.liu2019b")

# %% mystnb={"figure": {"caption": "Does next-sentence prediction help? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
nsp.plot("loss", "group", kind="bars", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(nsp.series("loss")))
print(plotting.printed(nsp.series("loss, with - without NSP")))

# %%
found("trn.nsp.liu2019b")

# %%
card("trn.nsp.liu2019b")

# %% [markdown]
# (trn-sentence-order)=
# ## Swapped sentences or foreign ones?
#
# {cite:t}`lan2020` swap two neighbouring stretches in place of taking one from elsewhere. Each head is asked the
# other's question too.

# %%
sop = recall("trn.sentence_order.lan2020")

# %% mystnb={"figure": {"caption": "Accuracy over chance of the second head on its own question and on the other's, by what it was trained on."}, "image": {"alt": "Horizontal bars: accuracy over chance of heads trained on sentence order and on next sentences, on their own task and on the other's."}}
asked = {"own question": "accuracy over chance on its own task", "the other's": "accuracy over chance on the other's task"}
shown = {name: plotting.rows_of(sop.rows, measure) for name, measure in asked.items()}
plotting.bars(shown, "group", xlabel="accuracy over one half")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(sop.series("accuracy over chance, order on NSP - NSP on order")))

# %%
found("trn.sentence_order.lan2020")

# %%
card("trn.sentence_order.lan2020")

# %% [markdown]
# (trn-data-volume)=
# ## What does more text buy?
#
# Half, all and twice the pieces, each with a schedule of its own ({cite:t}`liu2019b`). Agreement should gain less by
# the second doubling than by the first {cite:p}`vanschijndel2019`; but it must first be there.

# %%
volume = recall("trn.data_volume.liu2019b")

# %% mystnb={"figure": {"caption": "What does more text buy? Loss per doubling of pieces; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss per doubling of pieces by step."}}
volume.plot("loss per doubling of pieces", "step", kind="bars", xlabel="nats per doubling")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(volume.series("loss per doubling of pieces")))

# %%
found("trn.data_volume.liu2019b")

# %%
card("trn.data_volume.liu2019b")
