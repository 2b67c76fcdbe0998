"""Fixtures for tests that drive the simulators. WATCHPROTO_BIN says where these are; without it, in
.build/debug of this package."""

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
    directory = pathlib.Path(os.environ.get("WATCHPROTO_BIN", PACKAGE / ".build/debug"))
    if not (directory / "PhoneSim").exists():
        pytest.fail(f"no PhoneSim in {directory}: 'swift build' makes it, WATCHPROTO_BIN says where")
    return str(directory)


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
