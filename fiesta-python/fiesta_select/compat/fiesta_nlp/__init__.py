"""PyPI's fiesta-nlp 0.0.1: the same functions, arguments, results and defaults.

A script written for it runs unchanged when its import is replaced:

>>> from fiesta_select.compat import fiesta_nlp as fiesta
>>> from fiesta_select.compat.fiesta_nlp import util

What differs: P(best) is integrated instead of sampled, so that it is known to 1e-9 and the argument
`samples` is unused; and what made the original loop for ever or fail ends (see `TTTS`). NumPy is
needed, and its global generator is drawn from where the original does, so that `np.random.seed`
keeps its meaning; the draws themselves are others, since beliefs take none.

New code has better choices: see `fiesta_select.best_of` and `fiesta_select.Selector`, with splits
shared by all arms, failures, several evaluations at once and a record that a study resumes from.

Source: Moss, Moore, Leslie & Rayson, "FIESTA: Fast IdEntification of State-of-The-Art models using
adaptive bandit algorithms" (ACL 2019).
"""

from . import util
from .fiesta import TTTS, non_adaptive_fb, non_adaptive_fc, sequential_halving

__all__ = ["TTTS", "non_adaptive_fb", "non_adaptive_fc", "sequential_halving", "util"]
