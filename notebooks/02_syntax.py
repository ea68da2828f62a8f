# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
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
# Each claim below has the same four parts: the call that measures it, a figure with 95 % intervals, the plotted numbers
# as text, and a **card** with everything known — what the survey says, what the authors' released outputs give when
# scored again, what this rerun gives for the model and for its *untrained twin* (same architecture, random weights), and
# the verdict with its rule. On another model: set `BERTOLOGY_MODEL` and run the same cells.

# %%
from bertology_utils import card, plotting, run

# %% [markdown]
# (syn-agreement)=
# ## Agreement, with distractors and without meaning
#
# *The key**s** to the cabinet **are** …* — a model that only knew which words stand next to each other would say *is*.
# {cite:t}`goldberg2019` masks the verb and compares the probabilities of its two forms. *Attractors* are nouns of the
# other number between subject and verb; *nonce* sentences keep the structure and drop the sense, as in
# {cite:t}`gulordava2018`.

# %%
agreement = run("syn.agreement.goldberg2019")

# %% mystnb={"image": {"alt": "Horizontal bars: share of sentences in which the model prefers the right verb form, by construction, for the model and its untrained twin; the twin stays at one half."}}
shown = plotting.series(agreement.frames, "accuracy")
plotting.bars(shown, "condition", chance=0.5, xlim=(0, 1), xlabel="right verb form preferred (share of items)")
plotting.show(shown)

# %% mystnb={"image": {"alt": "Two curves: agreement accuracy by number of attractors between subject and verb, for the model and its untrained twin, with interval bands."}}
shown = plotting.series(agreement.frames, "accuracy by attractors")
plotting.lines(shown, "attractors", chance=0.5, ylim=(0, 1.02), ylabel="accuracy")
plotting.show(shown)

# %%
card("syn.agreement.goldberg2019")

# %% [markdown]
# (syn-negation)=
# ## "Not" changes nothing
#
# *A robin is a* \[bird\]. *A robin is not a* \[bird\]? {cite:t}`ettinger2019` found that BERT completes both alike. For
# each pair we ask whether the filler that makes the sentence true beats the one that makes it false; a model deaf to
# *not* is right on the affirmative and wrong on the negated version of the same items.

# %%
negation = run("syn.negation.ettinger2019")

# %% mystnb={"image": {"alt": "Horizontal bars: accuracy on affirmative and on negated sentences for the model and its untrained twin."}}
pair = {"affirmative": "accuracy, affirmative", "negated": "accuracy, negated"}
subject = negation.records[0].model
shown = {name: plotting.series(negation.frames, measure)[subject] for name, measure in pair.items()}
plotting.bars(shown, "set", chance=0.5, xlim=(0, 1), xlabel="true filler preferred (share of items)")
plotting.show(shown)

# %%
for measure in ("affirmative - negated", "unmoved by not", "top-5 overlap"):
    print(plotting.printed(plotting.series(negation.frames, measure)))
card("syn.negation.ettinger2019")

# %% [markdown]
# (syn-malformed)=
# ## Broken sentences, much the same predictions
#
# If word order mattered to the prediction, shuffling the context should change it. {cite:t}`ettinger2019` shuffles,
# truncates and removes arguments. We count how many of the five likeliest fillers survive, beyond those an unrelated
# sentence would share anyway.

# %%
malformed = run("syn.malformed.ettinger2019")

# %% mystnb={"image": {"alt": "Horizontal bars: overlap of the five likeliest fillers before and after each perturbation, less the overlap with an unrelated sentence."}}
shown = plotting.series(malformed.frames, "overlap over control")
plotting.bars(shown, "perturbation", xlabel="top-5 overlap, less that with an unrelated item")
plotting.show(shown)
card("syn.malformed.ettinger2019")
