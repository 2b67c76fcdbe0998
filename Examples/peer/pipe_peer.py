"""Runs the peer over its standard input and output, as pipes of the link.

    python3 pipe_peer.py '{"role": 1, "pairing": "…32 digits…", "initiates": true,
                           "send": [[2, 0, "0102"]], "expect": 3, "journal": "FILE"}'

Members for a sealed peer: secret, counterpart, psk (hexadecimal). Events go to standard error, a
line of JSON each. The peer closes the session once what it sent is settled and `expect` records and
values came. `journal` names a file that keeps its state over restarts.
"""

import json
import os
import pickle
import sys
import time
from carriers import StreamCarrier
from pairing import Keys
from peer import Peer
from security import Sealed, Unsealed

KEPT = ("epoch", "counter", "met", "tickets", "received", "values", "senders", "own_values")


def tell(**event):
    print(json.dumps(event), file=sys.stderr, flush=True)


class PipePeer(Peer):
    came, over, dies = 0, None, None

    def deliver(self, f, epoch):
        code = 1 if f.payload == b"reject" else None
        tell(event="record", channel=f.channel, kind=f.kind, payload=f.payload.hex(), code=code)
        self.came += code is None
        if self.came == self.dies:  # what it took is kept, and no answer leaves
            self.session.over = True
        return code

    def deliver_value(self, channel, key, kind, payload, version):
        tell(event="value", channel=channel, key=key.hex(), version=version, payload=payload.hex())
        self.came += 1

    def on_settled(self, channel, number, outcome):
        code = {"applied": 0}.get(outcome, outcome[0])
        tell(event="settled", channel=channel, number=number, **{"as": code})

    def drop_link(self, why=""):
        self.over = self.over or why or "the carrier is closed"
        super().drop_link(why)

    def tell_session(self, told):
        """Says how each session began, once."""
        s = self.session
        if s and s.entered and s is not told:
            went_back = {"I": s.verdict.i_went_back, "it": s.verdict.they_went_back}
            tell(
                event="session", kept=s.keeps, **{f"{k} went back": v for k, v in went_back.items()}
            )
        return s if s and s.entered else told


def resume(peer, path, same_opening):
    with open(path, "rb") as file:
        kept = pickle.load(file)
    if not same_opening:  # a process without epochs of before settles nothing of them
        for name in ("epoch", "senders", "own_values"):
            del kept[name]
        kept["tickets"].entered = {}
    peer.__dict__.update(kept)


def security(options):
    pairing = bytes.fromhex(options["pairing"])
    if "psk" not in options:
        return Unsealed(options["role"], pairing)
    psk, static, remote = (bytes.fromhex(options[n]) for n in ("psk", "secret", "counterpart"))
    return Sealed(options["role"], Keys(pairing, psk, static, remote, options.get("ticket")))


def main():
    options = json.loads(sys.argv[1])
    path, expect = options.get("journal"), options.get("expect", 0)
    peer = PipePeer(security(options), options.get("ticket") or None)
    peer.dies = options.get("dies")
    if path and os.path.exists(path):
        resume(peer, path, options.get("sameOpening"))
    for channel, kind, payload in options.get("send", []):
        peer.send(channel, kind, bytes.fromhex(payload))
    begin = peer.connect if options.get("initiates") else peer.serve
    begin(StreamCarrier(0, 1))
    told, closed, end = None, 0, time.monotonic() + 25
    while not peer.over and time.monotonic() < end:
        peer.poll(0.02)
        told = peer.tell_session(told)
        for epoch in list(peer.received.closed)[closed:]:
            tell(event="closed", epoch=f"{epoch:016x}")
        closed = len(peer.received.closed)
        if told and peer.came >= expect and peer.idle():
            peer.stop()
            break
    else:
        tell(event="end", why=str(peer.over))
    if path:
        with open(path, "wb") as file:
            pickle.dump({name: peer.__dict__[name] for name in KEPT}, file)
    sys.exit(any(e[0] == "violation" for e in peer.events))


if __name__ == "__main__":
    main()
