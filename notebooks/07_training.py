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
# took others thousands of processor hours. Here each choice is a **family** of small runs that differ in one thing, in three
# tiers.
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

choose(MODEL, DATA, "training", fast=FAST)

# %%
from bertology_utils import five, overview

five("training")

# %%
overview("training")

# %% [markdown]
# **How to read this chapter**
#
# One tier learns the package's own generated language: two blocks of width 128, 640,000 pieces, about a minute of one
# processor core, five seeds. The other learns English (Simple English Wikipedia): four blocks, 2.4 M pieces, two minutes,
# three seeds. The base of the first masks 15% of the pieces, that of the second 30%. Their losses still fall when they end, so
# they decide little. A third tier learns a language so small, the generated one's 300 commonest words, that its loss has
# nearly stopped falling after 5.1 M pieces (30% masked): it decides what it was run for, of a small network in a small
# language. [Where the tiers part](#trn-two-texts) is shown below.
#
# Such runs cannot say what BERT would do. They can say what a choice does to a small model early in its training, with
# several seeds each, and how large an effect would have to be to be seen. Runs of one seed see the same text in the same
# order, and all are asked for the same hidden pieces of held-out documents; intervals are over seeds and documents. Curves of
# the loss while training are of each run's own held-out rows, where some of the pieces asked for are not hidden, so they do not
# end at the figures of the table. The rate of learning falls over the last quarter.
#
# The second half is about [fine-tuning](#trn-fine-tuning). In the first, trained runs are compared with one
# another, so its cards have no untrained network. Training magnifies differences of rounding between processors, so
# figures are read from records; `bertology family run` trains the whole family again, and the start of two runs is trained again below.

# %% tags=["hide-input"]
from bertology_utils import card, examples, found, plotting, released, results
from bertology_utils.cards import family, learning

# %% [markdown]
# The whole family, a line per group and tier: held-out loss (and its standard deviation over seeds), agreement by attractors,
# a probe, a tuned task, and what a run costs.

# %%
family.table()

# %% [markdown]
# Is a lower loss at the end a lower loss all the way? The bands reach from the luckiest seed to the unluckiest.

# %% mystnb={"figure": {"caption": "Held-out loss while training, by pieces seen, on the generated language and on English: mean over seeds and the range of the seeds."}, "image": {"alt": "Two line charts: held-out loss in nats over pieces seen, for the base, half the blocks, width 192, batches four times as large, and without or with next sentences."}}
groups = ["base", "half layers", "wider", "large batch", "no second task", "next sentence"]
curves = {tier: family.curves(groups, tier) for tier in ("generated", "english")}
grid = plotting.panels(2)
for ax, (tier, shown) in zip(grid, curves.items()):
    plotting.lines(shown, "tokens", ax=ax, title=tier, xlabel="pieces seen", ylabel="nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
for tier, shown in curves.items():
    print(f"{tier}:")
    print(plotting.printed({name: rows.iloc[[0, -1]] for name, rows in shown.items()}))

# %% [markdown]
# Loss falls long before grammar is there: folded here is agreement at the checkpoints of the longest runs, by the number of
# nouns between subject and verb that have the other number.

# %% mystnb={"figure": {"caption": "Share of agreement items with the right verb form at checkpoints of runs with four times the pieces, by attractors: mean and range over seeds."}, "image": {"alt": "Line chart: share of agreement items right over pieces seen, for none, one and two attractors; a dotted line marks one half."}}
growth = family.growth("four times the pieces")
plotting.lines(growth, "tokens", chance=0.5, ylim=(0.3, 1), xscale="log", xlabel="pieces seen", ylabel="share of items")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(growth))

# %% [markdown]
# The next fold has a larger model: a run by the recipe `mini` (English, 4 and then 8 blocks of width 256), at its
# checkpoints as far as it came. Nearby subjects come first, and where another noun stands between, the verb then agrees
# with that one. Only these figures are kept, not the checkpoints.

# %% mystnb={"figure": {"caption": "Checkpoints of a run by the recipe of mini, by pieces seen: agreement on generated items by attractors, with 95% intervals over the items, and held-out loss."}, "image": {"alt": "Two panels over pieces seen: share of agreement items right for none, one and two attractors; held-out loss."}}
agreement, loss = learning.learning("mini")
grid = plotting.panels(2, sharex=True)
names = {"xscale": "log", "xlabel": "pieces seen"}
plotting.lines(agreement, "tokens", chance=0.5, ylim=(0.3, 1), ax=grid[0], ylabel="share of items", **names)
plotting.lines(loss, "tokens", ax=grid[1], ylabel="nats per masked piece", **names)
plotting.plt.show()

# %% tags=["hide-output"]
for name, rows in (agreement | loss).items():
    shown = [f"{r.value:.2f} at {r.tokens:,}" for r in rows.itertuples()]
    print(f"{name}: {', '.join(shown)}")

# %% [markdown]
# What brought the bundled `mini` away from the nearest noun was neither size nor time but text: the six million pieces after
# 134.7 million are rows in which a phrase stands between subject and verb, with the verb hidden
# ([how that was found](../book/models.md#what-keeps-a-small-model-at-the-nearest-noun)). Folded here are its sittings, by pieces seen in all; the first release lies
# far to the left and is not drawn.

