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
# What does a masked language model know of syntax? The survey {cite:p}`rogers2020` answers from studies of four kinds:
# what the model *predicts* where grammar decides, what a classifier can read off its *vectors*, what is in its
# *attention* and in the influence of words on one another, and what it does after *fine-tuning*. This chapter reruns them.
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

choose(MODEL, DATA, "syntax", fast=FAST)

# %%
from bertology_utils import five, overview

five("syntax")

# %%
overview("syntax")

# %% [markdown]
# **How to read this chapter**
#
# Each claim has a question, the call that measures it, a figure with 95% intervals, what we found in a few words, and a
# **card**: the real BERT (released outputs, scored again), `mpnet` (a network of BERT's size) and in part MiniLM (a
# smaller one), which others trained on far more text, our small model `mini` on the studies' own data, and its *untrained twin*, the same architecture with
# random weights. Most of these claims take minutes, so `results(id)` brings every subject there is,
# and a model chosen in the first cell is measured now and drawn in red. Layer 0 is the embeddings; blocks and heads are counted from 1.

# %% tags=["hide-input"]
from bertology_utils import card, examples, found, load, plotting, released, results
from bertology_utils.claims import evidence, ledger
from bertology_utils.data import load as load_data
from bertology_utils.scores import trees
from bertology_utils.subject import cloze, perturb

# %% tags=["hide-input"]
BERT, ITS_COLOUR = "bert-base-uncased", plotting.COLOURS[2]


def named(frames, column, names):
    """The rows whose column has one of the names' keys, in their order and in words that can be read on an axis."""
    order = {key: k for k, key in enumerate(names)}
    kept = {name: frame[frame[column].isin(names)] for name, frame in frames.items()}
    kept = {name: frame.sort_values(column, key=lambda keys: keys.map(order)) for name, frame in kept.items()}
    return {name: frame.assign(**{column: frame[column].map(names)}) for name, frame in kept.items()}

# %% [markdown]
# ## What it predicts
#
# (syn-agreement)=
# ### Does the verb agree, with distractors and without meaning?
#
# *The key**s** to the cabinet **are** …*: a model that only knew which words stand next to each other would say *is*.
# {cite:t}`goldberg2019` masks the verb and compares the probabilities of its two forms. *Distractors* are nouns of the
# other number between subject and verb; *nonce* sentences keep the structure and drop the sense, as in
# {cite:t}`gulordava2018`.
#
# This claim we take apart. Two generated items with the same verb, one plain and one with a distractor, each with the right and the
# wrong form:

# %%
subject = load()
items, _ = cloze.single_piece(subject, load_data("agreement", "builtin", n=300)["agreement"])
told = [i for i in items if i.condition == "pp" and not i.meta.get("nonce")]
told.sort(key=lambda i: "have" not in (i.good, i.bad))  # a verb that every model knows first
one, two = ([i for i in told if i.meta["attractors"] == k] for k in (0, 1))
plain, across = next((a, b) for a in one for b in two if {a.good, a.bad} == {b.good, b.bad})
for item in (plain, across):
    print(f"{item.text}   {item.good}, not {item.bad}")

# %% [markdown]
# What the model gives both forms at the mask, as natural logarithms of probabilities, and what it would say itself:

# %%
for item in (plain, across):
    ((_, logs),) = cloze.log_probabilities(subject, [item.text])
    for word in (item.good, item.bad):
        print(f"{logs[cloze.filler_id(subject, word)]:7.2f}  {word}")
    print("likeliest:", " · ".join(cloze.top_k(subject, [item.text])[0]), "\n")

# %% [markdown]
# One call scores them: the difference of the two, above 0 where the right form is preferred. The second line is the untrained
# twin: the same network before it has read anything.

# %%
for model in (subject, subject.twin()):
    print(f"{model.name:16}", [round(float(score), 2) for score in cloze.choose(model, [plain, across])])

# %% [markdown]
# The claim is put to all of the studies' sentences in this way. A model that always says *is*, and one that agrees with the nearest
# noun, must not pass: in *balanced* accuracy singular and plural subjects count alike, and in *evenly balanced* accuracy
# so do plain and distracted sentences. Both such models would be at one half. Ours went by the nearest noun before six million
# pieces of chosen text; [how that was found, and what it does not show](../book/models.md#what-keeps-a-small-model-at-the-nearest-noun).

# %%
examples("syn.agreement.goldberg2019")

# %%
agreement = results("syn.agreement.goldberg2019", data="gulordava2018_linzen2016")

