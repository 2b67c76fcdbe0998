"""The link between the two, with network conditions."""

import os
from typing import Any, Optional, Sequence

from ._process import JSON, Process


class Link(Process):
    """`rig link` between a phone and a watch: it drops, delays and damages packets.

    directory -- where `rig` is, such as ".build/tests/release"
    listen    -- the address that the phone connects to
    connect   -- the address at which the watch listens
    profile   -- a profile such as "3g", or the path of a file
    settings  -- changes such as "rtt=60ms,loss=2%"
    seed      -- decides every loss and delay
    """

    def __init__(
            self, directory: str, listen: str, connect: str, profile: Optional[str] = None,
            settings: Optional[str] = None, seed: Optional[int] = None) -> None:
        line = [
            os.path.join(directory, "rig"), "link", "--listen", listen, "--connect", connect,
            "--control", "stdio", "--quiet"]
        for option, value in (("--profile", profile), ("--set", settings), ("--seed", seed)):
            if value is not None:
                line += [option, str(value)]
        super().__init__(line)

    def set(self, settings: Optional[str] = None, **fields: Any) -> JSON:
        """Changes the conditions at once: `settings` both ways; `profile`, `one_way`, `up`, `down`."""
        if settings is not None:
            fields["set"] = settings
        return self.call("link.set", **fields)

    def down(self) -> None:
        """Takes the link away."""
        self.call("link.down")

    def up(self) -> None:
        """Gives the link back."""
        self.call("link.up")

    def drop(self, up: Sequence[int] = (), down: Sequence[int] = ()) -> None:
        """Drops exactly these packets of each direction, counted from now; 1 is the next one."""
        ways: JSON = {"up": list(up), "down": list(down)}
        self.call("link.drop", **{way: numbers for way, numbers in ways.items() if numbers})

    def counters(self) -> JSON:
        """The packets of each direction: offered, lost by cause, dropped, delivered."""
        return self.call("link.counters")
