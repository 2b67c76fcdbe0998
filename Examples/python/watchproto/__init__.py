"""Drives PhoneSim, WatchSim and the link between them, with Python's standard library alone.

A simulator is a process that is driven by lines of JSON over its standard input and output. The
article *The control protocol* of ControlProtocol and share/schema/control-1.json describe the lines.
This package starts simulators, gives them commands and waits for events and states:

    with Pair(".build/tests/release") as pair:
        pair.wait_until_reachable()
        sent = pair.phone.call("send", kind="message", text="hello")
        print(pair.phone.wait("message.replied", msg=sent["msg"])["text"])

Every call is bounded in time, and leaving a 'with' ends the processes. Python 3.9 is enough.
"""

from ._link import Link
from ._pair import Pair, eventually, hold_the_same, pair
from ._process import JSON, PATIENCE, Ended, Process, Refused, SimulatorError, TimedOut
from ._simulator import Simulator

__all__ = [
    "JSON", "PATIENCE", "Ended", "Link", "Pair", "Process", "Refused", "Simulator",
    "SimulatorError", "TimedOut", "eventually", "hold_the_same", "pair",
]
