"""Layers that share their weights, and embeddings in two small matrices: the library's ALBERT from a run's configuration.

Everything that is not shared or split is as in the BERT of the same configuration: activation, dropout, both losses. One
matrix is more: the one that widens the embeddings. The head that fills gaps is as narrow as the embeddings, as in the
study. What a configuration asks for beyond that (attention that is given, other orders) `checks` refuses.
"""

from __future__ import annotations

from transformers import AlbertConfig, AlbertForPreTraining, BertConfig

from bertology_utils.family.config import Config

SAME = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act"),
    *("max_position_embeddings", "type_vocab_size", "hidden_dropout_prob", "attention_probs_dropout_prob"),
    *("initializer_range", "layer_norm_eps", "pad_token_id"),
)


def model(settings: BertConfig, config: Config) -> AlbertForPreTraining:
    """An ALBERT with the settings of a BERT (lan2020).

    Parameters
    ----------
    settings : BertConfig
        What a plain model of the configuration would be made from.
    config : Config
        `shared`: one layer, applied again and again, or as many as there are; `embedding`: their width.

    Examples
    --------
    >>> from bertology_pretrain import load_config
    >>> config = load_config("tiny", layers=4, shared=True, embedding=8, phases=[{"length": 32, "share": 1.0}])
    >>> small = BertConfig(vocab_size=99, hidden_size=32, num_hidden_layers=4, num_attention_heads=2, intermediate_size=64)
    >>> made = model(small, config)
    >>> tuple(made.get_input_embeddings().weight.shape), len(made.albert.encoder.albert_layer_groups)
    ((99, 8), 1)
    """
    same = {name: getattr(settings, name) for name in SAME}
    groups = 1 if config.shared else settings.num_hidden_layers
    width = config.embedding or settings.hidden_size
    made = AlbertConfig(
        **same,
        embedding_size=width,
        num_hidden_groups=groups,
        classifier_dropout_prob=settings.hidden_dropout_prob,
    )
    made._attn_implementation = settings._attn_implementation
    return AlbertForPreTraining(made)
