"""Claims: the ledger, the rules that decide, the registry of experiments, the records of evidence."""
