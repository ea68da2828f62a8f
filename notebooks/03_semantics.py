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


# %% [markdown]
# # Semantic knowledge
#
# What does BERT know of meaning: who did what to whom, what kind of thing a name stands for, what a number is worth? The
# survey {cite:p}`rogers2020` finds *some* knowledge of each, and says where it breaks. This chapter measures it again.
#
# Two traps lie here. A word may be likely because it is likely everywhere, so we take off what a model gives it in other
# sentences. And a label may be told from the word alone, so every probe is held against a lookup of the words and against
# the embeddings, which know no context. Layer 0 is the embeddings.
#
# Each claim has a question, the call that measures it, a figure with 95% intervals and a **card**: the real BERT (its
# authors' released outputs, scored again), our own small model `mini` on the studies' own data, and its *untrained twin*
# (the same architecture with random weights). The cells below run on generated sentences, which take seconds and need no
# download; they are a demonstration, and the cards are about the real data.

# %%
import numpy as np

from bertology_utils import card, load, plotting, recall, run
from bertology_utils.claims import evidence
from bertology_utils.data import load as load_data
from bertology_utils.subject import fillers

# %% [markdown]
# (sem-roles)=
# ## Does a waiter tip a chef, a customer or a robin?
#
# {cite:t}`ettinger2019` asks for words at the end of a sentence. Is one that fits its role preferred to a related one that
# does not, and this to one that has nothing to do with the scene? And when two people change places, does the verb change?
#
# We take this claim apart. Here are three items, and the odds of their fillers in nats.

# %%
items = load_data("plausibility", "builtin", n=60)["plausibility"]
subject, grades = load(), ("right", "related", "unrelated")
for item in items[:3]:
    asked = [(0, item.meta[grade]) for grade in grades]
    odds = fillers.log_odds(subject, [item.text], asked)
    print(item.text)
    for grade, (_, word), value in zip(grades, asked, odds):
        print(f"  {grade:10} {word:12} {value:7.2f}")

# %% [markdown]
# Some words are likely after any *the*. So we ask for the same words in other sentences, too, and take off the mean: what is
# left is what this sentence adds.

# %%
item, others = items[0], [i.text for i in items[1:] if i.meta["right"] != items[0].meta["right"]][:6]
for grade in grades:
    word = item.meta[grade]
    here, *there = fillers.log_odds(subject, [item.text, *others], [(k, word) for k in range(7)])
    print(f"{grade:10} {word:12} {here:7.2f} here, {np.mean(there):7.2f} elsewhere: {here - np.mean(there):+.2f}")

# %% [markdown]
# Now all items, and the verbs of scenes in both orders of the roles.

# %%
roles = run("sem.roles.ettinger2019")

# %% mystnb={"figure": {"caption": "How often the better filler of a pair is preferred, with each filler's odds in other sentences taken off."}, "image": {"alt": "Horizontal bars: share of items in which the right filler is preferred to the related one, the related to the unrelated and the right to the unrelated, for the model and its untrained twin; a dotted line marks one half."}}
pairs = ("right over related", "related over unrelated", "right over unrelated")
shown = {
    model: rows[rows["measure"].isin([f"{p}, prior taken off" for p in pairs])]
    for model, rows in roles.frames.items()
}
plotting.bars(shown, "measure", chance=0.5, xlim=(0, 1), xlabel="share of items")
plotting.plt.show()

# %% [markdown]
# If a model knows only what a scene is about, the verb of the reversed roles does as well. The released lists of the real
# BERT's likeliest words, for 750 pairs of sentences, say how often each verb is among the first.

# %% mystnb={"figure": {"caption": "How often the expected verb, and that of the other order of the roles, is among the likeliest: bert-base-uncased, released outputs."}, "image": {"alt": "Horizontal bars: share of sentences whose expected verb, and whose other order's verb, is among the likeliest one, five and twenty words of bert-base-uncased."}}
released = next(r for r in evidence.find("sem.roles.ettinger2019") if r.model == "bert-base-uncased")
tops = {
    name: released.frame[released.frame["measure"].str.startswith(f"{name} in top")].assign(top=["1", "5", "20"])
    for name in ("expected", "other order's")
}
plotting.bars(tops, "top", xlim=(0, 1), xlabel="share of sentences in whose top …")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("sensitivity to reversal", "right over unrelated"):
    print(plotting.printed(roles.series(measure, items="verbs")))

# %%
card("sem.roles.ettinger2019")

# %% [markdown]
# (sem-edge-probing)=
# ## What kinds of meaning can be read off the vectors?
#
# {cite:t}`tenney2019b` tell labels of words, spans and pairs of spans from frozen vectors: what an entity is, how two things
# are related, who plays which part, and properties of the part (did it move, did it want to?). What must be beaten is not
# chance but a lookup of the words and the same probe on the embeddings.

# %%
edges = recall("sem.edge_probing.tenney2019b")

# %% mystnb={"figure": {"caption": "Micro F1 of linear probes on the best layer, on the embeddings, and of a lookup of the words."}, "image": {"alt": "Horizontal bars by task: F1 of a probe on the layer that is best on dev, on the embeddings and of a lookup of the words, for the model."}}
model = {"mini": edges.rows}
bars = {"best layer": "F1", "embeddings": "F1, layer 0", "lookup": "F1, lookup"}
shown = {name: plotting.series(model, m)["mini"] for name, m in bars.items()}
plotting.bars(shown, "task", xlim=(0, 1), xlabel="micro F1", ax=plotting.axes(figsize=(7, 5)))
plotting.plt.show()

