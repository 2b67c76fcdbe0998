"""Runs the minimal peer over its standard input and output, as pipes of the link.

    python3 minimal_peer.py '{"role": 1, "pairing": "…32 digits…", "initiates": true,
                              "send": [[2, 0, "0102"]], "expect": 3, "journal": "FILE"}'

Members for a sealed peer: secret, counterpart, psk (hexadecimal). Events go to standard error, a line of
JSON each. The peer closes the session once what it sent is settled and `expect` records and values came.
`journal` names a file that keeps its state over restarts.
"""
import json
import os
import pickle
import sys

import sealing
from peer import End, Journal, Peer, Sealed, Unsealed
from wire import Violation


def tell(event):
    print(json.dumps(event), file=sys.stderr, flush=True)


def restored(options):
    path = options.get("journal")
    if path and os.path.exists(path):
        with open(path, "rb") as file:
            journal = pickle.load(file)
        if options.get("sameOpening"):
            return journal
        # Another opening: a process without epochs of before settles nothing of them.
        journal.epoch = Journal().epoch
        journal.last, journal.mark, journal.unsettled = {}, {}, {}
        journal.tickets.entered = None
        return journal
    return Journal(options.get("ticket", 0))


def main():
    options = json.loads(sys.argv[1])
    journal = restored(options)
    pairing = bytes.fromhex(options["pairing"])
    if "psk" in options:
        keys = [bytes.fromhex(options[name]) for name in ("secret", "counterpart", "psk")]
        security = Sealed(sealing.Device(options["role"], pairing, *keys))
    else:
        security = Unsealed(options["role"], pairing)
    peer = Peer(security, journal)
    for channel, kind, payload in options.get("send", []):
        peer.submit(channel, kind, bytes.fromhex(payload))
    if options.get("initiates"):
        peer.initiate()
    came, code = 0, 0
    try:
        while True:
            peer.flush()
            for event in peer.events:
                tell(event)
                came += event["event"] in ("record", "value")
                if came == options.get("dies"):
                    raise End("told to die")
            peer.events = []
            if peer.out:
                os.write(1, peer.out) if len(peer.out) < 4096 else sys.stdout.buffer.write(peer.out)
                sys.stdout.buffer.flush()
                peer.out = b""
            isDone = came >= options.get("expect", 0) and not any(journal.unsettled.values())
            if isDone and peer.may_act and not options.get("stays"):
                peer.send(b"\x03\x00")
                os.write(1, peer.out)
                break
            data = os.read(0, 65536)
            if not data:
                raise End("the carrier is closed")
            peer.receive(data)
    except (End, Violation) as end:
        peer.out = b""
        for event in peer.events:
            tell(event)
        tell({"event": "end", "why": str(end)})
        code = 0 if isinstance(end, End) else 1
    if options.get("journal"):
        with open(options["journal"], "wb") as file:
            pickle.dump(journal, file)
    sys.exit(code)


if __name__ == "__main__":
    main()
