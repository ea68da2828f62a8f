"""Agreement and NPIs: Goldberg's per-item outputs on Gulordava's sentences, and BLiMP scores of BERT and MultiBERTs."""

from __future__ import annotations

import pandas as pd

from bertology_rescore.counts import mcnemar
from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.choices import by_class
from bertology_utils.scores.intervals import Means, mean_interval, row, table
from bertology_utils.settings import Settings

SUBJECTS = {
    "bert-base-uncased": "results/gulordava_results_base.txt",
    "bert-large-uncased": "results/gulordava_results_large.txt",
}
PAIR = "bert-base-uncased and bert-large-uncased"  # what a difference of the two is a figure of


def read_items(files: Files, path: str) -> pd.DataFrame:
    """One row per item: its place in the stimuli, attractors, both forms, the sentence, and whether the right form won.

    Lines that tell of skipped stimuli are left out. Right is decided from the logits, not copied from the file.

    Raises
    ------
    ValueError
        If a line that starts as an item does not have seven fields, or its verdict contradicts its logits.
    """
    items, place = [], -1
    for number, line in enumerate(files.text(path).splitlines(), 1):
        fields = line.split("\t")
        place += fields[0] in ("True", "False") or line.startswith("skipping")
        if fields[0] not in ("True", "False"):
            continue
        if len(fields) != 7:
            raise ValueError(f"{path}:{number}: {len(fields)} fields, not 7: {line!r}")
        said, attractors, good, good_logit, bad, bad_logit, sentence = fields
        right = float(good_logit) > float(bad_logit)
        if str(right) != said:
            raise ValueError(f"{path}:{number}: says {said}, but the logits are {good_logit} and {bad_logit}")
        items.append((place, int(attractors), good, bad, sentence, right))
    return pd.DataFrame(items, columns=["place", "attractors", "good", "bad", "sentence", "right"])


def stimuli(files: Files) -> pd.DataFrame:
    """The stimuli in the order in which they were run: whether nonce, construction, number of the subject, right form."""
    table_ = files.csv("generated.tab", sep="\t")
    found = table_[table_["class"] == "correct"].reset_index(drop=True)
    return pd.DataFrame(
        {
            "nonce": found["type"] == "generated",
            "frame": found["pattern"] + "-" + found["constr_id"].astype(str),
            "number": found["correct_number"].map({"sing": "singular", "plur": "plural"}),
            "form": found["form"],
        }
    )


def placed_items(files: Files, path: str) -> pd.DataFrame:
    """The items with what the stimuli say of them, and their verb (both forms in one).

    Raises
    ------
    ValueError
        If an item's right form is not the one that the stimuli have in its place.
    """
    items = read_items(files, path).join(stimuli(files), on="place")
    if not (items["good"] == items["form"]).all():
        raise ValueError(f"{path}: items and stimuli are not in the same order")
    return items.assign(verb=[" ".join(sorted(pair)) for pair in zip(items["good"], items["bad"])])


def gulordava(files: Files) -> pd.DataFrame:
    """Accuracy of base and large on all items and by number of attractors; balanced by number of the subject (goldberg2019)."""
    rows = []
    for subject, path in SUBJECTS.items():
        items = placed_items(files, path)
        parts = [("all", items), *((str(k), part) for k, part in items.groupby("attractors"))]
        for k, part in parts:
            found = mean_interval(part["right"], groups=part[["verb", "frame"]])
            rows.append(row("accuracy", found, len(part), subject=subject, attractors=k))
        kinds = {
            "no distractor": items["attractors"] == 0,
            "distractor": items["attractors"] == 1,
            "several distractors": items["attractors"] > 1,
            "nonce": items["nonce"] & (items["attractors"] < 2),
        }
        parts = pd.concat([items[of].assign(items=name) for name, of in kinds.items()])
        found = by_class(parts, settings=Settings(), gold="number", by="items", groups=["verb", "frame"])
        rows += found.assign(subject=subject).to_dict("records")
        distracted = items["attractors"].gt(0).map({True: "distractor", False: "plain"})
        items = items.assign(cell=items["number"] + ", " + distracted)
        for name, of in (("all", items["attractors"] < 2), ("nonce", kinds["nonce"])):
            found = by_class(items[of], settings=Settings(), gold="cell", groups=["verb", "frame"])
            found = found[found["measure"] == "balanced accuracy"]
            rows += found.assign(measure="evenly balanced", items=name, subject=subject).to_dict("records")
    return table(rows)


def base_against_large(files: Files) -> pd.DataFrame:
    """Accuracy of the two sizes and their paired difference on the items that both scored (goldberg2019).

    Raises
    ------
    ValueError
        If the two files do not list the same items in the same order.
    """
    keys = ["sentence", "good", "bad"]
    base, large = (placed_items(files, path) for path in SUBJECTS.values())
    if not base[keys].equals(large[keys]):
        raise ValueError("the two files do not list the same items in the same order")
    means = Means(base[["verb", "frame"]])
    gap = means(base["right"].astype(float) - large["right"].astype(float), signed=True)
    more = dict(subject=PAIR, task="agreement")
    rows = [
        row("accuracy", means(items["right"]), len(items), **more, size=size)
        for size, items in (("base", base), ("large", large))
    ]
    rows.append(row("accuracy, base - large", gap, len(base), **more))
    rows.append(released_row("McNemar p", mcnemar(base["right"], large["right"]), len(base), **more))
    return table(rows)


def _blimp(files: Files, topics: tuple[str, ...]) -> pd.DataFrame:
    base = files.csv("bert_base_blimp_by_topic.csv").set_index("topic").bert_base_uncased_accuracy
    steps = files.csv("multiberts_blimp_by_step.csv")
    rows = [
        released_row("minimal-pair accuracy", base[t], subject="bert-base-uncased", condition=t, step="final")
        for t in topics
    ]
    for topic in topics:
        for s in steps[steps.topic == topic].sort_values("step_10k").itertuples():
            rows.append(
                row(
                    "minimal-pair accuracy",
                    (s.mean, s.ci_low, s.ci_high),
                    5,
                    subject="multiberts (5 seeds)",
                    condition=topic,
                    step=f"{round(s.step_10k * 10)}k",
                )
            )
    return table(rows)


def blimp_agreement(files: Files) -> pd.DataFrame:
    """BLiMP subject-verb agreement, final and through pretraining."""
    return _blimp(files, ("Subject Verb Agreement",))


def blimp_npi(files: Files) -> pd.DataFrame:
    """BLiMP NPI licensing and quantifiers beside the mean of the other phenomena."""
    rows = _blimp(files, ("NPI Licensing", "Quantifiers"))
    base = files.csv("bert_base_blimp_by_topic.csv").set_index("topic").bert_base_uncased_accuracy
    others = base.drop(["NPI Licensing", "Quantifiers"]).to_numpy()
    extra = estimated(
        "minimal-pair accuracy",
        others,
        subject="bert-base-uncased",
        condition="mean of the other phenomena",
        step="final",
    )
    return table([*rows.to_dict("records"), extra])