# %% mystnb={"figure": {"caption": "Right verb form preferred, singular and plural counted alike: sentences without a distractor, with one, with several, and nonce ones. Reruns are on the sentences of Gulordava and of Linzen, the real BERT on Gulordava's; where it has no interval these are too few, of one construction."}, "image": {"alt": "Horizontal bars: balanced accuracy without distractor, with one, with several and in nonce sentences, for every network there is, beside a line at one half. mpnet and bert-base stay far above it throughout; mini falls to it with several distractors."}}
shown = agreement.series("balanced accuracy")
plotting.bars(shown, "items", chance=0.5, xlim=(0, 1), xlabel="balanced accuracy")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "The same by how many nouns of the other number stand in between, nonsense sentences included."}, "image": {"alt": "Curves: balanced accuracy by number of distracting nouns, for every network there is. Mini falls from 0.8 to 0.7 with the first distractor and to about one half from the second on."}}
shown = agreement.series("balanced accuracy by attractors")
plotting.lines(shown, "attractors", chance=0.5, ylim=(0, 1), ylabel="balanced accuracy", xlabel="distractors")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("syn.agreement.goldberg2019")

# %%
card("syn.agreement.goldberg2019")

# %% [markdown]
# (syn-negation)=
# ### Does "not" change anything?
#
# *A robin is a* \[bird\]. *A robin is not a* \[bird\]? {cite:t}`ettinger2019` found that BERT completes both alike. Does
# the completion that is true without *not* still win with it, and is the first guess the same?

# %%
examples("syn.negation.ettinger2019")

# %%
negation = results("syn.negation.ettinger2019", data="shivagunde2023_ettinger_extended")

# %% mystnb={"figure": {"caption": "True completion preferred without \u201cnot\u201d; the same one, now false, still preferred with it; the same first guess. All are on the extended set by Shivagunde and others (2023); the real BERT's are by its released twenty likeliest words."}, "image": {"alt": "Horizontal bars: accuracy on affirmative sentences, share unmoved by not and share with the same first filler, for every network there is. The trained networks are far above mpnet's untrained twin throughout."}}
asked = {
    "accuracy, affirmative": "true one preferred",
    "unmoved by not": "… and still with “not”",
    "same first filler": "same first guess",
}
shown = named(negation.frames, "measure", asked)
plotting.bars(shown, "measure", xlim=(0, 1), xlabel="share of pairs")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(negation.deciding()))
print("The study's own pairs:")
print(plotting.printed(results("syn.negation.ettinger2019", data="ettinger2019_lm_diagnostics").deciding()))

# %%
found("syn.negation.ettinger2019")

# %%
card("syn.negation.ettinger2019")

# %% [markdown]
# (syn-malformed)=
# ### What happens to predictions in broken sentences?
#
# {cite:t}`ettinger2019` shuffles, truncates and removes arguments. How many of the five likeliest fillers survive? Some
# would be likely anywhere, so *survival* is the overlap beyond that with an unrelated sentence: 0 if nothing particular
# to the sentence is left, 1 if all is.

# %%
examples("syn.malformed.ettinger2019")

# %%
malformed = results("syn.malformed.ettinger2019", data="ettinger2019_lm_diagnostics")

# %% mystnb={"figure": {"caption": "What survives of a sentence's likeliest fillers when it is broken; the study's own sentences."}, "image": {"alt": "Horizontal bars: survival of the likeliest fillers when the object or subject is removed, words are shuffled or the sentence is truncated, for every network there is. Mini keeps most without the object and little when shuffled."}}
shown = malformed.series("survival")
plotting.bars(shown, "perturbation", chance=0.0, xlim=(-0.2, 1), xlabel="survival")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("syn.malformed.ettinger2019")

# %%
card("syn.malformed.ettinger2019")

# %% [markdown]
# (syn-npi)=
# ### Negative polarity items: the item, its licensor, its scope
#
# *Any*, *ever* and *yet* need a licensor such as *no* or *if*, and must stand in its scope: *No guest who thanked the
# host has ever sung* is fine, *The guest who thanked no host has ever sung* is not. {cite:t}`warstadt2019` ask in several
# ways, and so do we: which of two sentences is likelier (*minimal pairs*), which of two words fills the gap (*cloze*),
# and what a linear classifier says of acceptability (*probe*). Look at licensors from panel to panel: the three do not agree on
# which network knows them.

# %%
examples("syn.npi.warstadt2019")

# %%
npi = results("syn.npi.warstadt2019", data="warstadt2019_npi")

# %% mystnb={"figure": {"caption": "Share right by method and phenomenon, on the study's own sentences; one half is chance."}, "image": {"alt": "Three panels of horizontal bars, one per method: share right for licensors, polarity items and scope, for every network there is."}}
panels = plotting.panels(3, 1.9, sharex=True, sharey=True)
for ax, method in zip(panels, ("minimal pairs", "cloze", "probe")):
    names = {"licensor": "licensor", "npi": "polarity item", "scope": "scope"}
    shown = named(npi.series("accuracy", method=method), "phenomenon", names)
    plotting.bars(shown, "phenomenon", chance=0.5, ax=ax, title=method, xlim=(0, 1), xlabel="share right")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(npi.deciding()))

