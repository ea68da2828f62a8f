"""Static vectors from contexts, post-processing, bias tests and sentence pooling: what was released around them."""

from __future__ import annotations

import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import only, trend
from bertology_utils.scores.intervals import row, table


@released(
    "emb.static_distillation.bommasani2020",
    study="Chronis & Erk 2020",
    label="related",
    stance="qualifies",
    folder="released/chronis_erk2020_mprobert",
    files=("ws353_max_sim.csv", "ws353_sim_max_sim.csv"),
    note="Correlation with WordSim-353 of vectors pooled from about 100 contexts, by layer and number of "
    "prototypes (one is the plain mean). The word in isolation was not measured, so the comparison the "
    "survey makes is missing. With one mean no contextual layer clearly beats the pooled input "
    "embeddings; several prototypes do.",
)
def prototypes(files: Files) -> pd.DataFrame:
    """Correlation by layer and number of prototypes; best layer of each; gain of the best number over one mean."""
    rows = []
    for path, name in (("ws353_max_sim.csv", "WordSim-353"), ("ws353_sim_max_sim.csv", "WordSim-353 similarity")):
        frame = files.csv(path).set_index("k_clusters")
        for k, scores in frame.iterrows():
            keys = dict(subject="bert-base-uncased", set=name, prototypes=int(k))
            rows += [row("correlation", only(v), 0, **keys, layer=str(i)) for i, v in enumerate(scores)]
            rows.append(row("best layer", only(int(scores.to_numpy().argmax())), 0, **keys, layer="best"))
            rows.append(
                row(
                    "Spearman of layer and correlation",
                    only(trend(scores.to_numpy())),
                    len(scores),
                    **keys,
                    layer="all",
                )
            )
        gain = frame.drop(index=1).to_numpy().max() - frame.loc[1].to_numpy().max()
        rows.append(
            row(
                "best of several prototypes - best of one mean",
                only(gain),
                0,
                subject="bert-base-uncased",
                set=name,
                prototypes=0,
                layer="best",
            )
        )
    return table(rows)


@released(
    "emb.postprocessing.mu2018",
    study="Li et al. 2020, BERT-flow",
    label="related",
    stance="supports",
    folder="released/readme_tables/bohanli__BERT-flow",
    files=("README_md_01.csv",),
    note="The repository's table of STS-B Spearman for an NLI-tuned BERT-large before and after a learned flow "
    "makes its vectors isotropic: the same idea with another method, on a tuned model, without intervals.",
)
def flow(files: Files) -> pd.DataFrame:
    """STS-B Spearman by model, and the flow's gain over the same model's averaged last two layers."""
    frame = files.csv("README_md_01.csv", comment="#").set_index("Model")["Spearman's rho"]
    rows = [row("STS-B Spearman", only(v / 100), 0, subject=str(name)) for name, v in frame.items()]
    plain = frame["BERT-large-NLI-last2avg"]
    for name, value in frame.items():
        if "flow" in name:
            rows.append(row("gain over last2avg", only((value - plain) / 100), 0, subject=str(name)))
    return table(rows)


@released(
    "emb.bleached.may2019",
    study="Kurita et al. 2019",
    label="related",
    stance="supports",
    folder="released/kurita2019_bias",
    files=("effect_sizes.csv",),
    note="Effect sizes and permutation p-values of association tests by masked-word probabilities instead of "
    "vector cosines, in templates that say little else: the associations come out, by another measure "
    "than SEAT's.",
)
def log_probability_bias(files: Files) -> pd.DataFrame:
    """Effect size and p-value of each test."""
    rows = []
    for r in files.csv("effect_sizes.csv").itertuples():
        keys = dict(subject="bert-base-uncased", test=r.test, method=r.measure)
        rows.append(row("effect size", only(r.effect_size), 0, **keys))
        rows.append(row("permutation p", only(r.permutation_p), 0, **keys))
    return table(rows)


@released(
    "emb.sentence_pooling.toshniwal2020",
    study="Reimers & Gurevych 2019",
    label="rerun",
    stance="supports",
    folder="released/readme_tables/UKPLab__sentence-transformers",
    files=("stsb_cosine_spearman.csv",),
    note="The project's table of Spearman on the STS-B test set by plain cosine: BERT's [CLS] vector is far "
    "below the mean of its token vectors, and both are below averaged GloVe. No intervals.",
)
def cosine_pooling(files: Files) -> pd.DataFrame:
    """STS-B Spearman by encoder, and mean minus [CLS]."""
    frame = files.csv("stsb_cosine_spearman.csv").set_index("encoder").STSb_test_spearman
    rows = [row("STS-B Spearman", only(v / 100), 0, subject=str(name)) for name, v in frame.items()]
    (mean,), (cls,) = (frame[[n for n in frame.index if n.startswith("BERT") and part in n]] for part in ("avg", "CLS"))
    rows.append(row("mean - [CLS]", only((mean - cls) / 100), 0, subject="BERT (as a service)"))
    return table(rows)
