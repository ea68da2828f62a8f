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
# # World knowledge
#
# What does a model that has only read text know of the world? The survey {cite:p}`rogers2020` collects the answers: facts
# come out of BERT when it fills in blanks, but it does little with them. This chapter asks again.
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

choose(MODEL, DATA, "world", fast=FAST)

# %%
from bertology_utils import five, overview

five("world")

# %%
overview("world")

# %% [markdown]
# **How to read this chapter**
#
# Almost every way of asking has a simple rival. *The capital of France is \[MASK\]* can be answered by a word that is
# right for many subjects, by a frequent word, or by the wording alone. So each figure is held against the commonest
# object of the relation, against frequency, and against an *untrained twin* (the same architecture with random weights).
#
# A small model knows little. Where ours is no better than such a rival, the card says that the claim *cannot be tested
# here*, and shows the figure. The figures below are of generated facts, a demonstration, but for that of templates (LPAQA's
# facts) and the authors' own of affordances. The cards are about the studies' own data, and there `mpnet`, a network of BERT's
# size that others trained on far more text, was asked, too.
# `results(id)` brings every subject there is; a model chosen in the first cell is measured now and drawn in red.
# `examples(id)` shows an item or two and what the chosen model, by default `mini`, answers to them now.

# %% tags=["hide-input"]
import pandas as pd

from bertology_utils import card, examples, found, plotting, results

# %% [markdown]
# (wld-lama)=
# ## Are facts retrieved by filling in blanks?
#
# {cite:t}`petroni2019` write a fact as a sentence with its object masked and look at what comes first.

# %%
examples("wld.lama.petroni2019")

# %% [markdown]
# The figure has all facts of T-REx. P@1 is the share of facts whose object comes first in the whole vocabulary; the commonest object of each
# relation is counted on the very facts, so it is an oracle.

# %%
facts = results("wld.lama.petroni2019", data="lama_trex_pararel")

# %% mystnb={"figure": {"caption": "Share of T-REx's facts that each network puts first (P@1), and what naming each relation's commonest object, or its most frequent word, would get right; each network on the objects that are single pieces of its vocabulary."}, "image": {"alt": "Horizontal bars for every network there is: share of facts whose object comes first, and the shares for which the commonest object or the most frequent word is right. mpnet lies between the two rivals, mini below both."}}
kinds = {"P@1": "the network (P@1)", "majority object": "commonest object", "most frequent object": "most frequent word"}
shown = {name: rows[rows["measure"].isin(kinds)].replace({"measure": kinds}) for name, rows in facts.frames.items()}
plotting.bars(shown, "measure", xlim=(0, 1), xlabel="share of facts")
plotting.plt.show()

# %%
made = results("wld.lama.petroni2019", data="builtin")

# %% mystnb={"figure": {"caption": "Not what the verdict is about: P@1 by relation on generated facts,, of the relation's commonest object, and of its most frequent word."}, "image": {"alt": "Horizontal bars by relation: share of facts whose object the model puts first, beside the share for which the commonest object or the most frequent word is right."}}
kinds = {"model": "P@1, by relation", "commonest object": "majority object, by relation",
         "most frequent word": "most frequent object, by relation"}  # fmt: skip
ax = plotting.axes(figsize=(plotting.NARROW, 7.6))
plotting.bars(made.by(kinds), "relation", xlim=(0, 1), xlabel="P@1", title=made.title, ax=ax)
plotting.plt.show()

# %% [markdown]
# Facts whose object is several pieces of the vocabulary cannot be asked for with one mask. Folded: how many facts that leaves in
# two copies of the study's data (at most 150 of a relation are drawn), and BERT-base's figures, as a later study reports them.

# %% tags=["hide-output"]
for source in ("lama_original", "lama_trex_pararel"):
    recorded = results("wld.lama.petroni2019", data=source)
    for kept in recorded.by({"kept": "items kept"}).values():
        counts = [f"{r.relation} {r.value * r.n:.0f}/{r.n}" for r in kept.itertuples()]
        print(f"{recorded.title} on {source}, {len(kept)} relations: {', '.join(counts)}")

# %% tags=["hide-output"]
for measure in ("P@1", "P@10", "MRR", "P@1 over majority object", "P@1, own subject - another subject"):
    print(plotting.printed(facts.series(measure)))
