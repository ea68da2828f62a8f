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
# # Multilingual BERT
#
# One BERT, trained on the text of a hundred languages with nothing to say which is which, can be taught a task in English
# and do it in Hindi. How? The survey {cite:p}`rogers2020` collects what was found by mid-2020 in its section 8: sentences
# and words of different languages lie near their translations, and the vectors give away which language it is.
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

choose(MODEL, DATA, "mbert", fast=FAST)

# %%
from bertology_utils import five, overview

five("mbert")

# %%
overview("mbert")

# %% [markdown]
# **How to read this chapter**
#
# `mini` has read English alone. In this chapter its place is taken by `mini-multi`: 6 layers of width 256, cased, 16,384
# pieces shared by 19 languages in eight scripts, read from Bibles, novels and wiki text, with no translation marked as one.
# (Who chooses `bert-base-uncased` gets `bert-base-multilingual-cased` here.) The *untrained twin* has its shape and random weights.
# A monolingual model can be put in its place by its name or folder: a null, since most of the languages are new to it.
#
# Beside every figure stand its nulls: what is told by shared pieces, by the embeddings alone, by the place in the sentence.
# In figures languages go by their English names; tables have their own. Layer 0 is the embeddings.

# %% tags=["hide-input"]
import pandas as pd

from bertology_utils import Settings, card, examples, found, load, plotting, released, results
from bertology_utils.claims import ledger
from bertology_utils.data import load as load_data
from bertology_utils.experiments.mbert.languages import language, named


# %% tags=["hide-input"]
def by(rows, measure, column, **where):
    """One model's rows of a measure, apart by the values of a column."""
    chosen = plotting.rows_of(rows, measure, **where)
    return {str(k): part for k, part in chosen.groupby(column, sort=False)} if len(chosen) else {}


# %% tags=["hide-input"]
def in_english(rows, *columns):
    """The rows with the languages' names in place of their codes."""
    return rows.assign(**{c: [language(code).name for code in rows[c]] for c in columns})


# %% [markdown]
# (mbt-retrieval)=
# ## Can translations be found?
#
# If a sentence in Finnish and its Korean translation have like vectors, the one should find the other among many sentences.
# {cite:t}`pires2019` find that it does, in the middle layers. But translations share names, numbers and other pieces: is
# there more to it?
#
# This claim is taken apart. First a sentence in nine of the languages and eight scripts, one of them written from right to left.

# %%
from bertology_utils.cards.scripts import Scripts

items = load_data("translations", "builtin", n=60)["translations"]
codes = ("eng", "deu", "rus", "ell", "hin", "ara", "zho", "jpn", "kor")
Scripts({code: " ".join(items[7].sentences[code].words) for code in codes}, "a sentence in nine languages")

# %% [markdown]
# A sentence's vector is the mean over its pieces. From it one may take the mean of its language, so that what all
# German sentences share does not count. A third of the sentences is for that mean, and chooses the layer.

# %%
from bertology_utils.experiments.mbert import parallel, retrieval

model = load(ledger.subject("mbert", Settings.of().model))
(sentences,) = parallel.gather(model, items, Settings.of(), most=60)
centred = sentences.centred()[3]  # layer 3: (languages, sentences, 256)
right = retrieval.hits(centred[:, ~sentences.dev])  # from language, to language, sentence
at = sentences.languages.index
print(sentences.n, "sentences in", len(sentences.languages), "languages; to be found among", right.shape[-1])

# %% [markdown]
# Now all of PUD, treebanks of the same sentences in many languages, every pair of languages both ways. The figures show raw
# shares; in the card, chance is taken off P@1, the share of sentences whose nearest neighbour is their translation.

# %%
examples("mbt.retrieval.pires2019")

# %%
found_pud = results("mbt.retrieval.pires2019", data="ud_pud_multilingual")

# %% mystnb={"figure": {"caption": "Share of sentences whose nearest neighbour in another language is their translation, by layer, as they are and less the mean of their language; raw shares. Dotted: what shared pieces find."}, "image": {"alt": "Curves by layer: share of translations found by a network and its untrained twin, with and without centring. A dotted line marks what shared pieces find."}}
shown = {}
for name, rows in found_pud.frames.items():
    for way, part in by(rows, "P@1 by layer", "centred").items():
        shown[f"{name}, {'centred' if way == 'True' else 'as it is'}"] = part