# %%
found("syn.npi.warstadt2019")

# %%
card("syn.npi.warstadt2019")

# %% [markdown]
# ## What its vectors tell
#
# (syn-probing)=
# ### Parts of speech, chunks and relations, layer by layer
#
# A *probe* is a small classifier that is given a word's vector and must tell its part of speech. {cite:t}`tenney2019b`
# and {cite:t}`liu2019a` found that it does this well on BERT's vectors, and chunks and relations too. A good score alone
# says little, so there are controls: the embeddings, an untrained network, and *control labels*, one drawn at random for
# each word type, which can only be memorised {cite:p}`hewitt2019control`.

# %%
examples("syn.pos_chunks_deps.tenney2019b")

# %%
ewt = results("syn.pos_chunks_deps.tenney2019b", data="ud_english_ewt")
conll = results("syn.pos_chunks_deps.tenney2019b", data="nltk_corpora")

# %% mystnb={"figure": {"caption": "The real BERT: F1 of released probes, from the embeddings alone and from a learnt mix of all layers."}, "image": {"alt": "Horizontal bars: F1 of released probes of bert-base for parts of speech, constituents and dependencies, from the embeddings and from a mix of all layers; the mix is higher throughout."}}
views = ("input embeddings", "mix of all layers")
id = "syn.pos_chunks_deps.tenney2019b"
mixed = {view: released(id, "F1", of=BERT, view=view)[BERT] for view in views}
plotting.bars(mixed, "task", xlim=(0, 1), xlabel="F1", colours=(plotting.QUIET, ITS_COLOUR))
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Accuracy of a linear probe by layer: parts of speech and relations on EWT, chunks on CoNLL-2000."}, "image": {"alt": "Three panels: accuracy of a linear probe by layer for parts of speech, chunks and relations, for every network there is, and for control labels from mpnet's vectors."}}
panels = plotting.panels(3, 1.9, sharex=True, sharey=True)
for ax, run, task in zip(panels, (ewt, conll, ewt), ("parts of speech", "chunks", "relations")):
    shown = run.series("accuracy", task=task)
    if task != "relations":
        shown[f"{run.title}, control labels"] = plotting.rows_of(run.rows, "control accuracy", task=task)
    plotting.lines(shown, "layer", ax=ax, title=task, ylim=(0.3, 1), ylabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(mixed))

# %%
found("syn.pos_chunks_deps.tenney2019b")

# %%
card("syn.pos_chunks_deps.tenney2019b")

# %% [markdown]
# (syn-hierarchical)=
# ### Structure, or only position?
#
# *The girl who **can** swim **will** win.* The first auxiliary is not the main one. {cite:t}`lin2019` train a probe to
# find the main auxiliary (or the subject's head noun) where the first candidate happens to be right, and test it where
# the first is wrong. A probe that learnt "take the first" falls to zero. One that learnt "not the one after *who*" does
# well, and has seen no structure either; so what decides is the lead over the best of a coin, the embeddings, and a probe on
# a word and those beside it, up to two on each side.

# %%
examples("syn.hierarchical.lin2019")

# %%
hierarchical = results("syn.hierarchical.lin2019", data="lin2019_open_sesame")

# %% mystnb={"figure": {"caption": "Share of sentences in which the structurally right word scores above the first candidate, by layer; dotted: mpnet's best rival without structure (auxiliaries: a word and two on each side; nouns: its own embeddings)."}, "image": {"alt": "Two panels, main auxiliary and subject noun: share of sentences in which the right word scores above the first candidate, by layer, for every network there is. The dotted line, the best rival without structure, is at 0.9 on auxiliaries, far above mini, and at 0.99 on nouns, three points above it."}}
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, condition in zip(panels, ("main_auxiliary", "subject_noun")):
    shown = hierarchical.series("right by layer", condition=condition)
    labels = {"title": condition.replace("_", " "), "ylabel": "right above first", "ylim": (-0.02, 1.02)}
    rival = hierarchical.value("right by best rival", condition=condition)
    plotting.lines(shown, "layer", chance=rival, reference="best rival", ax=ax, **labels)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(hierarchical.deciding()))

# %%
found("syn.hierarchical.lin2019")

# %%
card("syn.hierarchical.lin2019")

# %% [markdown]
# (syn-distant-parents)=
# ### Can a word tell its grandparent?
#
# Can a word's vector tell which relation its parent in the tree has to *its* parent, and so on upward?
# {cite:t}`liu2019a` found the answer fading with distance. All three are asked of words with three ancestors; for
# great-grandparents one answer is right of half of them, so we count what share of the commonest answer's errors the probe
# removes.

