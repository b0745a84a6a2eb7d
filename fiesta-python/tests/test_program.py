"""Results equal the program's JSON on the same file, with the same seed."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import fiesta_select as fiesta

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    """The program: ``FIESTA_PROGRAM``, that of this environment, or the one that cargo built."""
    built = ROOT / "target/debug/fiesta"
    found = os.environ.get("FIESTA_PROGRAM") or shutil.which("fiesta") or built
    if not pathlib.Path(found).exists():
        pytest.skip("no program `fiesta`: install the package, or `cargo build -p fiesta-cli`")
    return found


def printed(*arguments):
    command = [program(), *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_flags(document):
    """Without the notes that name flags, as the package names keywords, and without how the program read its files."""
    document = dict(document)
    document.pop("notices", None)
    document.pop("reading", None)
    document["notes"] = [
        note for note in document.get("notes", []) if "--" not in note and "=" not in note
    ]
    return document


def equal(result, *arguments):
    assert without_flags(result.to_dict()) == without_flags(printed(*arguments))


@pytest.fixture
def shared(tmp_path):
    path = tmp_path / "scores.csv"
    lines = ["arm,split,seed,score"]
    for split in range(12):
        for place, (arm, mean) in enumerate([("lstm", 0.71), ("gru", 0.70), ("cnn", 0.66)]):
            score = (
                mean + 0.02 * ((split * 7) % 5 - 2) + 0.005 * ((split * 3 + split * place**2) % 11)
            )
            lines.append(f"{arm},{split},0,{score:.4f}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "accuracy.csv"
    path.write_text("a,b\n.71,.69\n.73,.70\n.70,.66\n.74,.73\n.72,.69\n")
    return path


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    rows = [f"q{k},{int(k % 3 > 0)},{int(k % 4 > 1)}" for k in range(40)]
    path.write_text("item,large,small\n" + "\n".join(rows) + "\n")
    return path


def test_belief(shared, wide, items):
    equal(fiesta.belief(shared), "belief", shared)
    equal(fiesta.belief(str(shared), arms=["gru", "cnn"]), "belief", shared, "--arms", "gru,cnn")
    monte_carlo = {"posterior": "pooled", "method": "monte-carlo", "draws": 5000, "seed": 7}
    flags = ["--posterior", "pooled", "--method", "monte-carlo", "--draws", "5000", "--seed", "7"]
    both = ["--arms", "a,b"]
    equal(fiesta.belief(wide, arms=["a", "b"], **monte_carlo), "belief", wide, *both, *flags)
    equal(fiesta.belief(wide, paired_rows=True), "belief", wide, "--paired-rows")
    equal(fiesta.belief(wide, arms=["a", "b"]), "belief", wide, *both)
    equal(fiesta.belief(wide, arms=["a", "b"], logit=0.0), "belief", wide, *both, "--logit")
    equal(fiesta.belief(shared, direction="minimize"), "belief", shared, "--minimize")
    flags = ["--pool-size", "60", "--tolerance", "0.05"]
    equal(fiesta.belief(items, pool_size=60, tolerance=0.05), "belief", items, *flags)


def test_belief_of_memory_is_that_of_the_file(wide):
    columns = {"a": [0.71, 0.73, 0.70, 0.74, 0.72], "b": [0.69, 0.70, 0.66, 0.73, 0.69]}
    equal(fiesta.belief(columns, paired_rows=True), "belief", wide, "--paired-rows")
    equal(fiesta.belief(columns), "belief", wide, "--arms", "a,b")


def test_compare(shared, wide, items):
    equal(fiesta.compare(shared, pairs=True), "compare", shared)
    flags = ["--tolerance", "0.05", "--confidence", "0.9"]
    equal(
        fiesta.compare(shared, pairs=True, tolerance=0.05, confidence=0.9),
        "compare",
        shared,
        *flags,
    )
    both = ["--arms", "gru,lstm"]
    equal(
        fiesta.compare(shared, "gru", "lstm", tolerance=0.05), "compare", shared, *both, *flags[:2]
    )
    equal(fiesta.compare(shared, arms=["gru", "lstm"]), "compare", shared, *both)
    equal(fiesta.compare(wide, arms=["a", "b"]), "compare", wide, "--arms", "a,b")
    equal(fiesta.compare(items), "compare", items)
    these = ["--target", "these items"]
    equal(fiesta.compare(items, target="these items"), "compare", items, *these)


def test_curve(shared):
    equal(fiesta.curve(shared), "curve", shared)
    flags = ["--bounds", "0,1", "--max-n", "20", "--confidence", "0.9"]
    equal(fiesta.curve(shared, bounds=(0, 1), max_n=20, confidence=0.9), "curve", shared, *flags)


def test_simulate(shared, items):
    flags = ["--runs", "200", "--seed", "3"]
    equal(fiesta.simulate(shared, runs=200, seed=3), "simulate", shared, *flags)
    gaussian = fiesta.simulate(
        gaussian=[(0.7, 0.03), (0.68, 0.03)], runs=200, seed=3, confidence=[0.8, 0.95]
    )
    arms = ["--gaussian", "0.7:0.03,0.68:0.03", "--confidence", "0.8,0.95"]
    equal(gaussian, "simulate", *arms, *flags)
    flags = ["--runs", "20", "--seed", "3"]
    equal(fiesta.simulate(items, runs=20, seed=3), "simulate", items, *flags)


def test_plan(shared, items):
    equal(
        fiesta.plan(shared, runs=50, seed=3),
        "plan",
        shared,
        "--runs",
        "50",
        "--seed",
        "3",
    )
    found = fiesta.plan(gaussian=[(0.7, 0.03), (0.68, 0.03)], runs=50)
    equal(found, "plan", "--gaussian", "0.7:0.03,0.68:0.03", "--runs", "50")
    guessed = fiesta.plan(arms=4, gap=0.02, sd=0.03, split_sd=0.01, runs=50)
    flags = ["--arms", "4", "--gap", "0.02", "--sd", "0.03", "--split-sd", "0.01", "--runs", "50"]
    equal(guessed, "plan", *flags)
