"""
FIESTA finds the best of several noisy candidates with as few evaluations as possible.

>>> import fiesta_select as fiesta
>>> scores = {"lstm": [.71, .73, .70], "gru": [.69, .70, .69]}
>>> print(fiesta.belief(scores, paired_rows=True).tied)
[]
"""

from ._analyses import belief, compare, curve, plan, simulate
from ._native import __version__

__all__ = ["__version__", "belief", "compare", "curve", "plan", "simulate"]
