#!/usr/bin/env python3
"""A phone that shares no code with this package, for wire version 1 (sealed) on a Unix socket.

    pip install noiseprotocol==0.3.1
    WatchSim --link unix:/tmp/link.sock
    python3 Examples/python/sealed_phone.py /tmp/link.sock

Written from the articles of WatchSecurity.docc and WatchProto.docc. It pairs with the watch,
connects, and is driven by lines of JSON as the simulators are. Commands: `pair` (takes the `code`
that the watch shows; with `key` its static key becomes one `below` or `above` the watch's),
`confirm`, `connect` (with the next `counter`, or this one), `medication` (`name` and `strength`),
`message` (`text`), `spoil` (another key in place of the pairing's), `cut`, `status` (of what was
opened, `answers` counts where the watch's flight was the one to answer), `quit`. Events: `ready`,
`pairing.confirm`, `pairing.done`, `pairing.failed`, `early` (what became of what left with the
first flight), `session`, `record.arrived`, `closed`, `notice`, `link.lost`, `session.failed`.
Exit code 69 without the package.
"""

import hashlib
import os
import secrets
import selectors
import socket
import sys
import time

import watch_frames as wire
import watch_packets as packets
import watch_records as records
from stranger_watch import Program, Session
from watch_records import Reader, check, low
from watch_state import MEDICATION, MESSAGE, ROLE_PHONE, ROLE_WATCH, Watch

try:
    import sealed_keys as keys
except ImportError as missing:
    print(f"sealed_phone: {missing}: pip install noiseprotocol==0.3.1", file=sys.stderr)
    sys.exit(69)

PAIRING_MARK = 0x80
HELLO, SHARE, ANSWER, SHOWER, ENTERER, CONFIRMATION = range(1, 7)  # messages of a pairing
CODES = {0: "normal", 3: "incompatible", 4: "wrong peer", 6: "busy"}


class Pairing:
    """The side that is given the code, from its first message to the watch's last one."""

    def __init__(self, program, link, code, place):
        self.program, self.link, self.code, self.place = program, link, code, place
        self.pending, self.held = b"", None
        self.own = self.introduction(ROLE_PHONE, program.device, secrets.token_bytes(16))
        self.said = bytes([HELLO]) + self.own
        self.send(self.said)

    @staticmethod
    def introduction(role, device, nonce):
        return bytes([keys.VERSION, role]) + device + nonce

    def send(self, message):
        self.link.sendall(wire.packet(wire.HANDSHAKE, bytes([PAIRING_MARK]) + message))

    def receive(self, data):
        self.pending += data
        while split := wire.split_packet(self.pending):
            kind, body, self.pending = split
            if kind == wire.NOTICE:
                self.program.tell_notice(body)
            else:
                check(kind == wire.HANDSHAKE and body[0] == PAIRING_MARK, "unknownCode", 0)
                self.take(body[1], body[2:], body[1:])

    def take(self, kind, body, message):
        if kind == SHARE:
            self.answer(body, message)
        elif kind == SHOWER:
            self.learn(body)
        elif kind == CONFIRMATION:
            self.finish(body)

    def answer(self, body, message):
        """Message 2 has come: the share and the name of the watch. Gives 3, with Noise's first."""
        r = Reader(body)
        check(r.byte() == 32, "outOfRange", 0)
        share = r.take(32)
        check(r.byte() == 34, "outOfRange", 33)
        other = r.take(34)
        r.end()
        version, role, self.counterpart = other[0], other[1], other[2:18]
        check(version == keys.VERSION and role == ROLE_WATCH, "unknownCode", 34)
        channel = keys.with_length(keys.SUITE) + bytes([keys.VERSION, ROLE_PHONE, ROLE_WATCH])
        code = keys.with_length(self.code) + self.own[2:18] + self.counterpart
        cpace = keys.CPace(code, channel, session=self.own[18:] + other[18:])
        answer = keys.with_length(cpace.share) + keys.with_length(b"")
        isk = cpace.key(share, transcript=body + answer)
        head = bytes([ANSWER]) + answer
        prologue = hashlib.blake2b(self.said + message + head).digest()
        psk = hashlib.blake2b(isk, digest_size=32).digest()
        self.static = keys.draw_key()
        self.noise = keys.Noise("XXpsk0", True, prologue, psk, self.static[0])
        self.send(head + self.noise.write())

    def learn(self, body):
        """Message 4 has come: the watch knows the code. 5 waits for the user."""
        self.noise.read(body)
        self.remote = self.noise.remote
        if self.place:
            self.static = keys.draw_key(**{self.place: self.remote})
            self.noise.take_static(self.static[0])
        self.held = bytes([ENTERER]) + self.noise.write()
        self.program.tell("pairing.confirm", counterpart=self.counterpart[::-1].hex(),
                          role="watch")

    def confirm(self):
        self.send(self.held)

    def finish(self, body):
        """Message 6 has come: the watch has confirmed, too."""
        cipher = keys.ChaCha20Poly1305(self.noise.keys()[1])
        cipher.decrypt(bytes(12), body, self.noise.hash)
        psk = self.noise.exported(b"WatchProto reconnection psk, version 1")
        name = self.noise.pairing_name()
        self.program.paired = keys.Paired(name, self.static, self.remote, psk)
        # Written out, numbers have their highest digits first.
        self.program.tell("pairing.done", pairing=name[::-1].hex())
        self.program.drop("paired")


