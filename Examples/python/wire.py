"""Encodings, packets and frames of the articles *Wire format* and *Frames*."""


class Violation(Exception):
    """Bytes that the articles do not allow."""


class Reader:
    """Reads bytes from front to back; every read checks its bounds (W-4)."""

    def __init__(self, data):
        self.data, self.at = data, 0

    @property
    def left(self):
        return len(self.data) - self.at

    def bytes(self, count):
        if count > self.left:
            raise Violation(f"{count} bytes wanted, {self.left} left")
        self.at += count
        return self.data[self.at - count:self.at]

    def uint(self, count):
        return int.from_bytes(self.bytes(count), "little")

    def u8(self):
        return self.uint(1)

    def name(self):
        """A u128, as hexadecimal digits."""
        return self.bytes(16).hex()

    def varint(self, most=2**64 - 1):
        value, shift = 0, 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise Violation("a varint of more than ten bytes")
        if shift and byte == 0 or value > most:
            raise Violation(f"varint {value}, at most {most}, as short as it can be")
        return value

    def number(self):
        value = self.varint(2**62 - 1)
        if value == 0:
            raise Violation("a number of 0")
        return value

    def count(self, most, size=1):
        value = self.varint(most)
        if value * size > self.left:
            raise Violation(f"{value} entries do not fit")
        return value

    def block(self, most=1 << 22):
        return self.bytes(self.count(most))

    def time(self):
        return int.from_bytes(self.bytes(8), "little", signed=True)

    def need(self, condition, what):
        if not condition:
            raise Violation(what)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def u(value, count):
    return value.to_bytes(count, "little")


def block(data):
    return varint(len(data)) + data


def fnv(data, start=0xCBF29CE484222325):
    """FNV-1a with 64 bits; numbers enter as u64."""
    for byte in u(data, 8) if isinstance(data, int) else data:
        start = (start ^ byte) * 0x100000001B3 % 2**64
    return start