# %%
examples("syn.distant_parents.liu2019a")

# %%
ancestors = results("syn.distant_parents.liu2019a", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of the commonest answer's errors that a linear probe removes, by ancestor; EWT."}, "image": {"alt": "Horizontal bars: share of errors removed for the relation of parent, grandparent and great-grandparent, for every network there is; it falls with distance."}}
shown = ancestors.series("errors removed")
plotting.bars(shown, "ancestor", chance=0.0, xlabel="share of errors removed")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(ancestors.deciding()))

# %%
found("syn.distant_parents.liu2019a")

# %% tags=["brief"]
card("syn.distant_parents.liu2019a")

# %% [markdown]
# (syn-structural-probe)=
# ### Is a tree one linear map away?
#
# {cite:t}`hewitt2019` look for a matrix under which the squared distance of two words' vectors is the number of steps
# between them in the dependency tree. The tree with the shortest edges under that distance is compared with the gold one:
# *UUAS* is the share of gold edges found, whatever their direction. Linking neighbours finds many edges already.

# %%
examples("syn.structural_probe.hewitt2019")

# %%
structural = results("syn.structural_probe.hewitt2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "UUAS by layer, and by rank of the probe at the layer chosen on dev (reruns on EWT, after 3,000 sentences; bert-base, layer 7, as released, on the Penn Treebank). Dotted: the chain of neighbours on EWT."}, "image": {"alt": "Above: UUAS of the structural probe by layer; mini is highest at layer 1 and falls below mpnet's flat untrained twin, mpnet and MiniLM reach 0.7. Below: UUAS by rank of the probe; bert-base rises to 0.8, mpnet and MiniLM lie between it and mini, and the twin is lowest."}}
left, right = plotting.panels(2, sharey=True)
chain = structural.value("UUAS of the chain")
both = structural.series("UUAS")
plotting.lines(both, "layer", ax=left, ylabel="UUAS", ylim=(0, 0.9))
left.axhline(chain, color=plotting.QUIET, linestyle=":")
ranks = structural.series("UUAS by rank")
row = ledger.row("syn.structural_probe.hewitt2019")
real = next(r.figures["UUAS"] for r in row.reported if "UUAS" in r.figures)
right.plot([2**k for k in range(len(real))], real, "^-", ms=4, color=ITS_COLOUR, label="bert-base, released")
plotting.lines(ranks, "rank", ax=right, xlabel="rank of the probe")
right.set_xscale("log", base=2)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(structural.series("UUAS")), f"\nchain of neighbours: {chain:.3f}")

# %%
found("syn.structural_probe.hewitt2019")

# %%
card("syn.structural_probe.hewitt2019")

# %% [markdown]
# (syn-parsing-as-tagging)=
# ### Can a tree be rebuilt word by word?
#
# {cite:t}`vilares2020` turn parsing into tagging: each word gets one label that says where its head is (*the second noun
# to the left*), told by a linear layer from the word's vector. {cite:t}`kim2020` train nothing: they split a sentence
# where neighbouring vectors lie farthest apart. *UAS* is the share of words with the right head.

# %%
examples("syn.trees_from_vectors.vilares2020")

# %%
parsing = results("syn.trees_from_vectors.vilares2020", data="ud_english_ewt")
phrases = results("syn.trees_from_vectors.vilares2020", data="nltk_corpora")

# %% mystnb={"figure": {"caption": "Words with the right head by a linear tagger, by layer, on EWT; dotted: every word depends on its neighbour."}, "image": {"alt": "Curves: UAS of parsing as tagging by layer, for every network there is; mini rises from layer 0 to 1 and then falls slowly. A dotted line marks the chain."}}
ax = plotting.lines(parsing.series("UAS"), "layer", ylabel="UAS", ylim=(0, 1))
ax.axhline(parsing.value("UAS of the chain"), color=plotting.QUIET, linestyle=":")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(parsing.series("UAS")))
for measure in ("F1 of constituents", "F1 of baseline"):
    print(plotting.printed(phrases.series(measure)))

# %%
found("syn.trees_from_vectors.vilares2020")

# %% tags=["brief"]
card("syn.trees_from_vectors.vilares2020")

# %% [markdown]
# (syn-tpdn)=
# ### What holds \[CLS\] together?
#
# If the vector of \[CLS\] were a sum of words bound to places, which places would they be? {cite:t}`jawahar2019` rebuild
# it from word embeddings multiplied with role embeddings: positions from the left, from the right, from both ends, paths
# in the tree, or one role for all (a bag of words). An error of 1 is that of always predicting the mean vector.

# %%
examples("syn.tpdn.jawahar2019")

# %%
tensor = results("syn.tpdn.jawahar2019", data="builtin")

