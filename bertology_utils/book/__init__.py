"""The book itself: notebooks executed, pages generated from ledger, evidence and models, and all of it rendered.

Nothing is built in the checkout: `stage` copies what the book consists of to a temporary folder, notebooks are executed
and pages are written there, and only the rendered site comes back.
"""
