#!/usr/bin/env bash
# The package in fresh virtual environments: what is in the wheel $WHEEL, and that it is installed, used and uninstalled without
# rest; the same from the source distribution in $SOURCE, by pip, as an editable and by uv. Called by scripts/python-test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$PLACE/package
rm -rf "$work" && mkdir -p "$work"
cd "$work"
python=$(command -v python3)

python3 "$here/wheel_contents.py" "$WHEEL"

# Every file of an environment but the bytecode of other packages, and uv's own lock.
files() { find "$1" -type f -o -type l | grep -v '__pycache__\|/\.lock$' | sort; }

# What somebody who just installed the package has: the module, and the program on PATH that runs a study.
use() {
    local environment=$1
    (
        export PATH=$environment/bin:$PATH
        rm -rf "$work/study" && mkdir "$work/study" && cd "$work/study"
        python - <<'PYTHON'
import fiesta_select as fiesta

found = fiesta.belief({"lstm": [0.71, 0.73, 0.70, 0.72], "gru": [0.69, 0.70, 0.69, 0.68]}, paired_rows=True)
assert found.arms[0].name == "lstm" and found.arms[0].probability_best > 0.9, found
PYTHON
        cat >job.py <<'PYTHON'
import json, os, pathlib, random, sys

pathlib.Path("parent.txt").write_text(os.readlink(f"/proc/{os.getppid()}/exe"))
print(json.dumps({"score": {"a": 0.5, "b": 0.9}[sys.argv[1]] + random.Random(int(sys.argv[2])).gauss(0, 0.01)}))
PYTHON
        cat >study.toml <<'TOML'
name = "installed"
command = ["python", "job.py", "{arm}", "{seed}"]
[metric]
name = "score"
[goal]
confidence = 0.95
[[arm]]
name = "a"
[[arm]]
name = "b"
TOML
        [ "$(command -v fiesta)" = "$environment/bin/fiesta" ]
        fiesta --version
        fiesta run --quiet study.toml | grep -q 'b is the best of 2 arms'
        # The supervisor beside each job is the native program, and no interpreter.
        [ "$(cat "$(find . -name parent.txt | head -n 1)")" = "$(readlink -f "$environment/bin/fiesta")" ]
        python -c 'import fiesta_select as f; assert f.Study("study.toml").status().leader == "b"'
    )
}

fresh() {
    "$python" -m venv "$1"
    files "$1" >"$1.before"
}

# That nothing of the package is left.
gone() {
    files "$1" >"$1.after"
    diff "$1.before" "$1.after" || { echo "left in $1 by what was uninstalled (lines with >)"; return 1; }
}

echo "- the wheel alone"
fresh "$work/wheel"
wheel/bin/pip install --quiet --no-index "$WHEEL"
use "$work/wheel"
wheel/bin/pip uninstall --quiet --yes fiesta-select
gone "$work/wheel"

echo "- pip install ."
fresh "$work/source"
source/bin/pip install --quiet "$SOURCE"
use "$work/source"
source/bin/pip uninstall --quiet --yes fiesta-select
gone "$work/source"

echo "- pip install -e ."
fresh "$work/editable"
editable/bin/pip install --quiet --editable "$SOURCE"
use "$work/editable"
editable/bin/python -c "import fiesta_select, sys; assert fiesta_select.__file__.startswith(sys.argv[1]), fiesta_select.__file__" "$SOURCE"
editable/bin/pip uninstall --quiet --yes fiesta-select
gone "$work/editable"

echo "- uv pip install ."
uv venv --quiet --python "$python" "$work/uv"
files "$work/uv" >"$work/uv.before"
VIRTUAL_ENV=$work/uv uv pip install --quiet "$SOURCE"
use "$work/uv"
VIRTUAL_ENV=$work/uv uv pip uninstall --quiet fiesta-select
gone "$work/uv"
rm -rf "$work"
