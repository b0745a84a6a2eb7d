"""
FIESTA finds the best of several noisy candidates with as few evaluations as possible.

>>> import fiesta_select as fiesta
>>> scores = {"lstm": [.71, .73, .70], "gru": [.69, .70, .69]}
>>> print(fiesta.belief(scores, paired_rows=True).tied)
[]
"""

from ._analyses import belief, compare, curve, plan, simulate
from ._bands import DistributionBand, bands
from ._best_of import best_of
from ._gate import assert_not_worse, gate
from ._native import Ask, StudyError, View, __version__
from ._selector import Selector
from ._study import Study

__all__ = [
    "Ask",
    "DistributionBand",
    "Selector",
    "Study",
    "StudyError",
    "View",
    "__version__",
    "assert_not_worse",
    "bands",
    "belief",
    "best_of",
    "compare",
    "curve",
    "gate",
    "plan",
    "simulate",
]