pieces = found_pud.value("P@1 retrieved", by="shared pieces")
plotting.lines(shown, "layer", chance=pieces, reference="shared pieces", ylabel="translations found")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "Translations found between English and each language by vectors of the chosen layer, by the embeddings and by shared pieces; raw shares."}, "image": {"alt": "Horizontal bars by language: share of translations found by contextual vectors, by static vectors and by shared pieces."}}
shown = by(found_pud.rows, "P@1 with English", "by")
plotting.bars(shown, "language", xlabel="translations found, to and from English", ax=plotting.axes(figsize=(plotting.NARROW, 3.9)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.retrieval.pires2019")

# %%
card("mbt.retrieval.pires2019")

# %% [markdown]
# (mbt-offset)=
# ## Does one step lead from a language to another?
#
# The mean difference between German and English vectors is a step from the one language to the other. {cite:t}`pires2019`
# add it to English sentences and look for the nearest German one. Of generated sentences, single words are translated; of
# Tatoeba's, whole sentences, as in the study. A step of the same length in a random direction is the control.

# %%
examples("mbt.offset_translation.pires2019")

# %%
steps = results("mbt.offset_translation.pires2019", data="tatoeba_laser")

# %% mystnb={"figure": {"caption": "Share of English sentences (and back) whose nearest neighbour is their translation: as they are, moved by the mean offset between the languages, moved at random; in the network that the title names, and moved by the offset in its untrained twin."}, "image": {"alt": "Curves by layer of one network: translations found without an offset, with it, and with a random one; in its untrained twin with it."}}
ways = {"not moved": "none", "moved by the offset": "offset", "moved at random": "random offset"}
shown = {said: plotting.rows_of(steps.rows, "P@1 by layer", by=way) for said, way in ways.items()}
shown["untrained, moved by the offset"] = plotting.rows_of(steps.twin, "P@1 by layer", by="offset")
plotting.lines(shown, "layer", ylabel="translations found", title=steps.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(steps.series("P@1 over layers, offset - none")))

# %%
found("mbt.offset_translation.pires2019")

# %%
card("mbt.offset_translation.pires2019")

# %% [markdown]
# (mbt-alignment)=
# ## Do words find their translations?
#
# Of two sentences that say the same, which word goes with which? {cite:t}`libovicky2019` take the pairs of words that are
# each other's nearest, {cite:t}`cao2019` do so too, and function words come out better than content words. Generated
# sentences know their alignment. Words at the same place of the sentence are right surprisingly often; that is the null to
# beat.

# %%
examples("mbt.word_alignment.libovicky2019")

# %%
links = results("mbt.word_alignment.libovicky2019", data="builtin")

# %% mystnb={"figure": {"caption": "F1 of links between words that are each other's nearest in the network that the title names, English and fourteen languages, generated sentences."}, "image": {"alt": "Horizontal bars for all, open-class and closed-class words: F1 of links by vectors, static vectors, the diagonal, spelling and the untrained twin's vectors."}}
shown = by(links.rows, "alignment F1", "by")
shown["vectors, untrained twin"] = plotting.rows_of(links.twin, "alignment F1", by="vectors")
plotting.bars(shown, "words", title=links.title, xlabel="F1 of links")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "F1 of links by multilingual BERT in six pairs of languages; a related measure, without the nulls."}, "image": {"alt": "Horizontal bars for six pairs of languages: F1 of word alignments by multilingual BERT."}}
shown = released("mbt.word_alignment.libovicky2019", "alignment F1")
plotting.bars(shown, "task", xlim=(0, 1), xlabel="F1 of links")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.word_alignment.libovicky2019")

# %%
card("mbt.word_alignment.libovicky2019")