# %% mystnb={"figure": {"caption": "What draws the verb in 2,592 sentences of ours with two nouns, at the end of mini's sittings and within the third: pulls of the two nouns' number in nats, and right verb forms; 95% intervals over 36 nouns in each place."}, "image": {"alt": "Two panels over pieces seen, from 135 to 151 million. Above: the subject's pull rises from 0.2 to 3.5 nats and ends at 2.5, the nearer noun's lies between 0.8 and 1.7. Below: right verb forms where both nouns have the same number rise from 0.7 to 1; where they have not they fall from 0.4 to 0.1 and rise to 0.9."}}
pulls = {name: rows.iloc[1:].assign(pieces=rows["tokens"] / 1e6) for name, rows in learning.sittings().items()}
subject, nearer, same, other, first = pulls.values()
grid = plotting.panels(2, sharex=True)
plotting.lines({"subject": subject, "nearer noun": nearer}, "pieces", ax=grid[0], xlabel="", ylabel="nats")
shares = {"same number": same, "other number": other, "other, phrase first": first}
plotting.lines(shares, "pieces", chance=0.5, ylim=(0, 1), ax=grid[1], xlabel="million pieces", ylabel="right forms")
plotting.plt.show()

# %% [markdown]
# A record is worth what its rerun is worth. Two of these runs are trained again, now, up to 190,000 pieces (folded). With the same
# seed they see the same text under the same masks in the same order, so the points have to lie on the recorded curves. On the
# processor that recorded them they do to the last digit; on others to some thousandths of a nat.

# %% mystnb={"figure": {"caption": "The first pieces of two runs, as recorded and trained again when this page was made: held-out loss. Where only two lines are seen, the recorded ones lie under them."}, "image": {"alt": "Line chart: held-out loss over pieces seen for the base and for uniform attention, each as recorded and as trained again; the lines lie on one another."}}
live = family.live(["base", "uniform attention"], 190_000)
shown = {name: rows.assign(tokens=rows["tokens"] / 1000) for name, rows in live.items()}
plotting.lines(shown, "tokens", xlabel="thousand pieces seen", ylabel="nats per masked piece")
plotting.plt.show()

# %%
for group in ("base", "uniform attention"):
    apart = (live[f"{group}, now"]["value"] - live[f"{group}, recorded"]["value"]).abs().dropna()
    print(f"{group}: {len(apart)} points, each within 0.05 nats of its record: {len(apart) > 0 and bool(apart.max() < 0.05)}")

# %% [markdown]
# ## Pretraining

# %% [markdown]
# (trn-layers-vs-heads)=
# ### Half the layers or half the heads: which costs more?
#
# {cite:t}`wang2019b` vary one thing at a time; so here some runs have half the blocks of the base (one of two, or two of
# four on English), others two heads per block in place of four, of twice the size, at equal width and equal pieces. Half
# the layers is also fewer operations.

# %%
examples("trn.layers_vs_heads.wang2019b")

# %%
depth = family.recall("trn.layers_vs_heads.wang2019b")

# %% mystnb={"figure": {"caption": "Half the layers or half the heads: which costs more? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(depth, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(depth, "loss")))
print(plotting.printed(plotting.series(depth, "loss, half the layers - half the heads")))

# %%
found("trn.layers_vs_heads.wang2019b")

# %% tags=["brief"]
card("trn.layers_vs_heads.wang2019b")

# %% [markdown]
# (trn-hidden-size)=
# ### Is wider better?
#
# Width 64, 128 and 192 (on English 96, 128 and 192), with heads of 32 ({cite:t}`wang2019b`).

# %%
examples("trn.hidden_size.wang2019b")

# %%
width = family.recall("trn.hidden_size.wang2019b")

# %% mystnb={"figure": {"caption": "Is wider better? Loss, narrower - wider; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss, narrower - wider by step."}}
plotting.bars(plotting.series(width, "loss, narrower - wider"), "step", xlabel="nats that the wider model gains")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(width, "loss, narrower - wider")))

# %%
found("trn.hidden_size.wang2019b")

# %% tags=["brief"]
card("trn.hidden_size.wang2019b")

# %% [markdown]
# (trn-fixed-attention)=
# ### Must attention be learned?
#
# {cite:t}`raganato2020` fix all heads but one: to the piece before, the piece after, the first piece. What if all heads
# just average the row? If that costs nothing, attention was not needed and the comparison says nothing.

# %%
examples("trn.fixed_attention.raganato2020")

# %%
preset = family.recall("trn.fixed_attention.raganato2020")

# %% mystnb={"figure": {"caption": "Must attention be learned? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(preset, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(preset, "loss")))
print(plotting.printed(plotting.series(preset, "loss, preset - learned")))

# %%
found("trn.fixed_attention.raganato2020")

# %% tags=["brief"]
card("trn.fixed_attention.raganato2020")

# %% [markdown]
# (trn-sublayer-order)=
# ### Attention first, feed-forward last?
#
# {cite:t}`press2020` reorder sublayers: `sfsf` is BERT, `ssff` has the same sublayers, attention first. Two blocks leave room
# for one reordering only; on English it is `ssssffff`.

# %%
examples("trn.sublayer_order.press2020")

# %%
order = family.recall("trn.sublayer_order.press2020")

# %% mystnb={"figure": {"caption": "Attention first, feed-forward last? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(order, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(order, "loss")))
print(plotting.printed(plotting.series(order, "loss, interleaved - sandwich")))

# %%
found("trn.sublayer_order.press2020")

# %% tags=["brief"]
card("trn.sublayer_order.press2020")

# %% [markdown]
# (trn-large-batch)=
# ### Do larger batches cost anything?
#
# Four times the batch at twice the learning rate, equal pieces: a quarter of the steps ({cite:t}`liu2019b`). Half the
# pieces is the yardstick: a loss of training must be seen. On English there are also large batches with LAMB, set against
# small ones with AdamW ({cite:t}`you2019`).

# %%
examples("trn.large_batch.liu2019b")

# %%
batch = family.recall("trn.large_batch.liu2019b")

