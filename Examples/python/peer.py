"""A minimal peer, from the article *A minimal peer*: bytes in, bytes and events out.

It speaks one carrier that cannot lose, in both roles, sealed or not. Its state is a value of its
own, `Journal`, which outlives sessions; a process that loses it comes back as wiped.
"""
import os

import sealing
import wire
from identity import Tickets
from wire import u, varint


class End(Exception):
    """The session is over, and why."""


class Unsealed:
    """Version 0: handshake bodies, and packets as they are."""

    version = 0

    def __init__(self, role, pairing):
        self.role, self.pairing = role, pairing
        self.wins = role == 0
        self.label = bytes([role]) + pairing

    def checksum(self, connection, random, counter, rest):
        return wire.fnv(counter, wire.fnv(random, wire.fnv(connection, wire.fnv(rest))))

    def initiate(self, connection, counter, payload):
        self.random = int.from_bytes(os.urandom(8), "little")
        rest = self.label + payload
        self.body = u(self.random, 8) + u(counter, 8) + u(self.checksum(connection, self.random, counter, rest), 8) + rest
        return self.body

    def payload(self, rest):
        if rest[:17] != bytes([1 - self.role]) + self.pairing:
            raise End("another role or pairing (W-16)")
        return rest[17:]

    def finish(self, body):
        self.keys = self.ticket(self.random, int.from_bytes(body[:8], "little"))
        return self.payload(body[8:])

    def ticket(self, first, second):
        return None, None, wire.fnv(second, wire.fnv(first))

    def counter(self, connection, body):
        if len(body) < 41:
            return None
        random, counter, found = (int.from_bytes(body[at:at + 8], "little") for at in (0, 8, 16))
        return counter if found == self.checksum(connection, random, counter, body[24:]) else None

    def open_message(self, connection, counter, body):
        self.other = int.from_bytes(body[:8], "little")
        return self.payload(body[24:])

    def respond(self, payload):
        random = int.from_bytes(os.urandom(8), "little")
        self.keys = self.ticket(self.other, random)
        return u(random, 8) + self.label + payload

    def refusal(self, named, connection, body, mine):
        h = wire.fnv(named, wire.fnv(body))
        return (wire.fnv(1, h) << 64 | h).to_bytes(16, "big")

    def sealer(self, key):
        return Plain()


class Plain:
    """The packets of version 0: frames as they are."""

    def seal(self, frames):
        return frames

    def open(self, packet):
        return packet

    def update(self):
        pass


class Sealed:
    """Version 1, by the article *Sealing*."""

    version = 1

    def __init__(self, device):
        self.device, self.role = device, device.role
        self.wins = device.public < device.counterpart

    def initiate(self, connection, counter, payload):
        self.initiation = sealing.Initiation(self.device, connection, counter, payload, os.urandom(32))
        return self.initiation.body

    def finish(self, body):
        payload = self.initiation.open(body)
        if payload is None:
            raise End("message 2 does not authenticate (C-2)")
        self.keys = self.initiation.keys()
        return payload

    def counter(self, connection, body):
        return sealing.Response.counter(self.device, connection, body)

    def open_message(self, connection, counter, body):
        self.response = sealing.Response(self.device, connection, counter, body)
        return self.response.payload

    def respond(self, payload):
        body = self.response.respond(payload, os.urandom(32))
        self.keys = self.response.keys()
        return body

    def refusal(self, named, connection, body, mine):
        return self.device.refusal(self.role if mine else 1 - self.role, named, connection, body)

    def sealer(self, key):
        return sealing.Sealer(key)


class Journal:
    """What a minimal peer keeps of a pairing (article *A minimal peer*, State)."""

    def __init__(self, first_ticket=0):
        self.epoch = int.from_bytes(os.urandom(8), "little") | 1
        self.counter = self.met = 0
        self.tickets = Tickets(first_ticket)
        self.through = {}     # (epoch, channel) -> number taken in turn
        self.outcomes = {}    # (epoch, channel) -> {number: outcome frame fields or True for applied}
        self.known, self.closed = set(), set()
        self.values = {}      # (channel, key) -> version, kind, body
        self.top, self.floor = (0, 0), 0
        self.last, self.mark = {}, {}
        self.unsettled = {}   # channel -> {number: (kind, payload)}


