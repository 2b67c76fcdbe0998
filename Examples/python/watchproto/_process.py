"""A process that is driven by lines of JSON."""

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar

#: An event, a reply, or their fields.
JSON = Dict[str, Any]

#: Seconds that a call may take, unless it is told otherwise.
PATIENCE = 20.0

Self = TypeVar("Self", bound="Process")


class SimulatorError(Exception):
    """Something went wrong with a process."""


class Refused(SimulatorError):
    """A command was refused, and has changed nothing. ``error`` is the reply's member of that name."""

    def __init__(self, command: str, error: JSON) -> None:
        self.command, self.error = command, error
        self.code: str = error.get("code", "")
        super().__init__(f"{command}: {json.dumps(error)}")


class Ended(SimulatorError):
    """The process has ended, or closed its output. ``exit_code`` is negative for a signal."""

    def __init__(self, name: str, exit_code: int, log: str) -> None:
        self.exit_code, self.log = exit_code, log
        super().__init__(f"{name} has ended with {exit_code}: {log.strip() or 'it said nothing'}")


class TimedOut(SimulatorError):
    """No answer within the time that was given."""


class Process:
    """One process, and the lines exchanged with it.

    line     -- the command line, the program first
    pass_fds -- descriptors of this process that it is to have
    """

    def __init__(self, line: Sequence[str], pass_fds: Sequence[int] = ()) -> None:
        self.name = os.path.basename(line[0])
        self.line = list(line)
        self._pass_fds = tuple(pass_fds)
        self._start()

    def _start(self) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            pass_fds=self._pass_fds)
        #: Every event that has come, in order.
        self.events: List[JSON] = []
        self._replies: Dict[Any, JSON] = {}
        self._next_id = 1
        self._lines: "queue.Queue[Optional[JSON]]" = queue.Queue()
        # A thread reads, so that no call blocks for longer than it may.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            #: The first line, with facts about the process.
            self.ready = self._event_named("ready", time.monotonic() + PATIENCE)
        except BaseException:
            # There is nobody yet who could close it.
            self.process.kill()
            self.process.wait(timeout=PATIENCE)
            self._tidy()
            raise

    @property
    def _input(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def _read(self) -> None:
        for line in self._output:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _take(self, deadline: float) -> JSON:
        """Takes the next line, an event or a reply."""
        try:
            message = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimedOut(f"{self.name} said nothing in time") from None
        if message is None:
            # For whoever asks again.
            self._lines.put(None)
            raise Ended(self.name, self.process.wait(timeout=PATIENCE), self.log())
        if "event" in message:
            self.events.append(message)
        else:
            self._replies[message.get("id")] = message
        return message

    def _event_named(self, name: str, deadline: float) -> JSON:
        while True:
            message = self._take(deadline)
            if message.get("event") == name:
                return message

    def call(self, command: str, timeout: float = PATIENCE, **fields: Any) -> JSON:
        """Gives a command and returns its reply; raises Refused where that is a refusal.

        Events that come before the reply are kept in ``events``.
        """
        return self.answer(self.give(command, **fields), timeout)

    def give(self, command: str, **fields: Any) -> Tuple[int, str]:
        """Gives a command without waiting; ``answer`` takes the result."""
        number = self._next_id
        self._next_id += 1
        line = json.dumps({"id": number, "cmd": command, **fields}) + "\n"
        try:
            self._input.write(line.encode())
            self._input.flush()
        except (BrokenPipeError, ValueError):
            raise Ended(self.name, self.process.wait(timeout=PATIENCE), self.log()) from None
        return number, command

    def answer(self, given: Tuple[int, str], timeout: float = PATIENCE) -> JSON:
        """The reply to a command that ``give`` gave."""
        number, command = given
        deadline = time.monotonic() + timeout
        while number not in self._replies:
            try:
                self._take(deadline)
            except TimedOut:
                raise TimedOut(f"{self.name} did not answer '{command}' in {timeout} s") from None
        reply = self._replies.pop(number)
        if not reply["ok"]:
            raise Refused(command, reply["error"])
        return reply

    def log(self) -> str:
        """The text that it has written to standard error."""
        # Not by seek: the process writes where that would leave the offset they share.
        descriptor = self._log.fileno()
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, size, 0).decode(errors="replace")

    def kill(self) -> None:
        """Ends it as a crash would (SIGKILL): it gets to do nothing more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)
        self._tidy()

    def restart(self) -> None:
        """Starts it again, by the same command line, after ``kill`` or ``close``."""
        self._start()

    def close(self) -> int:
        """Ends it properly, and gives its exit code: the end of its input is the sign."""
        if self.process.poll() is None:
            self._input.close()
            try:
                self.process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=PATIENCE)
        self._tidy()
        return int(self.process.returncode)

    def _tidy(self) -> None:
        self._reader.join(timeout=PATIENCE)
        for stream in (self._input, self._output):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        self.close()
