"""Which example a claim has: what is asked, who shows it, and from how many items it is drawn.

A claim that is not here is shown by its own experiment on few items (`example.experimented`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..finetune.restoring import attention_change
from . import gaps, heads, languages, maps, probes, readings, smaller, trees, tuned, vectors
from .text import Show


@dataclass(frozen=True)
class Example:
    """How a claim is shown.

    Attributes
    ----------
    question : str
        What the network is asked, for a reader who sees the items for the first time.
    show : callable
        ``(subject, data, settings) -> lines``.
    n : int or None
        Items of each task that are loaded, of which two are shown and the others learnt or chosen from; None for as many
        as the claim takes, where few would not hold together.
    """

    question: str
    show: Show
    n: int | None = 60


def _tuned(what: str, others: tuned.Ways, *tasks: str) -> Example:
    """Two texts put to a network that is tuned now, and to others."""
    return Example(
        f"How sure of the right label is a network tuned now, and {what}", tuned.compared(others, *tasks), 120
    )


EXAMPLES: dict[str, Example] = {
    # embeddings
    "emb.context_specificity.ethayarajh2019": Example(
        "How alike are a word's vectors in two sentences?", vectors.in_context
    ),
    "emb.anisotropy.ethayarajh2019": Example("How alike are the vectors of two unrelated words?", vectors.cone),
    "emb.context.klafka2020": Example("Of which part of speech are the words beside this one?", probes.beside, 80),
    "emb.postprocessing.mu2018": Example(
        "How alike are two texts before and after the directions that all vectors share are removed?",
        vectors.postprocessed,
        100,
    ),
    "emb.static_distillation.bommasani2020": Example(
        "How alike are two words, each alone and averaged over sentences?", vectors.static, 1500
    ),
    "emb.bleached.may2019": Example(
        "How much nearer is each word to the first set of attributes than to the second?", vectors.bleached
    ),
    "emb.sense_clusters.wiedemann2019": Example(
        "Which sense has a word, by its nearest neighbours of known sense?", vectors.senses, 200
    ),
    "emb.segment_position.mickus2019": Example(
        "How much does a word's vector change when its sentence comes second instead of first?", vectors.segments
    ),
    "emb.token_identity.voita2019a": Example(
        "Which word was it, by the nearest vector of other sentences, layer by layer?", vectors.identity
    ),
    "emb.sentence_pooling.toshniwal2020": Example(
        "How alike are two sentences, by several vectors for a sentence?", vectors.sentences
    ),
    # syntax
    "syn.hierarchical.lin2019": Example(
        "Does a probe that could have learnt “take the first” find the right word where the first is wrong?",
        probes.structure,
        200,
    ),
    "syn.pos_chunks_deps.tenney2019b": Example(
        "Which part of speech has a word, which relation two words?", probes.tasks("POS", "dependencies"), 80
    ),
    "syn.distant_parents.liu2019a": Example(
        "Which relation has a word's parent in the tree, its grandparent, and so on?", probes.ancestors, 150
    ),
    "syn.structural_bias.warstadt2020": Example(
        "Does a tuned classifier follow the structure where the surface says otherwise?", tuned.rules, 300
    ),
    "syn.trees_from_vectors.vilares2020": Example(
        "Which tree, and which constituents, come out of the words' vectors?", trees.unprobed, 120
    ),
    "syn.no_tree_in_attention.htut2019": Example(
        "Which tree comes out of the attention map of the best head?", trees.spanning, 60
    ),
    "syn.structural_probe.hewitt2019": Example(
        "Which tree is nearest under a linear map fitted on other sentences?", trees.probed, 150
    ),
    "syn.tpdn.jawahar2019": Example(
        "How well is [CLS] rebuilt from words bound to roles, by the scheme of roles?", trees.rebuilt, 120
    ),
    "syn.concatenated.miaschi2020": Example(
        "What do all word vectors of a sentence together say of its structure?", readings.properties, 150
    ),
    "syn.perturbed_masking.wu2020": Example("Which words change most when another one is masked?", trees.masking),
    "syn.agreement.goldberg2019": Example("Which form of the verb is likelier in the gap?", gaps.choices),
    "syn.npi.warstadt2019": Example("Which of two sentences is likelier?", gaps.minimal_pairs),
    "syn.negation.ettinger2019": Example("Does “not” change what is likely in the gap?", gaps.negation),
    "syn.malformed.ettinger2019": Example("Which fillers stay likely when the sentence is broken?", gaps.malformed),
    "syn.triggers.wallace2019a": Example(
        "What does a tuned classifier (label 1: praise) say with nonsense in front of a text?", tuned.fooled, 150
    ),
    "syn.intermediate_parsing.glavas2020": Example(
        "What does a network parse that was tuned on trees, and what does that stage change for a text?",
        tuned.parsed,
        200,
    ),
    "syn.amnesic.elazar2020": Example(
        "What is predicted for a masked word once parts of speech are erased?", readings.forgotten, 120
    ),
    "syn.mdl.voita2020": Example("How many bits does each label cost, given the vectors?", readings.code_length, 40),
    "syn.probe_size.liu2019a": Example(
        "Which part of speech has a word, and which label that was drawn at random, by probes of growing size?",
        readings.sizes,
        80,
    ),
    "syn.formalism.kuznetsov2020": Example(
        "Which role has the second span to the first, and which properties?", readings.formalisms, 150
    ),
    # semantics
    "sem.roles.ettinger2019": Example("Which word fits its role in the scene?", gaps.graded),
    "sem.edge_probing.tenney2019b": Example(
        "What is the span, or what are the two spans to one another?", probes.edge_probing, 150
    ),
    "sem.numbers.wallace2019b": Example("Which number is it, by its vector?", vectors.numbers, 400),
    "sem.name_brittleness.balasubramanian2020": Example(
        "Whom does the pronoun mean, and whom when somebody has another name?", readings.renamed_people, 120
    ),
    "sem.ner_f1.tenney2019a": Example(
        "Of which type is the name, and is another one in its place?", probes.renamed, 300
    ),
    # world knowledge
    "wld.pragmatic.ettinger2019": Example("Which completion is likelier?", gaps.graded),
    "wld.attributes.da2019": Example("Is the statement true (label 1)?", readings.statements, 200),
    "wld.lama.petroni2019": Example("Which word completes the fact?", gaps.facts),
    "wld.closed_book.roberts2020": Example("What does a model that writes texts answer?", gaps.answered),
    "wld.triples.davison2019": Example(
        "What does each end of a triple (label 1: true) tell of the other, in nats per piece?", gaps.associated
    ),
    "wld.templates.jiang2019b": Example("Which word completes one fact, worded in several ways?", gaps.wordings, None),
    "wld.affordances.forbes2019": Example(
        "Is the statement true (label 1), and which of two things is larger?", readings.statements_and_sizes, 200
    ),
    "wld.inference_steps.richardson2019": Example(
        "Which answer gains most by its context, in nats per piece?", gaps.questions, None
    ),
    "wld.stereotype_names.poerner2019": Example(
        "What does a name give away, beyond the sentence without it?", gaps.origins, 200
    ),
    # attention heads
    "hed.patterns.kovaleva2019": Example("Which pattern has each head's map of two sentences?", maps.shapes, 20),
    "hed.syntactic.clark2019": Example(
        "Does the best head for a relation look from a word at its head?", heads.syntactic
    ),
    "hed.combination.hoover2019": Example(
        "Do several heads together find a word's head in the tree?", heads.combined, 80
    ),
    "hed.no_full_tree.clark2019": Example("How much of a tree does one head find?", heads.whole_tree),
    "hed.tuned_on_trees.kondratyuk2019": Example(
        "How much of a tree does one head find, before and after tuning on trees?", heads.tuned_tree, 120
    ),
    "hed.negation_scope.zhao2020": Example("Which words are in the scope of the negation?", heads.negation, 120),
    "hed.coreference.clark2019": Example("Whom does a pronoun attend to?", heads.coreference),
    "hed.agreement_attention.lin2019": Example("Which noun does the verb attend to?", heads.agreement),
    "hed.subwords.correia2019": Example("Do the pieces of one word attend to one another?", maps.joined),
    "hed.frames.kovaleva2019": Example(
        "How much do predicate [1] and argument [2] attend to one another?", heads.predicates
    ),
    "hed.lexical_relations.cui2020": Example("How much do two related words attend to one another?", heads.concepts),
    "hed.redundancy.clark2019": Example("How alike are the maps of the heads?", maps.alike, 60),
    "hed.special_tokens.clark2019": Example(
        "How much attention do special tokens get, block by block?", maps.special, 40
    ),
    "hed.norms.kobayashi2020": Example(
        "How much attention do special tokens get, by weights and with the vectors' lengths?", maps.weighted, 40
    ),
    "hed.special_tokens_removed.clark2019": Example(
        "What does it cost a masked piece that nobody attends to a token?", maps.without, 40
    ),
    "hed.heavy_lifters.prasanna2020": Example(
        "Which heads does a tuned network need most, and what do their maps look like?", smaller.lifters, 150
    ),
    "hed.explanation_debate.jain2019": Example(
        "What changes when attention weights are shuffled, and what when words are left out?", maps.explained, 40
    ),
    # layers
    "lay.word_order.lin2019": Example(
        "Which place in the sentence has a word, counted from 0?", probes.word_order, 100
    ),
    "lay.hierarchy.lin2019": Example(
        "Does the right word score above the first one, layer by layer?", probes.structure, 200
    ),
    "lay.tree_depth.hewitt2019": Example("Which tree do probes find in which layer?", trees.probed, 150),
    "lay.agreement.goldberg2019": Example(
        "In which layers is the right form of the verb the likelier one?", gaps.agreement_by_layer, 80
    ),
    "lay.sentence_tasks.jawahar2019": Example(
        "What do sentence vectors tell of length, structure and meaning?", probes.whole_sentences, 200
    ),
    "lay.transferability.liu2019a": Example(
        "Which label has a word or a pair, by the layer?", probes.tasks("chunks", "relations", "entities"), 120
    ),
    "lay.pipeline.tenney2019a": Example(
        "From which layer on is the answer what it stays?", probes.mixed("dependencies", "POS", "coreference"), 60
    ),
    "lay.chunks_conflict.liu2019a": Example("Which chunk does a word begin or go on with?", probes.tasks("chunks"), 80),
    "lay.task_specific.liu2019a": Example(
        "In which layers is the masked word the likeliest?", gaps.masked_by_layer, 100
    ),
    "lay.semantics_spread.tenney2019a": Example(
        "From which layer on is the answer what it stays?", probes.mixed("roles", "coreference", "entities"), 60
    ),
    "lay.conceptnet.cui2020": Example("Which relation have two concepts?", probes.relations, 150),
    "lay.base_vs_large.tenney2019a": Example(
        "What do the lower, middle and upper layers of this model say? (The claim needs a second one.)",
        probes.tasks("entities", "POS", n=1),
        100,
    ),
    # training
    "trn.cls_norm.zhou2019": _tuned("one tuned with [CLS] normalised?", tuned.normalised),
    "trn.pretraining_benefit.kovaleva2019": _tuned("one from random weights, or left frozen?", tuned.from_random),
    "trn.wide_optima.hao2019": Example("How steeply does the loss rise around a tuned network?", tuned.optima, 120),
    "trn.last_layers_change.kovaleva2019": Example(
        "How much do attention maps change when a network is tuned?",
        tuned.inside(attention_change, "cosine distance of the maps before and after"),
        120,
    ),
    "trn.tuned_sep.kovaleva2019": Example(
        "How much more attention do [CLS] and [SEP] get after tuning?",
        tuned.inside(tuned.mass_gained, "share of the attention gained by [CLS] and [SEP]"),
        120,
    ),
    "trn.restore_lower.hao2019": _tuned("the same with some layers as they were before?", tuned.put_back),
    "trn.more_layers.su2019": _tuned("one with all layers under the head?", tuned.all_layers),
    "trn.two_stage.phang2019": _tuned("one tuned on another task before?", tuned.staged, "entailment"),
    "trn.adversarial.zhu2019": _tuned("one tuned under perturbation?", tuned.perturbed),
    "trn.domain_pivots.bendavid2020": Example(
        "Which pieces are pivots, and what fits where one is hidden?", gaps.pivots, 120
    ),
    "trn.mixout.lee2019": _tuned("one tuned with mixout?", tuned.mixed_out),
    "trn.adapters.houlsby2019": _tuned("one tuned by adapters alone?", tuned.adapters),
    "trn.features_vs_tuning.peters2019b": _tuned("one left frozen?", tuned.frozen),
    "trn.seed_variance.dodge2020": _tuned("one tuned with another seed?", tuned.reseeded),
    "trn.heuristics.mccoy2019b": Example("Does a tuned network go by the overlap of words?", tuned.misled, 120),
    # size
    "siz.head_pruning.michel2019": _tuned("the same without half of its heads?", smaller.half_the_heads),
    "siz.specialised_survive.voita2019b": _tuned(
        "the same without the heads that are shut first, or last?", smaller.shut_heads
    ),
    "siz.harmful_parts.kovaleva2019": Example(
        "Which head helps a tuned network most, which hinders it?", smaller.parts_off, 120
    ),
    "siz.layers_drop.tenney2019a": Example(
        "Does the answer get worse with a further layer?", probes.mixed("POS", "dependencies", "entities"), 60
    ),
    "siz.layer_redundancy.kao2020": _tuned("the same without a third of its layers?", smaller.fewer_layers),
    "siz.magnitude_pruning.gordon2020": _tuned("one with six in ten weights off?", smaller.fewer_weights),
    "siz.lottery.chen2020": _tuned("a winning or a random subnetwork of it?", smaller.ticket),
    "siz.distillation.sanh2019": _tuned("a student of half its size?", smaller.taught),
    "siz.quantization.zafrir2019": _tuned("the same in fewer bits?", smaller.fewer_bits),
    "siz.structured_pruning.mccarley2020": _tuned("the same without half of its units?", smaller.fewer_units),
    "siz.theseus.xu2020": _tuned("one of half its size grown inside it?", smaller.replaced),
    "siz.token_elimination.goyal2020": _tuned("the same with fewer word vectors?", smaller.fewer_vectors),
    # multilingual BERT
    "mbt.zero_shot.pires2019": Example(
        "Which part of speech has a word of a language that the probe did not learn from?", probes.other_languages, 750
    ),
    "mbt.generation.ronnqvist2019": Example("Which word fills the gap?", languages.gaps),
    "mbt.word_alignment.libovicky2019": Example(
        "Which words of two sentences are each other's nearest?", languages.words, 20
    ),
    "mbt.retrieval.pires2019": Example("Which sentence of another language is nearest?", languages.retrieval),
    "mbt.offset_translation.pires2019": Example(
        "Which sentence is nearest, as it is and moved by the mean offset of the languages?", languages.moved, None
    ),
    "mbt.language_identity.libovicky2019": Example("Which language is the sentence in?", languages.identity),
    "mbt.typology.pires2019": Example(
        "Which part of speech has a word of a language with another word order?", probes.by_order, 750
    ),
    "mbt.agreement.bacon2019": Example("Which form of the verb is likelier in the gap?", languages.agreement, 260),
    "mbt.freeze_bottom.wu2019dredze": Example(
        "Which parts of speech have the words of another language?", languages.frozen_bottom, 750
    ),
    "mbt.alignment_tuning.cao2019": Example(
        "Which sentence of another language is nearest, before and after words are aligned?", languages.aligned, 120
    ),
}
