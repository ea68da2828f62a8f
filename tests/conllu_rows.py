"""CoNLL-U written by hand: rows, sentences, and one small tree."""

from __future__ import annotations


def word(number: int | str, form: str, upos: str, head: int | str, deprel: str, misc: str = "_", more: str = "") -> str:
    return f"{number}\t{form}\t{form.lower()}\t{upos}\tX{upos}\tA=B\t{head}\t{deprel}\t_\t{misc}{more}\n"


def block(*rows: str, id: str = "s1", document: str = "") -> str:
    return (
        (f"# newdoc id = {document}\n" if document else "") + f"# sent_id = {id}\n# text = x\n" + "".join(rows) + "\n"
    )


SLEEPS = (word(1, "Dogs", "NOUN", 2, "nsubj"), word(2, "sleep", "VERB", 0, "root"))
