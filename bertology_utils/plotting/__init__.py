"""Figures: `ax` in, `ax` out, in one style; nothing is computed here."""

from matplotlib import pyplot as plt

from .charts import bars, lines
from .figures import printed, rows_of, series, show
from .pictures import arcs, attention, contours, headmap, heatmap, places, scatters, tiles, tree, violins
from .theme import COLOURS, KINDS, MARKERS, NARROW, QUIET, SHORT, STYLE, SUBJECTS, as_svg, axes, look, panels, style
from .tradeoffs import tradeoff

as_svg()