print(plotting.printed(dict(facts.others)))

# %%
found("wld.lama.petroni2019")

# %%
card("wld.lama.petroni2019")

# %% [markdown]
# (wld-templates)=
# ## Do better templates retrieve more facts?
#
# The same fact can be asked in many wordings. {cite:t}`jiang2019b` find some in text and by paraphrase, choose among them
# on other facts, and put several together. Their wordings of LAMA's relations are asked here.

# %%
examples("wld.templates.jiang2019b")

# %%
wordings = results("wld.templates.jiang2019b", data="lpaqa")

# %% mystnb={"figure": {"caption": "P@1 by the manual wording, by the one chosen on other facts, by several together, and by whichever is right."}, "image": {"alt": "Horizontal bars: share of facts retrieved by the manual wording, the chosen one, ensembles of wordings and an oracle, for every network there is."}}
plotting.bars(wordings.series("P@1"), "prompts", xlim=(0, None), xlabel="P@1")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("P@1, chosen on dev - manual", "P@1, ensemble - best single", "P@1 over majority object"):
    print(plotting.printed(wordings.series(measure)))

# %%
found("wld.templates.jiang2019b")

# %%
card("wld.templates.jiang2019b")

# %% [markdown]
# (wld-names)=
# ## Is part of it guessing from names?
#
# An Italian-sounding name is probably Italian. {cite:t}`poerner2019` take out the facts that a name gives away and look at
# how much is left. With invented names one can ask directly: which language gains most by the name? The rival has
# seen the letters of real names and nothing else.

# %%
examples("wld.stereotype_names.poerner2019")

# %%
sounds = results("wld.stereotype_names.poerner2019", data="builtin")

# %% mystnb={"figure": {"caption": "Share of invented names whose language (or country) gains most, by language."}, "image": {"alt": "Horizontal bars by language: share of invented names of that language which each network takes for it."}}
shown = sounds.series("origin of invented names by language")
plotting.bars(shown, "language", xlim=(0, 1), xlabel="taken for what they sound like")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("origin of invented names, share right", "origin of invented names, share right by letters",
                "origin of invented names over letters", "origin of real names, share right"):  # fmt: skip
    print(plotting.printed(sounds.series(measure)))

# %% [markdown]
# What was recorded of the study's facts, with and without telling names, is folded under the figure, in numbers.

# %% tags=["hide-output"]
facts_by_name = results("wld.stereotype_names.poerner2019", data="lama_uhn")
for measure in ("P@1, LAMA", "P@1, LAMA-UHN"):
    print(plotting.printed(facts_by_name.series(measure)))

# %%
found("wld.stereotype_names.poerner2019")

# %%
card("wld.stereotype_names.poerner2019")

# %% [markdown]
# (wld-triples)=
# ## Are true triples told from false ones?
#
# *Bread is made of flour* or *of glass*? {cite:t}`davison2019` score a triple by what each end adds to the probability of
# the other. Its rivals know how frequent the words are, how like their embeddings, and which words fit which end of a relation.

# %%
examples("wld.triples.davison2019")

# %%
triples = results("wld.triples.davison2019", data="ckbc_conceptnet")

# %% mystnb={"figure": {"caption": "Area under the curve for true against false triples of ConceptNet, of all relations and of those that nothing was tuned on."}, "image": {"alt": "Horizontal bars: area under the curve for all triples and for held-out relations, for every network there is; chance is one half."}}
plotting.bars(triples.series("AUC"), "set", xlim=(0, 1), chance=0.5, xlabel="area under the curve")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("AUC, slot fit", "AUC, rivals together", "AUC over the best rival", "F1"):
    print(plotting.printed(triples.series(measure)))

# %%
found("wld.triples.davison2019")

# %%
card("wld.triples.davison2019")

# %% [markdown]
# (wld-closed-book)=
# ## Can a model answer from its weights?
#
# {cite:t}`roberts2020` ask a text-to-text model questions and give it no text to look them up in. That takes another kind
# of model than ours; with one, `bertology run wld.closed_book.roberts2020 --model NAME` runs.

# %% tags=["hide-output"]
print(plotting.printed(results("wld.closed_book.roberts2020").deciding()))

# %%
card("wld.closed_book.roberts2020")

