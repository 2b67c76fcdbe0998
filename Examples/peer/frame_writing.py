"""Writes every frame of the article *Frames*."""

from codec import block, i64, u16, u64, varint
from frame_parts import CODES, write_epoch, write_packets, write_predecessor, write_summary


def addr(f):
    return bytes([f.channel]) + varint(f.epoch) + varint(f.number)


def write_record(f):
    flags = (
        (f.get("predecessor") is not None)
        + 2 * bool(f.get("expects_reply"))
        + 4 * (f.get("in_reply_to") is not None)
        + 8 * (f.get("expiry") is not None)
        + 16 * (f.get("idempotency_key") is not None)
    )
    out = bytes([f.channel | flags << 3]) + varint(f.epoch) + varint(f.number)
    if flags & 1:
        out += write_predecessor(f)
    out += bytes([f.kind])
    if flags & 4:
        out += varint(f.in_reply_to)
    if flags & 8:
        out += i64(f.expiry)
    if flags & 16:
        out += f.idempotency_key
    return out + block(f.payload)


def write_value(f):
    base, delta = f.get("base"), bool(f.get("delta"))
    more = (1 if base is not None and not delta else 0) + (2 if f.get("expiry") is not None else 0)
    form = (
        f.channel
        | (f.get("key") is not None) << 3
        | (f.get("handle") is not None) << 4
        | bool(f.get("marks")) << 5
        | delta << 6
        | bool(more) << 7
    )
    out = (
        bytes([form])
        + (bytes([more]) if more else b"")
        + varint(f.epoch)
        + varint(f.number)
        + bytes([f.kind])
    )
    out += f.get("key") or b""
    if f.get("handle") is not None:
        out += varint(f.handle)
    if more & 2:
        out += i64(f.expiry)
    if base is not None:
        out += bytes([base[0]]) + u16(base[1])
    return out + block(f.body)


def write_values(f):
    out = bytes([f.channel]) + varint(f.epoch) + varint(f.number) + bytes([f.kind])
    out += varint(f.handle) + f.key + varint(len(f.further))
    for step, key in f.further:
        out += varint(step) + key
    return out + block(f.body)


def write_ranges(ranges):
    first, last = ranges[0]
    out = varint(first) + varint(last - first) + varint(len(ranges) - 1)
    for (_, before), (first, last) in zip(ranges, ranges[1:]):
        out += varint(first - before - 2) + varint(last - first)
    return out


def write_value_ranges(ranges):
    out, before = varint(len(ranges)), None
    for first, last in ranges:
        out += varint(first if before is None else first - before - 2) + varint(last - first)
        before = last
    return out


def write_need_base(f):
    if f.get("key"):
        return bytes([f.channel]) + f.key
    if f.get("handle") is not None:
        return bytes([f.channel + 0x10]) + varint(f.handle)
    return bytes([f.channel + 0x20]) + varint(f.version)


def write_entry(e):
    has = e.print is not None
    out = bytes([e.channel | e.state << 3 | e.removal << 5 | has << 6]) + e.key + varint(e.version)
    return out + (u16(e.code) if e.state == 2 else b"") + (u64(e.print) if has else b"")


def write_held_value(f):
    out = bytes([f.channel | (0x10 if f.kind is not None else 0)]) + f.key + varint(f.version)
    if f.kind is not None:
        out += bytes([f.kind]) + varint(f.total) + varint(f.offset) + block(f.piece)
    return out


def write_held_query(f):
    out = bytes([f.wants])
    if f.ranges:
        out += varint(f.listing) + varint(len(f.ranges))
        out += b"".join(varint(2 * number + entries) for number, entries in f.ranges)
    return out + ids(f)


def write_held_ranges(f):
    out = varint(f.listing) + varint(f.range)
    if f.range == 1:
        out += u64(f.digest)
    return out + b"".join(map(u16, f.parts))


def ids(f):
    return varint(len(f.epochs)) + b"".join(map(u64, f.epochs))


WRITE = {
    "padding": lambda f: b"",
    "ping": lambda f: varint(f.token),
    "pong": lambda f: varint(f.token),
    "close": lambda f: bytes([f.code]),
    "ack": lambda f: varint(f.delay) + write_packets(f.packets),
    "earlyData": lambda f: varint(f.counter)
    + bytes([f.answer])
    + (write_packets(f.packets) if f.answer == 1 else b""),
    "keyUpdate": lambda f: b"",
    "position": lambda f: varint(f.position),
    "epochs": lambda f: varint(f.first)
    + varint(len(f.epochs))
    + b"".join(write_epoch(*e) for e in f.epochs),
    "ticketAnswer": lambda f: bytes([f.answer + (8 if f.summary else 0)])
    + (write_summary(f.summary) if f.summary else b""),
    "record": write_record,
    "value": write_value,
    "values": write_values,
    "fragment": lambda f: addr(f) + varint(f.total) + varint(f.offset) + block(f.piece),
    "credit": lambda f: bytes([f.channel]) + varint(f.records) + varint(f.bytes),
    "tryLater": lambda f: addr(f) + varint(f.records),
    "needBase": write_need_base,
    "cancel": lambda f: bytes([f.channel + 8 * f.expired + 16 * (f.predecessor is not None)])
    + varint(f.epoch)
    + varint(f.number)
    + (write_predecessor(f) if f.predecessor is not None else b""),
    "received": addr,
    "heldQuery": write_held_query,
    "valueQuery": lambda f: bytes([f.channel]) + f.key + varint(f.offset),
    "nothingLost": lambda f: b"",
    "acknowledgement": lambda f: bytes([f.channel + 8 * f.applied])
    + varint(f.epoch)
    + write_ranges(f.ranges),
    "outcome": lambda f: addr(f)
    + varint(f.last - f.number)
    + bytes([f.outcome])
    + (u16(f.code) if f.outcome == 4 else b""),
    "watermark": addr,
    "epochOver": ids,
    "epochClosed": ids,
    "epochsKnown": ids,
    "epochHeld": lambda f: u64(f.epoch)
    + varint(len(f.parts))
    + b"".join(bytes([c]) + varint(t) + varint(w) for c, (t, w) in sorted(f.parts.items())),
    "valueAcknowledgement": lambda f: bytes([f.applied]) + write_value_ranges(f.ranges),
    "valueOutcome": lambda f: bytes([f.outcome])
    + varint(f.version)
    + (u16(f.code) if f.outcome else b""),
    "mended": lambda f: b"",
    "heldDigest": lambda f: u64(f.digest)
    + varint(len(f.epochs))
    + b"".join(u64(e) + bytes([k]) for e, k in f.epochs),
    "held": lambda f: varint(f.listing)
    + varint(f.watermark)
    + varint(f.range)
    + varint(f.total)
    + varint(f.first)
    + varint(len(f.entries))
    + b"".join(map(write_entry, f.entries)),
    "heldValue": write_held_value,
    "removalWatermark": lambda f: varint(f.version),
    "heldRanges": write_held_ranges,
    "arrival": lambda f: varint(f.microseconds) + varint(f.recovered),
    "repair": lambda f: varint(f.first) + varint(f.packets) + varint(f.index) + f.combination,
}


def write_frame(f):
    if f.name == "furtherFragment":
        index = varint(f.epoch) if f.epoch else b""
        return (
            bytes([0x20 + f.channel + 8 * bool(f.epoch)])
            + index
            + varint(f.number)
            + varint(f.offset)
            + f.piece
        )
    body = WRITE[f.name](f)
    code = CODES[f.name]
    return bytes([code]) + (block(body) if code >= 0x40 else body)
