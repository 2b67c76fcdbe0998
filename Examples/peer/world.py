"""A peer of ours and the simulator on the other side, on one carrier."""

import base64
import os
import shutil
import socket
import tempfile
import time
from carriers import Listener, StreamCarrier, dial, listen
from pairing import Run
from pairlink import pair
from peer import Peer
from security import Sealed, Unsealed
from sim import Sim

SIMULATED = bytes.fromhex("53494D554C41544F5250414952494E47")  # W-16


class Missed(Exception):
    """Something that must hold does not."""


def need(condition, *what):
    if not condition:
        raise Missed(" ".join(map(str, what)))


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class World:
    """A peer of ours and the simulator on the other side.

    `role` is ours: the phone dials, the watch listens. `loss` is the share of datagrams that are
    dropped on purpose, each way, and `repeat` the share that come twice."""

    def __init__(self, role, carrier, sealed, loss=0.0, repeat=0.0, trace=False):
        self.role, self.carrier, self.sealed = role, carrier, sealed
        self.loss, self.repeat, self.trace = loss, repeat, trace
        self.dir = tempfile.mkdtemp(prefix="peer")
        self.which = "WatchSim" if role == "phone" else "PhoneSim"
        self.address = f"{carrier}:{self.dir}/l"
        if carrier == "udp":
            self.address = f"udp:127.0.0.1:{free_port()}"
        self.options = ["--journal", f"{self.dir}/journal"] + ([] if sealed else ["--unsealed"])
        self.keys = self.sim = self.ends = None
        self.peers = []

    def begin(self):
        if self.sealed:
            self.pair()
        self.peer = self.new_peer(first=True)

    def pair(self):
        address = f"unix:{self.dir}/pair"
        self.sim = Sim(self.which, address, *self.options)
        code = self.sim.call("pair.show", confirmed=True)["code"]
        where = listen(address) if self.role == "watch" else dial(address)
        self.keys = pair(where, Run(code, self.number, True), between=self.sim.drain)
        if isinstance(where, Listener):
            where.close()
        self.sim.event("pairing.done", timeout=13)
        need(self.sim.quit() == 0, "exit code")

    @property
    def number(self):
        return 0 if self.role == "phone" else 1

    def new_peer(self, first=False):
        security = (
            Sealed(self.number, self.keys) if self.sealed else Unsealed(self.number, SIMULATED)
        )
        ticket = (self.keys.ticket if self.sealed else 1) if first else None
        p = Peer(security, ticket, name=self.role, trace=self.trace)
        self.peers.append(p)
        return p

    def start_sim(self):
        """The simulator, on the journal that it has."""
        if self.carrier == "pipes":
            to_sim, to_us = os.pipe(), os.pipe()
            self.sim = Sim(
                self.which,
                f"fd:{to_sim[0]},{to_us[1]}",
                *self.options,
                pass_fds=(to_sim[0], to_us[1]),
            )
            os.close(to_sim[0])
            os.close(to_us[1])
            self.ends = (to_us[0], to_sim[1])
            return
        self.sim = Sim(self.which, self.address, *self.options)

    def kill_sim(self):
        self.sim.kill()

    def up(self):
        """A link for our side."""
        more = (
            dict(loss=self.loss, seed=1, repeat=self.repeat)
            if self.carrier in ("unix-datagram", "udp")
            else {}
        )
        if self.carrier == "pipes":
            carrier = StreamCarrier(*self.ends)
            self.peer.connect(carrier) if self.role == "phone" else self.peer.serve(carrier)
        elif self.role == "phone":
            self.peer.connect(dial(self.address, **more))
        elif self.carrier in ("unix", "unix-seqpacket"):
            if self.peer.listener is None:
                self.peer.serve(listen(self.address))
        elif self.peer.link is None:
            self.peer.serve(listen(self.address, **more))

    def connected(self, timeout=20.0):
        """Until there is a session, dialling anew where a link has ended."""
        end = time.monotonic() + timeout
        while not (self.peer.session and self.peer.session.entered):
            need(time.monotonic() < end, "no session", self.peer.tail(6))
            if self.peer.link is None:
                try:
                    self.up()
                except OSError:
                    time.sleep(0.05)
            self.peer.poll(0.02)
            self.sim.drain()

    def run(self, until, timeout=25.0):
        """Until `until()` holds, with a session whenever there can be one."""
        end = time.monotonic() + timeout
        while not until():
            need(time.monotonic() < end, "not in time", self.peer.tail(6))
            if not (self.peer.session and self.peer.session.entered):
                self.connected(max(0.1, end - time.monotonic()))
            self.peer.poll(0.02)
            self.sim.drain()

    def cut(self):
        self.peer.drop_link("cut")

    def sim_sends(self, kind, payloads, **more):
        for payload in payloads:
            self.sim.call(
                "send", self.peer, kind=kind, payload_b64=base64.b64encode(payload).decode(), **more
            )

    def trace_deliveries(self):
        out, after = [], None
        while True:
            page = self.sim.call(
                "trace.dump",
                self.peer,
                limit=1000,
                **({"after": after} if after is not None else {}),
            )
            out += page["deliveries"]
            after = page.get("next")
            if after is None:
                return out

    def settled(self, timeout=20.0):
        """Until the simulator has the outcome of all that it sent."""
        self.run(lambda: self.sim.call("status", self.peer)["outstanding"] == 0, timeout)

    def end(self):
        """Ends the peer and the simulator, and removes their files. Gives the exit code, if any."""
        try:
            for p in self.peers:
                p.stop()
        finally:
            running = self.sim and self.sim.process.poll() is None
            code = self.sim.quit() if running else None
            shutil.rmtree(self.dir, ignore_errors=True)
        return code


def check_delivered(peer, channel, payloads):
    got = [d[4] for d in peer.delivered if d[1] == channel]
    need(
        sorted(got) == sorted(payloads),
        f"channel {channel}: {len(got)} of {len(payloads)}, {len(set(got))} different",
    )
    need(got == payloads, "order")
