"""The extension module: records, analyses and selectors of the Rust crates."""

from collections.abc import Sequence
from typing import Any, TypedDict, final

from typing_extensions import NotRequired, Self

__version__: str

@final
class Records:
    notices: list[str]
    @property
    def arms(self) -> list[str]: ...
    def __len__(self) -> int: ...
    @staticmethod
    def of_arms(
        names: Sequence[str], scores: Sequence[Any], reading: dict[str, Any], source: str
    ) -> Records: ...
    @staticmethod
    def of_json(json: str, reading: dict[str, Any], source: str) -> Records: ...
    @staticmethod
    def are_arms(json: str, reading: dict[str, Any]) -> bool: ...
    @staticmethod
    def of_files(
        paths: Sequence[str],
        reading: dict[str, Any],
        tool: str | None = None,
        versions: bool = False,
    ) -> Records: ...
    @staticmethod
    def of_benchmarks(
        paths: Sequence[str], reading: dict[str, Any], column: str | None
    ) -> list[tuple[str, Records]]: ...
    @staticmethod
    def of_versions(
        names: Sequence[str], tables: Sequence[str | dict[str, str]], reading: dict[str, Any]
    ) -> Records: ...

@final
class Report:
    @property
    def kind(self) -> str: ...
    def json(self) -> str: ...
    def value(self) -> Any: ...
    def text(self) -> str: ...
    def markdown(self) -> str: ...
    def has_figure(self) -> bool: ...
    def figure(self, format: str) -> bytes: ...
    def drawn(self) -> list[tuple[str, float, list[float]]]: ...

def belief(
    records: Records | Sequence[tuple[str, Records]],
    *,
    arms: Sequence[str] = ...,
    direction: str | None = ...,
    posterior: str | None = ...,
    method: str | None = ...,
    draws: int | None = ...,
    seed: int | None = ...,
    logit: float | None = ...,
    pool_size: int | None = ...,
    bounds: tuple[float, float] | None = ...,
    confidence: float | None = ...,
    tolerance: float | None = ...,
    strata: str | None = ...,
    clusters: str | None = ...,
    outlook: bool = ...,
    target: str | None = ...,
    spread: str | None = ...,
    n: str | None = ...,
    weights: str | Sequence[tuple[str, float]] | None = ...,
    scale: Sequence[tuple[str, float, float]] = ...,
    cheapest_within: float | None = ...,
    by: str | None = ...,
    at_most: Sequence[tuple[str, float]] = ...,
    known: Sequence[str] = ...,
) -> Report: ...
def belief_of_predictions(
    predictions: str | dict[str, str],
    reading: dict[str, Any],
    positive: str,
    *,
    arms: Sequence[str] = ...,
    draws: int | None = ...,
    seed: int | None = ...,
) -> Report: ...
def compare(
    records: Records,
    *,
    a: str | None = ...,
    b: str | None = ...,
    pairs: bool = ...,
    arms: Sequence[str] = ...,
    direction: str | None = ...,
    posterior: str | None = ...,
    pool_size: int | None = ...,
    bounds: tuple[float, float] | None = ...,
    confidence: float | None = ...,
    tolerance: float | None = ...,
    target: str | None = ...,
    draws: int | None = ...,
    seed: int | None = ...,
) -> Report: ...
def curve(
    records: Records,
    *,
    direction: str | None = ...,
    bounds: tuple[float, float] | None = ...,
    estimator: str | None = ...,
    bands: str | None = ...,
    band_of: str | None = ...,
    confidence: float | None = ...,
    max_n: int | None = ...,
    reach: Sequence[float] = ...,
    time: bool = ...,
) -> Report: ...
def gate(
    records: Records,
    *,
    arms: Sequence[str] = ...,
    margin: float | None = ...,
    better_by: float | None = ...,
    baseline: str | None = ...,
    confidence: float | None = ...,
    target: str | None = ...,
    clusters: str | None = ...,
    bounds: tuple[float, float] | None = ...,
    direction: str | None = ...,
    texts: bool = ...,
) -> Report: ...
def simulate(
    records: Records | None = ...,
    *,
    gaussian: Sequence[tuple[float, float]] = ...,
    arms: Sequence[str] = ...,
    direction: str | None = ...,
    bounds: tuple[float, float] | None = ...,
    policy: str | None = ...,
    posterior: str | None = ...,
    stopping: str | None = ...,
    tolerance: str | None = ...,
    tie: str | None = ...,
    strict: bool = ...,
    rare_failures: float | None = ...,
    splits: str | None = ...,
    confidence: Sequence[float] = ...,
    shortfall: Sequence[str] = ...,
    budget: Sequence[int] = ...,
    parallel: int = ...,
    durations: str | None = ...,
    cap: int | None = ...,
    beta: float | None = ...,
    tie_break: str | None = ...,
    extended: bool = ...,
    runs: int = ...,
    seed: int = ...,
) -> Report: ...
def plan(
    records: Records | None = ...,
    *,
    gaussian: Sequence[tuple[float, float]] = ...,
    pool: tuple[int, int, int, float, float] | None = ...,
    split_sd: float | None = ...,
    direction: str | None = ...,
    bounds: tuple[float, float] | None = ...,
    pool_size: int | None = ...,
    splits: str | None = ...,
    confidence: Sequence[float] | None = ...,
    tolerance: float | None = ...,
    power: float = ...,
    parallel: int = ...,
    cost_per_evaluation: float | None = ...,
    runs: int = ...,
    seed: int = ...,
    cap: int | None = ...,
) -> Report: ...

