#!/usr/bin/env python3
"""Starts PhoneSim and WatchSim and drives both over pipes, with the standard library alone.

    swift build
    python3 Examples/python/drive_both.py .build/tests/release Fixtures/medications/list.json

Prints one line of JSON with what happened. Exit code 0 when the watch holds what the phone holds.
"""

import json
import os
import subprocess
import sys
import tempfile


class Simulator:
    """One process and the JSON lines spoken with it."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.next_id = 1
        self.events = []
        self.ready = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the simulator has ended")
        return json.loads(line)

    def call(self, command, **fields):
        """Sends a command and returns its reply; events that come before it are kept."""
        request = {"id": self.next_id, "cmd": command, **fields}
        self.next_id += 1
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            message = self.read()
            if message.get("id") == request["id"] and "ok" in message:
                if not message["ok"]:
                    raise RuntimeError(f"{command}: {message['error']}")
                return message
            self.events.append(message)

    def wait(self, event, timeout_ms=5000, **members):
        """Waits until an event has come; one since the last command counts, too."""
        reply = self.call("wait", event=event, timeout_ms=timeout_ms, **members)
        return reply["matched"]

    def close(self):
        """The end of its input ends a simulator."""
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait(timeout=10)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    directory, medications = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        link = "unix:" + os.path.join(scratch, "link.sock")
        watch = Simulator(os.path.join(directory, "WatchSim"), "--link", link)
        phone = Simulator(os.path.join(directory, "PhoneSim"), "--link", link)
        # The watch shows a code, and whoever holds the phone types it. That stands for both
        # confirmations here; without "confirmed" each side asks by 'pairing.confirm'.
        code = watch.call("pair.show", confirmed=True)["code"]
        phone.call("pair.enter", code=code, confirmed=True)
        for simulator in (phone, watch):
            simulator.wait("pairing.done")
        phone.wait("reachability", reachable=True)

        phone.call("import", path=medications)
        synced = phone.call("sync")
        # The text follows the set in another channel; both count, so ask until the store is equal.
        wanted = phone.call("list")["digest"]
        for _ in range(200):
            if watch.call("store")["digest"] == wanted:
                break
            try:
                watch.wait("medication.visible", timeout_ms=25)
            except RuntimeError:
                pass

        phone.call("complication.update", text="from Python")
        shown = watch.wait("complication.shown", text="from Python")
        watch.call("dose.record", index=0)
        dose = phone.wait("dose.arrived")

        result = {
            "synced": synced["records"],
            "equal": watch.call("store")["digest"] == wanted,
            "shown": shown["text"],
            "dose_is_new": dose["new"],
            "again": phone.call("sync")["result"],
        }
        ends = [phone.close(), watch.close()]
    print(json.dumps(result))
    return 0 if result["equal"] and ends == [0, 0] else 1


if __name__ == "__main__":
    sys.exit(main())
