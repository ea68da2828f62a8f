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
# %% [markdown]
# # How big should BERT be?
#
# BERT base has 110 million parameters, and larger models followed. Does it need them? The survey {cite:p}`rogers2020`
# collects two answers: larger models do better, and most of what they have can be taken away again. This chapter takes
# away: heads, layers, single weights, whole units, bits, word vectors; and it lets small models learn from large ones.
#
# Each experiment first tunes a model on a task, with three seeds, and asks whether it beats the commonest label by five
# points. Where it does not, there is nothing to lose, and the card says *cannot be tested here*. What goes is chosen on
# training or development items and scored on test items. Every way has its null: as many parts at random, or a model of
# the same size that was tuned alone. Heads, layers and units are really cut out of the weights; single weights are set to
# zero under a mask.
#
# `mini` has 8 layers of 8 heads. It is tuned on 500 generated sentences of praise and blame, in the recorded
# runs that this chapter reads (`recall`). Layers and heads are counted from 0. The released outputs of the real BERT are
# mostly of other designs; the cards say so.
#
# **Five things this chapter shows**

# %%
import pandas as pd

from bertology_utils import card, five, found, load, plotting, recall
from bertology_utils.claims import evidence
from bertology_utils.scores.frontier import front

five("size")


# %% tags=["hide-input"]
def by_way(result, measure="accuracy left", x="share", **names):
    """The subject's rows of a measure, a curve for each way."""
    rows = plotting.rows_of(result.rows, measure)
    whole = plotting.rows_of(result.rows, "accuracy").assign(**{x: 0.0})
    shown = {names.get(w, w): pd.concat([whole, part]) for w, part in rows.groupby("way", sort=False)}
    return {w: f.astype({x: float}).sort_values(x) for w, f in shown.items()}


def in_words(result, measures, name):
    """Rows of the subject under names of one's own, for bars."""
    rows = [plotting.rows_of(result.rows, m).assign(what=what) for what, m in measures.items()]
    return {name: pd.concat(rows)}


# %% [markdown]
# (siz-head-pruning)=
# ## How many heads can go?
#
# {cite:t}`michel2019` take heads off a tuned model, the least important first, and tune nothing again. A head's importance
# is how much the loss would change if its output were scaled a little.
#
# This claim is taken apart. Removing two heads of the first layer cuts their rows and columns out of four matrices. The
# outputs are those of the model with the heads masked, up to rounding, and the file is smaller.

# %%
from bertology_utils.compress import file_bytes, remove_heads
from bertology_utils.subject import encode
from bertology_utils.subject.hooks import ablate_heads

mini, gone = load("mini"), [(0, 1), (0, 2)]
less = remove_heads(mini, gone)
print(less.layers[0].attention.self.query.weight.shape, "before:", mini.layers[0].attention.self.query.weight.shape)
print(f"{1 - file_bytes(less.base) / file_bytes(mini.base):.1%} of the bytes are gone")

# %%
sentence = [["the", "film", "was", "not", "good", "at", "all"]]
with ablate_heads(mini, gone):
    masked = next(encode.hidden_states(mini, sentence))[1]
removed = next(encode.hidden_states(less, sentence))[1]
print("largest difference below 0.0001:", bool(abs(masked - removed).max() < 1e-4))

# %% [markdown]
# The whole: half of the heads, a quarter, three quarters, by importance and at random.

# %%
heads = recall("siz.head_pruning.michel2019")

# %% mystnb={"figure": {"caption": "Accuracy of mini with a share of its heads removed, by importance and at random."}, "image": {"alt": "Two curves: accuracy of mini by the share of heads removed, the least important first and in a random order."}}
shown = by_way(heads, importance="least important first", random="at random")
plotting.lines(shown, "share", xlabel="share of heads removed", ylabel="accuracy", ylim=(0.4, 0.9))
plotting.plt.show()

# %% [markdown]
# And with all heads of a layer gone but the most important one, layer by layer:

# %% mystnb={"figure": {"caption": "Accuracy that mini loses with one head left in a layer."}, "image": {"alt": "A curve: accuracy lost with one head left, by layer."}}
single = {"mini": plotting.rows_of(heads.rows, "accuracy lost, one head in the layer")}
plotting.lines(single, "layer", chance=0.02, reference="two points", ylabel="accuracy lost")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(single))

# %%
found("siz.head_pruning.michel2019")

# %%
card("siz.head_pruning.michel2019")

# %% [markdown]
# (siz-specialised)=
# ## Are heads with a known job pruned last?
#
# In machine translation {cite:t}`voita2019b` push gates on heads shut and find that those which look at a neighbour, or
# along a dependency, stay open longest. {cite:t}`prasanna2020` doubt that it is so in BERT.