# %% mystnb={"figure": {"caption": "What context adds to the embeddings, by task, for the model and its untrained twin."}, "image": {"alt": "Horizontal bars by task: F1 of the best layer less F1 of the embeddings, for the model and its untrained twin."}}
plotting.bars(edges.series("gain over layer 0"), "task", xlabel="F1 over the embeddings")
plotting.plt.show()

# %% [markdown]
# Beside it, the released figures of bert-base-uncased.

# %% mystnb={"figure": {"caption": "The same for bert-base-uncased, from the authors' released scores: a mix of all layers less the input embeddings."}, "image": {"alt": "Horizontal bars by task: released gain in F1 of a mix of all layers over the input embeddings of bert-base-uncased."}}
real = next(r for r in evidence.find("sem.edge_probing.tenney2019b") if r.model == "bert-base-uncased").frame
gains = real[(real["measure"] == "gain over input embeddings") & (real["view"] == "mix of all layers")]
plotting.bars({"bert-base-uncased": gains}, "task", xlabel="F1 over the input embeddings")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("F1 over best baseline", "gain over layer 0, syntactic - semantic"):
    print(plotting.printed(edges.series(measure)))

# %%
card("sem.edge_probing.tenney2019b")

# %% [markdown]
# (sem-ner-f1)=
# ## Does the probe know entities, or their names?
#
# Probes tell types of entities well {cite:p}`tenney2019a`. Is that knowledge of entities? The test words here are new to the
# probe; then each gives way to another name of its type.

# %%
entities = run("sem.ner_f1.tenney2019a")

# %% mystnb={"figure": {"caption": "F1 of entity types: the best layer, the same probe when names are replaced, the embeddings, and a lookup."}, "image": {"alt": "Horizontal bars: F1 of entity types by the probe on the best layer, after names are replaced, on the embeddings, by a lookup and by the commonest type, for the model and its untrained twin."}}
bars = ("F1", "F1, names replaced", "F1, layer 0", "F1, lookup", "F1, majority")
shown = {m: rows.set_index("measure").loc[list(bars)].reset_index() for m, rows in entities.frames.items()}
plotting.bars(shown, "measure", xlim=(0, 1), xlabel="micro F1")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("F1 over lexical baseline", "F1, original - replaced"):
    print(plotting.printed(entities.series(measure)))

# %%
card("sem.ner_f1.tenney2019a")

# %% [markdown]
# (sem-name-brittleness)=
# ## Does it matter what she is called?
#
# *Mary thanked Anna because she had found the hat.* Who had found it should not depend on the names.
# {cite:t}`balasubramanian2020` exchanged one person's name and saw most decisions change. Our decisions are a probe's, on the
# vectors of pronoun and candidate. As often as a name, a word that names nobody is exchanged (*the coat* for *the hat*).

# %%
names = run("sem.name_brittleness.balasubramanian2020")

# %% mystnb={"figure": {"caption": "Share of decisions that another name changes, and that another word changes."}, "image": {"alt": "Horizontal bars: share of decisions changed by another name and by another word that names nobody, for the model and its untrained twin."}}
bars = {"share changed, name": "a name", "share changed, placebo": "another word"}
shown = {m: rows[rows["measure"].isin(bars)].replace({"measure": bars}) for m, rows in names.frames.items()}
plotting.bars(shown, "measure", xlim=(0, 1), xlabel="share of decisions changed")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("accuracy", "accuracy, places evenly", "share of items ever changed"):
    print(plotting.printed(names.series(measure)))

# %%
card("sem.name_brittleness.balasubramanian2020")

# %% [markdown]
# (sem-numbers)=
# ## What is a number worth?
#
# {cite:t}`wallace2019b` read numbers off vectors: the value of one, the sum of two, the largest of five. Inside the range that
# the probe has seen this is easy, since the characters alone say it. Beyond the range, who has numbers goes on; the simplest
# rival always says the largest number seen.

# %%
numbers = recall("sem.numbers.wallace2019b")

# %% mystnb={"figure": {"caption": "Error of decoding by kind of number, inside the range of training: the model, its untrained twin and the characters."}, "image": {"alt": "Horizontal bars by kind of number: mean error as a share of the range, inside the range of training, for the model, its untrained twin and the characters."}}
within = dict(task="decoding", range="interpolation")
shown = numbers.series("relative error, model", **within)
spelled = plotting.series({"mini": numbers.rows}, "relative error, characters", **within)["mini"]
shown = {**shown, "characters": spelled}
plotting.bars(shown, "numbers", xlim=(0, None), xlabel="error, share of the range")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Error of decoding inside the range of training and beyond it, for the model."}, "image": {"alt": "Horizontal bars by kind of number: mean error as a share of the range inside the range of training and beyond it, for the model."}}
model = {"mini": numbers.rows}
where = {"inside the range": "interpolation", "beyond it": "extrapolation"}
shown = {
    name: plotting.series(model, "relative error, model", task="decoding", range=r)["mini"]
    for name, r in where.items()
}
plotting.bars(shown, "numbers", xlim=(0, None), xlabel="error, share of the range")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("relative error, floats - integers", "error per further piece"):
    print(plotting.printed(numbers.series(measure)))
print(plotting.printed(numbers.series("accuracy", task="maximum")))

# %%
card("sem.numbers.wallace2019b")

# %% [markdown]
# (sem-entity-linking)=
# ## Can entity knowledge be tuned in?
#
# {cite:t}`broscheit2019` fine-tunes BERT on the links of Wikipedia. That needs the linked text and a label for each of
# hundreds of thousands of entities; it is reported here, not rerun.

# %%
card("sem.entity_linking.broscheit2019")
