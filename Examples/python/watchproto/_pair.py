"""A phone and a watch that are paired, and what a test waits for in both."""

import os
import shutil
import tempfile
import time
from typing import Callable, List, Optional, TypeVar

from ._process import JSON, Refused
from ._simulator import Simulator

Value = TypeVar("Value")


class Pair:
    """A phone and a watch that are paired, in a directory of their own that goes with them.

    directory  -- where PhoneSim and WatchSim are, such as ".build/tests/release"
    arguments  -- further options for both
    durable    -- whether they have journals, and survive ``kill``
    link       -- the address between them; without it, a socket in their directory
    phone_link -- the address for the phone, if that is another one: that of a ``Link``, say
    """

    def __init__(
            self, directory: str, *arguments: str, durable: bool = True,
            link: Optional[str] = None, phone_link: Optional[str] = None) -> None:
        self.scratch = tempfile.mkdtemp(prefix="wp.")
        self.link = link or "unix:" + os.path.join(self.scratch, "link.sock")
        started: List[Simulator] = []
        try:
            self.watch = Simulator(
                os.path.join(directory, "WatchSim"), self.link, *arguments,
                journal=self.journal("watch") if durable else None)
            started.append(self.watch)
            self.phone = Simulator(
                os.path.join(directory, "PhoneSim"), phone_link or self.link, *arguments,
                journal=self.journal("phone") if durable else None)
            started.append(self.phone)
            pair(self.phone, self.watch)
        except BaseException:
            for simulator in started:
                simulator.close()
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    def journal(self, device: str) -> str:
        """The path of a device's file."""
        return os.path.join(self.scratch, device + ".db")

    def wait_until_reachable(self, timeout: float = 10.0) -> None:
        """Waits until each of the two can answer the other."""
        for device in (self.phone, self.watch):
            device.wait("reachability", reachable=True, timeout=timeout)

    def hold_the_same(self, seconds: float = 10.0) -> JSON:
        """Waits until the watch holds the list of the phone; gives its ``store``."""
        return hold_the_same(self.phone, self.watch, seconds)

    def close(self) -> List[int]:
        """Ends both; their directory goes, too. Gives their exit codes."""
        codes = [device.close() for device in (self.phone, self.watch)]
        shutil.rmtree(self.scratch, ignore_errors=True)
        return codes

    def __enter__(self) -> "Pair":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pair(phone: Simulator, watch: Simulator) -> None:
    """Pairs two simulators: the watch shows a code, and the phone is given it."""
    # "confirmed" stands for the users' answers to 'pairing.confirm'.
    code = watch.call("pair.show", confirmed=True)["code"]
    phone.call("pair.enter", code=code, confirmed=True)
    for device in (phone, watch):
        device.wait("pairing.done", timeout=10)


def hold_the_same(phone: Simulator, watch: Simulator, seconds: float = 10.0) -> JSON:
    """Waits until the watch holds the list of the phone; gives its ``store``."""
    digest = phone.call("list")["digest"]
    try:
        return watch.wait_until("store", timeout=seconds, digest=digest)
    except Refused as refusal:
        if refusal.code != "timed_out":
            raise
        raise AssertionError(f"the watch does not hold the phone's list: {refusal}") from refusal


def eventually(holds: Callable[[], Value], seconds: float = 10.0) -> Value:
    """Calls a function until its result is true, and gives the result.

    For what spans several processes; of a single one, ``Simulator.wait_until`` is the better way.
    """
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"it does not come to hold in {seconds} s: {value!r}")
        time.sleep(0.02)