# %% mystnb={"figure": {"caption": "Error of rebuilding the vector of [CLS] on unseen generated sentences, by roles; 1 is the mean vector's."}, "image": {"alt": "Horizontal bars: error of rebuilding the CLS vector by role scheme for every network there is."}}
shown = tensor.series("error")
plotting.bars(shown, "roles", xlim=(0, 1.1), xlabel="error")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("syn.tpdn.jawahar2019")

# %% tags=["brief"]
card("syn.tpdn.jawahar2019")

# %% [markdown]
# (syn-concatenated)=
# ### What do concatenated vectors tell of a sentence?
#
# {cite:t}`miaschi2020` probe for properties of whole sentences: depth of the tree, length of arcs, shares of parts of
# speech. We concatenate word vectors and fit a ridge regression. Long sentences have deep trees, so every regression is
# given the number of words, which alone is one rival; the embeddings, which count words, are the other.

# %%
examples("syn.concatenated.miaschi2020")

# %%
whole = results("syn.concatenated.miaschi2020", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Rank correlation with properties of EWT's sentences: the vectors, its embeddings, and the number of words alone."}, "image": {"alt": "Horizontal bars by sentence property: rank correlation of a network's vectors, of its embeddings and of length alone."}}
kinds = {"vectors": "Spearman", "embeddings": "Spearman of layer 0", "length alone": "Spearman of length"}
shown = {name: plotting.rows_of(whole.rows, measure) for name, measure in kinds.items()}
ax = plotting.axes(figsize=(plotting.NARROW, 5.5))
colours = (plotting.COLOURS[0], *plotting.KINDS)
plotting.bars(shown, "feature", ax=ax, title=whole.title, xlabel="rank correlation", xlim=(0, 1), colours=colours)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))

# %%
found("syn.concatenated.miaschi2020")

# %% tags=["brief"]
card("syn.concatenated.miaschi2020")

# %% [markdown]
# (syn-mdl)=
# ### Does description length see what accuracy does not?
#
# A probe may reach the same accuracy on labels that are plain in the vectors and on labels it has to memorise.
# {cite:t}`voita2020` count effort as well: how many bits does it take to send the labels to somebody who has the vectors
# and learns as the labels come in? *Compression* is how many times shorter this code is than a uniform one.

# %%
examples("syn.mdl.voita2020")

# %%
mdl = results("syn.mdl.voita2020", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Accuracy against compression for parts of speech on EWT, a mark per layer; hollow marks are control labels, drawn at random for each word type."}, "image": {"alt": "Scatter: accuracy against compression, one mark per layer, for real and control labels of a network and of its untrained twin; a trained network's real labels lie far up and right of all others."}}
ax = plotting.axes(figsize=(plotting.NARROW, 3.2))
for name, frame in mdl.frames.items():
    place = plotting.look(name)
    colour, marker = plotting.COLOURS[place], plotting.MARKERS[place]
    for kind in ("real", "control"):
        each = frame[frame["labels"] == kind]
        x, y = (each[each["measure"] == m]["value"] for m in ("accuracy", "compression"))
        face = colour if kind == "real" else "none"
        ax.scatter(x, y, label=f"{plotting.SHORT.get(name, name)}, {kind} labels", marker=marker, edgecolor=colour, facecolor=face)
ax.set(xlabel="accuracy", ylabel="compression")
ax.legend()
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(mdl.deciding()))

# %%
found("syn.mdl.voita2020")

# %% tags=["brief"]
card("syn.mdl.voita2020")

# %% [markdown]
# (syn-probe-size)=
# ### How large may a probe be?
#
# {cite:t}`liu2019a` ask how complex a probe may be: if a larger one finds more, is that still the network's? We let one layer of
# hidden units grow. Beside part of speech every probe learns labels drawn at random for each word, which no vector can know and a
# probe can only learn by heart {cite:p}`hewitt2019control`; and part of speech from the vectors of an untrained network.

# %%
examples("syn.probe_size.liu2019a")

