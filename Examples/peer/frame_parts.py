"""Frames, their types, and the parts that several of them share."""

from codec import NUMBER_MAX, fnv, u64, varint

INTERACTIVE, COMPLICATION, BACKGROUND, CONTEXT, BULK, URGENT, BLOCK = range(7)
ORDERED, LATEST, DURABLE_ORDERED = (0, 2, 4, 5, 6), (1, 3), (2, 4, 5)
LARGEST = (65536, 4096, 65536, 262144, 4194304, 65536, 65536)

TYPES = {
    0x00: "padding",
    0x01: "ping",
    0x02: "pong",
    0x03: "close",
    0x04: "ack",
    0x05: "earlyData",
    0x06: "keyUpdate",
    0x08: "position",
    0x09: "epochs",
    0x0A: "ticketAnswer",
    0x10: "record",
    0x11: "value",
    0x13: "values",
    0x12: "fragment",
    0x14: "credit",
    0x15: "tryLater",
    0x16: "needBase",
    0x17: "cancel",
    0x18: "received",
    0x19: "heldQuery",
    0x1A: "valueQuery",
    0x1B: "nothingLost",
    0x30: "acknowledgement",
    0x31: "outcome",
    0x32: "watermark",
    0x33: "epochOver",
    0x34: "epochClosed",
    0x35: "epochsKnown",
    0x36: "epochHeld",
    0x38: "valueAcknowledgement",
    0x39: "valueOutcome",
    0x3A: "mended",
    0x3B: "heldDigest",
    0x3C: "held",
    0x3D: "heldValue",
    0x3E: "removalWatermark",
    0x3F: "heldRanges",
    0x42: "arrival",
    0x43: "repair",
}
CODES = {name: code for code, name in TYPES.items()}
STATEMENTS = {name for code, name in TYPES.items() if 0x30 <= code < 0x40}
NOT_ELICITING = {"padding", "ack", "arrival", "close"}  # LR-4
NEVER_AGAIN = {"padding", "ack", "arrival", "repair", "position", "close"}  # LR-7


class Frame:
    def __init__(self, name, **fields):
        self.name = name
        self.__dict__.update(fields)

    def get(self, field):
        return self.__dict__.get(field)

    def __repr__(self):
        def short(v):
            return (
                v.hex()[:32]
                if isinstance(v, bytes)
                else f"{v:016x}" if isinstance(v, int) and v > 1 << 40 else v
            )

        fields = [
            f"{k}={short(v)}"
            for k, v in self.__dict__.items()
            if k != "name" and not k.startswith("_") and v is not None and v is not False
        ]
        return f"[{self.name} {' '.join(fields)}]"


# --- parts that several frames share ---


def read_packets(r):
    """Ranges of packet numbers, the newest first: [(first, last)]."""
    start = r.at
    largest = r.varint(0, NUMBER_MAX)
    at = r.at
    count = r.varint(0, MASK)
    r.require(count != 0, "outOfRange", start)
    r.require(count <= 32, "outOfRange", at)
    ranges, end = [], largest
    for i in range(count):
        if i:
            at = r.at
            end = ranges[-1][0] - r.varint() - 2
            r.require(end >= 0, "outOfRange", at)
        at = r.at
        more = r.varint()
        r.require(more <= end, "outOfRange", at)
        ranges.append((end - more, end))
    return ranges


MASK = 2**64 - 1


def write_packets(ranges):
    out = varint(ranges[0][1]) + varint(len(ranges))
    for i, (first, last) in enumerate(ranges):
        if i:
            out += varint(ranges[i - 1][0] - last - 2)
        out += varint(last - first)
    return out


def read_epoch(r, present=False):
    """An epoch of a list: (id, its end or None, {channel: (watermark, last)})."""
    epoch = None
    if not present:
        epoch = r.u64()
        r.require(epoch, "outOfRange", r.at - 8)
    form = r.u8()
    r.require(not form & ~0xB4, "unknownCode", r.at - 1)
    end = r.varint(0, NUMBER_MAX) if form & 0x80 else None
    channels = {}
    for channel in DURABLE_ORDERED:
        if form & 1 << channel:
            watermark, at = r.varint(0, NUMBER_MAX), r.at
            more = r.varint(0, NUMBER_MAX)
            r.require(watermark + more, "notCanonical", at)
            r.require(watermark + more <= NUMBER_MAX, "outOfRange", at)
            channels[channel] = (watermark, watermark + more)
    return epoch, end, channels


def write_epoch(epoch, end, channels):
    form = sum(1 << c for c in channels) + (0x80 if end is not None else 0)
    out = (u64(epoch) if epoch is not None else b"") + bytes([form])
    if end is not None:
        out += varint(end)
    for channel in sorted(channels):
        watermark, last = channels[channel]
        out += varint(watermark) + varint(last - watermark)
    return out


def read_summary(r):
    """The summary of values held: (epoch of the top, version of the top, digest)."""
    epoch = r.u64()
    return epoch, r.number() if epoch else None, r.u64()


def write_summary(summary):
    epoch, version, digest = summary
    return u64(epoch) + (varint(version) if epoch else b"") + u64(digest)


def base_of(version, payload):
    """How a delta names its base."""
    return version & 0xFF, fnv(payload) & 0xFFFF


def fingerprint(kind, payload):
    return fnv(u64(kind), fnv(payload))


def read_predecessor(r, epoch, number):
    start = r.at
    index = r.varint(0, 1023)
    if index == 0:
        distance = r.number()
        if epoch == 0:
            r.require(distance < number, "outOfRange", start)
            return 0, number - distance
        # F-13 and the text of *predecessor*: distance means "the same epoch"
        r.require(distance < number, "outOfRange", start)
        return epoch, number - distance
    r.require(index != epoch, "outOfRange", start)
    r.require(epoch == 0 or index < epoch, "outOfRange", start)
    return index, r.number()


def write_predecessor(f):
    index, number = f.predecessor
    if index == f.epoch:
        return b"\0" + varint(f.number - number)
    return varint(index) + varint(number)


def read_epoch_ids(r):
    out = []
    for _ in range(r.count(1, 32, 8)):
        out.append(r.u64())
        r.require(out[-1], "outOfRange", r.at - 8)
    return out


def address(r, f):
    f.epoch = r.varint(0, 1023)
    f.number = r.number()