# %% [markdown]
# (wld-pragmatic)=
# ## Are completions inferred?
#
# *She was getting to be really good at \[MASK\]*, after a checkmate. {cite:t}`ettinger2019` compare the expected word with
# one of its category (*monopoly*) and with one of another. Ours are sentences about who does what to whom.

# %%
examples("wld.pragmatic.ettinger2019")

# %%
completions = results("wld.pragmatic.ettinger2019", data="ettinger2019_lm_diagnostics")

# %% mystnb={"figure": {"caption": "How often the expected completion is preferred to another of its category, of another category, and to another sentence's; the study's own items."}, "image": {"alt": "Horizontal bars: share of items in which the expected completion wins, by what it is compared with, for every network there is; chance is one half."}}
against = ("accuracy, within category", "accuracy, between categories", "accuracy, unrelated filler")
shown = {m.removeprefix("accuracy, "): completions.series(m) for m in against}
drawn = {who: pd.concat([s[who].assign(against=m) for m, s in shown.items() if who in s]) for who in shown["unrelated filler"]}
plotting.bars(drawn, "against", xlim=(0, 1), chance=0.5, xlabel="expected completion preferred")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(completions.series("accuracy over the more frequent")))

# %%
found("wld.pragmatic.ettinger2019")

# %%
card("wld.pragmatic.ettinger2019")

# %% [markdown]
# (wld-attributes)=
# ## Which attributes are harder?
#
# A probe reads the vector of a statement, *A coin is made of metal*, and says whether it is true; no object is in two
# splits. {cite:t}`da2019` found what one sees and feels harder than what an encyclopedia or a manual says. Some attributes
# are true of many objects, others of few, and who knows no more than that is often right: so the kinds are compared
# within attributes, by how well the probe tells which objects have one.

# %%
examples("wld.attributes.da2019")

# %%
attributes = results("wld.attributes.da2019", data="forbes2019_physical_commonsense")

# %% mystnb={"figure": {"caption": "F1 of the probe by kind of attribute, and that of knowing how often each attribute is true."}, "image": {"alt": "Horizontal bars by kind of attribute: F1 of a probe on the model's vectors and of how often each attribute is true."}}
shown = {"probe": "F1, by kind", "attribute's rate": "F1, attribute's rate, by kind"}
plotting.bars(attributes.by(shown), "kind", xlim=(0, 1), xlabel=f"F1, {attributes.title}")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(attributes.series("AUC within attributes")))
print(plotting.printed(attributes.series("AUC within attributes, encyclopedic and functional - perceptual")))

# %%
found("wld.attributes.da2019")

# %%
card("wld.attributes.da2019")

# %% [markdown]
# (wld-affordances)=
# ## Is it known what things are for, and why?
#
# {cite:t}`forbes2019` ask for properties (*an apple is round*), affordances (*you can eat an apple*), and how the two go
# together (*if something is round, you can roll it*). First our probe, then the authors' figures of the real BERT
# and of people.

# %%
examples("wld.affordances.forbes2019")

# %%
objects = results("wld.affordances.forbes2019", data="forbes2019_physical_commonsense")

