"""Multilingual BERT: zero-shot transfer, retrieval, alignment, language identity, agreement, generation.

The subject is a multilingual model. In this section the model switch's `mini` stands for the bundled `mini-multi` and
`bert-base-uncased` for `bert-base-multilingual-cased`; the section's ledger file says so (`ledger.subject`), and
`runs.settings_for` obeys it. A monolingual model that is named otherwise (`bert-base-cased`, a folder) is measured as it
is: a null, since it has never seen most of the languages.
"""
