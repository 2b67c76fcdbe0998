"""PhoneSim or WatchSim."""

from os import PathLike
from typing import Any, Optional, Sequence, Union

from ._process import JSON, PATIENCE, Process


class Simulator(Process):
    """A phone or a watch.

    program   -- the path of PhoneSim or WatchSim
    link      -- the address of the link, such as "unix:/tmp/w.sock"; "fd:R,W" with `pass_fds`
    arguments -- further options, as on a command line
    journal   -- the path of its file, so that it survives being killed
    pass_fds  -- descriptors of this process that the simulator is to have
    """

    def __init__(
            self, program: str, link: str, *arguments: str,
            journal: Union[str, "PathLike[str]", None] = None,
            pass_fds: Sequence[int] = ()) -> None:
        line = [program, "--link", link, *arguments]
        if journal is not None:
            line += ["--journal", str(journal)]
        super().__init__(line, pass_fds)

    def wait(
            self, event: str, timeout: float = 5.0, after: Optional[int] = None,
            **members: Any) -> JSON:
        """Waits for an event whose members have these values.

        An event since the last command counts, and a state that holds already. With `after`, the
        result of ``cursor`` or the ``seq`` of an event, only later events count.
        """
        if after is not None:
            members["after"] = after
        reply = self.call(
            "wait", timeout=timeout + PATIENCE, event=event, timeout_ms=int(timeout * 1000),
            **members)
        matched: JSON = reply["matched"]
        return matched

    def wait_until(
            self, query: str, timeout: float = 5.0, fields: Optional[JSON] = None,
            **holds: Any) -> JSON:
        """Waits until the reply to a query, such as ``status``, has these members; returns it.

        The simulator itself looks, and says in its refusal what it found when the time is over.
        """
        reply = self.call(
            "wait", timeout=timeout + PATIENCE, until=query, fields=fields or {}, holds=holds,
            timeout_ms=int(timeout * 1000))
        state: JSON = reply["state"]
        return state

    def cursor(self) -> int:
        """The number of the newest event, for ``wait(…, after=…)``."""
        return int(self.call("events")["seq"])
