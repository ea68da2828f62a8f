"""Tagged sentences of a language, made by hand."""

from __future__ import annotations

from bertology_utils.data.items import Sentence


def said(code, name, upos="NOUN VERB PUNCT", parallel=None, words=None, split="train"):
    meta = {"parallel": parallel} if parallel else {}
    words = words or f"{name} runs ."
    return Sentence(id=f"{code}/{name}", condition=code, words=tuple(words.split()), upos=tuple(upos.split()), split=split,
                    meta=meta)  # fmt: skip