# %% mystnb={"figure": {"caption": "Do larger batches cost anything? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(batch, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(batch, "loss")))
print(plotting.printed(plotting.series(batch, "loss, large batch - small batch")))

# %%
found("trn.large_batch.liu2019b")

# %%
card("trn.large_batch.liu2019b")

# %% [markdown]
# (trn-warm-start)=
# ### Does stacking save time?
#
# {cite:t}`gong2019` train a shallow model first and stack it. Here half of the blocks for half of the pieces, then all. How long
# would a run from scratch take to the same loss? That is read off between runs with half, all and twice the pieces;
# time is processor time, not the clock of a busy machine.

# %%
examples("trn.warm_start.gong2019")

# %%
stacked = family.recall("trn.warm_start.gong2019")

# %% mystnb={"figure": {"caption": "Does stacking save time? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(stacked, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(stacked, "loss")))
print(plotting.printed(plotting.series(stacked, "time saved to equal loss")))

# %%
found("trn.warm_start.gong2019")

# %%
card("trn.warm_start.gong2019")

# %% [markdown]
# (trn-masking-rate)=
# ### Why 15%?
#
# {cite:t}`raffel2019` find little difference between masking rates. All runs are asked under the same masks of 15%. A
# rate of 80% is the yardstick: it should be seen to cost.

# %%
examples("trn.masking_rate.raffel2019")

# %%
rates = family.recall("trn.masking_rate.raffel2019")

# %% mystnb={"figure": {"caption": "Held-out loss at other masking rates less that at 15%, in three languages, of which that of 300 words is nearly learnt; 95% intervals over seeds and documents."}, "image": {"alt": "Horizontal bars with intervals: loss at each masking rate less that at 15 percent, for generated sentences, English and a language of 300 words."}}
plotting.bars(plotting.series(rates, "loss, rate - 15%"), "rate", xlabel="nats more than at 15%")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(rates, "loss, rate - 15%")))

# %%
found("trn.masking_rate.raffel2019")

# %%
card("trn.masking_rate.raffel2019")

# %% [markdown]
# (trn-dynamic-masking)=
# ### Fresh masks or the same again?
#
# In three passes over the text, or six where the language has few words, masks are drawn afresh or are the same at every
# pass, on the same rows ({cite:t}`liu2019b`).

# %%
examples("trn.dynamic_masking.liu2019b")

# %%
masks = family.recall("trn.dynamic_masking.liu2019b")

# %% mystnb={"figure": {"caption": "Fresh masks or the same again? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(masks, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(masks, "loss")))
print(plotting.printed(plotting.series(masks, "loss, dynamic - static")))

# %%
found("trn.dynamic_masking.liu2019b")

# %%
card("trn.dynamic_masking.liu2019b")

# %% [markdown]
# (trn-unk-mask)=
# ### Must it be [MASK]?
#
# [UNK] in its place, in training and when asked ({cite:t}`clinchant2019`). A random piece in its place hides where the
# gap is; that must be seen to cost.

# %%
examples("trn.unk_mask.clinchant2019")

# %%
symbol = family.recall("trn.unk_mask.clinchant2019")

# %% mystnb={"figure": {"caption": "Must it be [MASK]? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(symbol, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(symbol, "loss")))
print(plotting.printed(plotting.series(symbol, "loss, [UNK] - [MASK]")))

# %%
found("trn.unk_mask.clinchant2019")

# %%
card("trn.unk_mask.clinchant2019")

# %% [markdown]
# (trn-whole-word)=
# ### Pieces, words or spans?
#
# Hide single pieces, whole words, or spans of words {cite:p}`devlin2019,joshi2020`; then ask for agreement and probe
# the vectors of our runs. Published networks of both kinds were tuned on tasks.

# %%
examples("trn.whole_word.devlin2019")

# %%
name, gain = "trn.whole_word.devlin2019", "task score, whole word - piece"
chinese = released(name, gain, of="bert-base-chinese")["bert-base-chinese"]
large = released(name, gain, of="bert-large")["bert-large"]
shown = {
    "Chinese BERT": {"Chinese BERT": chinese},
    "BERT large": {str(casing): rows for casing, rows in large.groupby("casing", sort=False)},
}

# %% mystnb={"figure": {"caption": "What published networks, tuned on tasks, gain if whole words were hidden in pretraining and not single pieces; intervals are of the means (all). BERT large comes with cased and uncased pieces."}, "image": {"alt": "Two panels of horizontal bars by task, each beside a line at no change: score gained by masking whole words, above for Chinese BERT, below for BERT large, cased and uncased. Nearly all gain; the interval of the mean is short above and reaches far beyond no change below."}}
for ax, (title, frames) in zip(plotting.panels(2, 2.3), shown.items()):
    plotting.bars(frames, "task", chance=0.0, xlabel="score gained by whole words", title=title, ax=ax)
plotting.plt.show()

# %%
words = family.recall(name)

# %% mystnb={"figure": {"caption": "Not what the verdict is about: agreement in our runs, which hid single pieces, whole words or spans; 95% intervals over seeds and items, which chance meets."}, "image": {"alt": "Horizontal bars with intervals: agreement by what was hidden, beside a line at chance; all lie there."}}
shown = {m: rows.replace({"group": {"base": "single pieces"}}) for m, rows in plotting.series(words, "agreement").items()}
plotting.bars(shown, "group", chance=0.5, xlim=(0, 1), xlabel="share of agreement items")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(words, "agreement")))
print(plotting.printed(plotting.series(words, "probe accuracy, whole word - piece")))

# %%
found("trn.whole_word.devlin2019")

# %%
card("trn.whole_word.devlin2019")

