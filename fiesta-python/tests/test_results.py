"""Results show themselves: text, HTML, SVG, axes of matplotlib, frames, pickles."""

import pickle
import sys

import pytest

import fiesta_select as fiesta
from fiesta_select.results import BeliefReport, ComparedArm, ComparisonReport

SCORES = {
    "lstm": [0.71, 0.73, 0.70, 0.74],
    "gru": [0.69, 0.70, 0.69, 0.71],
    "c--nn": [0.5, 0.6, 0.5, 0.7],
}
RESULTS = {
    "belief": lambda: fiesta.belief(SCORES),
    "compare": lambda: fiesta.compare(SCORES, "lstm", "gru"),
    "pairs": lambda: fiesta.compare(SCORES, pairs=True),
    "gate": lambda: fiesta.gate(SCORES, baseline="gru", margin=0.1, paired_rows=True),
    "curve": lambda: fiesta.curve(SCORES, bounds=(0, 1)),
    "simulate": lambda: fiesta.simulate(
        gaussian=[(0.7, 0.1), (0.6, 0.1)], runs=50, confidence=[0.8, 0.9]
    ),
    "plan": lambda: fiesta.plan(arms=3, gap=0.1, sd=0.1, runs=50),
}

NO_FIGURE = ("PlanReport", "GateReport")


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]()


def test_text_html_and_pickle(result):
    text = str(result)
    assert text and "Report(" not in text
    html = result._repr_html_()
    assert html.startswith("<pre") and ("<svg" in html) == (type(result).__name__ not in NO_FIGURE)
    again = pickle.loads(pickle.dumps(result))
    assert again == result and str(again) == text and again._repr_html_() == html
    assert again.to_dict() == result.to_dict()


def test_frames(result):
    rows = {
        "BeliefReport": 3,
        "ComparisonReport": 2,
        "PairsReport": 3,
        "GateReport": 2,
        "CurveReport": 12,
        "SimulationReport": 2,
        "PlanReport": 3,
    }
    assert len(result.to_frame()) == rows[type(result).__name__]


def test_frames_without_pandas(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(result.to_frame()).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="neither is installed"):
        result.to_frame()


def test_plots_without_matplotlib(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    if type(result).__name__ in NO_FIGURE:
        with pytest.raises(ValueError, match="has no figure"):
            result.plot()
        return
    svg = result.plot()
    assert svg.startswith("<svg") and svg._repr_svg_() == svg == result.plot(backend="svg")
    with pytest.raises(ImportError):
        result.plot(backend="matplotlib")
    with pytest.raises(ValueError, match="no backend"):
        result.plot(backend="png")


def test_plots_with_matplotlib(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    if type(result).__name__ in NO_FIGURE:
        pytest.skip("plans and gates have no figure")
    _, mine = pyplot.subplots()
    assert result.plot(mine) is mine
    own = pickle.loads(pickle.dumps(result)).plot()
    assert own is not mine and own.lines
    own.figure.canvas.draw()
    pyplot.close("all")
    with pytest.raises(ValueError, match="axes are matplotlib's"):
        result.plot(mine, backend="svg")


def test_what_is_drawn_is_what_is_known():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = fiesta.compare(SCORES, "lstm", "gru")
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["gru", "lstm"]
    segments = [segment for lines in axes.containers for segment in lines[2][0].get_segments()]
    ends = [(segment[0][0], segment[1][0]) for segment in segments]
    expected = [(arm.lower, arm.upper) for arm in (found.b, found.a)]
    assert ends == [pytest.approx(end) for end in expected]
    curve = fiesta.curve(SCORES, bounds=(0, 1))
    line = curve.plot().lines[0]
    assert list(line.get_xdata()) == curve.curves[0].n
    assert list(line.get_ydata()) == curve.curves[0].mean
    # Without bounds the bands are of the median, and so is the line.
    curve = fiesta.curve(SCORES)
    axes = curve.plot()
    assert list(axes.lines[0].get_ydata()) == curve.curves[0].median
    assert axes.get_ylabel().startswith("median best")


@pytest.mark.parametrize(("direction", "best"), [("maximize", "lstm"), ("minimize", "c--nn")])
def test_the_best_is_above(direction, best):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = fiesta.belief(SCORES, direction=direction, posterior="pooled")
    labels = [label.get_text() for label in found.plot().get_yticklabels()]
    assert labels[-1].startswith(f"{best} (P(best) ")
    # Named as in the SVG, whose percentages are those of the text.
    shares = [label[label.index("P(best) ") + 8 : -1] for label in labels]
    assert all(share in str(found) for share in shares)


def test_names_of_arms_are_no_flags():
    names = ["lstm --seed 3", "--metric", "a`--cap`"]
    found = fiesta.belief({name: [0.1 * k, 0.2, 0.4] for k, name in enumerate(names)})
    assert [arm.name for arm in found.arms] == names
    for name in names:
        assert name in str(found) and name in found.to_dict()["arms"][names.index(name)]["name"]
    with pytest.raises(ValueError, match=r"there is no arm `--cap`"):
        fiesta.belief(SCORES, arms=["--cap", "gru"])


def test_notes_name_keywords():
    found = fiesta.belief(SCORES)
    assert "paired_rows=" in found.notes[0] and "--" not in found.notes[0]
    assert found.notes[0] in str(found) and found.notes == found.to_dict()["notes"]


def test_save(tmp_path):
    found = fiesta.belief(SCORES)
    for end, start in [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]:
        found.save(tmp_path / f"figure.{end}")
        assert (tmp_path / f"figure.{end}").read_bytes().startswith(start)
    with pytest.raises(ValueError, match="`tiff` is no format"):
        found.save(tmp_path / "figure.tiff")
    again = pickle.loads(pickle.dumps(found))
    again.save(tmp_path / "again.svg")
    with pytest.raises(ValueError, match="unpickled"):
        again.save(tmp_path / "again.png")


def test_made_by_hand():
    arm = ComparedArm(name="a", evaluations=1, mean=0.5)
    assert issubclass(ComparisonReport, type(fiesta.belief(SCORES)).__mro__[1])
    made = BeliefReport(
        method="x", absolute_error=0.0, posterior="p", metric="m", arms=[], notes=[]
    )
    assert str(made).startswith("BeliefReport(") and "<svg" not in made._repr_html_()
    assert arm.lower is None