# %%
sizes = results("syn.probe_size.liu2019a", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Accuracy of probes without hidden units and with 16 and 64 of them, for parts of speech on EWT and for labels drawn at random for each word."}, "image": {"alt": "Two panels of horizontal bars by size of the probe: accuracy on parts of speech, and on labels drawn by word, for every network there is."}}
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, (title, measure) in zip(panels, {"parts of speech": "accuracy", "random labels": "control accuracy"}.items()):
    plotting.bars(sizes.series(measure), "probe", ax=ax, title=title, xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("accuracy", "control accuracy"):
    print(plotting.printed(sizes.series(measure)))

# %%
found("syn.probe_size.liu2019a")

# %%
card("syn.probe_size.liu2019a")

# %% [markdown]
# (syn-amnesic)=
# ### Does BERT use part of speech when it predicts?
#
# That a probe finds something does not mean the model uses it. {cite:t}`elazar2020` erase it: every direction from which
# a linear probe can tell the part of speech is taken out, and the predictions at masks are compared with those after
# taking out as many random directions. A mask's vector says which word is meant, though, so any labels of words can be taken
# out and are missed; labels drawn by word are the stricter control.

# %%
examples("syn.amnesic.elazar2020")

# %%
amnesic = results("syn.amnesic.elazar2020", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Masked words of EWT that one network (the title names it) no longer guesses, by what was erased and after which layer."}, "image": {"alt": "Horizontal bars by layer: drop of masked-word accuracy after erasing part of speech, as many random directions, and labels drawn by word."}}
kinds = ("part of speech", "random", "control labels")
shown = {kind: plotting.rows_of(amnesic.rows, "drop of accuracy", erased=kind) for kind in kinds}
shown = {kind: rows.assign(after=[f"layer {int(k)}" for k in rows["layer"]]) for kind, rows in shown.items()}
plotting.bars(shown, "after", title=amnesic.title, xlabel="drop of accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(amnesic.series("probe over majority")))

# %%
found("syn.amnesic.elazar2020")

# %%
card("syn.amnesic.elazar2020")

# %% [markdown]
# (syn-formalism)=
# ### One relation, two formalisms: the same layers?
#
# {cite:t}`kuznetsov2020` warn that *where* a probe finds semantic roles depends on whose roles they are. We probe the same
# pairs of predicate and argument for a PropBank label and for proto-role properties (did it exist before? did it act on
# purpose?).

# %%
examples("syn.formalism.kuznetsov2020")

# %%
formalism = results("syn.formalism.kuznetsov2020", data="uds_decomp")

# %% mystnb={"figure": {"caption": "Score of a linear probe by layer, for role labels and for proto-role properties of the same pairs."}, "image": {"alt": "Two panels: score by layer for role labels, and for proto-role properties, for every network there is; mini gains 0.06 and 0.01 over its embeddings."}}
panels = plotting.panels(2, sharex=True, sharey=True)
for ax, name in zip(panels, ("role label", "proto-role properties")):
    plotting.lines(formalism.series("score", formalism=name), "layer", ax=ax, title=name, ylabel="score")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("gain of the best layer over layer 0", "centre later by"):
    print(plotting.printed(formalism.series(measure)))

# %%
found("syn.formalism.kuznetsov2020")

# %% tags=["brief"]
card("syn.formalism.kuznetsov2020")

# %% [markdown]
# ## Trees without a classifier
#
# (syn-attention-trees)=
# ### Is there a whole tree in any attention map?
#
# Does any one head hold the whole dependency tree? {cite:t}`htut2019` let every head try: the attention between the words
# becomes the scores of arcs, the gold root is given away, and the best spanning tree is compared with the gold one (UUAS).
# We read each map both ways, and choose the best head on one part of the sentences to score it on another. The tree to
# beat is cheap: link every word with its neighbour.

# %%
examples("syn.no_tree_in_attention.htut2019")

# %%
attention = results("syn.no_tree_in_attention.htut2019", data="ud_english_ewt")

# %% mystnb={"figure": {"caption": "Share of EWT's edges found by the best head's tree, by linking neighbours, by random trees, and by a head with the gold arcs mixed in, which shows that the instrument works."}, "image": {"alt": "Horizontal bars: UUAS of the best head, a planted head, the chain of neighbours and random trees, for every network there is."}}
shown = attention.series("UUAS")
plotting.bars(shown, "tree", xlim=(0, 1), xlabel="edges found (UUAS)")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "The real BERT: trees from the attention of bert-base-cased averaged over the heads of a block, as released by others; dotted, the undirected chain."}, "image": {"alt": "Curve: attachment of trees from attention averaged over the heads of a block, for bert-base-cased, below the dotted line of the chain in every block."}}
records = evidence.find("syn.no_tree_in_attention.htut2019")
notes = {r.model: r.frame for r in records if r.data.endswith("westera_bertology")}
rows = plotting.rows_of(notes["bert-base-cased"], "attachment", method="attention")
rows = rows.assign(block=rows["layer"].astype(int) + 1)
ax = plotting.lines({"bert-base-cased": rows}, "block", ylim=(0, 0.5), ylabel="attachment", colours=[ITS_COLOUR])
chain = plotting.rows_of(notes["left chain"], "attachment", method="undirected")["value"].item()
ax.axhline(chain, color=plotting.QUIET, linestyle=":")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed({"bert-base-cased": rows}), f"\nundirected chain: {chain:.3f}")

# %%
found("syn.no_tree_in_attention.htut2019")

# %% tags=["brief"]
card("syn.no_tree_in_attention.htut2019")

# %% [markdown]
# (syn-perturbed-masking)=
# ### Perturbed masking: are there trees without a probe?
#
# A probe can learn what it is asked to find. {cite:t}`wu2020` need none. Hide a word and take its vector; hide a second
# word as well and take it again. The distance is the *impact* of the second word on the first, and the impacts are scores
# of arcs, which a decoder turns into a tree.
#
# Beware of rare words: heads are rare, and if hiding a rare word changed more, impacts would look like trees without any
# syntax. So an arc is compared with pairs whose hidden word is as rare. Folded under the figure is one sentence, as in
# the survey's first figure {cite:p}`rogers2020`.
#
# That sentence, and the tree that is decoded from its impacts:

# %%
treebank = load_data("treebank", "builtin", n=200)["treebank"]
sentence = next(s for s in treebank if len(s.words) == 9 and "nmod" in s.deprels)
matrix = perturb.impact(subject, sentence.words)
decoded = trees.eisner(matrix.T, sentence.heads.index(-1))
same = trees.attached(decoded, sentence.heads)
print(f"{int(same.sum())} of {len(same)} gold edges are in the decoded tree, whichever end is the head")

# %%
examples("syn.perturbed_masking.wu2020")

# %%
masking = results("syn.perturbed_masking.wu2020", data="ud_english_pud")

# %% mystnb={"figure": {"caption": "Share of PUD's edges found by trees from impacts (projective, and any spanning tree), by the rarity and nearness of words, by linking neighbours and by random projective trees."}, "image": {"alt": "Horizontal bars: UUAS of trees decoded from impacts by two decoders, of rare and near words, of the chain of neighbours and of random projective trees, for every network there is. Rare and near words find more than mini, which is hardly above the chain."}}
shown = masking.series("UUAS")
plotting.bars(shown, "tree", xlim=(0, 1), xlabel="edges found (UUAS)")
plotting.plt.show()

# %% mystnb={"figure": {"caption": "Impact of hiding each word (columns) on the vector of each word (rows) of one sentence, in the network loaded above (by default mini). Lighter is more; rings mark gold heads."}, "image": {"alt": "Heatmap: impact of hiding each word (columns) on the vector of each word (rows) of one sentence, with rings on the gold heads."}} tags=["hide-input"]
ax = plotting.axes(figsize=(plotting.NARROW, 3.6))
labels = {"xlabel": "also hidden", "ylabel": "word looked at", "label": "impact"}
plotting.heatmap(matrix, sentence.words, sentence.words, ax=ax, digits=1, **labels)
arcs = [(head, word) for word, head in enumerate(sentence.heads) if head >= 0]
cells = [(head + 0.5, word + 0.5) for head, word in arcs]  # their centres
ax.scatter(*zip(*cells), s=420, facecolors="none", edgecolors="#D55E00", linewidths=2)
plotting.plt.show()

# %% mystnb={"figure": {"caption": "The tree decoded from the impacts in this sentence: full lines are gold arcs, dashed ones are not."}, "image": {"alt": "Arcs over the words of the sentence: the tree decoded from the impact matrix, gold arcs as full lines, others dashed."}} tags=["hide-input"]
edges = [(int(head), word) for word, head in enumerate(decoded) if head >= 0]
plotting.arcs(sentence.words, edges, right=arcs)
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(masking.deciding()))