# %%
found("siz.specialised_survive.voita2019b")

# %%
card("siz.specialised_survive.voita2019b")

# %% [markdown]
# (siz-harmful)=
# ## Does some part do harm?
#
# {cite:t}`kovaleva2019` switch off one head, or one layer, and see some tasks gain. Of 72 parts, the best on some items
# will always seem to gain on those items. So the part is chosen on development items and scored on others.

# %%
harmful = recall("siz.harmful_parts.kovaleva2019")

# %% mystnb={"figure": {"caption": "Gain of the part that does best when switched off: on the items it was chosen by, and on others."}, "image": {"alt": "Two bars with intervals: gain of mini on the development items by which the part was chosen, and on test items."}}
measures = {
    "on the items it was chosen by": "gain on dev of the part chosen there",
    "on other items": "gain on test of the part chosen on dev",
}
shown = in_words(harmful, measures, "mini")
plotting.bars(shown, "what", chance=0.0, xlabel="accuracy gained")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.harmful_parts.kovaleva2019")

# %%
card("siz.harmful_parts.kovaleva2019")

# %% [markdown]
# (siz-layers-drop)=
# ## Does another layer sometimes lower the score?
#
# The probes of {cite:t}`tenney2019a` read layers 0 to l, for growing l. A layer more should never do harm, yet in their
# scores it sometimes does. Their counts were released.

# %% mystnb={"figure": {"caption": "Largest drop of a probe's score from one layer to the next, over all layers; the interval covers the choice of the layer."}, "image": {"alt": "Horizontal bars with intervals for eight tasks and two sizes of BERT: the largest drop of one layer."}}
drops = {r.model: r.frame for r in evidence.find("siz.layers_drop.tenney2019a") if r.kind == "released"}
shown = plotting.series(drops, "largest drop of one layer")
axes = plotting.axes(figsize=(7, 4.6))
plotting.bars(shown, "task", chance=0.0, ax=axes, xlabel="largest drop of one layer (F1)")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.layers_drop.tenney2019a")

# %%
card("siz.layers_drop.tenney2019a")

# %% [markdown]
# (siz-layers)=
# ## Can a third of the layers go?
#
# {cite:t}`kao2020` find layers redundant, and {cite:t}`fan2019` train models to do without some. Here three of eight
# layers go before tuning (top, bottom or every other one, whichever does best on development items), or after it.

# %%
layers = recall("siz.layer_redundancy.kao2020")

# %% mystnb={"figure": {"caption": "Accuracy that mini loses without some of its layers."}, "image": {"alt": "Four bars with intervals: accuracy lost by mini with a third of the layers dropped before tuning, after tuning, at random before tuning, and with one layer left."}}
measures = {
    "a third, then tuned": "accuracy lost, a third of the layers",
    "a third at random, then tuned": "accuracy lost, a third of the layers at random",
    "tuned, then a third": "accuracy lost, a third of the layers dropped after tuning",
    "all but one, then tuned": "accuracy lost, all layers but one",
}
shown = in_words(layers, measures, "mini")
plotting.bars(shown, "what", chance=0.0, xlabel="accuracy lost")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.layer_redundancy.kao2020")

# %%
card("siz.layer_redundancy.kao2020")

# %% [markdown]
# (siz-magnitude)=
# ## How many weights can be zero?
#
# {cite:t}`gordon2020` set the smallest weights of the pretrained model to zero and then tune it: up to four tenths
# cost nothing.

# %%
magnitude = recall("siz.magnitude_pruning.gordon2020")

# %% mystnb={"figure": {"caption": "Accuracy of mini tuned with a share of its weights at zero."}, "image": {"alt": "A curve: accuracy of mini by the share of weights pruned by size; a second one, with one point, for as many at random."}}
shown = by_way(magnitude, magnitude="the smallest", random="at random")
plotting.lines(shown, "share", xlabel="share of the encoder's weights at zero", ylabel="accuracy", ylim=(0.4, 0.9))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.magnitude_pruning.gordon2020")

# %%
card("siz.magnitude_pruning.gordon2020")

# %% [markdown]
# (siz-lottery)=
# ## Are there winning tickets?
#
# A *ticket* is a mask on the pretrained weights. {cite:t}`chen2020` look for one that can be tuned as well as the whole:
# tune, prune the smallest weights, rewind the others to where pretraining left them, and again. Random masks and the
# worst there are stand beside it.

# %%
lottery = recall("siz.lottery.chen2020")

