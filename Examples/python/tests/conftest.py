"""Fixtures for tests that drive the simulators. WATCHPROTO_BIN says where these are; without it, in
.build/tests/release of this package ('./test' builds there), else in .build/release ('./run' does)."""

import pathlib
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PACKAGE / "Examples/python"))

import os  # noqa: E402

import watchproto  # noqa: E402


@pytest.fixture(scope="session")
def binaries():
    """The directory of PhoneSim, WatchSim and rig."""
    named = os.environ.get("WATCHPROTO_BIN")
    places = [pathlib.Path(named)] if named else [PACKAGE / ".build/tests/release", PACKAGE / ".build/release"]
    for directory in places:
        if (directory / "PhoneSim").exists():
            return str(directory)
    names = " or ".join(map(str, places))
    pytest.fail(f"no PhoneSim in {names}: 'swift build' makes it, WATCHPROTO_BIN says where")


@pytest.fixture(scope="session")
def medications():
    """The path of a list of medications."""
    return str(PACKAGE / "Fixtures/medications/list.json")


@pytest.fixture
def pair(binaries):
    """A phone and a watch, paired, with journals."""
    with watchproto.Pair(binaries) as pair:
        pair.wait_until_reachable()
        yield pair
