"""Keywords of Python as the document of a study: the same keys as those of a study file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._analyses import Direction, Distance

#: What the study may spend: a number of evaluations, or keys of ``[goal.budget]``.
Budget = int | Mapping[str, Any]


class StudyKeywords(TypedDict, total=False):
    """The keywords of a study, for whoever passes them on."""

    metric: str
    direction: Direction
    bounds: tuple[float, float]
    confidence: float
    tolerance: Distance
    tie: Distance
    top: int
    strict: bool
    shortfall: Distance
    rare_failures: float
    target: Literal["these items", "items like these"]
    budget: Budget
    splits: int | Literal["shared", "independent", "fixed"]
    items: Sequence[Any] | str | os.PathLike[str]
    strata: str
    repeats: bool
    policy: Any
    posterior: Any
    stopping: Any
    parallel: int
    batch: int
    beta: float
    tie_break: str
    extended: bool
    seed: int
    retries: int
    costs: Mapping[str, float]
    cost_unit: str
    f_beta: float


#: The table of a study file in which a keyword stands, and its key there if it has another name.
_PLACES = {
    "metric": ("metric", "name"),
    "direction": ("metric", "direction"),
    "bounds": ("metric", "bounds"),
    "f_beta": ("metric", "f_beta"),
    "confidence": ("goal", "confidence"),
    "tolerance": ("goal", "tolerance"),
    "tie": ("goal", "tie"),
    "top": ("goal", "top"),
    "strict": ("goal", "strict"),
    "shortfall": ("goal", "shortfall"),
    "rare_failures": ("goal", "rare_failures"),
    "target": ("goal", "target"),
    "budget": ("goal", "budget"),
    "splits": ("design", "splits"),
    "items": ("design", "items"),
    "strata": ("design", "strata"),
    "repeats": ("design", "repeats"),
    "policy": ("design", "policy"),
    "posterior": ("design", "posterior"),
    "stopping": ("design", "stopping"),
    "parallel": ("design", "parallel"),
    "batch": ("design", "batch"),
    "beta": ("design", "beta"),
    "tie_break": ("design", "tie_break"),
    "extended": ("design", "extended"),
    "seed": ("design", "seed"),
    "retries": ("resources", "retries"),
    "cost_unit": ("resources", "cost_unit"),
}


def document(
    name: str,
    arms: Iterable[str],
    keywords: Mapping[str, Any],
    versions: Mapping[str, str] | None = None,
) -> str:
    """
    The document of a study of functions, in JSON.

    Raises
    ------
    TypeError
        For a keyword that is none, and a value that no study file can hold.
    """
    study: dict[str, Any] = {"name": name, "executor": {"kind": "functions"}}
    given = {key: value for key, value in keywords.items() if value is not None}
    costs = dict(given.pop("costs", {}))
    study["arm"] = [_arm(arm, costs) for arm in arms]
    for arm in study["arm"]:
        if versions and arm["name"] in versions:
            arm["version"] = versions[arm["name"]]
    if costs:
        raise ValueError(f"costs= names `{next(iter(costs))}`, which is no arm")
    study["metric"] = {"name": "score"}
    for key, value in given.items():
        if key not in _PLACES:
            raise TypeError(
                f"`{key}` is no keyword of a study: use one of {', '.join(_PLACES)}, costs"
            )
        table, of = _PLACES[key]
        study.setdefault(table, {})[of] = _value(key, value)
    try:
        return json.dumps(study, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise TypeError(f"a study file cannot hold this: {error}") from None
    except ValueError as error:
        raise ValueError(f"a study file cannot hold this: {error}") from None


def _arm(name: Any, costs: dict[str, float]) -> dict[str, Any]:
    if not isinstance(name, str):
        raise TypeError(f"the arm {name!r} is not text: name it by a str")
    return {"name": name, "cost": costs.pop(name)} if name in costs else {"name": name}


def _value(key: str, value: Any) -> Any:
    """A value as a study file writes it."""
    if key == "budget" and not isinstance(value, Mapping):
        return {"evaluations": value}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if key == "items" and not isinstance(value, str):
        return list(value)
    if isinstance(value, tuple):
        return list(value)
    return value


#: Parts of a selector that can be objects of one's own, and their method.
_METHODS = {"policy": "next", "posterior": "draws", "stopping": "check"}


def own_parts(keywords: dict[str, Any]) -> dict[str, Any]:
    """
    Takes the parts that are objects, and not names, out of the keywords.

    Raises
    ------
    TypeError
        If an object does not have the method of its part.
    """
    own = {}
    for part, method in _METHODS.items():
        value = keywords.get(part)
        if value is None or isinstance(value, str):
            continue
        made: Any = value() if isinstance(value, type) else value
        called: Callable[..., Any] | None = getattr(made, method, None)
        if not callable(called):
            raise TypeError(
                f"{part}= is a name or an object with a method `{method}`, and {made!r} has none"
            )
        own[part] = made
        del keywords[part]
    return own
