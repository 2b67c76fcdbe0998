#!/usr/bin/env python3
"""A watch that shares no code with this package, for the wire version 0 on a Unix stream socket.

    python3 Examples/python/stranger_watch.py /tmp/link.sock
    PhoneSim --link unix:/tmp/link.sock

Written from the articles of WatchProto.docc, with the standard library. It listens, as watches
do, holds what it is sent in memory, and is driven by lines of JSON as the simulators are: commands
`status`, `store`, `dose` (records one dose of the medication at `index`), `cut` (drops the link, to
be opened by the phone again), `forget` (all bases and handles) and `quit`; events `ready`,
`session`, `record.arrived`, `closed`, `notice`, `link.lost`.
"""

import json
import os
import secrets
import selectors
import socket
import sys

import watch_frames as wire
import watch_packets as packets
import watch_records as records
from watch_deltas import apply_delta
from watch_frames import LANES, NEWEST
from watch_records import Reader, Refused, check, low
from watch_state import MESSAGE, ROLE_PHONE, Arrivals, Slot, Value, Watch, read_greeting

KINDS = {2: "medication", 5: "complication"}  # of the values this watch can read
CANCELLED, EXPIRED, REJECTED = 2, 3, 4  # outcomes


class Session:
    """One link, from its handshake to its end."""

    def __init__(self, watch, link):
        self.watch, self.link = watch, link
        self.pending, self.open = b"", False
        self.handles, self.parts, self.totals, self.waiting = {}, {}, {}, []
        self.used = [[0, 0] for _ in LANES]  # offers and bytes, by lane
        self.granted = [list(window) for window in wire.WINDOWS]

    def send(self, *frames):
        body = b"".join(wire.write_frame(frame) for frame in frames)
        self.link.sendall(wire.packet(wire.TRANSPORT, body))

    def receive(self, data):
        self.pending += data
        while split := wire.split_packet(self.pending):
            kind, body, self.pending = split
            if kind == wire.HANDSHAKE:
                self.greet(body)
            elif kind == wire.TRANSPORT:
                check(self.open, "unknownCode", 0)
                self.transport(body)
            elif kind == wire.NOTICE:
                self.watch.tell("notice", code=body[1])

    def greet(self, body):
        flight = packets.get_handshake(Reader(body))
        check(flight["version"] == 0, "unknownCode", 0)
        phone_id = flight["sender"]
        # This watch is paired with whoever calls.
        pairing = self.meet(bytes.fromhex(flight["flight"]))
        flight = self.watch.greeting(pairing, [epoch for epoch, _ in self.epochs])
        own_id = secrets.randbits(32) | 1
        body = bytes([0]) + low(own_id, 4) + low(phone_id, 4) + flight
        self.link.sendall(wire.packet(wire.HANDSHAKE, body))
        self.begin()

    def meet(self, greeting, role=ROLE_PHONE):
        """Goes on from what the counterpart's greeting tells; gives the pairing it names."""
        watch = self.watch
        pairing, self.epochs, known = read_greeting(Reader(greeting), role)
        for epoch, numbers in self.epochs:
            if epoch not in watch.known:
                watch.known.append(epoch)
            for lane in LANES:
                arrivals = watch.arrivals.setdefault((epoch, lane), Arrivals())
                arrivals.raise_floor(numbers[lane][0] - numbers[lane][1])
        for lane, number in list(watch.outgoing):
            if number < known.get(watch.epoch, [1] * 5)[lane]:
                self.settle(lane, number)
            elif lane == wire.INTERACTIVE:
                del watch.outgoing[lane, number]  # not durable: nobody knows what became of it
        return pairing

    def begin(self, *first, leaves_out=()):
        """The session is open: `first`, then what may not have arrived, all but `leaves_out`."""
        watch, self.open = self.watch, True
        watch.counters["sessions"] += 1
        watch.tell("session", number=watch.counters["sessions"])
        # A packet after the handshake makes this side reachable. What the greeting could not tell
        # follows in receipts; what may not have arrived is offered again.
        unsettled = [watch.outgoing[place] for place in sorted(watch.outgoing)
                     if place not in leaves_out]
        places = range(len(self.epochs))
        receipts = [self.receipt(lane, place) for place in places for lane in LANES
                    if self.arrivals(lane, place).above]
        self.send(*first, {"type": wire.PING, "token": 1}, *receipts, *unsettled)

    def transport(self, body):
        """Reads all frames before any has an effect, then answers in one packet."""
        frames, at = [], 0
        while at < len(body):
            frame, at = wire.read_frame(body, at)
            frames.append(frame)
        self.answers, self.touched = [], set()
        for frame in frames:
            self.take(frame)
        self.answers += [self.receipt(lane, place) for lane, place in sorted(self.touched)]
        self.answers += self.credit()
        if self.answers:
            self.send(*self.answers)

    def arrivals(self, lane, place):
        check(place < len(self.epochs), "outOfRange", 0)
        return self.watch.arrivals[self.epochs[place][0], lane]

    def receipt(self, lane, place):
        arrivals = self.arrivals(lane, place)
        return {"type": wire.RECEIPT, "lane": lane, "stage": wire.APPLIED, "epoch": place,
                "floor": arrivals.floor, "ranges": arrivals.ranges()}

    def take(self, f):
        kind = f["type"]
        if kind == wire.PING:
            self.answers.append({"type": wire.PONG, "token": f["token"]})
        elif kind == wire.CLOSE:
            self.watch.tell("closed", code=f["code"])
        elif kind == wire.RECORD:
            self.offer(f)
        elif kind in (wire.PART, wire.FURTHER_PART):
            self.part(f)
        elif kind == wire.RECEIPT and f["stage"] == wire.APPLIED:
            for lane, number in list(self.watch.outgoing):
                within = any(first <= number <= last for first, last in f["ranges"])
                if lane == f["lane"] and f["epoch"] == 0 and (number < f["floor"] or within):
                    self.settle(lane, number)
        elif kind == wire.OUTCOME:
            self.settle(f["lane"], f["number"])
        elif kind == wire.FLOOR:
            self.arrivals(f["lane"], f["epoch"]).raise_floor(f["number"])
            self.deliver_waiting()
        elif kind == wire.WITHDRAW:
            arrivals = self.arrivals(f["lane"], f["epoch"])
            if arrivals.settled(f["number"]) and f["number"] not in arrivals.ended:
                self.touched.add((f["lane"], f["epoch"]))  # too late; the receipt says so
            else:
                self.end(f, (CANCELLED, EXPIRED)[f["reason"]])
        elif kind == wire.HELD_QUERY:
            self.list_held(f["lane"])

    def settle(self, lane, number):
        if self.watch.outgoing.pop((lane, number), None):
            self.watch.counters["settled"] += 1

    # --- What arrives

    def count(self, lane, offers, size):
        self.used[lane][0] += offers
        self.used[lane][1] += size

    def credit(self):
        """Opens a window again when half of it is used."""
        for lane in LANES:
            room = [granted - used for granted, used in zip(self.granted[lane], self.used[lane])]
            if any(2 * left < window for left, window in zip(room, wire.WINDOWS[lane])):
                self.granted[lane] = [
                    used + window for used, window in zip(self.used[lane], wire.WINDOWS[lane])]
                offers, size = self.granted[lane]
                yield {"type": wire.CREDIT, "lane": lane, "offers": offers, "bytes": size}

    def part(self, f):
        address = f["lane"], f["epoch"], f["number"]
        if self.arrivals(f["lane"], f["epoch"]).settled(f["number"]):
            return self.touched.add((f["lane"], f["epoch"]))
        if address not in self.parts:
            self.parts[address] = {}
            self.count(f["lane"], 1, 0)
        pieces = self.parts[address]
        if f["offset"] not in pieces:
            pieces[f["offset"]] = f["piece"]
            self.count(f["lane"], 0, len(f["piece"]))
        whole = b""
        while len(whole) in pieces:
            whole += pieces[len(whole)]
        if "total" in f:
            self.totals[address] = f["total"]
        if len(whole) == self.totals.get(address):
            del self.totals[address]
            del self.parts[address]
            r = Reader(whole)
            record = wire.get_record(r)
            r.end()
            check((record["lane"], record["epoch"], record["number"]) == address, "outOfRange", 0)
            self.offer(record | {"counted": True})

    def offer(self, f):
        if f["lane"] not in NEWEST and "counted" not in f:
            self.count(f["lane"], 1, len(f["payload"]))
        arrivals = self.arrivals(f["lane"], f["epoch"])
        if f["number"] in arrivals.ended:
            self.end(f, arrivals.ended[f["number"]])
        elif arrivals.settled(f["number"]):
            self.touched.add((f["lane"], f["epoch"]))  # known already: the receipt again
        elif f["lane"] in NEWEST:
            self.newest(f)
        else:
            self.waiting.append(f)
            self.deliver_waiting()

    def deliver_waiting(self):
        """Delivers what waits for no predecessor; each delivery may free another."""
        def ready(f):
            if "predecessor" not in f:
                return True
            place, number = f["predecessor"]
            arrivals = self.arrivals(f["lane"], place)
            taken_back = arrivals.ended.get(number) in (CANCELLED, EXPIRED)
            return arrivals.settled(number) and not taken_back

        while found := next((f for f in self.waiting if ready(f)), None):
            self.waiting.remove(found)
            self.deliver(found)

    def deliver(self, f, decoded=None):
        """Hands a record to the application. It is in once that is done."""
        self.arrivals(f["lane"], f["epoch"]).add(f["number"])
        self.touched.add((f["lane"], f["epoch"]))
        self.watch.tell("record.arrived", lane=f["lane"], kind=f["kind"], number=f["number"],
                        delta=bool(f.get("delta")), bytes=len(f["payload"]),
                        **({"value": decoded} if decoded else {}))
        if f["wants_reply"]:
            self.watch.counters["messages"] += 1
            self.answers.append(self.watch.draft(
                wire.INTERACTIVE, kind=MESSAGE, reply_to=f["number"], payload=f["payload"]))

    def end(self, f, outcome, code=None):
        """A record that is never delivered is named in an outcome and in no receipt."""
        self.arrivals(f["lane"], f["epoch"]).ended[f["number"]] = outcome
        self.answers.append({"type": wire.OUTCOME, "lane": f["lane"], "epoch": f["epoch"],
                             "number": f["number"], "outcome": outcome, "code": code or 0})

    def newest(self, f):
        """A value of a newest-per-key lane."""
        watch = self.watch
        if "handle" in f and "key" in f:
            self.handles[f["lane"], f["handle"]] = f["key"]
        key = f.get("key") or self.handles.get((f["lane"], f.get("handle")))
        if key is None:
            return self.need_base(f)
        slot = watch.slots[f["lane"]].get(key) or Slot()
        payload = f["payload"]
        if f["delta"]:
            if slot.marked and slot.marked.reference == f["base"]:
                slot.base, slot.marked = slot.marked, None
            if not slot.base or slot.base.reference != f["base"] or slot.base.kind != f["kind"]:
                return self.need_base(f)
        try:
            if f["delta"]:
                payload = apply_delta(KINDS.get(f["kind"]), slot.base.payload, payload)
            decoded = (records.DECODERS[KINDS[f["kind"]]](payload) if f["kind"] in KINDS else None)
        except Refused:
            self.count(f["lane"], 1, len(payload))
            return self.end(f, REJECTED, code=1)
        if "counted" not in f:
            self.count(f["lane"], 1, len(payload))  # the value's bytes, also of a delta
        rank = watch.known.index(self.epochs[f["epoch"]][0])
        value = Value(key, rank, f["number"], f["kind"], payload)
        if f["marked"]:
            slot.base, slot.marked = slot.marked or slot.base, value
        watch.counters["deltas" if f["delta"] else "whole"] += 1
        watch.counters["marked"] += f["marked"]
        if not slot.newest or (rank, f["number"]) > (slot.newest.rank, slot.newest.number):
            slot.newest = value
        watch.slots[f["lane"]][key] = slot
        self.deliver(f, decoded)

    def need_base(self, f):
        self.watch.counters["need_base"] += 1
        self.answers.append({"type": wire.NEED_BASE, "lane": f["lane"], "epoch": f["epoch"],
                             "number": f["number"]})

    def list_held(self, lane):
        values = [(v.key, v.kind, v.fingerprint & 0xFFFFFFFF) for v in self.watch.held(lane)]
        for first in range(0, max(1, len(values)), 1000):
            page = {"type": wire.HELD, "lane": lane, "total": len(values), "first": first,
                    "values": values[first : first + 1000]}
            self.answers.append(page)


