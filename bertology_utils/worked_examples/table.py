"""Which example a claim has: who shows it, and from how many items it is drawn; what is asked is in `assets/questions.yaml`.

A claim that is not here is shown by its own experiment on few items (`example.experimented`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ..finetune.restoring import attention_change
from . import gaps, heads, languages, maps, probes, readings, smaller, trees, tuned, vectors
from .text import Show


@dataclass(frozen=True)
class Example:
    """How a claim is shown.

    Attributes
    ----------
    show : callable
        ``(subject, data, settings) -> lines``.
    n : int or None
        Items of each task that are loaded, of which two are shown and the others learnt or chosen from; None for as many
        as the claim takes, where few would not hold together.
    """

    show: Show
    n: int | None = 60


def _tuned(others: tuned.Ways, *tasks: str) -> Example:
    """Two texts put to a network that is tuned now, and to others."""
    return Example(tuned.compared(others, *tasks), 120)


EXAMPLES: dict[str, Example] = {
    # embeddings
    "emb.context_specificity.ethayarajh2019": Example(vectors.in_context),
    "emb.anisotropy.ethayarajh2019": Example(vectors.cone),
    "emb.context.klafka2020": Example(probes.beside, 80),
    "emb.postprocessing.mu2018": Example(vectors.postprocessed, 100),
    "emb.static_distillation.bommasani2020": Example(vectors.static, 1500),
    "emb.bleached.may2019": Example(vectors.bleached),
    "emb.sense_clusters.wiedemann2019": Example(vectors.senses, 200),
    "emb.segment_position.mickus2019": Example(vectors.segments),
    "emb.token_identity.voita2019a": Example(vectors.identity),
    "emb.sentence_pooling.toshniwal2020": Example(vectors.sentences),
    # syntax
    "syn.hierarchical.lin2019": Example(probes.structure, 200),
    "syn.pos_chunks_deps.tenney2019b": Example(probes.tasks("POS", "dependencies"), 80),
    "syn.distant_parents.liu2019a": Example(probes.ancestors, 150),
    "syn.structural_bias.warstadt2020": Example(tuned.rules, 300),
    "syn.trees_from_vectors.vilares2020": Example(trees.unprobed, 120),
    "syn.no_tree_in_attention.htut2019": Example(trees.spanning, 60),
    "syn.structural_probe.hewitt2019": Example(trees.probed, 150),
    "syn.tpdn.jawahar2019": Example(trees.rebuilt, 120),
    "syn.concatenated.miaschi2020": Example(readings.properties, 150),
    "syn.perturbed_masking.wu2020": Example(trees.masking),
    "syn.agreement.goldberg2019": Example(gaps.choices),
    "syn.npi.warstadt2019": Example(gaps.minimal_pairs),
    "syn.negation.ettinger2019": Example(gaps.negation),
    "syn.malformed.ettinger2019": Example(gaps.malformed),
    "syn.triggers.wallace2019a": Example(tuned.fooled, 150),
    "syn.intermediate_parsing.glavas2020": Example(tuned.parsed, 200),
    "syn.amnesic.elazar2020": Example(readings.forgotten, 120),
    "syn.mdl.voita2020": Example(readings.code_length, 40),
    "syn.probe_size.liu2019a": Example(readings.sizes, 80),
    "syn.formalism.kuznetsov2020": Example(readings.formalisms, 150),
    # semantics
    "sem.roles.ettinger2019": Example(gaps.graded),
    "sem.edge_probing.tenney2019b": Example(probes.edge_probing, 150),
    "sem.numbers.wallace2019b": Example(vectors.numbers, 400),
    "sem.name_brittleness.balasubramanian2020": Example(readings.renamed_people, 120),
    "sem.ner_f1.tenney2019a": Example(probes.renamed, 300),
    # world knowledge
    "wld.pragmatic.ettinger2019": Example(gaps.graded),
    "wld.attributes.da2019": Example(readings.statements, 200),
    "wld.lama.petroni2019": Example(gaps.facts),
    "wld.closed_book.roberts2020": Example(gaps.answered),
    "wld.triples.davison2019": Example(gaps.associated),
    "wld.templates.jiang2019b": Example(gaps.wordings, None),
    "wld.affordances.forbes2019": Example(readings.statements_and_sizes, 200),
    "wld.inference_steps.richardson2019": Example(gaps.questions, None),
    "wld.stereotype_names.poerner2019": Example(gaps.origins, 200),
    # attention heads
    "hed.patterns.kovaleva2019": Example(maps.shapes, 20),
    "hed.syntactic.clark2019": Example(heads.syntactic),
    "hed.combination.hoover2019": Example(heads.combined, 80),
    "hed.no_full_tree.clark2019": Example(heads.whole_tree),
    "hed.tuned_on_trees.kondratyuk2019": Example(heads.tuned_tree, 120),
    "hed.negation_scope.zhao2020": Example(heads.negation, 120),
    "hed.coreference.clark2019": Example(heads.coreference),
    "hed.agreement_attention.lin2019": Example(heads.agreement),
    "hed.subwords.correia2019": Example(maps.joined),
    "hed.frames.kovaleva2019": Example(heads.predicates),
    "hed.lexical_relations.cui2020": Example(heads.concepts),
    "hed.redundancy.clark2019": Example(maps.alike, 60),
    "hed.special_tokens.clark2019": Example(maps.special, 40),
    "hed.norms.kobayashi2020": Example(partial(maps.special, norms=True), 40),
    "hed.special_tokens_removed.clark2019": Example(maps.without, 40),
    "hed.heavy_lifters.prasanna2020": Example(smaller.lifters, 150),
    "hed.explanation_debate.jain2019": Example(maps.explained, 40),
    # layers
    "lay.word_order.lin2019": Example(probes.word_order, 100),
    "lay.hierarchy.lin2019": Example(probes.structure, 200),
    "lay.tree_depth.hewitt2019": Example(trees.probed, 150),
    "lay.agreement.goldberg2019": Example(gaps.agreement_by_layer, 400),
    "lay.sentence_tasks.jawahar2019": Example(probes.whole_sentences, 200),
    "lay.transferability.liu2019a": Example(probes.tasks("chunks", "relations", "entities"), 120),
    "lay.pipeline.tenney2019a": Example(probes.mixed("dependencies", "POS", "coreference"), 60),
    "lay.chunks_conflict.liu2019a": Example(probes.tasks("chunks"), 80),
    "lay.task_specific.liu2019a": Example(gaps.masked_by_layer, 100),
    "lay.semantics_spread.tenney2019a": Example(probes.mixed("roles", "coreference", "entities"), 60),
    "lay.conceptnet.cui2020": Example(probes.relations, 150),
    "lay.base_vs_large.tenney2019a": Example(probes.tasks("entities", "POS", n=1), 100),
    # training
    "trn.cls_norm.zhou2019": _tuned(tuned.normalised),
    "trn.pretraining_benefit.kovaleva2019": _tuned(tuned.from_random),
    "trn.wide_optima.hao2019": Example(tuned.optima, 120),
    "trn.last_layers_change.kovaleva2019": Example(
        tuned.inside(attention_change, "cosine distance of the maps before and after"), 120
    ),
    "trn.tuned_sep.kovaleva2019": Example(
        tuned.inside(tuned.mass_gained, "share of the attention gained by [CLS] and [SEP]"), 120
    ),
    "trn.restore_lower.hao2019": _tuned(tuned.put_back),
    "trn.more_layers.su2019": _tuned(tuned.all_layers),
    "trn.two_stage.phang2019": _tuned(tuned.staged, "entailment"),
    "trn.adversarial.zhu2019": _tuned(tuned.perturbed),
    "trn.domain_pivots.bendavid2020": Example(gaps.pivots, 120),
    "trn.mixout.lee2019": _tuned(tuned.mixed_out),
    "trn.adapters.houlsby2019": _tuned(tuned.adapters),
    "trn.features_vs_tuning.peters2019b": _tuned(tuned.frozen),
    "trn.seed_variance.dodge2020": _tuned(tuned.reseeded),
    "trn.heuristics.mccoy2019b": Example(tuned.misled, 120),
    # size
    "siz.head_pruning.michel2019": _tuned(smaller.half_the_heads),
    "siz.specialised_survive.voita2019b": _tuned(smaller.shut_heads),
    "siz.harmful_parts.kovaleva2019": Example(smaller.parts_off, 120),
    "siz.layers_drop.tenney2019a": Example(probes.mixed("POS", "dependencies", "entities"), 60),
    "siz.layer_redundancy.kao2020": _tuned(smaller.fewer_layers),
    "siz.magnitude_pruning.gordon2020": _tuned(smaller.fewer_weights),
    "siz.lottery.chen2020": _tuned(smaller.ticket),
    "siz.distillation.sanh2019": _tuned(smaller.taught),
    "siz.quantization.zafrir2019": _tuned(smaller.fewer_bits),
    "siz.structured_pruning.mccarley2020": _tuned(smaller.fewer_units),
    "siz.theseus.xu2020": _tuned(smaller.replaced),
    "siz.token_elimination.goyal2020": _tuned(smaller.fewer_vectors),
    # multilingual BERT
    "mbt.zero_shot.pires2019": Example(probes.other_languages, 750),
    "mbt.generation.ronnqvist2019": Example(languages.gaps),
    "mbt.word_alignment.libovicky2019": Example(languages.words, 20),
    "mbt.retrieval.pires2019": Example(languages.retrieval),
    "mbt.offset_translation.pires2019": Example(partial(languages.retrieval, offset=True), None),
    "mbt.language_identity.libovicky2019": Example(languages.identity),
    "mbt.typology.pires2019": Example(probes.by_order, 750),
    "mbt.agreement.bacon2019": Example(languages.agreement, 260),
    "mbt.freeze_bottom.wu2019dredze": Example(languages.frozen_bottom, 750),
    "mbt.alignment_tuning.cao2019": Example(languages.aligned, 120),
}