# %% mystnb={"figure": {"caption": "Accuracy of mini tuned whole, and with six tenths of its weights at zero: winning, random and bad tickets."}, "image": {"alt": "Bars with intervals: accuracy of mini with a winning, a random and a bad mask of the same size."}}
shown = {"mini": plotting.rows_of(lottery.rows, "accuracy left")}
plotting.bars(shown, "way", chance=lottery.value("accuracy"), reference="the whole model", xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("accuracy, winning - random", "accuracy, full - bad", "range of transfer over tasks"):
    print(plotting.printed(lottery.series(measure)))

# %%
found("siz.lottery.chen2020")

# %%
card("siz.lottery.chen2020")

# %% [markdown]
# (siz-bigger)=
# ## Do larger models do better?
#
# In general yes, says the survey, and names exceptions. The scores of four small BERTs of different size were released.

# %% mystnb={"figure": {"caption": "Gain of the score per doubling of the parameters, from BERT-tiny to BERT-medium."}, "image": {"alt": "Horizontal bars for six tasks: gain of the score per doubling of parameters."}}
(small,) = [r.frame for r in evidence.find("siz.bigger_is_better.liu2019a") if r.model == "bert-tiny to bert-medium"]
shown = {"tiny to medium": plotting.rows_of(small, "score per doubling of parameters, by task")}
plotting.bars(shown, "task", chance=0.0, xlabel="score per doubling of parameters")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.bigger_is_better.liu2019a")

# %%
card("siz.bigger_is_better.liu2019a")

# %% [markdown]
# (siz-not-always)=
# ## But not always?
#
# On subject-verb agreement BERT base was right more often than BERT large {cite:p}`goldberg2019`.

# %%
found("siz.bigger_not_always.goldberg2019")

# %%
card("siz.bigger_not_always.goldberg2019")

# %% [markdown]
# (siz-distillation)=
# ## What does a small student keep?
#
# A student with half of the layers hears what the tuned model says of each text {cite:p}`hinton2014,sanh2019`, or also what
# its hidden states and attention maps are {cite:p}`sun2019a,jiao2019`. The null is the same student, from the same weights,
# on the labels alone.

# %%
students = recall("siz.distillation.sanh2019")

# %% mystnb={"figure": {"caption": "Accuracy of students of mini, with a teacher and alone. Dotted: the teacher."}, "image": {"alt": "Bars with intervals: accuracy of students with soft targets, with hidden states and attention, with more texts, alone, from random weights, and of a BiLSTM with and without a teacher."}}
shown = {"mini": plotting.rows_of(students.rows, "accuracy left")}
axes = plotting.axes(figsize=(7, 4))
plotting.bars(shown, "way", chance=students.value("accuracy"), reference="the teacher", ax=axes, xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("accuracy, distilled - alone", "retention of the teacher's gain over majority"):
    print(plotting.printed(students.series(measure)))

# %%
found("siz.distillation.sanh2019")

# %%
card("siz.distillation.sanh2019")

# %% [markdown]
# (siz-quantization)=
# ## How many bits does a weight need?
#
# 8 bits are torch's own dynamic quantization, after {cite:t}`zafrir2019`. With 4, 3 and 2 bits a group of 64 weights shares a
# scale; weights far out can be kept apart in full {cite:p}`zadeh2020`.

# %%
bits = recall("siz.quantization.zafrir2019")

# %% mystnb={"figure": {"caption": "Accuracy that mini loses with fewer bits per weight."}, "image": {"alt": "Bars with intervals: accuracy lost by mini with 8, 4, 3 and 2 bits, with outliers kept and with training that sees rounded weights."}}
ways = ("8 bits", "4 bits", "3 bits", "3 bits, outliers kept", "2 bits", "2 bits, trained")
shown = in_words(bits, {way: f"accuracy lost, {way}" for way in ways}, "mini")
plotting.bars(shown, "what", chance=0.0, xlabel="accuracy lost")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.quantization.zafrir2019")

# %%
card("siz.quantization.zafrir2019")

# %% [markdown]
# (siz-structured)=
# ## Which weights should go while a model learns?
#
# At nine tenths of zeros size is a poor guide: {cite:t}`sanh2020` drop the weights that training moves towards zero.
# {cite:t}`mccarley2020` drop whole units of the feed-forward layers.

# %%
moved = recall("siz.structured_pruning.mccarley2020")

# %% mystnb={"figure": {"caption": "Accuracy of mini pruned while it is tuned, by the movement and by the size of weights."}, "image": {"alt": "Bars with intervals: accuracy of mini with 90 and 95 per cent of its weights at zero, chosen by movement and by size."}}
rows = plotting.rows_of(moved.rows, "accuracy left")
shown = {f"by {way}": part.assign(zeros=part["share"].astype(str)) for way, part in rows.groupby("way")}
plotting.bars(shown, "zeros", chance=moved.value("accuracy"), reference="the whole model", xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("accuracy lost, half of the units", "accuracy lost, random units"):
    print(plotting.printed(moved.series(measure)))

# %%
found("siz.structured_pruning.mccarley2020")

# %%
card("siz.structured_pruning.mccarley2020")

# %% [markdown]
# (siz-albert)=
# ## What do shared layers cost?
#
# ALBERT {cite:p}`lan2020` uses one layer again and again and splits the embeddings into two small matrices.

# %%
found("siz.albert.lan2020")

# %%
card("siz.albert.lan2020")

# %% [markdown]
# (siz-theseus)=
# ## Can a model be replaced plank by plank?
#
# {cite:t}`xu2020` grow half of the layers inside the tuned model: at each step each new layer stands in for two old ones with
# some probability, until the old ones are gone.

# %%
theseus = recall("siz.theseus.xu2020")

# %% mystnb={"figure": {"caption": "Accuracy of half of mini's layers, grown inside the tuned model and tuned plainly."}, "image": {"alt": "Two bars with intervals: accuracy of replaced modules and of the plain small model."}}
shown = {"mini": plotting.rows_of(theseus.rows, "accuracy left")}
plotting.bars(shown, "way", chance=theseus.value("accuracy"), reference="the whole model", xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.theseus.xu2020")

# %%
card("siz.theseus.xu2020")

# %% [markdown]
# (siz-tokens)=
# ## Do all word vectors have to go to the top?
#
# The classifier reads one vector. {cite:t}`goyal2020` drop those that receive little attention on the way up. Here a third
# of all vectors go.

# %%
tokens = recall("siz.token_elimination.goyal2020")

# %% mystnb={"figure": {"caption": "Accuracy that mini loses when a third of the vectors are dropped."}, "image": {"alt": "Two bars with intervals: accuracy lost by mini when vectors are dropped by attention and at random."}}
measures = {
    "by attention": "accuracy lost, a third of the vectors eliminated",
    "at random": "accuracy lost, random elimination",
}
shown = in_words(tokens, measures, "mini")
plotting.bars(shown, "what", chance=0.0, xlabel="accuracy lost")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("siz.token_elimination.goyal2020")

# %%
card("siz.token_elimination.goyal2020")

# %% [markdown]
# (siz-train-large)=
# ## Train large, then compress?
#
# {cite:t}`li2020` train large models for a short time and compress them heavily. This needs pretraining of two sizes.

# %%
found("siz.train_large.li2020")

# %%
card("siz.train_large.li2020")

# %% [markdown]
# (siz-table)=
# ## What was saved, and what was kept?
#
# Every compressed model of this chapter beside the tuned `mini` it was made from: bytes of the saved file, the share of the
# accuracy that was kept, and time side by side on one thread, as measured in the recorded run. A masked model saves
# neither bytes nor time, so it is not here. Times are of short sentences on one processor; they promise nothing elsewhere.

# %% tags=["hide-input"]
RESULTS = {"": heads, "layers gone": layers, " ": bits, "  ": moved, "students": students, "grown": theseus}
BYTES, TIME = "bytes on disk, original / compressed", "time, original / compressed"


def saved(group, result, r):
    """One compressed model: what it saves, what it keeps, how much faster it was with 1 text and with 32."""
    kept = result.row("retention of the score", way=r["way"])
    faster = {f"faster_{b}": result.value(TIME, way=r["way"], batch=b) for b in (1, 32)}
    return {"model": f"{group.strip()} {r['way']}".strip(), "saved": r["value"], "kept": kept["value"]} | faster | {
        "low": kept["low"], "high": kept["high"]
    }  # fmt: skip


found_rows = [(g, x, r) for g, x in RESULTS.items() for r in plotting.rows_of(x.rows, BYTES).to_dict("records")]
table = pd.DataFrame([saved(*one) for one in found_rows])
table["front"] = front(table["saved"], table["kept"])

# %% mystnb={"figure": {"caption": "Bytes saved against accuracy kept; the area of a point is the measured speed-up with 32 texts. Line: the models that no other beats in both."}, "image": {"alt": "Scatter: for each compressed model how many times smaller its file is, and what share of the accuracy it keeps, with intervals, and the Pareto front as steps."}}
shown = table.assign(size=60 * table["faster_32"])
labels = {"xlabel": "times smaller on disk", "ylabel": "share of the accuracy kept"}
plotting.tradeoff(shown, "saved", "kept", "model", on="front", **labels)
plotting.plt.show()

# %%
print(table.round(2).to_string(index=False))
