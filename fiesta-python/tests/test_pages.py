"""What the pages, the notebook and the figures' script show, run with the installed package."""

from __future__ import annotations

import doctest
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python.md"
README = ROOT / "README.md"
OF_PACKAGE = ROOT / "fiesta-python/README.md"
NOTEBOOK = ROOT / "examples/python/tour.ipynb"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """The programs of this environment before all others."""
    places = [str(Path(program).parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(places))


def test_the_readme_of_the_package_finds_the_winner(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    (example,) = python_blocks(read(OF_PACKAGE))
    began = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert began.returncode == 0, began.stderr
    assert "svm is the best of 6 arms by score" in began.stdout
    assert (tmp_path / "study.fiesta").is_dir()
    again = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert again.stdout == began.stdout


def test_the_readme_runs() -> None:
    (example,) = python_blocks(read(README))
    ran = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, check=True
    )
    assert re.search(r"^lstm +99\.8 %", ran.stdout, flags=re.MULTILINE)


def test_the_page_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_path: None
) -> None:
    pytest.importorskip("numpy")
    text = read(PAGE)
    files = re.findall(
        r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE
    )
    assert len(files) == 3
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried == len(re.findall(r"^>>> ", text, flags=re.MULTILINE)) > 40
    # Every other block of Python is a file, and commands that are shown are carried out.
    assert len(python_blocks(text)) == 2
    commands = re.findall(r"^\$ (.*)$", text, flags=re.MULTILINE)
    assert commands
    for command in commands:
        subprocess.run(command, shell=True, check=True, capture_output=True)


def test_links_lead_somewhere() -> None:
    text = re.sub(r"^(>>>|\.\.\.).*$", "", read(PAGE), flags=re.MULTILINE)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (PAGE.parent / target).exists(), target
    titles = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) == anchors


def test_the_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    html = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert sum("<svg" in text for text in html) >= 3
    assert not any(output.output_type == "error" for output in shown)


def test_the_figures_are_what_their_script_draws(tmp_path: Path) -> None:
    loader = importlib.machinery.SourceFileLoader(
        "python_figures", str(ROOT / "scripts/python-figures")
    )
    spec = importlib.util.spec_from_loader("python_figures", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    figures = sorted(path.name for path in module.FIGURES.glob("python-*.svg"))
    assert figures == sorted(set(re.findall(r"figures/(python-\w+\.svg)", read(PAGE))))
    made = module.scores(12)
    drawn = module.fiesta.belief(made, paired_rows=True).svg()
    assert drawn == read(module.FIGURES / "python-belief.svg")
