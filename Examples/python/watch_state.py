"""What a watch remembers from one link to the next, and the greetings that tell it, in Python.

Written from `wire-format.md`.
"""

import secrets
import time

import watch_frames as wire
import watch_records as records
from watch_frames import LANES, NEWEST
from watch_packets import get_greeting
from watch_records import check, low, varint

ROLE_PHONE, ROLE_WATCH = 0, 1
MESSAGE, MEDICATION, REMOVAL, DOSE_EVENT, COMPLICATION = 1, 2, 3, 4, 5  # kinds


def fingerprint(*parts):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in b"".join(parts):
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


def mix(value):
    """SplitMix64's last steps, so that sums of fingerprints tell exchanged values apart."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % (1 << 64)
    value = (value ^ value >> 27) * 0x94D049BB133111EB % (1 << 64)
    return value ^ value >> 31


class Value:
    """What is held for a key in a newest-per-key lane."""

    def __init__(self, key, rank, number, kind, payload):
        self.key, self.rank, self.number, self.kind = key, rank, number, kind
        self.payload = payload

    @property
    def fingerprint(self):
        upper, lower = int(self.key[:16], 16), int(self.key[16:], 16)
        return mix(fingerprint(self.payload, low(upper, 8), low(lower, 8), low(self.kind, 8)))

    @property
    def reference(self):
        """How a delta names it as its base."""
        return self.number & 0xFF, fingerprint(self.payload) & 0xFFFF


class Slot:
    """The newest value of a key and the two that deltas may be formed against."""

    def __init__(self):
        self.newest = self.marked = self.base = None


class Arrivals:
    """Which numbers of one lane and epoch are in."""

    def __init__(self):
        self.floor, self.above, self.ended = 1, set(), {}

    def settled(self, number):
        return number < self.floor or number in self.above or number in self.ended

    def add(self, number):
        self.above.add(number)
        self.raise_floor(self.floor)

    def raise_floor(self, floor):
        self.floor = max(self.floor, floor)
        while self.floor in self.above:
            self.floor += 1
        self.above = {number for number in self.above if number > self.floor}
        self.ended = {n: outcome for n, outcome in self.ended.items() if n >= self.floor}

    def ranges(self):
        found = []
        for number in sorted(self.above):
            if found and found[-1][1] == number - 1:
                found[-1] = (found[-1][0], number)
            else:
                found.append((number, number))
        return found[:32]


class Watch:
    """What outlives a link: values, arrivals, own records that are not settled."""

    def __init__(self, tell, role=ROLE_WATCH, version=0):
        self.tell, self.role, self.version = tell, role, version
        self.epoch = secrets.randbits(64) | 1
        self.next_number = [1] * 5
        self.outgoing = {}  # (lane, number) -> fields of a record that is not settled
        self.known = []  # epochs of the counterpart; a later one ranks higher
        self.arrivals = {}  # (epoch id, lane) -> Arrivals
        self.slots = {lane: {} for lane in NEWEST}
        self.counters = dict.fromkeys(
            ("whole", "deltas", "marked", "need_base", "messages", "settled", "sessions"), 0)

    def held(self, lane):
        """The newest value of each key that has one; a removal says that it has none."""
        return [slot.newest for slot in self.slots[lane].values() if slot.newest.kind != REMOVAL]

    def digest(self, lane):
        return sum(value.fingerprint for value in self.held(lane)) % (1 << 64)

    def store(self):
        medications = [value for value in self.held(wire.CONTEXT) if value.kind == MEDICATION]
        read = [records.decode_medication(value.payload) for value in medications]
        return sorted(read, key=lambda medication: medication["id"])

    def face(self):
        return [records.decode_complication(value.payload)
                for value in self.held(wire.COMPLICATION) if value.kind == COMPLICATION]

    def draft(self, lane, **fields):
        """A record of this side. Its predecessor is the nearest one that is not settled."""
        number = self.next_number[lane]
        self.next_number[lane] += 1
        record = {"type": wire.RECORD, "lane": lane, "epoch": 0, "number": number, **fields}
        before = [n for l, n in self.outgoing if l == lane]
        if before and lane not in NEWEST:
            record["predecessor"] = (0, max(before))
        self.outgoing[lane, number] = record
        return record

    def dose(self, medication):
        event = {"id": secrets.token_hex(16), "medication": medication["id"], "action": 0,
                 "at": time.time_ns() // 1_000_000, "zoneOffset": 0, "planned": None,
                 "snoozeMinutes": 0, "corrects": None, "extensions": [],
                 "amount": {"mantissa": 1, "scale": 0, "unit": 1}}
        return self.draft(
            wire.BACKGROUND, kind=DOSE_EVENT, payload=records.encode_dose_event(event))

    def greeting(self, pairing, epochs=None):
        """This side's greeting to a counterpart that lists `epochs`, or has not greeted yet."""
        out = bytes([self.role]) + pairing + bytes([self.version])
        out += varint(1) + low(self.epoch, 8) + bytes([0])
        for lane in LANES:
            unsettled = [n for l, n in self.outgoing if l == lane]
            lowest = min(unsettled, default=self.next_number[lane])
            out += varint(self.next_number[lane]) + varint(self.next_number[lane] - lowest)
        known = [epoch for epoch in self.known if epochs is None or epoch in epochs]
        out += varint(len(known))
        for epoch in known:
            out += low(epoch, 8)
            out += b"".join(varint(self.arrivals[epoch, lane].floor) for lane in LANES)
        out += b"".join(varint(offers) for offers, _ in wire.WINDOWS)
        out += b"".join(varint(bytes_) for _, bytes_ in wire.WINDOWS)
        out += low(self.digest(wire.COMPLICATION), 8) + low(self.digest(wire.CONTEXT), 8)
        return out + varint(65_536)


def read_greeting(r, role=ROLE_PHONE):
    """A greeting: pairing and, of each of its sender's epochs, the id and the numbers by lane."""
    greeting = get_greeting(r)
    check(greeting["role"] == role, "unknownCode", 0)
    epochs = [(int(epoch["id"], 16), list(zip(epoch["next"], epoch["unsettled"])))
              for epoch in greeting["own"]]
    known = {int(epoch["id"], 16): epoch["receivedThrough"] for epoch in greeting["known"]}
    # Credit, digests and the largest datagram follow; a watch that sends one dose needs none.
    return bytes.fromhex(greeting["pairing"]), epochs, known
