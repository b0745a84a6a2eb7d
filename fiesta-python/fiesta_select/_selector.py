"""Ask and tell: the selector of a study, driven by the caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _native
from ._document import StudyKeywords, document, own_parts

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Ask = _native.Ask


class Selector(_native.Selector):
    """
    Chooses the next evaluation, and says when to stop.

    Parameters
    ----------
    arms : iterable of str
        The names of the candidates; two or more, in whatever order.
    metric : str
        The score's name (default: ``score``).
    direction : {"maximize", "minimize"}
        Which scores are better (default: ``maximize``).
    bounds : (float, float)
        The least and the greatest possible score; others are refused.
    confidence : float
        Stop when the posterior probability that the recommended arm is the best reaches this
        (default: .95, unless there is a budget alone).
    tolerance, tie : float or str
        How far below the best the recommended arm may be, and arms that are called tied: in the
        unit of the scores, or such as ``"0.3 sd"``.
    top : int
        Name the best ``top`` arms together (default: 1).
    strict : bool
        Name an arm only at the probability 1 − (1 − confidence)².
    shortfall : float or str
        Stop when choosing is expected to lose no more than this.
    budget : int or dict
        Stop after so many evaluations; or a dict with ``evaluations``, ``cost``, ``wall``.
    splits : int or str
        How many splits there are, or ``shared``, ``independent`` or ``fixed``.
    items : list or path
        A pool of items that every arm answers at most once: a list of dicts with the key ``id``,
        or a file as a study's.
    strata, repeats
        Of a pool: the key of the items' groups, and whether answers vary when asked again.
    policy, posterior, stopping : str or object
        By their names; or objects with one method each, ``next(view)``, ``draws(scores, size,
        seed)`` and ``check(view)`` (see Notes).
    parallel, batch : int
        How many evaluations are in flight at once, for policies that want to know.
    seed : int
        Of all random choices (default: 0).
    costs : dict
        What an evaluation of an arm costs, where that is known beforehand.
    cost_unit : str, optional
        What costs are in, such as ``"USD"``, which stands wherever they are shown (default: the
        seconds of a call, where no costs are stated). It is the attribute ``cost_unit`` as well,
        and stands in every one of ``records``.

    Raises
    ------
    ValueError
        If a keyword has a value that it cannot have, with the key of a study file.
    TypeError
        For a keyword that is none.

    Notes
    -----
    What a selector decides is a function of its keywords, its seed and the sequence of asks and
    tells; with the same keywords as keys of a study file, the same order and the same costs,
    ``fiesta run`` decides the same. (Without stated costs it counts the seconds that each job
    took, to which the default policy pays attention.)

    An object as ``policy`` has a method ``next(view)`` that returns the name of the arm to
    evaluate next, or ``None`` to wait for what is pending; as ``stopping``, ``check(view)`` that
    returns the name of the arm to stop with, or ``None`` to go on. ``view`` has ``candidates``,
    ``observed(arm)``, ``failed(arm)``, ``pending(arm)``, ``mean(arm)``, ``belief``, ``seed`` and
    ``total_cost``. As ``posterior`` it has ``draws(scores, size, seed)``, which returns ``size``
    joint draws of the arms' means, an array of shape (size, arms), from ``scores``, a dict with a
    list of (split, score) for each arm; its attribute ``required`` says how many scores of each
    arm it needs (default: 2).

    Examples
    --------
    >>> import random
    >>> import fiesta_select as fiesta
    >>> means = {"small": .60, "large": .70}
    >>> selector = fiesta.Selector(means, confidence=.99)
    >>> for ask in selector:
    ...     noise = random.Random(ask.seed).gauss(0, .02)
    ...     selector.tell(ask, means[ask.arm] + noise)
    >>> selector.best
    'large'
    """

    _keywords: dict[str, Any]
    _own: dict[str, Any]

    def __new__(cls, arms: Iterable[str], **keywords: Unpack[StudyKeywords]) -> Self:
        given: dict[str, Any] = dict(keywords)
        own = own_parts(given)
        made = super().__new__(cls, document("selector", arms, given), **own)
        made._own = own
        return made

    def __iter__(self) -> Iterator[Ask]:
        """
        Evaluations to make, one after another, until the selection ends.

        Raises
        ------
        RuntimeError
            If nothing can be started before a pending evaluation has ended, and its outcome was
            not told: tell it, or :meth:`ask` from several threads instead.
        """
        while True:
            ask = self.ask()
            if ask is not None:
                yield ask
            elif self.finished:
                return
            else:
                pending = ", ".join(f"{ask.id} ({ask.arm})" for ask in self.pending)
                raise RuntimeError(
                    f"nothing can be started before the pending evaluations {pending} have ended: "
                    "tell their outcomes, or that they failed"
                )

    def tell(
        self,
        ask: Ask | int,
        score: float | None = None,
        *,
        counts: Mapping[str, int] | None = None,
        failed: bool = False,
        cost: float | None = None,
    ) -> None:
        """
        Takes the outcome of an evaluation, in any order, also after the selection has ended.

        Parameters
        ----------
        ask : Ask or int
            The evaluation, or its ``id``.
        score : float, optional
            Its score, as reported.
        counts : dict, optional
            Its confusion counts instead: ``tp``, ``fp``, ``fn`` and, if they are known, ``tn``.
        failed : bool
            The arm failed. It counts as an attempt.
        cost : float, optional
            What it cost, in the study's unit (default: the arm's in ``costs=``, else 1).

        Raises
        ------
        KeyError
            If the evaluation is not pending.
        ValueError
            If the score is not finite or out of bounds, or the cost is none.
        TypeError
            If there is neither a score nor counts, and it has not failed.
        """
        if score is None and counts is None and not failed:
            raise TypeError(
                "an evaluation ends with a score, with counts=, or with failed=True: tell one of these"
            )
        number = ask if isinstance(ask, int) else ask.id
        self._tell(number, score, None if counts is None else dict(counts), failed, cost)

    def withdraw(self, ask: Ask | int) -> None:
        """
        Says that an evaluation was never made: the arm gets the same case again.

        Parameters
        ----------
        ask : Ask or int
            The evaluation, or its ``id``.

        Raises
        ------
        KeyError
            If the evaluation is not pending.
        """
        self._tell(ask if isinstance(ask, int) else ask.id, None, None, False, None)

    @classmethod
    def of_state(cls, state: str, **own: Any) -> Self:
        """
        The selector of a :meth:`state`.

        Parameters
        ----------
        state : str
            JSON of a selector.
        **own
            The parts that were objects, anew: ``policy``, ``posterior``, ``stopping``.

        Raises
        ------
        ValueError
            If this is no state of a selector.

        Examples
        --------
        >>> import fiesta_select as fiesta
        >>> selector = fiesta.Selector(["a", "b"])
        >>> ask = selector.ask()
        >>> again = fiesta.Selector.of_state(selector.state())
        >>> again.pending == [ask]
        True
        """
        made = super().__new__(cls, _native.Selector.document_of(state), **own)
        made._own = own
        made.restore(state)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self.state(), self._own))


def _restored(kind: type[Selector], state: str, own: dict[str, Any]) -> Selector:
    """A selector that was pickled."""
    return kind.of_state(state, **own)