class Program:
    """The socket, the control channel, and one session at a time."""

    def __init__(self):
        self.watch, self.session = Watch(self.tell), None
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ, self.control)
        self.lines, self.running = b"", True

    def listen(self, path):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(1)
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.tell("ready", v=1, role="watch", pid=os.getpid())

    def tell(self, event, **members):
        print(json.dumps({"event": event, **members}), flush=True)

    def run(self):
        while self.running:
            for key, _ in self.selector.select():
                key.data()

    def accept(self):
        self.drop("a new link")
        link, _ = self.listener.accept()
        self.session = Session(self.watch, link)
        self.selector.register(link, selectors.EVENT_READ, self.read)

    def drop(self, why):
        if self.session:
            self.selector.unregister(self.session.link)
            self.session.link.close()
            self.session = None
            self.tell("link.lost", why=why)

    def read(self):
        if not self.session:
            return
        try:
            data = self.session.link.recv(1 << 16)
            if data:
                return self.session.receive(data)
            self.drop("the other side closed it")
        except (Refused, OSError) as error:
            self.drop(f"{type(error).__name__}: {error}")

    def control(self):
        data = os.read(0, 1 << 16)
        self.running = bool(data)
        *lines, self.lines = (self.lines + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            reply = {"id": request["id"], "ok": True, **self.perform(request)}
            print(json.dumps(reply), flush=True)

    def perform(self, request):
        command, watch = request["cmd"], self.watch
        if command == "store":
            return {"medications": watch.store(), "faces": watch.face()}
        if command == "dose":
            store = watch.store()
            record = watch.dose(store[request.get("index", 0) % len(store)])
            if self.session and self.session.open:
                self.session.send(record)
            return {"msg": record["number"]}
        if command == "cut":
            self.drop("cut")
        if command == "forget":
            for slots in watch.slots.values():
                for slot in slots.values():
                    slot.marked = slot.base = None
            if self.session:
                self.session.handles.clear()
        self.running = command != "quit"
        return {"open": bool(self.session and self.session.open), **watch.counters,
                "outstanding": len(watch.outgoing)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Program()
    program.listen(sys.argv[1])
    program.run()
