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
# # Semantic knowledge
#
# What does BERT know of meaning: who did what to whom, what kind of thing a name stands for, what a number is worth? The
# survey {cite:p}`rogers2020` finds *some* knowledge of each, and says where it breaks. This chapter measures it again.
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

choose(MODEL, DATA, "semantics", fast=FAST)

# %%
from bertology_utils import five, overview

five("semantics")

# %%
overview("semantics")

# %% [markdown]
# **How to read this chapter**
#
# Two traps lie here. A word may be likely because it is likely everywhere, so we take off what a model gives it in other
# sentences. And a label may be told from the word alone, so every probe is held against a lookup of the words and against
# the embeddings, which know no context. Layer 0 is the embeddings.
#
# Each claim has a question, the call that measures it, a figure with 95% intervals, what we found in a few words, and a
# **card**: the real BERT (released outputs, scored again), `mpnet` (a network of BERT's size) and in part MiniLM (a
# smaller one), which others trained on far more text, our small model `mini` on the studies' own data, and its *untrained twin*, the same architecture with
# random weights. `results(id)` brings every subject there is, and a model chosen in the first cell is measured now and drawn in red.

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from bertology_utils import card, examples, found, load, plotting, results
from bertology_utils.claims import evidence
from bertology_utils.data import load as load_data
from bertology_utils.subject import fillers


# %% tags=["hide-input"]
def released(id, model="bert-base-uncased"):
    return next(r for r in evidence.find(id) if r.kind == "released" and r.model == model).frame


def side_by_side(results, measure, column="data", **where):
    """Model -> the rows of a measure in several results, `column` saying which."""
    out = {}
    for name, result in results.items():
        for model, rows in result.series(measure, **where).items():
            out.setdefault(model, []).append(rows.assign(**{column: name}))
    return {model: pd.concat(parts) for model, parts in out.items()}


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
# The figure has the extended set of {cite:t}`shivagunde2023`: many more items like the study's own.

# %%
examples("sem.roles.ettinger2019")

# %%
roles = results("sem.roles.ettinger2019", data="shivagunde2023_ettinger_extended")

# %% mystnb={"figure": {"caption": "How often the better filler of a pair is preferred, with each filler's odds in other sentences taken off; the extended set."}, "image": {"alt": "Horizontal bars: share of items in which the right filler is preferred to the related one, the related to the unrelated and the right to the unrelated, for every network there is; a dotted line marks one half."}}
pairs = ("right over related", "related over unrelated", "right over unrelated")
named = {f"{p}, prior taken off": p for p in pairs}
shown = {model: rows[rows["measure"].isin(named)].replace({"measure": named}) for model, rows in roles.frames.items()}
plotting.bars(shown, "measure", chance=0.5, xlim=(0, 1), xlabel="share of items")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% [markdown]
# If a model knows only what a scene is about, the verb of the reversed roles does as well. The released lists of the real
# BERT's twenty likeliest words, for 744 pairs of sentences, say how often each verb is among the first. A model that heeds
# the order puts the expected verb there more often than that of the other order (folded under the figure).

# %% mystnb={"figure": {"caption": "How often the expected verb, and that of the other order of the roles, is among the likeliest words of bert-base-uncased; released outputs."}, "image": {"alt": "Horizontal bars: share of sentences whose expected verb, and whose other order's verb, is among the likeliest one, five and twenty words of bert-base-uncased."}}
real = released("sem.roles.ettinger2019")
tops = {
    name: real[real["measure"].str.startswith(f"{name} in top")].assign(top=["1", "5", "20"])
    for name in ("expected", "other order's")
}
plotting.bars(tops, "top", xlim=(0, 1), xlabel="share of sentences in whose top …")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(tops))
for measure in ("sensitivity to reversal", "right over unrelated"):
    print(plotting.printed(roles.series(measure, items="verbs")))

# %%
found("sem.roles.ettinger2019")

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
examples("sem.edge_probing.tenney2019b")

# %%
name, lead = "sem.edge_probing.tenney2019b", "F1 over best baseline"
sources = {
    "relations": "semeval2010_task8",
    "roles": "up_english_ewt",
    "entities": "ud_english_gum",
    "entities, tweets": "wnut17_ner",
    "proto-roles": "uds_decomp",
}
leads = {said: results(name, data=source) for said, source in sources.items()}