# %% [markdown]
# (mbt-identity)=
# ## Does it know which language it reads?
#
# Nobody ever told it. Still, {cite:t}`libovicky2019` read the language off the vectors, {cite:t}`wu2019dredze` in every
# layer, and the languages' mean vectors cluster by family (the survey's figure 7). The pieces alone give most languages
# away, so the question here is put sharply: from *one* sentence of each language, does a probe tell more than characters do?
# Then the mean of each language is taken away. Sentences that share words are still neighbours, in the embeddings as well,
# so what counts is how much more of the language the nearest sentences tell than they do there.

# %%
examples("mbt.language_identity.libovicky2019")

# %%
tongues = results("mbt.language_identity.libovicky2019", data="tatoeba_laser")

# %% mystnb={"figure": {"caption": "The tree of the languages' mean vectors in the network that the title names, Tatoeba sentences (after figure 7 of the survey). Colours: genera with several languages."}, "image": {"alt": "A tree of nineteen languages by the distance of their mean vectors; each leaf is named with its genus."}}
from bertology_utils.experiments.mbert.centroids import linked

distances = plotting.rows_of(tongues.rows, "distance of centroids")
links_, names = linked(distances)
plotting.tree(links_, names, [named(name).genus for name in names], xlabel="distance of the languages' means")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed({tongues.title: distances}))

# %% [markdown]
# Some relatives are neighbours in the tree. More than by chance? In a figure folded under it every pair of relatives is
# compared with every other pair; by chance it is the nearer one half of the time. Relatives also share words, which a count of
# pieces sees without any model.

# %% mystnb={"figure": {"caption": "How much more often than half of the time a pair of related languages is nearer than another pair, Tatoeba sentences: by all layers' mean vectors, by the embeddings' alone, by how often each piece occurs. Intervals draw the eleven languages that have a relative."}, "image": {"alt": "Horizontal bars for layers, embeddings and counted pieces: how much more often than by chance relatives are nearer, for a network and its untrained twin."}}
nearer = "relatives nearer than others - chance"
by_what = {"all layers": "", "embeddings alone": ", embeddings", "pieces counted": ", pieces counted"}
shown = {
    name: pd.concat([plotting.rows_of(rows, nearer + of).assign(by=said) for said, of in by_what.items()])
    for name, rows in tongues.frames.items()
}
plotting.bars(shown, "by", chance=0.0, xlabel="relatives nearer, over a half")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
for measure in ("relatives nearer than others, permutation p", "V-measure over shuffled families"):
    print(plotting.printed(tongues.series(measure)))

# %% mystnb={"figure": {"caption": "Languages told by the nearest training sentences, by layer, before and after each language's mean was taken away."}, "image": {"alt": "Curves by layer for a network and its untrained twin: language identification on plain vectors and on centred ones, with chance dotted."}}
shown = {}
for name, rows in tongues.frames.items():
    for kind, part in by(rows, "language identification, all", "vectors").items():
        shown[f"{name}, {kind}"] = part
chance = 1 / len(names)
plotting.lines(shown, "layer", chance=chance, reference="chance", ylabel="language told right", ylim=(0, 1.02))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(tongues.series("language identification over characters")))

# %%
found("mbt.language_identity.libovicky2019")

# %%
card("mbt.language_identity.libovicky2019")

# %% [markdown]
# (mbt-zero-shot)=
# ## Does a task learnt in one language work in others?
#
# {cite:t}`pires2019` and {cite:t}`wu2019dredze` teach a task in one language and test it in others: inference, in the figure of
# the real one. In our rerun a probe learns parts of speech from the vectors of one language's words. The guess to beat is the best of three without vectors: the
# commonest tag, the tag of the same spelling, the tag that is common at that place of the sentence.

# %%
examples("mbt.zero_shot.pires2019")

# %%
transfer = results("mbt.zero_shot.pires2019", data="ud_pud_multilingual")