# %%
found("syn.perturbed_masking.wu2020")

# %%
card("syn.perturbed_masking.wu2020")

# %% [markdown]
# ## What fine-tuning makes of it
#
# (syn-structural-bias)=
# ### Which rule does fine-tuning prefer?
#
# All training sentences of {cite:t}`warstadt2020` fit two rules: one speaks of structure (*the main verb is in the past
# tense*), one of the surface (*the first verb is*). New sentences tell which was learnt. There are four such tasks. A
# classifier that says the same of every sentence sides with the structure in half of them.

# %%
examples("syn.structural_bias.warstadt2020")

# %%
bias = results("syn.structural_bias.warstadt2020", data="builtin")

# %% mystnb={"figure": {"caption": "Share of disambiguating sentences in which the tuned classifier sides with the structural rule, by task; generated sentences."}, "image": {"alt": "Horizontal bars by task: share of sentences in which the tuned classifier sides with the structural rule, for every network there is."}}
names = {k: k for k in ("inversion", "reflexive", "tense")} | {"npi": "polarity item"}
shown = named(bias.series("structural choice"), "condition", names)
plotting.bars(shown, "condition", chance=0.5, xlim=(0, 1), xlabel="structural rule preferred")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(shown))
print(plotting.printed(bias.series("accuracy, ambiguous")))

# %%
found("syn.structural_bias.warstadt2020")

# %% tags=["brief"]
card("syn.structural_bias.warstadt2020")