# %% mystnb={"figure": {"caption": "What probes add to the better of the embeddings and a lookup of the words, by task: above the real BERT, by its authors' released scores (a mix of all layers, its embeddings alone as the rival), below the reruns on other labels."}, "image": {"alt": "Two panels of horizontal bars by task: F1 over the best rival, above for bert-base-uncased as released, below for every network that was rerun; mpnet and MiniLM are ahead of their rivals in all tasks, mini in some, mpnet's untrained twin hardly in any."}}
real = {"bert-base-uncased, released": plotting.rows_of(released(name), lead)}
own = side_by_side(leads, lead, "said")
own = {m: rows[rows["said"].str.split(",").str[0] == rows["task"]] for m, rows in own.items() if "released" not in m}
above, below = plotting.panels(2, 2.6, sharex=True)
plotting.bars(real, "task", ax=above, title="BERT")
plotting.bars(own, "said", ax=below, title="reruns", xlabel="F1 over the best rival")
plotting.plt.show()

# %%
edges = results(name, data="builtin")

# %% mystnb={"figure": {"caption": "Not what the verdict is about: micro F1 on generated sentences, of probes on the network that the title names, at the layer that is best on dev and on the embeddings, and of a lookup of the words."}, "image": {"alt": "Horizontal bars by task: F1 of a probe on the layer that is best on dev, on the embeddings and of a lookup of the words, for the model."}}
bars = {"best layer": "F1", "embeddings": "F1, layer 0", "lookup": "F1, lookup"}
shown = edges.by(bars)
ax = plotting.axes(figsize=(plotting.NARROW, 3.8))
plotting.bars(shown, "task", title=edges.title, xlim=(0, 1), xlabel="micro F1", ax=ax)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(real))
print(plotting.printed(own))
print(plotting.printed(shown))
for measure in ("F1 over best baseline", "gain over layer 0, syntactic - semantic"):
    print(plotting.printed(edges.series(measure)))

# %%
found("sem.edge_probing.tenney2019b")

# %%
card("sem.edge_probing.tenney2019b")

# %% [markdown]
# (sem-ner-f1)=
# ## Does the probe know entities, or their names?
#
# Probes tell types of entities well {cite:p}`tenney2019a`. Is that knowledge of entities? Some names are in training and
# test, so that a lookup of the words knows them, and the embeddings know kinds of names. What is left is measured first.
# Then test names that training lacks give way to others of their type that it lacks too; a probe of entities would not mind.

# %%
examples("sem.ner_f1.tenney2019a")

# %%
entities = results("sem.ner_f1.tenney2019a", data="ud_english_gum")
tweets = results("sem.ner_f1.tenney2019a", data="wnut17_ner")

# %% mystnb={"figure": {"caption": "F1 of entity types on GUM: the best layer, the same probe for names that training lacks and when these are replaced by others that it lacks, the embeddings, a lookup of the words, and the commonest type."}, "image": {"alt": "Horizontal bars: F1 of entity types by the probe on the best layer, for unseen names as they are and replaced, on the embeddings, by a lookup and by the commonest type, for every network there is."}}
bars = ("F1", "F1, unseen names", "F1, names replaced", "F1, layer 0", "F1, lookup", "F1, majority")
ordered = pd.Categorical(bars, bars, ordered=True).dtype
shown = {
    m: rows[rows["measure"].isin(bars)].sort_values("measure", key=lambda c: c.astype(ordered))
    for m, rows in entities.frames.items() if set(bars) <= set(rows["measure"])
}  # fmt: skip
plotting.bars(shown, "measure", xlim=(0, 1), xlabel="micro F1")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("F1 over lexical baseline", "F1, original - replaced"):
    print(plotting.printed(side_by_side({"GUM": entities, "WNUT17": tweets}, measure)))

# %%
found("sem.ner_f1.tenney2019a")

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
examples("sem.name_brittleness.balasubramanian2020")

