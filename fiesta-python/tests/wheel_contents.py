"""What is in a wheel, and what is to be in it: `wheel_contents.py FILE.whl`."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

#: The most that PyPI's users are made to wait for. 20 MB are meant and missed: the wheel of the tests, made
#: without link-time optimisation, had 20.7 MB on 2026-11-26 and 22.0 MB on 2026-11-27; Parquet added 1.5 MB.
#: Gates, benchmarks and `confirm` came after that; the bound leaves 2.5 MB for them, as they were not weighed.
#: (`opt-level = "s"` for the runner made it larger.)
LARGEST = 26_000_000


def check(path: Path) -> None:
    """Says what is wrong with the wheel, if anything is."""
    tag = re.fullmatch(r"fiesta_select-[\d.]+-cp310-abi3-(manylinux_2_\d+_\w+)\.whl", path.name)
    assert tag, f"{path.name} is no wheel for CPython from 3.10 on, of manylinux"
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size:,} bytes: no more than {LARGEST:,} were meant"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (program,) = (name for name in names if name.endswith(".data/scripts/fiesta"))
        for native in (program, "fiesta_select/_native.abi3.so"):
            assert wheel.read(native)[:4] == b"\x7fELF", f"{native} is no native program"
        assert wheel.getinfo(program).external_attr >> 16 & 0o111, f"{program} is not executable"
        (metadata,) = (name for name in names if name.endswith("METADATA"))
        needs = re.findall(r"^Requires-Dist: .*", wheel.read(metadata).decode(), flags=re.MULTILINE)
        assert not needs, f"the package needs nothing, and asks for {needs}"
    here = Path(__file__).parents[1] / "fiesta_select"
    wanted = {
        f"fiesta_select/{file.relative_to(here)}"
        for pattern in ("*.py", "*.pyi", "py.typed")
        for file in here.rglob(pattern)
    }
    wanted |= {
        f"fiesta_select-0.1.0.dist-info/licenses/LICENSE-{name}" for name in ("APACHE", "MIT")
    }
    missing = wanted - set(names)
    assert not missing, f"{path.name} lacks {sorted(missing)}"
    modules = {name for name in names if name.startswith("fiesta_select/") and name[-1] != "/"}
    more = modules - wanted - {"fiesta_select/_native.abi3.so"}
    assert not more, f"{path.name} has what the sources have not: {sorted(more)}"
    print(f"{path.name}: {size / 1e6:.1f} MB for {tag[1]}")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