# %% [markdown]
# (syn-triggers)=
# ### Do three words flip any text?
#
# {cite:t}`wallace2019a` put a few words in front of a text, any text, and the classifier changes its mind. The words are
# found by gradients: which token would raise the loss most? We tune a sentiment classifier and look for three words
# against each class, among words that none of the training texts has. Random words are the control; transfer is tried on
# another seed, and on a model with half of the layers.

# %%
examples("syn.triggers.wallace2019a")

# %%
attack = results("syn.triggers.wallace2019a", data="glue_sst2")

# %% mystnb={"figure": {"caption": "Accuracy without a trigger, with random words and with the words found, on the model attacked, on another seed and on a smaller model; reviews of SST-2."}, "image": {"alt": "Horizontal bars: accuracy without trigger, with random triggers and with the trigger found, on the same model, another seed and another size. The words found bring all three far below a coin; random words cost next to nothing."}}
texts = ("no trigger", "random trigger", "trigger")
shown = {text: plotting.rows_of(attack.rows, "accuracy", text=text) for text in texts}
plotting.bars(shown, "attacked", title=attack.title, xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
print(plotting.printed(attack.deciding()))

# %%
found("syn.triggers.wallace2019a")

# %% tags=["brief"]
card("syn.triggers.wallace2019a")

# %% [markdown]
# (syn-parsing-first)=
# ### Does it help to parse first?
#
# If syntax helps understanding, a model that has learnt to parse should be tuned to better effect. {cite:t}`glavas2020`
# train a dependency parser on top of the encoder, keep the encoder, and fine-tune it on entailment. We do the same on
# film reviews, with and without that stage. *Little difference* means that the whole interval lies within three points.

# %%
examples("syn.intermediate_parsing.glavas2020")

# %%
first = results("syn.intermediate_parsing.glavas2020", data="glue_sst2")

# %% mystnb={"figure": {"caption": "Accuracy on film reviews of SST-2, tuned after a stage of parsing and without it."}, "image": {"alt": "Bars: accuracy of MiniLM on film reviews, tuned after a stage of parsing, 0.86, and without it, 0.87."}}
plotting.bars(first.series("accuracy"), "arm", chance=0.5, title=first.title, xlim=(0, 1), xlabel="accuracy")
plotting.plt.show()

# %% tags=["hide-output"]
for measure in ("accuracy", "parsing UAS", "parsing UAS over chain"):
    print(plotting.printed(first.series(measure)))

# %%
found("syn.intermediate_parsing.glavas2020")

# %% tags=["brief"]
card("syn.intermediate_parsing.glavas2020")

# %% [markdown]
# (syn-method-favours-model)=
# ### Does the method decide which model wins?
#
# {cite:t}`htut2019` find that of BERT and RoBERTa one leads by one way of reading trees and trails by another. That is
# about two published models; our model has no such partner, so the claim waits for both.

# %% tags=["hide-output"]
print(plotting.printed(results("syn.method_favours_model.htut2019").deciding()))

# %%
card("syn.method_favours_model.htut2019")

# %% [markdown]
# (syntax-since)=
# ## Since the survey
#
# {cite:t}`sinha2021` pretrain on shuffled sentences: after tuning such networks still do well on many tasks, and some syntactic
# probes hardly notice. {cite:t}`ravichander2021` come from the other side: networks encode properties that their task does not
# need, even ones that are noise in their data. So a probe's success shows neither order nor use. This is why each probe here has
# an untrained network beside it, and why <a href="../claims/syn.amnesic.elazar2020.html">a property is erased</a> to see what it
# was good for. {cite:t}`belinkov2022` reviews what probes promise and where they fall short. {cite:t}`lasri2022` take the number of
# nouns and verbs out of BERT's vectors, and <a href="../claims/syn.agreement.goldberg2019.html">agreement</a> suffers: this
# encoding is used. {cite:t}`papadimitriou2022` ask where words mislead (*the onion chopped the chef*): there the upper layers of BERT
# do follow word order.

# %% [markdown]
# (syntax-exercise)=
# ## Exercise: How many nouns does it take?
#
# With one noun of the other number between subject and verb `mini` still prefers the right form; with two it does not.
#
# ```python
# from bertology_utils import compare
#
# frames = ("The keys {} old.", "The keys to the cabinet {} old.", "The keys to the cabinet near the door {} old.")
# for frame in frames:
#     table = compare(frame.format("are"), frame.format("is"))
#     print(f"{table['log P'][0] - table['log P'][1]:+.2f} nats for “are”: {frame}")
# ```
#
# Is it the number of nouns, or the distance? Write frames with two nouns that are *plural*, and with adverbs in place of
# nouns. Three frames prove nothing: how many would you need, and what would you draw them from?