# %% [markdown]
# (trn-entity-mask)=
# ### Does masking entities teach facts?
#
# {cite:t}`sun2019b` hide whole names. The generated text has a few hundred facts; a quarter of their sentences is held
# out.

# %%
examples("trn.entity_mask.sun2019b")

# %%
entities = family.recall("trn.entity_mask.sun2019b")

# %% mystnb={"figure": {"caption": "Does masking entities teach facts? P@1 over majority object; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: P@1 over majority object by group."}}
plotting.bars(
    plotting.series(entities, "P@1 over majority object"), "group", xlabel="P@1 less that of the commonest object"
)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(entities, "P@1 over majority object")))
print(plotting.printed(plotting.series(entities, "P@1, entity masks - piece masks")))

# %%
found("trn.entity_mask.sun2019b")

# %%
card("trn.entity_mask.sun2019b")

# %% [markdown]
# (trn-replaced-tokens)=
# ### Does one learn more from every position?
#
# {cite:t}`clark2020` let a small generator fill the gaps, and the encoder tell at every piece whether it was replaced.
# Encoder and generator take as many operations per piece as the masked model, within three hundredths.

# %%
examples("trn.replaced_tokens.clark2020")

# %%
replaced = family.recall("trn.replaced_tokens.clark2020")

# %% mystnb={"figure": {"caption": "Does one learn more from every position? Probe accuracy, replaced - masked; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: probe accuracy, replaced - masked by probe."}}
plotting.bars(
    plotting.series(replaced, "probe accuracy, replaced - masked"),
    "probe",
    xlabel="accuracy more than after masked pieces",
)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(replaced, "probe accuracy, replaced - masked")))

# %%
found("trn.replaced_tokens.clark2020")

# %%
card("trn.replaced_tokens.clark2020")

# %% [markdown]
# (trn-nsp)=
# ### Does next-sentence prediction help?
#
# Some runs learn it beside the masked pieces; the others learn masked pieces alone, on rows of one segment
# ({cite:t}`liu2019b`). Each is asked for the same hidden pieces, in rows as it was taught.

# %%
examples("trn.nsp.liu2019b")

# %%
nsp = family.recall("trn.nsp.liu2019b")

# %% mystnb={"figure": {"caption": "Does next-sentence prediction help? Loss; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss by group."}}
plotting.bars(plotting.series(nsp, "loss"), "group", xlabel="held-out loss, nats per masked piece")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(nsp, "loss")))
print(plotting.printed(plotting.series(nsp, "loss, with - without NSP")))

# %%
found("trn.nsp.liu2019b")

# %%
card("trn.nsp.liu2019b")

# %% [markdown]
# (trn-sentence-order)=
# ### Swapped sentences or foreign ones?
#
# {cite:t}`lan2020` swap two neighbouring stretches in place of taking one from elsewhere. Each head is asked the
# other's question too.

# %%
examples("trn.sentence_order.lan2020")

# %%
sop = family.recall("trn.sentence_order.lan2020")

# %% mystnb={"figure": {"caption": "Accuracy over chance of the second head on its own question and on the other's, by what it was trained on: on generated text and on English."}, "image": {"alt": "Two panels of horizontal bars, for generated text and English: accuracy over chance of heads trained on sentence order and on next sentences, on their own task and on the other's."}}
asked = {
    "own question": "accuracy over chance on its own task",
    "the other's": "accuracy over chance on the other's task",
}
taught = {"base": "next sentence"}  # the base of the generated runs learns it
for ax, (text, rows) in zip(plotting.panels(len(sop)), sop.items()):
    rows = rows.assign(group=rows["group"].replace(taught))
    shown = {name: plotting.rows_of(rows, m) for name, m in asked.items()}
    plotting.bars(shown, "group", xlabel="accuracy over one half", title=text, ax=ax)
plotting.plt.show()

# %% tags=["hide-output"]
for measure in asked.values():
    print(plotting.printed(plotting.series(sop, measure)))
print(plotting.printed(plotting.series(sop, "accuracy over chance, order on NSP - NSP on order")))

# %%
found("trn.sentence_order.lan2020")

# %%
card("trn.sentence_order.lan2020")

# %% [markdown]
# (trn-data-volume)=
# ### What does more text buy?
#
# Half, all and twice the pieces, each with a schedule of its own ({cite:t}`liu2019b`). Agreement should gain less by
# the second doubling than by the first {cite:p}`vanschijndel2019`; but it must first be there.

# %%
examples("trn.data_volume.liu2019b")

# %%
volume = family.recall("trn.data_volume.liu2019b")

# %% mystnb={"figure": {"caption": "What does more text buy? Loss per doubling of pieces; 95% intervals over seeds and items."}, "image": {"alt": "Horizontal bars with intervals: loss per doubling of pieces by step."}}
plotting.bars(plotting.series(volume, "loss per doubling of pieces"), "step", xlabel="nats per doubling")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(plotting.series(volume, "loss per doubling of pieces")))

# %%
found("trn.data_volume.liu2019b")

# %%
card("trn.data_volume.liu2019b")

# %% [markdown]
# (trn-two-texts)=
# ### Do the tiers say the same?
#
# The generated language is small and regular; English is neither. A choice that helps on the one need not help on the other,
# and a tier that cannot decide is no contradiction. What follows is the difference that each choice makes to the held-out loss.
# The bars of the two masking rates cannot be compared between the texts: the base masks 15% of the generated pieces and 30% of
# the English ones.
#
# Early in training, in the first and the last of the tiers, preset attention is far ahead: where to look is given to it. Near
# the plateau, in few words, its lead is gone. Larger batches, which take fewer steps, cost far less there too; uniform attention and half
# the blocks still cost. On English width 192 is behind width 128, since after 2.4 M pieces what decides is when a
# run leaves the plateau of word frequencies. With next sentences
# the seeds leave it at different times, so there the interval is widest. A tier of longer runs, `english-large`, is planned and
# has not been run.

