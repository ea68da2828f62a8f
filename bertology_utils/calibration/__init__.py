"""Calibration: what does a claim's rule say of a model that has nothing of the claim, and of one that has it?

`nulls` are models without the property (positions alone, words alone, noise, ...); `planted` makes one that has it, from
the gold annotation; both are `standin` subjects, so the claim's whole experiment runs on them. `harness` decides by the
ledger's clauses, `records` and `table` keep and show what came out. No null may hold what is learned; the planted one must.

A claim names both where it is registered::

    from ...calibration import planted as plants

    def relation_heads(data, base, rng):
        \"""A head gives half of its attention to a verb's object; all else is even, with noise.\"""
        heads = {(base.n_layers // 2, 0): plants.arcs_of("obj")}
        return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))

    @claim("hed.syntactic.clark2019", tasks="treebank", planted=relation_heads, nulls=("untrained", "positions"))

The function's first line is what the book says was planted. The shapes of claims, each with a worked example:

==================================  =============================================================  =====================
what is claimed of                  pieces of `planted`                                            example
==================================  =============================================================  =====================
predictions at a gap, of a pair     ``logits=choice_logits(base, strength=4, right=0.9)``          syn.agreement
trees in vectors                    ``parts=[word_vectors(), tree_vectors(layers=...)]``           syn.structural_probe
labels in vectors                   ``parts=[label_vectors(of_words("upos"), layers=...)]``        -
the impact of a mask                ``parts=[impact()]``                                           syn.perturbed_masking
a head's answers                    ``attention=head_attention(base, {(layer, head): pairs})``     hed.syntactic
which layer holds it                ``layers=bump(base.n_layers, peak=0.5)`` or ``rising(...)``    lay.tree_depth
geometry                            ``parts=[cone(strength by layer)]``                            emb.anisotropy
==================================  =============================================================  =====================

Another shape is a `Part` (``seen -> values by word``), maps (``(seen, rng) -> (L, A, T, T)``) or gains (``(seen, rng) ->
{position: {piece: nats}}``) of one's own; `gold.Seen` says what a stand-in knows of a row: its words, which are masked,
and the items whose text it is. Texts that an experiment makes itself are handed over by ``plant(..., more=[(words, None,
item, "text")])``; the harness counts the rows that nobody announced.

A null of one's own is such a function under ``@as_null("name")``, in ``nulls=(...)``. It must not hold any learned
clause, or, where it names clauses, those: what is said to be absent, planted. ``aimed("nearest", "distractors")`` is a null
for some clauses alone. Rows whose subjects are runs of training name nothing: their scores are simulated (`simulated`).
"""
