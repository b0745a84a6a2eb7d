"""Inspect AI's evaluations with `fiesta_select.inspect_ai.EarlyStopping`, by its mock models."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, includes, match, scorer
from inspect_ai.solver import Generate, TaskState, solver

from fiesta_select.inspect_ai import EarlyStopping

ITEMS = 200


def mock(name: str, right: Any, items: int = ITEMS) -> Model:
    """A model that answers an item rightly if `right` says so of its number."""

    def answer(messages: Any, *rest: Any) -> ModelOutput:
        number = int(messages[-1].text.split()[-1])
        output = ModelOutput.from_content(name, "yes" if right(number) else "no")
        # Counted otherwise by a file that is fetched from the network.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer)


def share(percent: int) -> Any:
    """Right on this many of a hundred items, in an order that is no order."""
    return lambda number: (number * 37) % 100 < percent


def questions(items: int = ITEMS) -> list[Sample]:
    return [Sample(input=f"item {number}", target="yes") for number in range(items)]


def evaluate(stopping: EarlyStopping, models: list[Model], log_dir: Path, **options: Any) -> Any:
    what = Task(
        dataset=questions(options.pop("items", ITEMS)),
        scorer=options.pop("scorer", match()),
        early_stopping=stopping,
        name="yes",
    )
    options.setdefault("sample_shuffle", 1)
    logs = eval(what, model=models, log_dir=str(log_dir), display="none", max_samples=4, **options)
    assert [log.status for log in logs] == ["success"] * len(logs), [log.error for log in logs]
    return {log.eval.model: log for log in logs}


def answered(log: Any) -> int:
    return len(log.samples or [])


def test_an_evaluation_ends_when_the_best_is_known(tmp_path: Path) -> None:
    models = [mock("good", share(90)), mock("poor", share(30)), mock("fair", share(60))]
    stopping = EarlyStopping([str(model) for model in models])
    logs = evaluate(stopping, models, tmp_path)
    assert stopping.winner == "mockllm/good"
    best = {arm.name: arm for arm in stopping.belief.arms}
    for name, log in logs.items():
        assert 10 <= answered(log) < ITEMS / 2
        assert best[name].evaluations == answered(log)
        summary = log.results.early_stopping
        assert summary.manager == "fiesta-select"
        assert len(summary.early_stops) == ITEMS - answered(log)
        assert summary.metadata["arm"] == name
        assert "known" in summary.early_stops[-1].reason
    known = logs["mockllm/good"].results.early_stopping.metadata
    assert known["winner"] == "mockllm/good" and known["confidence_reached"] >= 0.95


def test_models_that_are_not_the_best_are_asked_less(tmp_path: Path) -> None:
    models = [mock("a", share(80)), mock("b", share(76)), mock("poor", share(5))]
    stopping = EarlyStopping([str(model) for model in models], first=5)
    logs = evaluate(stopping, models, tmp_path)
    assert answered(logs["mockllm/poor"]) < min(answered(logs[f"mockllm/{name}"]) for name in "ab")
    reasons = [stop.reason for stop in logs["mockllm/poor"].results.early_stopping.early_stops]
    assert "mockllm/poor is not the best" in reasons[0]


def test_equal_models_answer_all_of_the_pool(tmp_path: Path) -> None:
    models = [mock("a", share(70)), mock("b", share(70))]
    stopping = EarlyStopping([str(model) for model in models])
    logs = evaluate(stopping, models, tmp_path, items=60)
    assert [answered(log) for log in logs.values()] == [60, 60]
    assert stopping.winner is None, "there is none"


def test_a_pool_that_is_answered_has_a_winner(tmp_path: Path) -> None:
    # One item tells them apart, and nothing is left that could.
    models = [mock("a", lambda number: number != 7), mock("b", lambda number: True)]
    stopping = EarlyStopping([str(model) for model in models], confidence=0.999)
    logs = evaluate(stopping, models, tmp_path, items=20)
    assert [answered(log) for log in logs.values()] == [20, 20]
    assert stopping.winner == "mockllm/b"


def test_a_claim_for_whoever_looks_after_every_answer_takes_more(tmp_path: Path) -> None:
    def total(stopping: str) -> int:
        models = [mock("a", share(85)), mock("b", share(55))]
        of = EarlyStopping([str(model) for model in models], stopping=stopping)
        logs = evaluate(of, models, tmp_path)
        assert of.winner == "mockllm/a"
        return sum(answered(log) for log in logs.values())

    assert total("posterior") < total("anytime") < 2 * ITEMS


def test_the_smallest_scores_may_be_the_best(tmp_path: Path) -> None:
    models = [mock("a", share(90)), mock("b", share(20))]
    stopping = EarlyStopping([str(model) for model in models], direction="minimize")
    evaluate(stopping, models, tmp_path)
    assert stopping.winner == "mockllm/b"


def test_one_model_after_the_other(tmp_path: Path) -> None:
    models = [mock("a", share(90)), mock("b", share(20))]
    stopping = EarlyStopping([str(model) for model in models])
    logs = evaluate(stopping, models, tmp_path, max_tasks=1)
    assert max(answered(log) for log in logs.values()) == ITEMS
    assert min(answered(log) for log in logs.values()) < ITEMS / 2
    assert stopping.winner == "mockllm/a"


def test_epochs_are_repeated_answers_of_the_same_items(tmp_path: Path) -> None:
    models = [mock("a", share(90)), mock("b", share(20))]
    stopping = EarlyStopping([str(model) for model in models])
    evaluate(stopping, models, tmp_path, epochs=3, items=80)
    assert stopping.winner == "mockllm/a"
    assert stopping.belief.pool.items == 80
    assert all(arm.evaluations <= 80 for arm in stopping.belief.arms)


@solver
def answers(right: int) -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = int(state.input_text.split()[-1])
        state.output = ModelOutput.from_content("none", "yes" if share(right)(number) else "no")
        return state

    return solve


def test_tasks_are_compared(tmp_path: Path) -> None:
    stopping = EarlyStopping(["terse", "chatty"], arm="task")
    tasks = [
        Task(questions(), solver=answers(right), scorer=match(), name=name, early_stopping=stopping)
        for name, right in [("terse", 40), ("chatty", 80)]
    ]
    logs = eval(tasks, model="mockllm/model", log_dir=str(tmp_path), display="none", max_tasks=2,
                max_samples=4, sample_shuffle=1)  # fmt: skip
    assert [log.status for log in logs] == ["success", "success"]
    assert stopping.winner == "chatty"
    assert all(answered(log) < ITEMS for log in logs)


def test_a_retried_evaluation_takes_over_what_was_answered(tmp_path: Path) -> None:
    # The first time, model b fails on its 30th answer; the second time, the hook begins anew and is
    # told what is taken over.
    made: list[EarlyStopping] = []
    down = [True]

    def fragile(number: int) -> bool:
        if down[0] and number == 30:
            raise RuntimeError("the service is down")
        return share(84)(number)

    names = ["mockllm/a", "mockllm/b"]

    @task
    def asked() -> Task:
        made.append(EarlyStopping(names, confidence=0.999))
        return Task(questions(60), scorer=match(), early_stopping=made[-1])

    models = [mock("a", share(86)), mock("b", fragile)]
    logs = eval(asked(), model=models, log_dir=str(tmp_path), display="none", max_samples=1)
    status = {log.eval.model: log.status for log in logs}
    assert status == {"mockllm/a": "success", "mockllm/b": "error"}
    failed = next(log for log in logs if log.status == "error")
    before = len(made[0]._scores["mockllm/b"])
    assert 0 < before <= 30
    down[0] = False
    stopping = made[0]

    async def again() -> None:
        # A task that starts again tells its old samples once more.
        await stopping.start_task(failed.eval, questions_with_ids(60), 1)
        for sample in failed.samples or []:
            if sample.scores:
                scores = {name: _scored(score) for name, score in sample.scores.items()}
                await stopping.complete_sample(sample.id, sample.epoch, scores)

    asyncio.run(again())
    assert len(stopping._scores["mockllm/b"]) == before, "no sample counts twice"


def questions_with_ids(items: int) -> list[Sample]:
    return [Sample(id=number + 1, input=f"item {number}") for number in range(items)]


def _scored(score: Score) -> Any:
    from inspect_ai.scorer import SampleScore

    return SampleScore(score=score)


@scorer(metrics=[accuracy()])
def never() -> Any:
    async def score(state: TaskState, target: Any) -> Score | None:
        return None

    return score


def test_samples_without_a_score_count_as_the_worst(tmp_path: Path) -> None:
    models = [mock("a", share(90)), mock("b", share(20))]
    stopping = EarlyStopping([str(model) for model in models], first=3)
    evaluate(stopping, models, tmp_path, scorer=never(), items=12)
    assert [arm.mean for arm in stopping.belief.arms] == [0, 0]


def failing(stopping: EarlyStopping, tmp_path: Path, **options: Any) -> str:
    what = Task(questions(20), scorer=options.pop("scorer", match()), early_stopping=stopping)
    logs = eval(
        what, model=[mock("a", share(90))], log_dir=str(tmp_path), display="none", **options
    )
    assert logs[0].status == "error"
    return str(logs[0].error.message)


def test_a_model_that_is_not_compared(tmp_path: Path) -> None:
    stopping = EarlyStopping(["mockllm/b", "mockllm/c"])
    assert "`mockllm/a` is none of the arms" in failing(stopping, tmp_path)


def test_several_scorers_need_a_choice(tmp_path: Path) -> None:
    stopping = EarlyStopping(["mockllm/a", "mockllm/b"])
    assert "say with scorer=" in failing(stopping, tmp_path, scorer=[match(), includes()])
    models = [mock("a", share(90)), mock("b", share(20))]
    stopping = EarlyStopping([str(model) for model in models], scorer="includes")
    evaluate(stopping, models, tmp_path, scorer=[match(), includes()])
    assert stopping.winner == "mockllm/a"


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        (["a"], {}, "two or more"),
        (["a", "a"], {}, "two or more"),
        ("ab", {}, "two or more"),
        (["a", "b"], {"confidence": 1}, "between 0 and 1"),
        (["a", "b"], {"first": 0}, "first is 0"),
        (["a", "b"], {"stopping": "never"}, "no stopping rule"),
        (["a", "b"], {"tolerance": 0.1}, "anytime"),
    ],
)
def test_parameters_that_cannot_be(arguments: Any, options: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        EarlyStopping(arguments, **options)