# %% mystnb={"figure": {"caption": "Held-out loss of each group less that of its tier's base (a second task less next sentences), on the generated language, on its 300 commonest words and on English; 95% intervals over seeds and documents. The base masks 15% of the generated pieces and 30% of the other two, so the two bars of a masking rate are differences from different rates."}, "image": {"alt": "Horizontal bars with intervals: loss less that of the base by group, for three tiers."}}
both = family.beside()
ax = plotting.axes(figsize=(plotting.NARROW, 6))
plotting.bars(both, "group", xlabel="nats per masked piece more than the base", ax=ax)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(both))

# %% [markdown]
# (trn-cited)=
# ### What is cited and not rerun
#
# Two claims need what no small run has: predicting in permuted order, and knowledge bases beside the text.

# %%
card("trn.permutation.yang2019")

# %%
card("trn.knowledge.zhang2019")

# %% [markdown]
# (trn-fine-tuning)=
# ## Fine-tuning
#
# A pretrained BERT gets a classifier on top (a *head*, none of attention) and is trained on a task with a few hundred or thousand texts. What does that change inside,
# which ways of doing it are better, and how much is luck? The survey {cite:p}`rogers2020` collects claims on all three.
#
# MiniLM and `mini` are tuned, with five seeds or more each (three for domains), `mpnet` for one claim; all intervals are over seeds
# and texts. MiniLM, which others pretrained, learns the tone of film reviews (SST-2) from 4,000 phrases (240 where the claim is of few texts), which sentences say the same (MRPC), or made-up entailment (for the heuristics),
# and is scored on up to 2,000 texts. `mini` is small, and learns whether one
# generated sentence follows from another (entailment) from 240 pairs, scored on 180 others. Each claim has a gate first: a tuned
# model that is not at least five points better than always giving the commoner answer cannot show what helps it. The untrained
# twin, tuned in the same way, learns nothing from so few pairs: it fails that gate, and says what a measure gives where nothing
# is learnt.
#
# Training magnifies differences of rounding between processors. So the figures below are read from recorded runs, and what is
# run live here is only what comes out the same everywhere.

# %%
from bertology_utils import load
from bertology_utils.data import load as load_data


# %% tags=["hide-input"]
def recorded(id):
    """What there is of a claim on generated data: recorded reruns, and the model chosen in the first cell, measured now."""
    return results(id, data="builtin")


def of(made, measure, by, **where):
    """One frame per value of a column, of the one subject that figures of one subject are of."""
    rows = made.by({"": measure}, **where).get("")
    return {} if rows is None else {f"{value}": part for value, part in rows.groupby(by, sort=False)}


# %% [markdown]
# Two of the texts, and one small step of each of two ways to learn from them. All weights may move, or the model stays as it
# is and only *adapters* move, small networks behind each layer's two projections. At the start they change nothing.

# %%
from bertology_utils.finetune import Recipe, classify
from bertology_utils.finetune.adapters import adapters, share_trained

network = load()
texts = [i for i in load_data("sentiment", "builtin", n=60)["sentiment"] if i.split == "train"]
for item in texts[:2]:
    print(f"{item.label}: {item.text}")

# %%
ways = {"all weights": None, "adapters": adapters(32)}
for name, way in ways.items():
    tuned = classify(network, texts, Recipe(epochs=1, batch=16), way=way)
    dense = tuned.subject.layers[0].attention.self.query.weight
    moved = not dense.equal(network.layers[0].attention.self.query.weight)
    print(
        f"{name}: first loss {tuned.losses[0]:.2f}; the first layer's queries {'moved' if moved else 'are as they were'}"
    )
print(f"adapters are {share_trained(network, 32):.1%} of the parameters")

# %% [markdown]
# (trn-features)=
# ### Is tuning better than frozen features?
#
# {cite:t}`peters2019b` compare tuning all weights with a head over the frozen model. Our frozen model gets a head over a
# learnt mean of all its layers, averaged over the text.

# %%
examples("trn.features_vs_tuning.peters2019b")

# %% mystnb={"figure": {"caption": "Accuracy on held-out texts of SST-2, all weights tuned or none."}, "image": {"alt": "Bars: accuracy of mpnet with all weights tuned, 0.92, and frozen, 0.88; of MiniLM, 0.87 and 0.82."}}
features = results("trn.features_vs_tuning.peters2019b", data="glue_sst2").series("accuracy")
plotting.bars(features, "way", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(features))

# %%
found("trn.features_vs_tuning.peters2019b")

# %%
card("trn.features_vs_tuning.peters2019b")

# %% [markdown]
# (trn-random-start)=
# ### Can random weights match pretrained ones?
#
# {cite:t}`kovaleva2019` find tasks on which a randomly initialised BERT, tuned, is as good as the pretrained one without
# tuning. Random starts are the untrained twin's kind; the texts and seeds are the same.

# %%
examples("trn.pretraining_benefit.kovaleva2019")

# %% mystnb={"figure": {"caption": "Accuracy on held-out texts of SST-2 by start and way of tuning."}, "image": {"alt": "Bars: accuracy of MiniLM pretrained and tuned, 0.87, of a random start tuned, 0.76, of the pretrained one frozen, 0.82."}}
starts = results("trn.pretraining_benefit.kovaleva2019", data="glue_sst2").series("accuracy")
plotting.bars(starts, "start", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(starts))