# %% mystnb={"figure": {"caption": "Of which objects an attribute is true, told by a probe: area under the curve within an attribute, by task. Dotted: chance."}, "image": {"alt": "Horizontal bars by task, for every network there is: area under the curve within an attribute for properties, affordances and their relation. mpnet tells properties best, with 0.75, affordances with 0.65; mini is at chance, one half."}}
plotting.bars(objects.series("AUC within attributes"), "task", chance=0.5, xlim=(0, 1), xlabel="AUC within an attribute")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "The authors' F1 for BERT, static embeddings and people, by task."}, "image": {"alt": "Horizontal bars by task: released F1 of BERT, of GloVe and of people for properties, affordances and their relation."}}
names = {"BERT": "BERT", "GloVe": "GloVe", "people": "people", "majority": "commoner answer"}
drawn = {label: plotting.rows_of(objects.others[m], "F1") for m, label in names.items() if m in objects.others}
plotting.bars(drawn, "task", xlim=(0, 1), xlabel="F1", ax=plotting.axes(figsize=(plotting.NARROW, 3.9)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(objects.series("AUC within attributes over words")))
sizes = results("wld.affordances.forbes2019", data="builtin")
for measure in ("size comparison, accuracy", "size comparison, planted"):
    print(plotting.printed(sizes.series(measure)))

# %%
found("wld.affordances.forbes2019")

# %%
card("wld.affordances.forbes2019")

# %% [markdown]
# (wld-steps)=
# ## Does accuracy fall with each step?
#
# A terrier is a dog; a dog is a mammal; so a terrier is a mammal, in two steps. {cite:t}`richardson2019` count the steps a
# question takes. If one step is not taken above chance, nothing can fall.

# %%
examples("wld.inference_steps.richardson2019")

# %%
steps = results("wld.inference_steps.richardson2019", data="richardson_sabharwal2019")

# %% mystnb={"figure": {"caption": "Accuracy by number of steps; questions have two answers, so one half is chance."}, "image": {"alt": "Curves: accuracy by the number of inference steps for every network there is; chance is one half."}}
plotting.lines(steps.series("accuracy"), "hops", ylim=(0, 1), chance=0.5, ylabel="accuracy", xlabel="steps")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("accuracy, bag of words", "fall per hop within sorts", "fall per hop within sorts over bag of words"):
    print(plotting.printed(steps.series(measure)))

# %%
found("wld.inference_steps.richardson2019")

# %%
card("wld.inference_steps.richardson2019")

# %% [markdown]
# (wld-taught)=
# ## And if the facts are taught?
#
# `mini` knows too little for most of these questions, so this experiment gives it the knowledge. It is ours, and no
# study's. A copy of `mini` reads the true single statements of the generated world for some minutes, one word masked at
# a time: facts, properties, affordances, kinds. It reads no negated sentence, no conclusion of two steps, and nothing
# that joins a property to what it allows. Both are then asked the same: first what was taught, then what follows.

# %%
from bertology_utils.experiments.world import consequences, taught

lessons = taught.lessons()
print(f"{len(lessons)} lessons, such as: {' '.join(lessons[k] for k in (0, 1000, 3500))}")

# %% mystnb={"figure": {"caption": "Share right before and after teaching; a fact is right if its object comes first of all words, the others are choices between two."}, "image": {"alt": "Horizontal bars by kind of question: share right for the model and for a copy that was taught the generated facts; chance is one half except for facts."}}
outcomes = consequences.shipped()
plotting.bars(outcomes, "question", xlim=(0, 1), chance=0.5, xlabel="share right", ax=plotting.axes(figsize=(plotting.NARROW, 4.7)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(outcomes))

# %% [markdown]
# The lessons stick where a gap is filled: facts come first far more often, and so do affirmative completions. What
# follows from them does not come along. With *not* in the sentence the copy prefers what it was taught, which is now
# false, even more often than before. What a property allows is told no better than by a coin, and conclusions of two
# steps no better than before the lessons. Properties and affordances were learnt only in part, so of these two the first
# result says most: the model was shown what is so, and has learnt what goes together.

# %% [markdown]
# (world-knowledge-since)=
# ## Since the survey
#
# {cite:t}`cao2021` ask why BERT answers LAMA's questions, and find that much of the success is the prompt's: its answers follow
# what a relation's sentences prefer, whatever the subject, and where the data prefer the same they are right. So <a
# href="../claims/wld.lama.petroni2019.html">LAMA</a> is decided here against the commonest answer of each relation, which knows
# no subject, and <a href="../claims/wld.templates.jiang2019b.html">other prompts</a> are a claim of their own.

# %% [markdown]
# (world-knowledge-exercise)=
# ## Exercise: Does it know the capital, or the country?
#
# A filler can be near the answer without knowing it: the name of a country after *of* that country, any large city.
#
# ```python
# from bertology_utils import fill
#
# capitals = {"France": "paris", "Germany": "berlin", "England": "london", "Italy": "rome", "Japan": "tokyo"}
# for country, capital in capitals.items():
#     fillers = list(fill(f"The capital of {country} is [MASK].", k=20)["filler"])
#     print(country, fillers[:3], fillers.index(capital) + 1 if capital in fillers else "not among 20")
# ```
#
# How often is the capital before the other four? How often would it be if the five were ranked by their frequency alone? Word
# the question in three other ways and see how much hangs on the words.