# %% mystnb={"figure": {"caption": "Multilingual BERT taught natural language inference in English: lead over the commonest label by language. Folded under it: a rerun with parts of speech."}, "image": {"alt": "Horizontal bars by language: lead of zero-shot accuracy over a third."}}
shown = released("mbt.zero_shot.pires2019", "zero-shot accuracy over majority", of="multilingual-cased")
plotting.bars(shown, "language", chance=0.0, xlabel="lead over a third", ax=plotting.axes(figsize=(plotting.NARROW, 3.9)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "Accuracy of parts of speech over the best guess without vectors: taught in the row's language, tested in the column's."}, "image": {"alt": "A matrix of languages: lead over the best guess, by the language taught in and the language tested in."}}
rows = plotting.rows_of(transfer.rows, "zero-shot accuracy over best baseline")
matrix = in_english(rows, "train", "language").pivot(index="train", columns="language", values="value")
plotting.heatmap(
    matrix, matrix.index, matrix.columns, ax=plotting.axes(figsize=(plotting.NARROW, 4.2)), xlabel="tested in", ylabel="taught in"
).set_title(plotting.SHORT.get(transfer.title, transfer.title))
plotting.plt.show()

# %% tags=["hide-output"]
print(matrix.round(2).to_string())

# %% mystnb={"figure": {"caption": "What vectors have over the best guess without any, and over the embeddings alone; means over pairs of languages."}, "image": {"alt": "Horizontal bars for pairs of the same script, of other scripts and all: lead of a network's vectors over the best guess and over its embeddings, and of the untrained twin's over the best guess."}}
nulls = {"best guess": "over best baseline", "embeddings alone": "over the embeddings"}
means = {said: f"zero-shot accuracy {over}, mean over pairs" for said, over in nulls.items()}
shown = {f"over the {said}": plotting.rows_of(transfer.rows, measure) for said, measure in means.items()}
shown["untrained twin, over the best guess"] = plotting.rows_of(transfer.twin, means["best guess"])
plotting.bars(shown, "pairs", chance=0.0, reference="no lead", xlabel="lead, share of words")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.zero_shot.pires2019")

# %%
card("mbt.zero_shot.pires2019")

# %% [markdown]
# (mbt-typology)=
# ## Is transfer better between similar languages?
#
# Between languages that order their words alike, {cite:t}`pires2019` find, and not between others. Related languages share
# words and script too, so these are held when word order is asked for. A Mantel test shuffles the languages.

# %%
examples("mbt.typology.pires2019")

# %%
alike = results("mbt.typology.pires2019", data="ud_pud_multilingual")
for measure in ("Mantel correlation with word order", "Mantel correlation, script and vocabulary held"):
    print(plotting.printed(alike.series(measure)))

# %%
found("mbt.typology.pires2019")

# %%
card("mbt.typology.pires2019")

# %% [markdown]
# (mbt-agreement)=
# ## Does it respect agreement in many languages?
#
# {cite:t}`bacon2019` mask a word that must agree and compare the right form with the wrong one, in 26 languages. Here both
# forms are asked for as often, so that a liking for one of them gives a half.

# %%
examples("mbt.agreement.bacon2019")

# %%
agreement = results("mbt.agreement.bacon2019", data="clams")