# %%
found("trn.pretraining_benefit.kovaleva2019")

# %%
card("trn.pretraining_benefit.kovaleva2019")

# %% [markdown]
# (trn-optima)=
# ### Does pretraining lead to flatter optima?
#
# {cite:t}`hao2019` draw the training loss over a plane through the way that tuning went, the survey's figure 5: from
# a pretrained start the valley is wide. Here is that picture for MiniLM tuned on paraphrases (MRPC), one of the study's own
# tasks, and for `mini` on generated texts. Left to right is the way of tuning, from before (0) to after (1); up and down is a
# random direction, each unit's part of it as long as that unit's weights.

# %%
examples("trn.wide_optima.hao2019")

# %% mystnb={"figure": {"caption": "Training loss (nats) on a plane through the way of tuning, from a pretrained and from a random start; 0: before tuning, 1: after. Each title names the network."}, "image": {"alt": "Four contour maps of the training loss: two networks, each from a pretrained and from a random start."}}
optima = [results("trn.wide_optima.hao2019", data="mrpc_msr_paraphrase"), recorded("trn.wide_optima.hao2019")]
planes = {f"{made.title}, {start}": rows for made in optima
          for start, rows in of(made, "training loss on a plane", "start").items()}  # fmt: skip
grid = plotting.panels(len(planes))
for ax, (title, rows) in zip(grid, planes.items()):
    names = {"title": title, "xlabel": "along the way of tuning", "ylabel": "across"}
    plotting.contours(rows, "along", "across", levels=(0.1, 0.3, 0.5, 0.7, 1, 1.5, 2), ax=ax, **names)
plotting.plt.show()

# %% [markdown]
# One plane for one seed is a picture. The measure is sharpness: by how much the loss rises at a set distance, over several
# directions, texts and seeds, as a share of one plus the loss.

# %% tags=["hide-output"]
for made in optima:
    for measure in ("sharpness", "training loss", "sharpness, random - pretrained"):
        print(plotting.printed(made.series(measure)))
print(plotting.printed({k: rows[rows.across == 0] for k, rows in planes.items()}))

# %%
found("trn.wide_optima.hao2019")

# %% tags=["brief"]
card("trn.wide_optima.hao2019")

# %% [markdown]
# (trn-last-layers)=
# ### Which layers does tuning change?
#
# {cite:t}`kovaleva2019` compare attention maps before and after tuning; others compare weights. Both are here,
# for `mini` tuned on entailment. Blocks are counted from 1.

# %%
examples("trn.last_layers_change.kovaleva2019")

# %% mystnb={"figure": {"caption": "Change by tuning on entailment, by block: cosine distance of attention maps, and distance of weights as a share of their norm."}, "image": {"alt": "Two panels by block: change of attention maps, and of weights."}}
changed = recorded("trn.last_layers_change.kovaleva2019")
panels = {"change, by layer": "attention", "change of weights, by layer": "weights"}
grid = plotting.panels(2, sharex=True)
for ax, (measure, title) in zip(grid, panels.items()):
    by_block = {name: rows.assign(block=rows["layer"] + 1) for name, rows in changed.series(measure).items()}
    plotting.lines(by_block, "block", ax=ax, title=title, ylabel="change")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in panels:
    print(plotting.printed(changed.series(measure)))

# %%
found("trn.last_layers_change.kovaleva2019")

# %%
card("trn.last_layers_change.kovaleva2019")

# %% [markdown]
# (trn-sep)=
# ### Does attention move to [SEP]?
#
# {cite:t}`kovaleva2019` say that what tuning adds is attention to the special tokens, and not to linguistic patterns. So two
# things are measured: how much attention goes to [CLS] and [SEP] in the last two layers, and how often the heads
# that find a word's head best still find it after tuning.

# %%
examples("trn.tuned_sep.kovaleva2019")

# %% mystnb={"figure": {"caption": "Attention to [CLS] and [SEP], mean over heads and texts, before tuning on entailment and after, and in the untrained twin after."}, "image": {"alt": "Two panels by block: attention to CLS and to SEP before and after tuning."}}
mass = recorded("trn.tuned_sep.kovaleva2019")
grid = plotting.panels(2, sharex=True, sharey=True)
for ax, token in zip(grid, ("[CLS]", "[SEP]")):
    shown = mass.by({"before": "attention, pretrained", "after": "attention, tuned"}, token=token)
    after = mass.twin[(mass.twin["measure"] == "attention, tuned") & (mass.twin.get("token") == token)]
    shown |= {"untrained, after": after} if len(after) else {}
    plotting.lines(shown, "layer", ax=ax, title=token, ylim=(0, 0.8), ylabel="share of attention")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("attention, pretrained", "attention, tuned", "syntactic heads, tuned - pretrained"):
    print(plotting.printed(mass.series(measure)))

# %%
found("trn.tuned_sep.kovaleva2019")

# %% tags=["brief"]
card("trn.tuned_sep.kovaleva2019")

# %% [markdown]
# (trn-restore)=
# ### Can lower layers be put back?
#
# {cite:t}`hao2019` give some layers of a tuned model their pretrained weights again. If that costs nothing, tuning did not
# need them.

# %%
examples("trn.restore_lower.hao2019")

