"""The experiments, one package a section of the survey; each function is registered with its claim."""
