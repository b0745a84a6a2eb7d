"""What the tests share: the program that the package brings."""

import pathlib
import shutil
import sys

import pytest


@pytest.fixture(scope="session")
def program():
    """The program `fiesta` beside the interpreter, else on PATH."""
    beside = pathlib.Path(sys.executable).with_name("fiesta")
    found = str(beside) if beside.exists() else shutil.which("fiesta")
    assert found, "the package brings the program `fiesta`, and it is not there"
    return found
