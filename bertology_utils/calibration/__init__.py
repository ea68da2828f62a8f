"""Calibration: what does a rule say of a model that has nothing of the claim, and of one that has it?"""
