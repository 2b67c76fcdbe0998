"""Drives PhoneSim and WatchSim from Python's standard library.

A simulator is a process that is spoken with in lines of JSON over its standard input and output; the
lines are described in the article *The control protocol* of ControlProtocol, and in
share/schema/control-1.json. This module starts simulators, gives them commands and waits for events:

    with Simulator(".build/tests/release/WatchSim", link="unix:/tmp/w.sock") as watch:
        print(watch.call("status")["paired"])

Every call is bounded in time, and leaving a 'with' ends the process. Nothing here needs more than
Python 3.9.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

#: Seconds that a call may take, unless it is told otherwise.
PATIENCE = 20.0


class SimulatorError(Exception):
    """What goes wrong with a simulator."""


class Refused(SimulatorError):
    """A command was refused, and has changed nothing. ``error`` is the reply's member of that name."""

    def __init__(self, command, error):
        self.command, self.error, self.code = command, error, error.get("code")
        super().__init__(f"{command}: {json.dumps(error)}")


class Ended(SimulatorError):
    """The process has ended, or closed its output. ``exit_code`` is negative for a signal."""

    def __init__(self, name, exit_code, log):
        self.exit_code, self.log = exit_code, log
        super().__init__(f"{name} has ended with {exit_code}: {log.strip() or 'it said nothing'}")


class TimedOut(SimulatorError):
    """No answer within the time that was given."""


class Simulator:
    """One process, and the lines spoken with it.

    program    -- the path of PhoneSim or WatchSim
    link       -- the address of the link, such as "unix:/tmp/w.sock"; "fd:R,W" with `pass_fds`
    arguments  -- further options, as on a command line
    journal    -- the path of its file, so that it survives being killed
    pass_fds   -- descriptors of this process that the simulator is to have
    """

    def __init__(self, program, link, *arguments, journal=None, pass_fds=()):
        self.name = os.path.basename(program)
        self.line = [program, "--link", link, *arguments]
        if journal is not None:
            self.line += ["--journal", str(journal)]
        self._pass_fds = pass_fds
        self._start()

    def _start(self):
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            pass_fds=self._pass_fds)
        #: Every event that has come, in order.
        self.events = []
        self._replies = {}
        self._next_id = 1
        self._lines = queue.Queue()
        # A thread reads, so that no call blocks for longer than it may.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        #: The first line: role, process, seed, whether it is paired.
        try:
            self.ready = self._event_named("ready", time.monotonic() + PATIENCE)
        except BaseException:
            # There is nobody yet who could close it.
            self.process.kill()
            self.process.wait(timeout=PATIENCE)
            self._tidy()
            raise

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _take(self, deadline):
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

    def _event_named(self, name, deadline):
        while True:
            message = self._take(deadline)
            if message.get("event") == name:
                return message

    def call(self, command, timeout=PATIENCE, **fields):
        """Gives a command and returns its reply; raises Refused where that is a refusal.

        Events that come before the reply are kept in ``events``.
        """
        return self.answer(self.give(command, **fields), timeout)

    def give(self, command, **fields):
        """Gives a command without waiting; ``answer`` takes what this returns."""
        number = self._next_id
        self._next_id += 1
        line = json.dumps({"id": number, "cmd": command, **fields}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise Ended(self.name, self.process.wait(timeout=PATIENCE), self.log()) from None
        return number, command

    def answer(self, given, timeout=PATIENCE):
        """The reply to what ``give`` gave."""
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

    def wait(self, event, timeout=5.0, **members):
        """Waits for an event whose members have these values; one since the last command counts.

        The simulator itself waits, and names what it waited for when the time is over.
        """
        milliseconds = int(timeout * 1000)
        reply = self.call(
            "wait", timeout=timeout + PATIENCE, event=event, timeout_ms=milliseconds, **members)
        return reply["matched"]

    def log(self):
        """What it has said on standard error."""
        # Not by seek: the process writes where that would leave the offset they share.
        descriptor = self._log.fileno()
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, size, 0).decode(errors="replace")

    def kill(self):
        """Ends it as a crash would (SIGKILL): it gets to do nothing more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)
        self._tidy()

    def restart(self):
        """Starts it again, by the same command line, after ``kill`` or ``close``."""
        self._start()

    def close(self):
        """Ends it properly, and gives its exit code: the end of its input is the sign."""
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=PATIENCE)
        self._tidy()
        return self.process.returncode

    def _tidy(self):
        self._reader.join(timeout=PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Pair:
    """A phone and a watch that are paired, in a directory of their own that goes with them.

    directory  -- where PhoneSim and WatchSim are, such as ".build/tests/release"
    arguments  -- further options for both
    durable    -- whether they have journals, and survive ``kill``
    link       -- the address between them; without it, a socket in their directory
    phone_link -- where the phone goes, if that is elsewhere: a conditioner, say
    """

    def __init__(self, directory, *arguments, durable=True, link=None, phone_link=None):
        self.scratch = tempfile.mkdtemp(prefix="wp.")
        self.phone = self.watch = None
        self.link = link or "unix:" + os.path.join(self.scratch, "link.sock")
        try:
            self.watch = Simulator(
                os.path.join(directory, "WatchSim"), self.link, *arguments,
                journal=self.journal("watch") if durable else None)
            self.phone = Simulator(
                os.path.join(directory, "PhoneSim"), phone_link or self.link, *arguments,
                journal=self.journal("phone") if durable else None)
            pair(self.phone, self.watch)
        except BaseException:
            self.close()
            raise

    def journal(self, device):
        """The path of a device's file."""
        return os.path.join(self.scratch, device + ".db")

    def wait_until_reachable(self, timeout=10.0):
        """Waits until the watch can answer the phone."""
        self.phone.wait("reachability", reachable=True, timeout=timeout)

    def close(self):
        """Ends both; their directory goes, too. Gives their exit codes."""
        codes = [device.close() for device in (self.phone, self.watch) if device is not None]
        shutil.rmtree(self.scratch, ignore_errors=True)
        return codes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def pair(phone, watch):
    """Pairs two simulators: the watch shows a code, and the phone is given it."""
    # "confirmed" stands for what the users would say to 'pairing.confirm'.
    code = watch.call("pair.show", confirmed=True)["code"]
    phone.call("pair.enter", code=code, confirmed=True)
    for device in (phone, watch):
        device.wait("pairing.done", timeout=10)