class SealedSession(Session):
    """A link between two that are paired: both open, and one of them is answered."""

    def __init__(self, program, link, counter):
        super().__init__(program.watch, link)
        self.program, self.paired = program, program.paired
        self.sealer = self.opener = None
        self.verdict, self.early = {"session": 0, "verdict": 0}, []
        self.own_id = secrets.randbits(32) | 1
        # In a greeting the pairing stands highest byte first.
        greeting = self.watch.greeting(self.paired.name[::-1])
        self.noise = self.paired.reconnect(opens=True)
        flight = self.noise.write(low(counter, 8) + low(self.own_id, 4) + greeting)
        self.send_flight(self.own_id, 0, flight)
        if counter:
            self.send_early()

    def send_flight(self, own, other, flight):
        head = bytes([keys.VERSION]) + low(own, 4) + low(other, 4)
        self.link.sendall(wire.packet(wire.HANDSHAKE, head + flight))

    def send_early(self):
        """What waits leaves behind the first flight: all but interactive records."""
        self.early = [place for place in sorted(self.watch.outgoing)
                      if place[0] != wire.INTERACTIVE]
        sealer = keys.Sealer(self.noise.exported(b"WatchProto early data key, version 1"))
        for place in self.early:
            frame = wire.write_frame(self.watch.outgoing[place])
            self.link.sendall(wire.packet(wire.EARLY, sealer.seal(frame)))

    def send(self, *frames):
        body = b"".join(wire.write_frame(frame) for frame in frames)
        self.link.sendall(wire.packet(wire.TRANSPORT, self.sealer.seal(body)))

    def receive(self, data):
        self.pending += data
        while split := wire.split_packet(self.pending):
            kind, body, self.pending = split
            if kind == wire.HANDSHAKE:
                self.meet_flight(packets.get_handshake(Reader(body)))
            elif kind == wire.TRANSPORT:
                check(self.opener, "unknownCode", 0)
                frames = self.opener.open(body)
                if not self.open:
                    self.open_session()  # who answers has the session by its first packet
                self.transport(frames)
            elif kind == wire.NOTICE:
                self.program.tell_notice(body)
            # Early packets of the watch are not taken, which the verdict 0 tells.

    def meet_flight(self, packet):
        check(packet["version"] == keys.VERSION, "unknownCode", 0)
        flight = bytes.fromhex(packet["flight"])
        if packet["receiver"] == self.own_id:
            self.welcome(self.noise.read(flight), packet["sender"])
            self.take_keys(self.noise)
            self.open_session()
        elif not self.paired.wins:
            noise = self.paired.reconnect(opens=False)
            self.welcome(noise.read(flight)[8:], packet["sender"])  # the counter is first
            self.watch.counters["answers"] += 1
            answer_id = secrets.randbits(32) | 1
            greeting = self.watch.greeting(
                self.paired.name[::-1], [epoch for epoch, _ in self.epochs])
            answer = noise.write(low(answer_id, 4) + greeting)
            self.send_flight(answer_id, packet["sender"], answer)
            self.take_keys(noise)

    def welcome(self, payload, sender):
        """What the flight of the watch holds: the id that stands in clear, too, and a greeting."""
        check(payload[:4] == low(sender, 4), "notAuthentic", 0)
        check(self.meet(payload[4:], ROLE_WATCH) == self.paired.name[::-1], "outOfRange", 0)

    def take_keys(self, noise):
        own, other = noise.keys()
        self.sealer, self.opener = keys.Sealer(own), keys.Sealer(other)

    def open_session(self):
        # The first packet says what became of early data; what left early does not leave again yet.
        self.begin({"type": wire.EARLY_VERDICT, **self.verdict}, leaves_out=self.early)

    def take(self, f):
        if f["type"] == wire.NEXT_KEY:
            return self.opener.next_key()
        if f["type"] != wire.EARLY_VERDICT:
            return super().take(f)
        taken = [number for first, last in f.get("ranges", ())
                 for number in range(first, last + 1)] if f["session"] == self.own_id else []
        if f["verdict"] == 2 and f["session"] == self.own_id:
            self.paired.counter = max(self.paired.counter, f["highest"])
        self.program.tell("early", verdict=f["verdict"], sent=len(self.early), taken=taken)
        again = [self.watch.outgoing[place] for number, place in enumerate(self.early)
                 if number not in taken and place in self.watch.outgoing]
        self.answers += again