@final
class Ask:
    @property
    def id(self) -> int: ...
    @property
    def arm(self) -> str: ...
    @property
    def split(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def item_id(self) -> str | None: ...
    @property
    def item(self) -> Any: ...

class Conclusion(TypedDict):
    arm: str
    reason: str
    probability: float | None
    evaluations: int
    tied: NotRequired[list[str]]

@final
class View:
    @property
    def candidates(self) -> list[str]: ...
    @property
    def belief(self) -> dict[str, float]: ...
    @property
    def seed(self) -> int: ...
    @property
    def total_cost(self) -> float: ...
    def observed(self, arm: str) -> int: ...
    def failed(self, arm: str) -> int: ...
    def pending(self, arm: str) -> int: ...
    def mean(self, arm: str) -> float | None: ...

class Selector:
    def __new__(
        cls, document: str, policy: Any = None, posterior: Any = None, stopping: Any = None
    ) -> Self: ...
    def ask(self) -> Ask | None: ...
    def _tell(
        self,
        id: int,
        score: float | None,
        counts: dict[str, int] | None,
        failed: bool,
        cost: float | None,
    ) -> None: ...
    @property
    def pending(self) -> list[Ask]: ...
    @property
    def arms(self) -> list[str]: ...
    @property
    def cost_unit(self) -> str | None: ...
    @property
    def belief(self) -> dict[str, float]: ...
    @property
    def best(self) -> str | None: ...
    @property
    def finished(self) -> bool: ...
    @property
    def conclusion(self) -> Conclusion | None: ...
    @property
    def records(self) -> list[dict[str, Any]]: ...
    def state(self) -> str: ...
    @staticmethod
    def document_of(state: str) -> str: ...
    def restore(self, state: str) -> None: ...

def distribution_band(
    scores: int, kind: str, confidence: float
) -> tuple[float, list[float], list[float]]: ...
def probability_best(
    means: Sequence[float], variances: Sequence[float], counts: Sequence[float]
) -> tuple[list[float], float]: ...

class StudyError(RuntimeError): ...

class Progress(TypedDict):
    ended: int
    running: int
    pending: int
    cost: float
    leader: str | None
    probability: float | None
    notices: list[str]

@final
class FunctionRun:
    def __new__(
        cls,
        document: str,
        path: str,
        accept_changes: bool,
        retry: Sequence[str],
        again: Sequence[str],
    ) -> Self: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def most_evaluations(self) -> int | None: ...
    @property
    def parallel(self) -> int: ...
    def next(self, seconds: float) -> Call | None: ...
    def stop(self) -> None: ...
    def wait(self, seconds: float) -> Report | None: ...
    def progress(self) -> Progress: ...

@final
class Call:
    def request(self) -> str: ...
    def is_cancelled(self) -> bool: ...
    def finish(self, score: float) -> None: ...
    def finish_with(self, result: str) -> None: ...
    def fail(self, message: str, details: str, said: str) -> None: ...
    def lose(self, reason: str) -> None: ...

def study_status(path: str) -> Report: ...