class Peer:
    """One session after the other over a stream. `journal` is kept, the rest begins anew."""

    def __init__(self, security, journal):
        self.security, self.journal = security, journal
        self.inbound, self.out = b"", b""
        self.phase, self.events = "down", []
        self.fragments, self.handles = {}, {}
        self.credit, self.taken, self.sent = {}, {}, {}
        self.offered, self.due, self.hints = {}, [], []
        self.greeting = None
        self.may_act = False

    # Bytes -----------------------------------------------------------------------------------

    def put(self, kind, body):
        self.out += wire.prefix(kind, len(body)) + body

    def receive(self, data):
        self.inbound += data
        while True:
            reader = wire.Reader(self.inbound)
            try:
                head = reader.varint()
            except wire.Violation:
                if len(self.inbound) < 5:
                    return
                raise
            limit = 65536 if self.phase == "open" else 512
            if head >> 3 > limit:
                raise End("a packet that is too long (W-7)")
            if reader.left < head >> 3:
                return
            body = reader.bytes(head >> 3)
            self.inbound = self.inbound[reader.at:]
            self.packet(head & 7, body)

    def packet(self, kind, body):
        reader = wire.Reader(body)
        if kind == wire.MESSAGE1:
            self.message1(reader.u8(), reader.uint(4), reader.bytes(reader.left))
        elif kind == wire.MESSAGE2:
            self.message2(reader.uint(4), reader.bytes(reader.left))
        elif kind == wire.REFUSAL:
            self.refused(reader.uint(4), reader.uint(8), reader.bytes(16))
        elif kind == wire.TRANSPORT and self.phase == "open":
            frames = self.receiving.open(body)
            if frames is None:
                raise End("a packet that does not authenticate (C-2)")
            self.frames(wire.read_frames(frames))
        elif kind == wire.EARLY:
            pass  # M-11: dropped, and answered by rejected
        elif kind == wire.ADVISORY:
            self.events.append({"event": "advisory", "code": body[1]})
        else:
            raise End(f"a packet of kind {kind} in phase {self.phase}")

    # Handshake -------------------------------------------------------------------------------

    def held(self):
        """The summary of the values held; None where none was ever taken (W-26)."""
        journal = self.journal
        versions = [(channel, key, value["version"]) for (channel, key), value in journal.values.items()]
        held = (journal.top[0], journal.top[1], wire.digest(versions))
        return held if held != (0, 0, 0) else None

    def hello(self, answer=0, held=None):
        journal = self.journal
        hello = dict(journal.tickets.present(), answer=answer)
        numbers = {channel: (journal.mark.get(channel, 0), journal.last[channel])
                   for channel in wire.DURABLE if journal.unsettled.get(channel)}
        if numbers:
            hello["present"] = {"id": journal.epoch, "end": None, "numbers": numbers}
        hello["held"] = held
        return wire.write_hello(hello)

    def initiate(self):
        journal = self.journal
        journal.counter += 1
        self.connection = int.from_bytes(os.urandom(4), "little")
        payload = u(journal.epoch, 8) + self.hello()
        self.own = journal.tickets.present()
        self.body = self.security.initiate(self.connection, journal.counter, payload)
        self.phase = "initiated"
        self.put(wire.MESSAGE1, bytes([self.security.version]) + u(self.connection, 4) + self.body)

    def refused(self, connection, named, mac):
        if self.phase != "initiated" or connection != self.connection:
            return
        if mac == self.security.refusal(named, connection, self.body, False):
            self.journal.counter = max(self.journal.counter, named)
            self.initiate()  # M-3

    def message1(self, version, connection, body):
        journal, security = self.journal, self.security
        if version != security.version:
            self.put(wire.ADVISORY, bytes([security.version, 3]))
            raise End(f"wire version {version}")
        counter = security.counter(connection, body)
        if counter is None:
            raise End("the MAC of message 1 is wrong (C-13)")
        if counter <= journal.met:
            named = journal.met
            self.put(wire.REFUSAL, u(connection, 4) + u(named, 8) + security.refusal(named, connection, body, True))
            return
        if self.phase == "initiated" and security.wins:
            return  # C-20: the own one is to be answered
        payload = security.open_message(connection, counter, body)
        if payload is None:
            raise End("message 1 does not authenticate")
        journal.met = counter
        epoch = int.from_bytes(payload[:8], "little")
        hello = wire.read_hello(payload[8:], epoch, False)
        verdict = journal.tickets.judge(hello, None)
        keeps = journal.tickets.keeps(verdict, hello, epoch)
        answer = journal.tickets.answer(hello)
        own = int.from_bytes(os.urandom(4), "little")
        made = security.respond(u(own, 4) + u(journal.epoch, 8) + bytes([1 if keeps else 0])
                                + varint(journal.counter) + self.hello(answer, None if keeps else self.held()))
        self.put(wire.MESSAGE2, u(connection, 4) + made)
        self.begin(epoch, hello, verdict, keeps, False, counter)

    def message2(self, connection, body):
        if self.phase != "initiated" or connection != self.connection:
            return
        journal = self.journal
        payload = self.security.finish(body)
        reader = wire.Reader(payload)
        reader.uint(4)
        epoch, flags, counter = reader.uint(8), reader.u8(), reader.varint(2**62 - 1)
        reader.need(epoch and flags < 2, "message 2")
        hello = wire.read_hello(reader.bytes(reader.left), epoch, True)
        journal.met = max(journal.met, counter)
        verdict = journal.tickets.judge(hello, hello["answer"])
        keeps = flags == 1
        if keeps and not journal.tickets.keeps(verdict, hello, epoch):
            raise End("a ticket that cannot be kept (I-42)")
        self.begin(epoch, hello, verdict, keeps, True, counter)
        frames = []
        held = None if keeps else self.held()
        if not verdict["matched"] or verdict["clone"] or held:
            answer = journal.tickets.answer(hello) | (8 if held else 0)
            frames.append(b"\x0a" + bytes([answer]) + (wire.write_held(held) if held else b""))
        self.send(*frames, b"\x01" + varint(1))  # M-6
        self.act()

    def begin(self, epoch, hello, verdict, keeps, initiated, counter):
        sending, receiving, ticket = self.security.keys
        self.sending, self.receiving = self.security.sealer(sending), self.security.sealer(receiving)
        self.ticket = verdict["common"] if keeps else ticket
        self.greeting, self.verdict, self.keeps, self.initiated = hello, verdict, keeps, initiated
        self.other_epoch, self.request, self.phase = epoch, counter, "open"
        present = hello["present"] or {"id": epoch, "end": None, "numbers": {}}
        self.listed = [present] + hello["earlier"]
        self.fragments, self.handles, self.buffered = {}, {}, {}
        self.credit = dict(wire.CREDIT)
        self.sent = {channel: [0, 0] for channel in wire.ORDERED}
        self.taken = {channel: [0, 0] for channel in wire.ORDERED}
        self.offered, self.due, self.may_act = {}, [], False

    def act(self):
        """The verdict is complete: the ticket is entered, and what is owed is answered."""
        journal, verdict = self.journal, self.verdict
        if verdict["clone"]:
            self.send(b"\x03\x07")
            raise End("a clone (I-61)")
        if not self.keeps:
            journal.tickets.enter(self.ticket, verdict, self.greeting, self.other_epoch)
        self.may_act = True
        self.events.append({"event": "session", "kept": self.keeps, "I went back": verdict["me"], "it went back": verdict["it"]})
        self.learn(self.greeting, self.listed)
        for index, epoch in enumerate(self.listed):
            for channel, (watermark, last) in epoch["numbers"].items():
                for number in range(watermark + 1, last + 1):
                    self.answer(index, channel, number)  # OC-11
        listed = {epoch["id"] for epoch in self.listed} | journal.closed
        if len(self.listed) > self.greeting["count"]:
            for epoch in {epoch for epoch, _ in journal.through} - listed:
                parts = sorted((c, t) for (e, c), t in journal.through.items() if e == epoch)
                self.state(b"\x36" + u(epoch, 8) + varint(len(parts))
                           + b"".join(bytes([c]) + varint(t) + varint(0) for c, t in parts))  # OC-20

    def learn(self, hello, epochs):
        """Announced epochs are known once nothing is lost (L-13)."""
        journal, news = self.journal, []
        named = {e["id"]: e["end"] for e in epochs if e["end"] is not None}
        if hello["newest"]:
            named[hello["newest"][0]] = hello["newest"][1]
            sure = hello["newest"][0] in journal.known
        else:
            sure = True
        top_epoch, top = journal.top
        if sure and (top == 0 or named.get(top_epoch, -1) >= top):
            self.know([e["id"] for e in epochs if e["end"] is not None])

    def know(self, epochs):
        self.announced = []
        if epochs:
            self.journal.known.update(epochs)
            self.journal.tickets.count()
            self.state(b"\x35" + varint(len(epochs)) + b"".join(u(e, 8) for e in epochs))

    # Frames that leave -----------------------------------------------------------------------

    def send(self, *frames):
        self.put(wire.TRANSPORT, self.sending.seal(b"".join(frames)))

    def state(self, frame):
        self.due.append(frame)

    def flush(self):
        """Hints at once; statements behind the position (M-9); then records."""
        if self.phase != "open":
            return
        frames = b"".join(self.hints)
        self.hints = []
        if self.may_act and self.due:
            frames += b"\x08" + varint(self.journal.tickets.position(self.ticket)) + b"".join(self.due)
            self.due = []
        if frames:
            self.send(frames)
        if self.may_act:
            self.offer()

    def offer(self):
        """Unsettled records within the credit, each naming its live predecessor (M-21)."""
        for channel, records in self.journal.unsettled.items():
            before = None
            for number, (kind, payload) in sorted(records.items()):
                sent, credit = self.sent[channel], self.credit[channel]
                if number not in self.offered.setdefault(channel, set()):
                    if sent[0] + 1 > credit[0] or sent[1] + len(payload) > credit[1]:
                        break
                    sent[0], sent[1] = sent[0] + 1, sent[1] + len(payload)
                    self.offered[channel].add(number)
                    flags = 0 if before is None else 1
                    frame = b"\x10" + bytes([channel | flags << 3, 0]) + varint(number)
                    if before is not None:
                        frame += b"\0" + varint(number - before)
                    self.send(frame + bytes([kind]) + wire.block(payload))
                before = number

    def submit(self, channel, kind, payload):
        journal = self.journal
        number = journal.last[channel] = journal.last.get(channel, 0) + 1
        journal.unsettled.setdefault(channel, {})[number] = (kind, payload)
        journal.tickets.count()

    # Frames that arrive ----------------------------------------------------------------------

    def frames(self, frames):
        if not self.may_act:  # a responder; this is the first packet (M-6)
            answers = [frame["answer"] for frame in frames if frame["frame"] == "ticketAnswer"]
            if answers or self.verdict["matched"]:
                if answers:
                    verdict = self.journal.tickets.judge(self.greeting, answers[-1])
                    self.verdict = verdict
                self.hints.append(b"\x05" + varint(self.request) + b"\x02")  # M-11
                self.act()
        position = None
        for frame in frames:
            name = frame["frame"]
            if name == "position":
                position = frame["position"]
            elif wire.CODES.get(name, 0) & 0xF0 == 0x30 and name != "furtherFragment":
                if position is None:
                    raise wire.Violation("a statement without a position (F-4)")
                if self.may_act:
                    self.statement(frame, position)
            else:
                getattr(self, "on_" + name, lambda frame: None)(frame)

    def concluded(self, position):
        self.journal.tickets.conclude(position, self.ticket)
        self.journal.tickets.count()

    def statement(self, frame, position):
        journal, name = self.journal, frame["frame"]
        if name in ("acknowledgement", "outcome"):
            if frame["epoch"] != 0 or name == "acknowledgement" and not frame["applied"]:
                return
            records = journal.unsettled.get(frame["channel"], {})
            for first, last in frame["numbers"]:
                if last > journal.last.get(frame["channel"], 0):
                    raise wire.Violation("an answer about a number never used (OC-23)")
                for number in [n for n in records if first <= n <= last]:
                    del records[number]
                    word = "applied" if name == "acknowledgement" else frame["outcome"]
                    self.events.append({"event": "settled", "channel": frame["channel"], "number": number, "as": word})
                    self.concluded(position)
            mark = min(records, default=journal.last.get(frame["channel"], 0) + 1) - 1
            if mark > journal.mark.get(frame["channel"], 0) and frame["channel"] in wire.DURABLE:
                journal.mark[frame["channel"]] = mark
                if not records:
                    self.state(b"\x32" + bytes([frame["channel"], 0]) + varint(mark))  # M-23
        elif name == "watermark":
            epoch = self.listed[frame["epoch"]]["id"]
            kept = journal.outcomes.get((epoch, frame["channel"]), {})
            for number in [n for n in kept if n <= frame["number"]]:
                del kept[number]
            key = (epoch, frame["channel"])
            journal.through[key] = max(journal.through.get(key, 0), frame["number"])
            self.concluded(position)
            self.retry()
        elif name == "epochOver":
            for epoch in frame["epochs"]:
                journal.closed.add(epoch)
                self.events.append({"event": "closed", "epoch": epoch})
                journal.through = {k: v for k, v in journal.through.items() if k[0] != epoch}
                journal.outcomes = {k: v for k, v in journal.outcomes.items() if k[0] != epoch}
            self.concluded(position)
            self.state(b"\x34" + varint(len(frame["epochs"])) + b"".join(u(e, 8) for e in frame["epochs"]))
            self.retry()
        elif name == "epochHeld" and frame["epoch"] != journal.epoch:
            self.state(b"\x33\x01" + u(frame["epoch"], 8))
        elif name == "mended":
            if journal.top[1]:
                journal.top = (self.other_epoch, journal.top[1])
            self.concluded(position)
            self.know([e["id"] for e in self.listed if e["end"] is not None])
        elif name == "removalFloor":
            if frame["version"] > journal.floor:
                journal.floor = frame["version"]
                journal.values = {k: v for k, v in journal.values.items()
                                  if not v["removal"] or v["version"] > journal.floor}
                self.concluded(position)

    def on_close(self, frame):
        raise End(f"closed with code {frame['code']}")

    def on_ping(self, frame):
        self.hints.append(b"\x02" + varint(frame["token"]))

    def on_keyUpdate(self, frame):
        self.receiving.update()

    def on_epochs(self, frame):
        news = frame["epochs"][max(0, len(self.listed) - frame["first"]):]
        self.listed += news
        self.learn(dict(self.greeting, newest=None), news)

    def on_nothingLost(self, frame):
        self.know([e["id"] for e in self.listed if e["end"] is not None and e["id"] not in self.journal.known])

    def on_credit(self, frame):
        credit = self.credit[frame["channel"]]
        self.credit[frame["channel"]] = (max(credit[0], frame["records"]), max(credit[1], frame["bytes"]))

    def on_tryLater(self, frame):
        self.offered[frame["channel"]] = {n for n in self.offered.get(frame["channel"], ()) if n < frame["number"]}

    # Records ---------------------------------------------------------------------------------

    def on_fragment(self, frame):
        ordered = frame["channel"] in wire.ORDERED
        name = frame["channel"], frame["epoch"], frame["number" ]
        entry = self.fragments.setdefault(name, {"pieces": {}, "total": None})
        entry["pieces"][frame["offset"]] = frame["piece"]
        entry["total"] = frame.get("total", entry["total"])
        if sum(map(len, entry["pieces"].values())) == entry["total"]:
            del self.fragments[name]
            whole = (b"\x10" if ordered else b"\x11") + b"".join(p for _, p in sorted(entry["pieces"].items()))
            joined = wire.read_frames(whole)[0]
            (self.on_record if ordered else self.on_value)(joined, charged=True)
        if ordered:
            self.charge(frame["channel"], 1 if frame["offset"] == 0 else 0, len(frame["piece"]))

    on_furtherFragment = on_fragment

    def charge(self, channel, records, count):
        """Counts what arrived, and raises the credit by it (M-17)."""
        taken = self.taken[channel]
        taken[0], taken[1] = taken[0] + records, taken[1] + count
        window = wire.CREDIT[channel]
        given = self.given.get(channel, window) if hasattr(self, "given") else window
        if taken[0] + window[0] // 2 > given[0] or taken[1] + window[1] // 2 > given[1]:
            given = (taken[0] + window[0], taken[1] + window[1])
            self.given = {**getattr(self, "given", {}), channel: given}
            self.hints.append(b"\x14" + bytes([channel]) + varint(given[0]) + varint(given[1]))

    def on_record(self, frame, charged=False):
        if not charged:
            self.charge(frame["channel"], 1, len(frame["payload"]))
        self.take(frame)

    def on_cancel(self, frame):
        self.take(frame)

    def take(self, frame):
        journal, channel = self.journal, frame["channel"]
        if frame["epoch"] >= len(self.listed):
            return  # I-73
        epoch, number = self.listed[frame["epoch"]]["id"], frame["number"]
        if epoch in journal.closed or number <= journal.through.get((epoch, channel), 0):
            return self.answer(frame["epoch"], channel, number)
        before = frame.get("predecessor")
        if before is not None:
            other = self.listed[before[0]]["id"]
            if other not in journal.closed and journal.through.get((other, channel), 0) < before[1]:
                self.buffered[epoch, channel, number] = frame  # M-14
                return
        through = journal.through.get((epoch, channel), 0)
        kept = journal.outcomes.setdefault((epoch, channel), {})
        for skipped in range(through + 1, number):
            kept[skipped] = (1, None)
        journal.through[epoch, channel] = number
        expires = frame.get("expiry")
        if frame["frame"] == "cancel":
            kept[number] = (3 if frame["expired"] else 2, None)
        elif expires is not None and expires <= self.now():
            kept[number] = (3, None)
        elif frame["payload"] == b"reject":
            kept[number] = (4, 1)
        else:
            self.events.append({"event": "record", "channel": channel, "number": number,
                                "kind": frame["kind"], "payload": frame["payload"].hex()})
        if not kept:
            del journal.outcomes[epoch, channel]
        journal.tickets.count()
        self.answer(frame["epoch"], channel, number)
        self.retry()

    @staticmethod
    def now():
        import time
        return int(time.time() * 1000)

    def retry(self):
        waiting, self.buffered = self.buffered, {}
        for frame in waiting.values():
            self.take(frame)

    def answer(self, index, channel, number):
        """Acknowledgement, or the outcome of an exception (M-15)."""
        epoch = self.listed[index]["id"]
        if epoch in self.journal.closed:
            return self.state(b"\x31" + bytes([channel]) + varint(index) + varint(number) + b"\0\5")
        if number > self.journal.through.get((epoch, channel), 0):
            return
        kept = self.journal.outcomes.get((epoch, channel), {}).get(number)
        if kept is None:
            self.state(b"\x30" + bytes([channel | 8]) + varint(index) + varint(number) + b"\0\0")
        else:
            code = b"" if kept[1] is None else u(kept[1], 2)
            self.state(b"\x31" + bytes([channel]) + varint(index) + varint(number) + b"\0" + bytes([kept[0]]) + code)

    # Values ----------------------------------------------------------------------------------

    def on_value(self, frame, charged=False):
        journal, channel = self.journal, frame["channel"]
        if frame["epoch"] >= len(self.listed):
            return
        key = frame.get("key") or self.handles.get((channel, frame["handle"]))
        if key is None:
            self.hints.append(b"\x16" + bytes([channel | 0x10]) + varint(frame["handle"]))
            return
        if "handle" in frame:
            self.handles[channel, frame["handle"]] = key
        epoch = self.listed[frame["epoch"]]["id"]
        version = frame["version"]
        held = journal.values.get((channel, key))
        if version < (held["version"] if held else journal.floor):
            return self.state(b"\x39\0" + varint(version))
        if frame.get("delta"):
            if not held or held["version"] < version:
                self.hints.append(b"\x16" + bytes([channel]) + bytes.fromhex(key))
            return
        if epoch not in journal.known and not (held and held["version"] == version):
            self.later = getattr(self, "later", []) + [frame]
            return
        if not held or held["version"] < version:
            journal.values[channel, key] = {"version": version, "kind": frame["kind"], "body": frame["body"],
                                            "removal": frame["kind"] == 3}
            if version > journal.top[1]:
                journal.top = (epoch, version)
            journal.tickets.count()
            self.events.append({"event": "value", "channel": channel, "key": key, "version": version,
                                "kind": frame["kind"], "body": frame["body"].hex()})
        self.state(b"\x38\1\1" + varint(version) + b"\0")

    def on_heldQuery(self, frame):
        journal = self.journal
        versions = [(c, k, v["version"]) for (c, k), v in journal.values.items()]
        if frame["wants"] & 1 or frame["epochs"]:
            self.state(b"\x3b" + u(wire.digest(versions), 8) + varint(len(frame["epochs"]))
                       + b"".join(u(e, 8) + bytes([e in journal.known]) for e in frame["epochs"]))
        if frame["wants"] & 2:
            self.listing = getattr(self, "listing", 0) + 1
            entries = b""
            for (channel, key), value in journal.values.items():
                form = channel | 0x40 | (0x20 if value["removal"] else 0)
                entries += bytes([form]) + bytes.fromhex(key) + varint(value["version"]) \
                    + u(wire.fnv(value["kind"], wire.fnv(value["body"])), 8)
            count = varint(len(versions))
            self.state(b"\x3c" + varint(self.listing) + varint(journal.floor) + count + b"\0" + count + entries)

    def on_valueQuery(self, frame):
        value = self.journal.values.get((frame["channel"], frame["key"]))
        head = bytes([frame["channel"] | (0x10 if value else 0)]) + bytes.fromhex(frame["key"])
        if value is None:
            return self.state(b"\x3d" + head + b"\0")
        piece = value["body"][frame["offset"]:][:1000]
        self.state(b"\x3d" + head + varint(value["version"]) + bytes([value["kind"]])
                   + varint(len(value["body"])) + varint(frame["offset"]) + wire.block(piece))