def digest(versions):
    """The digest of values: of (channel, key, version)."""
    total = 0
    for channel, key, version in versions:
        name = int(key, 16)
        h = fnv(version * 4 + channel // 2, fnv(name >> 64, fnv(name % 2**64)))
        h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        h = (h ^ h >> 27) * 0x94D049BB133111EB % 2**64
        total += h ^ h >> 31
    return total % 2**64


ORDERED, LATEST, DURABLE = (0, 2, 4), (1, 3), (2, 4)
PAYLOADS = {0: 1 << 16, 1: 1 << 12, 2: 1 << 16, 3: 1 << 16, 4: 1 << 22}
CREDIT = {0: (256, 1 << 20), 2: (1024, 1 << 20), 4: (16, 1 << 20)}
LARGEST_INDEX = 1023

TRANSPORT, EARLY, MESSAGE1, MESSAGE2, REFUSAL, RESET, ADVISORY, PAIRING = range(8)


def prefix(kind, length):
    return varint(length * 8 + kind)


def whole_number(low, count, largest):
    """The number that was cut to `count` bytes (W-9)."""
    window, expected = 1 << 8 * count, 0 if largest is None else largest + 1
    candidates = [expected // window * window + low + step * window for step in (-1, 0, 1)]
    return min((c for c in candidates if c >= 0), key=lambda c: abs(c - expected))


# Hellos ------------------------------------------------------------------------------------------


def read_epoch(reader, present=None):
    epoch = {"id": reader.uint(8) if present is None else present, "end": None, "numbers": {}}
    form = reader.u8()
    reader.need(epoch["id"] != 0 and form & ~0x34 == 0, "form of an epoch")
    if form & 0x20:
        epoch["end"] = reader.varint(2**62 - 1)
    for channel in DURABLE:
        if form & 1 << channel:
            watermark = reader.varint(2**62 - 1)
            last = watermark + reader.varint(2**62 - 1 - watermark)
            reader.need(last > 0, "a channel that was not used")
            epoch["numbers"][channel] = (watermark, last)
    return epoch


def write_epoch(epoch, present=False):
    form, rest = 0, b""
    if epoch["end"] is not None:
        form, rest = 0x20, varint(epoch["end"])
    for channel, (watermark, last) in sorted(epoch["numbers"].items()):
        form |= 1 << channel
        rest += varint(watermark) + varint(last - watermark)
    return (b"" if present else u(epoch["id"], 8)) + bytes([form]) + rest


def read_held(reader):
    top = reader.uint(8)
    return top, reader.number() if top else 0, reader.uint(8)


def write_held(held):
    top, version, total = held
    return u(top, 8) + (varint(version) if top else b"") + u(total, 8)


def read_hello(data, epoch, is_answer):
    reader = Reader(data)
    flags = reader.u8()
    hello = {"answer": flags >> 5, "N": 0, "n'": 0, "present": None, "newest": None,
             "earlier": [], "count": 0, "taken": [], "complete": True, "held": None,
             "largest": 65535}
    reader.need(is_answer or flags & ~0x17 == 0, "flags of message 1")
    hello["T"], hello["n"], hello["m"] = reader.uint(8), reader.varint(2**62 - 1), reader.varint(2**62 - 1)
    reader.need(hello["T"] or hello["n"] == hello["m"] == 0, "positions without T")
    if flags & 1:
        hello["N"], hello["n'"] = reader.uint(8), reader.varint(2**62 - 1)
        reader.need(hello["N"], "N = 0")
    if flags & 2:
        stated = reader.u8()
        reader.need(stated <= 3, "stated epochs")
        if stated & 1:
            hello["present"] = read_epoch(reader, epoch)
        if stated & 2:
            hello["newest"] = (reader.uint(8), reader.varint(2**62 - 1))
            reader.need(hello["newest"][0], "epoch 0")
        hello["count"] = reader.varint(LARGEST_INDEX)
        hello["earlier"] = [read_epoch(reader) for _ in range(reader.count(hello["count"], 9))]
        reader.need(stated or hello["count"], "epochs without one")
    if flags & 4:
        head = reader.varint()
        reader.need(head and head // 2 * 10 <= reader.left, "taken")
        hello["complete"] = head & 1 == 0
        for _ in range(head // 2):
            taken = reader.uint(8), reader.u8(), reader.number()
            reader.need(taken[0] and taken[1] in DURABLE, "taken")
            hello["taken"].append(taken)
    if flags & 8:
        hello["held"] = read_held(reader)
    if flags & 16:
        hello["largest"] = reader.uint(2)
        reader.need(244 <= hello["largest"] <= 65534, "largest datagram")
    reader.need(reader.left == 0, "bytes behind the hello")
    return hello


def write_hello(hello):
    flags = hello.get("answer", 0) << 5
    out = u(hello["T"], 8) + varint(hello["n"]) + varint(hello["m"])
    if hello.get("N"):
        flags |= 1
        out += u(hello["N"], 8) + varint(hello["n'"])
    present, newest, count = hello.get("present"), hello.get("newest"), hello.get("count", 0)
    if present or newest or count:
        flags |= 2
        out += bytes([(1 if present else 0) + (2 if newest else 0)])
        if present:
            out += write_epoch(present, True)
        if newest:
            out += u(newest[0], 8) + varint(newest[1])
        out += varint(count) + varint(len(hello.get("earlier", [])))
        out += b"".join(write_epoch(epoch) for epoch in hello.get("earlier", []))
    taken, complete = hello.get("taken", []), hello.get("complete", True)
    if taken or not complete:
        flags |= 4
        out += varint(len(taken) * 2 + (0 if complete else 1))
        out += b"".join(u(e, 8) + bytes([c]) + varint(t) for e, c, t in taken)
    if hello.get("held"):
        flags |= 8
        out += write_held(hello["held"])
    if hello.get("largest", 65535) != 65535:
        flags |= 16
        out += u(hello["largest"], 2)
    return bytes([flags]) + out


# Frames ------------------------------------------------------------------------------------------

NAMES = {
    0x00: "padding", 0x01: "ping", 0x02: "pong", 0x03: "close", 0x04: "ack", 0x05: "earlyData",
    0x06: "keyUpdate", 0x08: "position", 0x09: "epochs", 0x0A: "ticketAnswer", 0x10: "record",
    0x11: "value", 0x12: "fragment", 0x14: "credit", 0x15: "tryLater", 0x16: "needBase",
    0x17: "cancel", 0x18: "received", 0x19: "heldQuery", 0x1A: "valueQuery", 0x1B: "nothingLost",
    0x30: "acknowledgement", 0x31: "outcome", 0x32: "watermark", 0x33: "epochOver",
    0x34: "epochClosed", 0x35: "epochsKnown", 0x36: "epochHeld", 0x38: "valueAcknowledgement",
    0x39: "valueOutcome", 0x3A: "mended", 0x3B: "heldDigest", 0x3C: "held", 0x3D: "heldValue",
    0x3E: "removalFloor", 0x42: "arrival", 0x43: "repair",
}
CODES = {name: code for code, name in NAMES.items()}


def read_frames(data):
    """All frames of a packet, understood whole before any has an effect (W-5)."""
    reader, frames = Reader(data), []
    while reader.left:
        frame = read_frame(reader)
        if frame["frame"] not in ("padding", "skipped"):
            frames.append(frame)
    return frames


def read_frame(r):
    code = r.u8()
    if 0x20 <= code <= 0x2F:
        return further(r, code)
    name = NAMES.get(code)
    if name is None:
        r.need(code >= 0x40, f"frame type {code}")
        r.block(1 << 16)
        return {"frame": "skipped"}
    frame = {"frame": name}
    READERS.get(name, lambda r, f: None)(r, frame)
    return frame


def channel_of(r, among, value=None):
    value = r.u8() if value is None else value
    r.need(value in among, f"channel {value}")
    return value


def address(r, f, number="number"):
    f["epoch"], f[number] = r.varint(LARGEST_INDEX), r.number()


def precedes(one, other):
    """Whether (epoch index, number) `one` was accepted before `other`."""
    if one[0] == other[0]:
        return one[1] < other[1]
    return other[0] == 0 or one[0] != 0 and one[0] < other[0]


def predecessor(r, f):
    index, number = r.varint(LARGEST_INDEX), r.number()
    if index == 0:
        r.need(number < f["number"], "predecessor")
        f["predecessor"] = (f["epoch"], f["number"] - number)
    else:
        f["predecessor"] = (index, number)
        r.need(index != f["epoch"] and precedes((index, number), (f["epoch"], f["number"])), "predecessor")


def packets(r, f):
    upper, count, ranges = r.varint(), r.count(32), []
    r.need(count > 0, "no ranges")
    for place in range(count):
        if place:
            upper = ranges[-1][0] - 2 - r.varint()
        lower = upper - r.varint()
        r.need(lower >= 0, "a range below 0")
        ranges.append((lower, upper))
    f["packets"] = ranges[::-1]


def r_early(r, f):
    f["counter"], f["answer"] = r.varint(), r.u8()
    r.need(f["answer"] < 3, "answer to early data")
    if f["answer"] == 1:
        packets(r, f)
        r.need(f["packets"][-1][1] < 512, "an early packet")


def r_epochs(r, f):
    f["first"] = r.varint(LARGEST_INDEX)
    count = r.count(LARGEST_INDEX + 1 - f["first"], 9)
    r.need(f["first"] and count, "epochs")
    f["epochs"] = [read_epoch(r) for _ in range(count)]


def r_record(r, f):
    first = r.u8()
    f["channel"], flags = channel_of(r, ORDERED, first & 7), first >> 3
    r.need(f["channel"] == 0 or not flags & 6, "a reply in this channel")
    address(r, f)
    if flags & 1:
        predecessor(r, f)
    f["kind"] = r.u8()
    if flags & 2:
        f["expectsReply"] = 1
    if flags & 4:
        f["inReplyTo"] = r.number()
    if flags & 8:
        f["expiry"] = r.time()
    if flags & 16:
        f["idempotencyKey"] = r.name()
    f["payload"] = r.block(PAYLOADS[f["channel"]])


def r_value(r, f):
    form = r.u8()
    f["channel"], more = channel_of(r, LATEST, form & 7), 0
    r.need(form & 0x18, "neither key nor handle")
    if form & 0x80:
        more = r.u8()
        r.need(0 < more < 4 and not (more & 1 and form & 0x40), "more")
    if form & 0x40:
        f["delta"] = 1
    if form & 0x20:
        f["marks"] = 1
    address(r, f, "version")
    f["kind"] = r.u8()
    if form & 8:
        f["key"] = r.name()
    if form & 0x10:
        f["handle"] = r.varint(8191)
    if more & 2:
        f["expiry"] = r.time()
    if form & 0x40 or more & 1:
        f["base"] = (r.u8(), r.uint(2))
    f["body"] = r.block(PAYLOADS[f["channel"]])


def r_fragment(r, f):
    f["channel"] = channel_of(r, range(5))
    address(r, f)
    f["total"] = r.varint(PAYLOADS[f["channel"]] + 96)
    f["offset"] = r.varint(f["total"])
    f["piece"] = r.block(f["total"] - f["offset"])
    r.need(f["piece"], "an empty piece")


def further(r, code):
    f = {"frame": "furtherFragment", "channel": channel_of(r, range(5), code & 7), "epoch": 0}
    if code & 8:
        f["epoch"] = r.varint(LARGEST_INDEX)
        r.need(f["epoch"], "epoch index 0")
    f["number"], f["offset"] = r.number(), r.varint()
    f["piece"] = r.bytes(r.left)
    most = PAYLOADS[f["channel"]] + 96
    r.need(f["offset"] and f["piece"] and f["offset"] + len(f["piece"]) < most, "a piece in the middle")
    return f


def r_need_base(r, f):
    form = r.u8()
    f["channel"] = channel_of(r, LATEST, form & 15)
    r.need(form >> 4 < 3, "base request")
    if form >> 4 == 0:
        f["key"] = r.name()
    elif form >> 4 == 1:
        f["handle"] = r.varint(8191)
    else:
        f["version"] = r.number()


def r_cancel(r, f):
    code = r.u8()
    r.need(code < 0x20, "bits of cancel")
    f["channel"], f["expired"] = channel_of(r, ORDERED, code & 7), code >> 3 & 1
    address(r, f)
    if code & 16:
        predecessor(r, f)


def r_ticket_answer(r, f):
    code = r.u8()
    r.need(code < 16, "ticket answer")
    f["answer"] = code & 7
    if code & 8:
        top, version, f["digest"] = read_held(r)
        f["top"] = (top, version)


def r_held_query(r, f):
    f["wants"] = r.u8()
    f["epochs"] = [r.uint(8) for _ in range(r.count(16, 8))]
    r.need(f["wants"] < 4 and (f["wants"] or f["epochs"]), "a query for nothing")


def r_acknowledgement(r, f):
    code = r.u8()
    f["channel"], f["applied"] = channel_of(r, ORDERED, code & ~8), code >> 3 & 1
    f["epoch"], first = r.varint(LARGEST_INDEX), r.number()
    f["numbers"] = [(first, first + r.varint(2**62 - 1 - first))]
    for _ in range(r.count(31, 2)):
        first = f["numbers"][-1][1] + 2 + r.varint(2**62 - 1)
        last = first + r.varint(2**62 - 1)
        r.need(last < 2**62, "acknowledged numbers")
        f["numbers"].append((first, last))


def r_outcome(r, f):
    f["channel"] = channel_of(r, ORDERED)
    address(r, f)
    first = f.pop("number")
    f["numbers"] = [(first, first + r.varint(2**62 - 1 - first))]
    f["outcome"] = r.u8()
    r.need(1 <= f["outcome"] <= 5, "outcome")
    if f["outcome"] == 4:
        f["code"] = r.uint(2)


def r_list(r, f):
    f["epochs"] = [r.uint(8) for _ in range(r.count(32, 8))]
    r.need(f["epochs"] and 0 not in f["epochs"], "epochs")


def r_epoch_held(r, f):
    f["epoch"], f["parts"] = r.uint(8), []
    r.need(f["epoch"], "epoch 0")
    for _ in range(r.count(3, 3)):
        channel = channel_of(r, DURABLE)
        through = r.varint(2**62 - 1)
        f["parts"].append((channel, through, r.varint(through)))
    channels = [part[0] for part in f["parts"]]
    r.need(channels == sorted(set(channels)), "channels in order")


def r_value_ack(r, f):
    f["level"], f["versions"], end, total = r.u8(), [], None, 0
    r.need(f["level"] < 2, "level")
    count = r.count(32, 2)
    r.need(count, "no ranges")
    for _ in range(count):
        gap, length = r.varint(2**62 - 1), r.varint(1023)
        first = gap if end is None else end + 2 + gap
        end, total = first + length, total + length + 1
        r.need(first and end < 2**62 and total <= 1024, "versions")
        f["versions"].append((first, end))


def r_value_outcome(r, f):
    f["outcome"], f["version"] = r.u8(), r.number()
    r.need(f["outcome"] < 2, "outcome of a value")
    if f["outcome"]:
        f["code"] = r.uint(2)


def r_held_digest(r, f):
    f["digest"], f["epochs"] = r.uint(8), []
    for _ in range(r.count(16, 9)):
        f["epochs"].append((r.uint(8), r.u8()))
        r.need(f["epochs"][-1][1] < 2, "known or not")


def r_held(r, f):
    f["listing"], f["floor"] = r.varint(), r.varint(2**62 - 1)
    f["total"] = r.varint(131072)
    f["first"], f["entries"] = r.varint(f["total"]), []
    for _ in range(r.count(f["total"] - f["first"], 18)):
        form = r.u8()
        state, has = form >> 3 & 3, form >> 6 & 1
        r.need(form < 0x80 and state < 3 and (has or not form & 0x20), "form of a held key")
        entry = {"channel": channel_of(r, LATEST, form & 7), "key": r.name(), "version": r.number(), "state": state}
        if state == 2:
            entry["code"] = r.uint(2)
        if has:
            entry["fingerprint"], entry["removal"] = r.uint(8), form >> 5 & 1
        f["entries"].append(entry)


def r_held_value(r, f):
    form = r.u8()
    r.need(form < 0x20, "form of a held value")
    f["channel"], f["key"] = channel_of(r, LATEST, form & 15), r.name()
    f["version"] = r.varint(2**62 - 1)
    if form & 0x10:
        f["kind"], f["total"] = r.u8(), r.varint(PAYLOADS[f["channel"]])
        f["offset"] = r.varint(f["total"])
        f["piece"] = r.block(f["total"] - f["offset"])


def with_length(read):
    def inner(r, f):
        part = Reader(r.block(1 << 16))
        read(part, f)
        r.need(part.left == 0, "a frame that does not fill its length")
    return inner


def r_arrival(r, f):
    f["microseconds"], f["recovered"] = r.varint(1 << 50), r.varint(1 << 50)


def r_repair(r, f):
    f["first"], f["packets"], f["index"] = r.varint(1 << 62), r.varint(128), r.varint(31)
    f["combination"] = r.bytes(r.left)
    r.need(f["packets"] and len(f["combination"]) > 1, "an FEC block")


def fields(*parts):
    """Reads fields in order: (name, procedure)."""
    def read(r, f):
        for name, one in parts:
            f[name] = one(r)
    return read


def on_channel(*parts):
    def read(r, f):
        f["channel"] = channel_of(r, ORDERED)
        if "address" in parts:
            address(r, f)
        for name in parts:
            if name != "address":
                f[name] = r.varint(2**62 - 1)
    return read


def small(most):
    def read(r):
        value = r.u8()
        r.need(value <= most, "a code without a meaning")
        return value
    return read


READERS = {
    "ping": fields(("token", Reader.varint)), "pong": fields(("token", Reader.varint)),
    "close": fields(("code", Reader.u8)),
    "ack": lambda r, f: (f.update(delay=r.varint(1 << 40)), packets(r, f)),
    "earlyData": r_early, "position": fields(("position", Reader.number)), "epochs": r_epochs,
    "ticketAnswer": r_ticket_answer, "record": r_record, "value": r_value,
    "fragment": r_fragment, "credit": on_channel("records", "bytes"),
    "tryLater": on_channel("address", "records"), "needBase": r_need_base, "cancel": r_cancel,
    "received": on_channel("address"), "heldQuery": r_held_query,
    "valueQuery": fields(("channel", lambda r: channel_of(r, LATEST)), ("key", Reader.name),
                         ("offset", Reader.varint)),
    "acknowledgement": r_acknowledgement, "outcome": r_outcome, "watermark": on_channel("address"),
    "epochOver": r_list, "epochClosed": r_list, "epochsKnown": r_list, "epochHeld": r_epoch_held,
    "valueAcknowledgement": r_value_ack, "valueOutcome": r_value_outcome,
    "heldDigest": r_held_digest, "held": r_held, "heldValue": r_held_value,
    "removalFloor": fields(("version", Reader.number)), "arrival": with_length(r_arrival),
    "repair": with_length(r_repair),
}
