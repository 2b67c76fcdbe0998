"""Drives PhoneSim and WatchSim by their control protocol; every wait is bounded."""

import json
import queue
import subprocess
import threading
import time


class Refused(Exception):
    """The simulator refused a command."""


class Sim:
    programs = "."  # the directory of PhoneSim and WatchSim

    def __init__(self, which, link, *options, pass_fds=()):
        self.events, self.replies, self.id = [], {}, 0
        self.process = subprocess.Popen(
            [f"{self.programs}/{which}", "--link", link, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=pass_fds,
        )
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        try:
            self.event("ready", timeout=10)
        except BaseException:
            self.kill()
            raise

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def pump(self, timeout=0.0):
        """Takes up a line; returns whether there was one."""
        try:
            line = self.lines.get(timeout=timeout) if timeout else self.lines.get_nowait()
        except queue.Empty:
            return False
        if line is None:
            return False
        if "event" in line:
            self.events.append(line)
        else:
            self.replies[line["id"]] = line
        return True

    def begin(self, cmd, **fields):
        self.id += 1
        self.process.stdin.write(
            (json.dumps({"id": self.id, "cmd": cmd, **fields}) + "\n").encode()
        )
        self.process.stdin.flush()
        return self.id

    def call(self, cmd, peer=None, timeout=5, **fields):
        """A command and its reply. `peer` takes its turns while we wait."""
        number, end = self.begin(cmd, **fields), time.monotonic() + timeout
        while number not in self.replies:
            if time.monotonic() > end:
                raise TimeoutError(cmd)
            if not self.pump(0 if peer else 0.1) and peer:
                peer.poll(0.01)
        reply = self.replies[number]
        if not reply["ok"]:
            raise Refused(reply["error"])
        return reply

    def drain(self):
        while self.pump():
            pass
        return self.events

    def has(self, name, **fields):
        """The events of that name with these fields, so far."""
        self.drain()
        return [
            e
            for e in self.events
            if e["event"] == name and all(e.get(k) == v for k, v in fields.items())
        ]

    def event(self, name, peer=None, timeout=5, **fields):
        """Waits for an event and gives it."""
        end = time.monotonic() + timeout
        while True:
            found = self.has(name, **fields)
            if found:
                return found[-1]
            if time.monotonic() > end:
                there = [e["event"] for e in self.events][-12:]
                raise TimeoutError(f"{name} {fields}; there are {there}")
            if peer:
                peer.poll(0.02)
            else:
                self.pump(0.1)

    def kill(self):
        """SIGKILL; what it had said by then is kept."""
        self.process.kill()
        self.process.wait(5)
        self.reader.join(5)
        self.process.stdin.close()
        self.process.stdout.close()
        self.drain()

    def quit(self):
        """Closes its standard input, and gives its exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.reader.join(5)
        self.process.stdout.close()
        self.drain()
        return self.process.returncode