# %% mystnb={"figure": {"caption": "Balanced accuracy of agreement by language, CLAMS."}, "image": {"alt": "Horizontal bars by language: balanced accuracy of agreement for every network there is, with a half dotted."}}
shown = {who: in_english(rows, "language") for who, rows in agreement.series("balanced accuracy").items()}
plotting.bars(shown, "language", chance=0.5, xlabel="balanced accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "Right forms preferred by multilingual BERT, by language; read off the authors' chart."}, "image": {"alt": "Horizontal bars for 25 languages: share of right forms preferred."}}
shown = released("mbt.agreement.bacon2019", "accuracy by language", of="by language")
plotting.bars(shown, "language", chance=0.5, xlabel="right form preferred", ax=plotting.axes(figsize=(plotting.NARROW, 5.4)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.agreement.bacon2019")

# %%
card("mbt.agreement.bacon2019")

# %% [markdown]
# (mbt-generation)=
# ## Is it poor at generation?
#
# {cite:t}`ronnqvist2019` let it fill gaps and write text: worse than monolingual models, though it can fill a main auxiliary
# in German and the Nordic languages. Gaps in English go to the multilingual network and to `mini`, which is of another size and
# has read other text, all of it English; auxiliaries are asked in German and Swedish. Both are of Tatoeba's sentences.

# %%
examples("mbt.generation.ronnqvist2019")

# %%
gaps = results("mbt.generation.ronnqvist2019", data="tatoeba_laser")
shown = by(gaps.rows, "cloze accuracy", "by")
print(plotting.printed(shown))

# %% mystnb={"figure": {"caption": "Auxiliaries filled right, among those of the language; and how often the commonest one is right."}, "image": {"alt": "Horizontal bars for German and Swedish: share of auxiliaries right, by the model, by always taking the commonest, and by the untrained twin."}}
shown = by(gaps.rows, "auxiliary cloze", "by")
shown["untrained twin"] = plotting.rows_of(gaps.twin, "auxiliary cloze", by="model")
plotting.bars(shown, "language", xlim=(0, 1), xlabel="auxiliary right", title=gaps.title)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.generation.ronnqvist2019")

# %%
card("mbt.generation.ronnqvist2019")

# %% [markdown]
# (mbt-freeze)=
# ## Does freezing the bottom help?
#
# {cite:t}`wu2019dredze` keep the lowest layers as they are while the task is learnt. Here a tagger is tuned in English with
# the lowest third or two thirds frozen, and with none, and tested on eight parallel treebanks.

# %%
examples("mbt.freeze_bottom.wu2019dredze")

# %%
frozen = results("mbt.freeze_bottom.wu2019dredze", data="ud_pud_multilingual")

# %% mystnb={"figure": {"caption": "Accuracy in eight languages that were not taught, by how many of the lowest layers were frozen; five seeds."}, "image": {"alt": "Curves: zero-shot accuracy by the number of frozen layers."}}
shown = frozen.series("zero-shot accuracy")
plotting.lines(shown, "frozen", ylabel="zero-shot accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.freeze_bottom.wu2019dredze")

# %% tags=["brief"]
card("mbt.freeze_bottom.wu2019dredze")

# %% [markdown]
# (mbt-aligned)=
# ## Does aligning on parallel text help?
#
# {cite:t}`cao2019` move the vectors of aligned words together. What is aligned here are Tatoeba's sentences; other ones are
# then sought, and a tagger taught in English is tested on the parallel treebanks.

# %%
examples("mbt.alignment_tuning.cao2019")

# %%
moved = results("mbt.alignment_tuning.cao2019", data="tatoeba_laser")

# %% mystnb={"figure": {"caption": "Before and after aligning: translations found among other sentences, and tags right in other languages."}, "image": {"alt": "Horizontal bars for translations found and for tags right: a network and its untrained twin as they were and after aligning."}}
tasks = {"P@1": "translations found", "zero-shot accuracy": "tags right"}
shown = {
    f"{state}{whose}": pd.concat([plotting.rows_of(rows, f"{m}, {state}").assign(task=t) for m, t in tasks.items()])
    for whose, rows in {"": moved.rows, ", untrained twin": moved.twin}.items()
    for state in ("plain", "aligned")
}
plotting.bars(shown, "task", xlim=(0, 1), xlabel="share")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.alignment_tuning.cao2019")

# %%
card("mbt.alignment_tuning.cao2019")

# %% [markdown]
# (mbt-family)=
# ## What makes a model multilingual?
#
# Small bilingual models, trained for this chapter, take one thing away at a time, after {cite:t}`wang2019b` and
# {cite:t}`artetxe2019`: shared pieces, a body that has seen both languages, the languages' names. The second language is
# mostly English once more, in pieces of its own, since two real languages stay apart at this budget. What Bibles teach such
# models, in English and German and in English twice, stands below.

# %% mystnb={"figure": {"caption": "Small bilingual models, three to five seeds each: translations retrieved, and the tags of the second language by a tagger of the first."}, "image": {"alt": "Horizontal bars by group of runs: share of translations retrieved and of tags right in the second language."}}
family = ["wordpiece_overlap.wang2019b", "vocabulary_swap.artetxe2019", "language_ids.wang2019b", "tlm.lample2019"]
rows = pd.concat([results(f"mbt.{name}", data="builtin").rows for name in family]).drop_duplicates(["group", "measure", "language"])
shown = {
    "translations retrieved": plotting.rows_of(rows, "P@1"),
    "tags right in the second language": plotting.rows_of(rows, "accuracy, second language"),
}
plotting.bars(shown, "group", xlim=(0, 1), xlabel="share", ax=plotting.axes(figsize=(plotting.NARROW, 4.6)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %% [markdown]
# (mbt-overlap)=
# ### Are shared pieces needed?

# %% [markdown]
# On real text: verses of Bibles in English and German, their pieces shared as they are or none of them, and in English beside
# itself in pieces of its own, in its order and turned round (after {cite:t}`dufter2020`).

# %%
examples("mbt.wordpiece_overlap.wang2019b")

# %% mystnb={"figure": {"caption": "Models trained on Bibles, three seeds each: verses whose nearest neighbour is their translation, by vectors of the chosen layer, by embeddings alone, and by the pieces that both languages share."}, "image": {"alt": "Horizontal bars by group of runs: share of verses whose translation is found by vectors, by embeddings alone and by shared pieces."}}
bibles = results("mbt.wordpiece_overlap.wang2019b", data="corpus_multilingual").rows
named = {"shared": "English and German, shared", "disjoint": "English and German, none shared"}
bibles = bibles.assign(group=bibles["group"].replace(named))
measures = {"vectors": "P@1", "embeddings alone": "P@1, embeddings alone", "shared pieces": "P@1, shared pieces alone"}
shown = {name: plotting.rows_of(bibles, measure) for name, measure in measures.items()}
plotting.bars(shown, "group", xlabel="verses found", ax=plotting.axes(figsize=(plotting.NARROW, 3.1)))
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("mbt.wordpiece_overlap.wang2019b")

# %%
card("mbt.wordpiece_overlap.wang2019b")

# %% [markdown]
# (mbt-swap)=
# ### Can a monolingual body serve a new language?

# %%
found("mbt.vocabulary_swap.artetxe2019")

# %%
card("mbt.vocabulary_swap.artetxe2019")

# %% [markdown]
# (mbt-more)=
# ### Do more languages hurt?

# %%
found("mbt.more_languages.artetxe2019")

# %%
card("mbt.more_languages.artetxe2019")

# %% [markdown]
# (mbt-ids)=
# ### Do language ids help?

# %%
found("mbt.language_ids.wang2019b")

# %%
card("mbt.language_ids.wang2019b")

# %% [markdown]
# (mbt-tlm)=
# ### Does masking across a sentence pair help?

# %%
found("mbt.tlm.lample2019")

# %%
card("mbt.tlm.lample2019")

# %% [markdown]
# (mbt-nmt)=
# ## Does BERT start translation models well?
#
# {cite:t}`clinchant2019` start translation models from BERT. A translation system is out of scope here.

# %%
card("mbt.nmt.clinchant2019")

# %% [markdown]
# (mbert-since)=
# ## Since the survey
#
# {cite:t}`deshpande2022` change one property of a language at a time. Without shared pieces transfer suffers where word order
# differs as well, which may be why studies of <a href="../claims/mbt.wordpiece_overlap.wang2019b.html">overlap</a> disagree; and
# it goes with how well words of the two languages are aligned. {cite:t}`chang2024` train thousands of small networks for 250
# languages: some foreign text helps a language with little of its own, most if its syntax is alike, but <a
# href="../claims/mbt.more_languages.artetxe2019.html">more languages</a> cost those with much text, and in the end all.

# %% [markdown]
# (mbert-exercise)=
# ## Exercise: In which language does it answer?
#
# One gap in four languages, put to the multilingual network of this book.
#
# ```python
# from bertology_utils import fill
#
# texts = ("The child is in the [MASK].", "Das Kind ist in der [MASK].", "L'enfant est dans la [MASK].", "El niño está en la [MASK].")
# for text in texts:
#     print(text, *fill(text, model="mini-multi")["filler"])
# ```
#
# How many fillers are words of the sentence's language, and how many agree in gender with the article before them? Then mix:
# an English sentence whose last three words are German. Which language wins?
