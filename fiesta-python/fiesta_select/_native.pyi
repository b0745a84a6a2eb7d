"""The extension module: records, analyses and selectors of the Rust crates."""

from collections.abc import Sequence
from typing import Any

__version__: str

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
    def of_files(
        paths: Sequence[str],
        reading: dict[str, Any],
        tool: str | None = None,
        arm: str | None = None,
    ) -> Records: ...

class Report:
    @property
    def kind(self) -> str: ...
    def json(self) -> str: ...
    def text(self) -> str: ...
    def has_figure(self) -> bool: ...
    def figure(self, format: str) -> bytes: ...
    def drawn(self) -> list[tuple[str, float, list[float]]]: ...

def belief(
    records: Records,
    *,
    arms: Sequence[str] = ...,
    direction: str = ...,
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
) -> Report: ...
def compare(
    records: Records,
    *,
    a: str | None = ...,
    b: str | None = ...,
    direction: str = ...,
    posterior: str | None = ...,
    pool_size: int | None = ...,
    bounds: tuple[float, float] | None = ...,
    confidence: float | None = ...,
) -> Report: ...
def curve(
    records: Records,
    *,
    direction: str = ...,
    bounds: tuple[float, float] | None = ...,
    estimator: str | None = ...,
    bands: str | None = ...,
    band_of: str | None = ...,
    confidence: float | None = ...,
    max_n: int | None = ...,
    reach: Sequence[float] = ...,
    time: bool = ...,
    failed: str = ...,
) -> Report: ...
def simulate(
    records: Records | None = ...,
    *,
    gaussian: Sequence[tuple[float, float]] = ...,
    arms: Sequence[str] = ...,
    direction: str = ...,
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
    direction: str = ...,
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