# %% mystnb={"figure": {"caption": "Accuracy of tuned models with a third of their layers, or all of them, put back to the pretrained weights."}, "image": {"alt": "Bars: accuracy with no layer put back, with the lower third, with the upper third, with all layers."}}
restored = recorded("trn.restore_lower.hao2019").series("accuracy")
plotting.bars(restored, "restored", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.show(restored)

# %%
found("trn.restore_lower.hao2019")

# %% tags=["brief"]
card("trn.restore_lower.hao2019")

# %% [markdown]
# (trn-layers)=
# ### Does it help to read all layers?
#
# The usual head reads the last layer. {cite:t}`su2019` and {cite:t}`kondratyuk2019` give it a learnt mean of all of them.

# %%
examples("trn.more_layers.su2019")

# %% mystnb={"figure": {"caption": "Accuracy on held-out texts of SST-2 with a head over the last layer and over a learnt mean of all layers."}, "image": {"alt": "Bars: accuracy of MiniLM from the last layer, 0.87, and from all layers, 0.86."}}
layers = results("trn.more_layers.su2019", data="glue_sst2").series("accuracy")
plotting.bars(layers, "layers", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.show(layers)

# %%
found("trn.more_layers.su2019")

# %% tags=["brief"]
card("trn.more_layers.su2019")

# %% [markdown]
# (trn-adapters)=
# ### Do adapters come near full tuning?
#
# {cite:t}`houlsby2019` train a few percent of the parameters and lose next to nothing.

# %%
examples("trn.adapters.houlsby2019")

# %% mystnb={"figure": {"caption": "Accuracy on held-out texts of SST-2 by share of the parameters that learn, the head not counted; 0: a frozen model, 1: full tuning."}, "image": {"alt": "A curve: accuracy of MiniLM by the share of parameters trained, from 0.82 for none to 0.87 for all."}}
sizes = results("trn.adapters.houlsby2019", data="glue_sst2").series("accuracy by size")
ax = plotting.lines(sizes, "share", chance=0.5, ylim=(0.3, 1), xlabel="share of the parameters", ylabel="accuracy")
ax.set_xscale("symlog", linthresh=0.004)
ax.set_xlim(-0.001, 1.3)
plotting.show(sizes)

# %%
found("trn.adapters.houlsby2019")

# %%
card("trn.adapters.houlsby2019")

# %% [markdown]
# (trn-seeds)=
# ### How much is luck?
#
# {cite:t}`dodge2020` cross seeds of the head's first weights with seeds of the order of the texts. Here are sixteen such runs of
# `mini`, four by four, and beside them a hundred released runs of the real BERT that differ by seed alone: on the task that
# they learnt (MNLI), and on sentences made to mislead them (HANS).

# %%
examples("trn.seed_variance.dodge2020")

# %% mystnb={"figure": {"caption": "How runs are spread, a point per run: sixteen of the model on sentiment, a hundred released ones of BERT on MNLI and where word overlap misleads (HANS)."}, "image": {"alt": "Three violins with a point per run: runs of the model, runs of BERT on MNLI, close together, and on HANS, far apart."}}
luck = recorded("trn.seed_variance.dodge2020")
points = {name: rows["value"].tolist() for name, rows in luck.by({luck.title: "accuracy of a run"}).items()}
for condition in ("MNLI", "HANS lexical overlap, heuristic wrong"):
    for rows in luck.beside("accuracy of a run", condition=condition).values():
        points[f"bert-base, {condition.split(',')[0]}"] = rows["value"].tolist()
plotting.violins(points, ylabel="accuracy", ylim=(0, 1))
plotting.plt.show()

# %% tags=["hide-output"]
for name, values in points.items():
    print(f"{name}: {len(values)} runs from {min(values):.3f} to {max(values):.3f}")

# %%
found("trn.seed_variance.dodge2020")

# %%
card("trn.seed_variance.dodge2020")

# %% [markdown]
# (trn-adversarial)=
# ### Does training under attack make robust?
#
# FreeLB {cite:p}`zhu2019` trains on embeddings that are moved a little up the loss. Both models below are then attacked in that
# way, each by its own gradient.

# %%
examples("trn.adversarial.zhu2019")

# %% mystnb={"figure": {"caption": "Accuracy on texts as they are and under attack, after plain and after adversarial training."}, "image": {"alt": "Bars: accuracy on plain and attacked texts for plain and adversarial training."}}
attacked = of(recorded("trn.adversarial.zhu2019"), "accuracy", "way")
plotting.bars(attacked, "text", xlim=(0, 1), xlabel="accuracy")
plotting.show(attacked)

# %%
found("trn.adversarial.zhu2019")

# %% tags=["brief"]
card("trn.adversarial.zhu2019")

# %% [markdown]
# (trn-heuristics)=
# ### Do tuned models lean on shallow heuristics?
#
# HANS {cite:p}`mccoy2019b` has pairs in which all words of the second sentence occur in the first. Sometimes it follows,
# sometimes not. A model that trusts overlap is right in the one half and wrong in the other.

# %%
examples("trn.heuristics.mccoy2019b")

# %% mystnb={"figure": {"caption": "Accuracy where a heuristic gives the right answer and where it misleads; BERT: a hundred released runs on HANS."}, "image": {"alt": "Bars by heuristic, right or wrong: accuracy of the model, its untrained twin and the real BERT."}}
shallow = recorded("trn.heuristics.mccoy2019b")
every = shallow.series("accuracy")
shown = {m: f[f["condition"].str.contains("heuristic", na=False)] for m, f in every.items() if "condition" in f}
shown = {"always entailment" if "always entailment" in name else name: rows for name, rows in shown.items()}
ax = plotting.axes(figsize=(plotting.NARROW, 4.2))
plotting.bars(shown, "condition", chance=0.5, xlim=(0, 1), xlabel="accuracy", ax=ax)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("trn.heuristics.mccoy2019b")

# %%
card("trn.heuristics.mccoy2019b")

# %% [markdown]
# (trn-two-stages)=
# ### Does a task in between help?
#
# {cite:t}`phang2019` tune on a large task before a small one. Here 240 generated paraphrases come before 120 pairs of
# entailment, or do not; five seeds.

# %%
examples("trn.two_stage.phang2019")

# %% mystnb={"figure": {"caption": "Accuracy on held-out pairs of entailment, tuned at once and after paraphrases."}, "image": {"alt": "Bars: accuracy on entailment after one stage of tuning and after two."}}
stages = of(recorded("trn.two_stage.phang2019"), "accuracy", "stages")
plotting.bars(stages, "task", chance=0.5, xlim=(0, 1), xlabel="accuracy")
plotting.show(stages)

# %%
found("trn.two_stage.phang2019")

# %%
card("trn.two_stage.phang2019")

# %% [markdown]
# (trn-domain-pivots)=
# ### Does masking pivots carry a tagger over to another domain?
#
# {cite:t}`bendavid2020` train BERT on with unlabelled text of two domains, and hide pivots more often: pieces frequent in both that
# say much of the label. We tune a tagger on news (the Wall Street Journal) and ask it of web text (EWT), after such training,
# after as many masks that fall on any piece, and after none; three seeds.

# %%
examples("trn.domain_pivots.bendavid2020")

# %% mystnb={"figure": {"caption": "Share of words of web text with the right tag, by a tagger tuned on news; before tuning, no more training on text of both, masks on any pieces, or on pivots more often."}, "image": {"alt": "Horizontal bars: accuracy of tags on web text after no more training, after masks on any pieces and after masks on pivots, for every network there is."}}
domains = results("trn.domain_pivots.bendavid2020", data="ud_english_ewt")
on_web = domains.series("accuracy", domain="web")
plotting.bars(on_web, "arm", xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("accuracy", "accuracy, pivots - rival", "drop from news to web"):
    print(plotting.printed(domains.series(measure)))

# %%
found("trn.domain_pivots.bendavid2020")

# %% tags=["brief"]
card("trn.domain_pivots.bendavid2020")

# %% [markdown]
# (trn-cls-norm)=
# ### Does normalising [CLS] steady tuning?
#
# {cite:t}`zhou2019` find the values of [CLS] off-centre, and normalise them under the head. Here they are centred and scaled by
# the model's own mean and deviation before tuning; five seeds each way, 240 pairs to learn from. The untrained twin over
# normalised values is right on exactly half of the pairs with every seed, as one answer to all of them would be: that is no
# steadiness, and why the gate comes first.

# %%
examples("trn.cls_norm.zhou2019")

# %% mystnb={"figure": {"caption": "Standard deviation of accuracy over five seeds, with a plain head and over normalised values of [CLS]."}, "image": {"alt": "Bars: standard deviation of accuracy over seeds, plain and normalised, of the model and its untrained twin."}}
normalised = recorded("trn.cls_norm.zhou2019")
spread = normalised.series("standard deviation")
plotting.bars(spread, "way", xlabel="standard deviation of accuracy over seeds")
plotting.show(spread)

# %% tags=["hide-output"]
for measure in ("offset of [CLS], standard deviations", "accuracy"):
    print(plotting.printed(normalised.series(measure)))

# %%
found("trn.cls_norm.zhou2019")

# %% tags=["brief"]
card("trn.cls_norm.zhou2019")

# %% [markdown]
# (trn-mixout)=
# ### Does mixout steady tuning?
#
# Mixout {cite:p}`lee2019` puts seven weights in ten back to their pretrained values, others at each step, in place of dropout.
# (`mini` was trained without dropout, and plain tuning has none either.) Eight seeds each way, 240 pairs to learn from.

# %%
examples("trn.mixout.lee2019")

# %% mystnb={"figure": {"caption": "Standard deviation of accuracy over eight seeds, plain tuning and mixout."}, "image": {"alt": "Bars: standard deviation of accuracy over seeds, with plain tuning and with mixout, of the model and its untrained twin."}}
mixed = recorded("trn.mixout.lee2019")
spread = mixed.series("standard deviation")
plotting.bars(spread, "way", xlabel="standard deviation of accuracy over seeds")
plotting.show(spread)

# %% tags=["hide-output"]
print(plotting.printed(mixed.series("accuracy")))

# %%
found("trn.mixout.lee2019")

# %%
card("trn.mixout.lee2019")

# %% [markdown]
# (training-since)=
# ## Since the survey
#
# {cite:t}`wettig2023` find that 15 % is no law: a network of BERT-large's size does better with <a
# href="../claims/trn.masking_rate.raffel2019.html">40 % masked</a>. {cite:t}`warner2024`, an encoder made for today, masks 30 % and
# has no <a href="../claims/trn.nsp.liu2019b.html">next-sentence prediction</a>. {cite:t}`mosbach2021` explain why <a
# href="../claims/trn.seed_variance.dodge2020.html">some tuning runs fail</a>: not because text is short or because something is
# forgotten, as was thought of <a href="../claims/trn.mixout.lee2019.html">mixout</a>, but because gradients vanish early; what is
# left of the variance is generalization. {cite:t}`chen2024` find that grammar does not come gradually: heads for syntax appear in
# one brief window of pretraining, and right predictions follow.

# %% [markdown]
# (training-exercise)=
# ## Exercise: What did training teach?
#
# The same gap, put to a network as it begins, to a tiny one and to `mini`.
#
# ```python
# from bertology_utils import fill
#
# for model in ("mini-untrained", "toy", "mini"):
#     print(model, *fill("She opened the door and went into the [MASK].", model=model)["filler"])
# ```
#
# Write ten gaps of which you know the part of speech, and count for each network how many of its five fillers have it. Then ten
# in which only the meaning decides. Which of the two does `toy` learn first?