# %%
sets = {"GAP": "gap", "Winogender": "winogender", "WinoBias": "winobias"}
names = {
    label: results("sem.name_brittleness.balasubramanian2020", data=source)
    for label, source in sets.items()
}

# %% mystnb={"figure": {"caption": "Share of items whose decision changes under at least one of four other names, by data set."}, "image": {"alt": "Horizontal bars by data set: share of items whose decision any of four other names changes, for every network there is; a dotted line marks one half."}}
shown = side_by_side(names, "share of items ever changed")
plotting.bars(shown, "data", chance=0.5, reference="most: above", xlim=(0, 1), xlabel="share of items ever changed")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Share of one network's decisions (the title names it) that another name changes, and that another word changes, by data set."}, "image": {"alt": "Horizontal bars by data set: share of decisions changed by another name and by another word that names nobody, for the model."}}
kinds = {"a name": "share changed, name", "another word": "share changed, placebo"}
focus = next(iter(names.values())).title
swapped = {kind: rows[focus] for kind, m in kinds.items() if focus in (rows := side_by_side(names, m))}
plotting.bars(swapped, "data", title=focus, xlim=(0, 1), xlabel="share of decisions changed")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(swapped))
for measure in ("accuracy, places evenly", "share changed, name - placebo"):
    print(plotting.printed(side_by_side(names, measure)))

# %%
found("sem.name_brittleness.balasubramanian2020")

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
examples("sem.numbers.wallace2019b")

# %%
numbers = results("sem.numbers.wallace2019b", data="builtin")

# %% mystnb={"figure": {"caption": "Error of decoding by kind of number, inside the range of training: every network there is and the characters."}, "image": {"alt": "Horizontal bars by kind of number: mean error as a share of the range, inside the range of training, for every network there is and the characters."}}
within = dict(task="decoding", range="interpolation")
shown = numbers.series("relative error, model", **within)
spelled = plotting.series({numbers.title: numbers.rows}, "relative error, characters", **within)[numbers.title]
shown = {**shown, "characters": spelled}
plotting.bars(shown, "numbers", xlim=(0, None), xlabel="error, share of the range")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "Error of decoding inside the range of training and beyond it, for the model. Beyond it regressions are straight; inside they are as dev says."}, "image": {"alt": "Horizontal bars by kind of number: mean error as a share of the range inside the range of training and beyond it, for the model."}}
model = {numbers.title: numbers.rows}
where = {"inside the range": "interpolation", "beyond it": "extrapolation"}
shown = {
    name: plotting.series(model, "relative error, model", task="decoding", range=r)[numbers.title]
    for name, r in where.items()
}
plotting.bars(shown, "numbers", title=numbers.title, xlim=(0, None), xlabel="error, share of the range")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("relative error, floats - integers", "error per further piece"):
    print(plotting.printed(numbers.series(measure)))
print(plotting.printed(numbers.series("accuracy", task="maximum")))

# %%
found("sem.numbers.wallace2019b")

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

# %% [markdown]
# (semantics-since)=
# ## Since the survey
#
# Who did what to whom can mostly be guessed from the words alone. {cite:t}`papadimitriou2022` probe for subjects and objects
# where they cannot (*the onion chopped the chef*): BERT's lower layers go by the word, the upper ones by its place. Of 574 pairs
# of sentences with the roles reversed mpnet has both verbs right 13 points more often than both wrong, so <a
# href="../claims/sem.roles.ettinger2019.html">predictions</a> follow the order a little; whether a fitting word beats a related
# one in six of ten stays open.

# %% [markdown]
# (semantics-exercise)=
# ## Exercise: Who chased whom?
#
# The two nouns of a sentence change places, and what can have happened changes with them. Do the fillers?
#
# ```python
# from bertology_utils import fill
#
# for first, second in (("dog", "cat"), ("cat", "dog"), ("cook", "meal"), ("meal", "cook")):
#     text = f"The {first} that the {second} had [MASK] was in the garden."
#     print(text, *fill(text)["filler"])
# ```
#
# Count over twenty pairs of your own how many of the five likeliest fillers are the same both ways. What would a network give
# that reads a sentence as a bag of words? Try `model="mpnet"` where it is installed.