class Phone(Program):
    """The control channel, and a pairing or a session at a time."""

    def __init__(self, path):
        super().__init__()
        self.path, self.device, self.paired = path, secrets.token_bytes(16), None
        self.watch = Watch(self.tell, ROLE_PHONE, keys.VERSION)
        self.watch.counters["answers"] = 0
        self.tell("ready", v=1, role="phone", pid=os.getpid(), device=self.device[::-1].hex())

    def tell_notice(self, body):
        notice = packets.get_notice(Reader(body))
        self.tell("notice", version=notice["version"], close_code=notice["code"],
                  meaning=CODES.get(notice["code"]))

    def dial(self):
        self.drop("another link")
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.connect(self.path)
        self.selector.register(link, selectors.EVENT_READ, self.read)
        return link

    def read(self):
        try:
            super().read()
        except (keys.InvalidTag, keys.NoiseInvalidMessage) as error:
            kind = "pairing.failed" if isinstance(self.session, Pairing) else "session.failed"
            self.tell(kind, why=type(error).__name__)
            self.drop("it does not authenticate")

    def medication(self, name, strength):
        fields = {"flags": 0, "form": 0, "id": secrets.token_hex(16), "amount": None,
                  "updatedAt": time.time_ns() // 1_000_000, "color": 255, "nextDose": None,
                  "revision": 1, "slots": [], "zone": "floating", "name": name,
                  "strength": strength, "instructions": "", "extensions": [],
                  "weekdays": records.usual_weekdays([])}
        return self.watch.draft(wire.CONTEXT, kind=MEDICATION, key=fields["id"],
                                payload=records.encode_medication(fields))

    def perform(self, request):
        command, record = request["cmd"], None
        if command == "pair":
            code = request["code"].encode()
            self.session = Pairing(self, self.dial(), code, request.get("key"))
        elif command == "confirm":
            self.session.confirm()
        elif command == "connect":
            self.paired.counter += 1
            counter = request.get("counter", self.paired.counter)
            self.session = SealedSession(self, self.dial(), counter)
        elif command == "medication":
            record = self.medication(request["name"], request["strength"])
        elif command == "message":
            record = self.watch.draft(wire.INTERACTIVE, kind=MESSAGE, wants_reply=True,
                                      payload=request["text"].encode())
        elif command == "spoil":
            self.paired.psk = secrets.token_bytes(32)
        else:
            return super().perform(request)
        if record and isinstance(self.session, SealedSession) and self.session.open:
            self.session.send(record)
        return {"msg": record["number"]} if record else {}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Phone(sys.argv[1]).run()
