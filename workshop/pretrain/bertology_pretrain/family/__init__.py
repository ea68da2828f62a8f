"""The family: many small pretraining runs that differ in one thing each, and one record per run.

`bertology_utils.family` says what is to be trained and reads the records; here `places` and `measure` say what a trained
run can do, and `train` goes through the grid: ``bertology family run | list``. Weights are not kept.
"""
