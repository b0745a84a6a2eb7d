"""
FIESTA finds the best of several noisy candidates with as few evaluations as possible.

>>> import fiesta_select as fiesta
>>> scores = {"lstm": [.71, .73, .70], "gru": [.69, .70, .69]}
>>> print(fiesta.belief(scores, paired_rows=True).tied)
[]
"""

from ._analyses import belief, curve, plan, simulate
from ._bands import DistributionBand, bands
from ._native import Ask, View, __version__
from ._selector import Selector

__all__ = [
    "Ask",
    "DistributionBand",
    "Selector",
    "View",
    "__version__",
    "bands",
    "belief",
    "curve",
    "plan",
    "simulate",
]
