"""The package: its types, and that pip installs it."""

import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def test_the_types_are_right(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    check = (sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"))
    found = run(*check, cwd=SOURCE)
    assert found.returncode == 0, found.stdout + found.stderr
    # A user's mistake is found.
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import watchproto\nwatchproto.Pair(1).phone.wait(event=2)\n")
    planted = run(*check, "--strict", str(wrong), cwd=tmp_path, env={"MYPYPATH": str(SOURCE)})
    assert planted.returncode == 1 and planted.stdout.count("arg-type") == 2, planted.stdout


def test_pip_installs_it(tmp_path):
    pytest.importorskip("flit_core", reason="flit_core, which builds the package, is not installed")
    place = tmp_path / "site"
    installed = run(
        sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation",
        "--no-cache-dir", "--target", str(place), str(SOURCE))
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert (place / "watchproto/py.typed").exists()
    used = run(
        sys.executable, "-c", "import watchproto; print(watchproto.__file__)", cwd=tmp_path,
        env={"PYTHONPATH": str(place)})
    assert used.stdout.strip() == str(place / "watchproto/__init__.py"), used.stderr
