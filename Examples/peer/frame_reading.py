"""Reads every frame of the article *Frames*."""

from codec import NUMBER_MAX, Reader, WireError
from frame_parts import (
    BLOCK,
    DURABLE_ORDERED,
    Frame,
    INTERACTIVE,
    LARGEST,
    LATEST,
    MASK,
    ORDERED,
    STATEMENTS,
    TYPES,
    address,
    read_epoch,
    read_epoch_ids,
    read_packets,
    read_predecessor,
    read_summary,
)


def read_record_body(r):
    f = Frame("record")
    head = r.u8()
    f.channel, flags = head & 7, head >> 3
    r.require(f.channel in ORDERED, "unknownCode", r.at - 1)
    r.require(not flags & 6 or f.channel == INTERACTIVE, "unknownCode", r.at - 1)
    address(r, f)
    f.predecessor = read_predecessor(r, f.epoch, f.number) if flags & 1 else None
    f.kind = r.u8()
    f.expects_reply = bool(flags & 2)
    f.in_reply_to = r.number() if flags & 4 else None
    f.expiry = r.i64() if flags & 8 else None
    f.idempotency_key = r.take(16) if flags & 16 else None
    f.payload = r.block()
    r.require(len(f.payload) <= LARGEST[f.channel], "outOfRange", r.at)
    return f


def read_value_body(r):
    f = Frame("value")
    form = r.u8()
    f.channel = form & 7
    r.require(f.channel in LATEST, "unknownCode", r.at - 1)
    r.require(form & 0x18, "unknownCode", r.at - 1)
    f.marks, f.delta = bool(form & 0x20), bool(form & 0x40)
    more = 0
    if form & 0x80:
        more = r.u8()
        r.require(1 <= more <= 3 and not (f.delta and more & 1), "notCanonical", r.at - 1)
    address(r, f)
    f.kind = r.u8()
    f.key = r.take(16) if form & 0x08 else None
    f.handle = r.varint(0, 8191) if form & 0x10 else None
    f.expiry = r.i64() if more & 2 else None
    f.base = (r.u8(), r.u16()) if f.delta or more & 1 else None
    f.body = r.block()
    return f


def read_values(r, f):
    f.channel = r.code(LATEST)
    address(r, f)
    f.kind = r.u8()
    f.handle = r.varint(0, 8191)
    f.key = r.take(16)
    f.further, last, at = [], f.number, r.at
    for _ in range(r.count(1, 99, 17)):
        step = r.varint(0, NUMBER_MAX)
        f.further.append((step, r.take(16)))
        last += step + 1
    r.require(last <= NUMBER_MAX and f.handle + len(f.further) <= 8191, "outOfRange", at)
    f.body = r.block()
    return f


def read_frame(r):
    start = r.at
    code = r.u8()
    if code >= 0x40:
        at = r.at
        length = r.varint()
        r.require(length <= r.left, "truncated", at)
        end = r.at + length
        if code not in TYPES:
            r.at = end
            return Frame("skipped", type=code)
        inner = Reader(r.data[:end], r.at)
        f = BODIES[code](inner, Frame(TYPES[code]))
        r.require(not inner.left, "notCanonical", inner.at)
        r.at = end
        return f
    if 0x20 <= code < 0x30:
        return read_further(r, code, start)
    if code not in TYPES:
        raise WireError("unknownCode", start)
    return BODIES[code](r, Frame(TYPES[code]))


def read_further(r, code, start):
    f = Frame("furtherFragment", channel=code & 7, epoch=0)
    r.require(f.channel <= BLOCK, "unknownCode", start)
    if code & 8:
        at = r.at
        f.epoch = r.varint(0, 1023)
        r.require(f.epoch, "notCanonical", at)
    f.number = r.number()
    f.offset = r.varint(1)
    f.piece = r.take(r.left)
    r.require(f.piece, "outOfRange", r.at)
    return f


def simple(**fields):
    """A reader of frames whose fields are alike: name = method and arguments."""

    def read(r, f):
        for name, how in fields.items():
            setattr(f, name, how(r))
        return f

    return read


def read_early(r, f):
    f.counter = r.varint(0, NUMBER_MAX)
    at, f.answer = r.at, r.code((0, 1, 2))
    f.packets = None
    if f.answer == 1:
        f.packets = read_packets(r)
        r.require(f.packets[0][1] < 512, "outOfRange", at)
    return f


def read_epochs(r, f):
    f.first = r.varint(1, 1023)
    at = r.at
    n = r.count(0, MASK, 9)
    r.require(f.first + n <= 1024, "outOfRange", at)
    f.epochs = [read_epoch(r) for _ in range(n)]
    return f


def read_answer(r, f):
    value = r.code(range(16))
    f.answer, f.summary = value & 7, read_summary(r) if value & 8 else None
    return f


def read_fragment(r, f):
    f.channel = r.code(range(7))
    address(r, f)
    f.total = r.varint(1, LARGEST[f.channel] + 96)
    f.offset = r.varint(0, MASK)
    at = r.at
    f.piece = r.block()
    r.require(f.piece and f.offset + len(f.piece) <= f.total, "outOfRange", at)
    return f


def read_need_base(r, f):
    form = r.u8()
    f.channel = form & 7
    r.require(f.channel in LATEST and form >> 3 in (0, 2, 4), "unknownCode", r.at - 1)
    f.key = f.handle = f.version = None
    if form >> 3 == 0:
        f.key = r.take(16)
    elif form >> 3 == 2:
        f.handle = r.varint(0, 8191)
    else:
        f.version = r.number()
    return f


def read_cancel(r, f):
    form = r.u8()
    f.channel = form & 7
    r.require(f.channel in ORDERED and not form & ~0x1F, "unknownCode", r.at - 1)
    f.expired = bool(form & 8)
    address(r, f)
    f.predecessor = read_predecessor(r, f.epoch, f.number) if form & 16 else None
    return f


def is_range(number):
    """1, then up to six hexadecimal digits (F-31)."""
    return number > 0 and number.bit_length() % 4 == 1 and number < 1 << 25


def read_range(r):
    at = r.at
    number = r.varint()
    r.require(is_range(number), "outOfRange", at)
    return number


def read_held_query(r, f):
    start = r.at
    f.wants = r.code(range(4))
    f.listing, f.ranges = 0, []  # ranges: (number, whether its entries are wanted)
    if f.wants & 2:
        f.listing = r.varint()
        for _ in range(r.count(1, 64)):
            at = r.at
            number = r.varint()
            r.require(is_range(number >> 1), "outOfRange", at)
            f.ranges.append((number >> 1, bool(number & 1)))
    n = r.count(0, 16, 8)
    r.require(f.wants or n, "unknownCode", start)
    f.epochs = [r.u64() for _ in range(n)]
    return f


def read_acknowledgement(r, f):
    form = r.u8()
    f.channel, f.applied = form & 7, bool(form & 8)
    r.require(f.channel in ORDERED and form < 16, "unknownCode", r.at - 1)
    f.epoch = r.varint(0, 1023)
    first, at = r.number(), r.at
    last = first + r.varint(0, NUMBER_MAX)
    r.require(last <= NUMBER_MAX, "outOfRange", at)
    f.ranges = [(first, last)]
    for _ in range(r.count(0, 31, 2)):
        at = r.at
        first = last + r.varint(0, NUMBER_MAX) + 2
        last = first + r.varint(0, NUMBER_MAX)
        r.require(last <= NUMBER_MAX, "outOfRange", at)
        f.ranges.append((first, last))
    return f


def read_outcome(r, f):
    f.channel = r.code(ORDERED)
    address(r, f)
    at = r.at
    f.last = f.number + r.varint(0, NUMBER_MAX)
    r.require(f.last <= NUMBER_MAX, "outOfRange", at)
    f.outcome = r.code((1, 2, 3, 4, 5))
    f.code = r.u16() if f.outcome == 4 else None
    return f


def read_epoch_held(r, f):
    f.epoch = r.u64()
    r.require(f.epoch, "outOfRange", r.at - 8)
    f.parts = {}
    for _ in range(r.count(0, 3, 3)):
        at = r.at
        channel = r.u8()
        r.require(
            channel in DURABLE_ORDERED and all(channel > c for c in f.parts), "notCanonical", at
        )
        through = r.varint(0, NUMBER_MAX)
        at = r.at
        watermark = r.varint(0, NUMBER_MAX)
        r.require(watermark <= through, "outOfRange", at)
        f.parts[channel] = (through, watermark)
    return f


def read_value_ack(r, f):
    f.applied = bool(r.code((0, 1)))
    f.ranges, last, total = [], None, 0
    for i in range(r.count(1, 1024, 2)):
        at = r.at
        gap = r.varint(0, NUMBER_MAX)
        first = gap if i == 0 else last + 2 + gap
        r.require(1 <= first <= NUMBER_MAX, "outOfRange", at)
        at = r.at
        length = r.varint(0, NUMBER_MAX) + 1
        total += length
        r.require(total <= 1024, "outOfRange", at)
        last = first + length - 1
        f.ranges.append((first, last))
    return f


def read_value_outcome(r, f):
    f.outcome = r.code((0, 1))
    f.version = r.number()
    f.code = r.u16() if f.outcome else None
    return f


def read_held_digest(r, f):
    f.digest = r.u64()
    f.epochs = []
    for _ in range(r.count(0, 16, 9)):
        epoch = r.u64()
        at = r.at
        known = r.u8()
        r.require(known in (0, 1), "outOfRange", at)
        f.epochs.append((epoch, known))
    return f


def read_held_ranges(r, f):
    f.listing = r.varint()
    at = r.at
    f.range = read_range(r)
    r.require(f.range < 1 << 24, "outOfRange", at)
    f.digest = r.u64() if f.range == 1 else None
    f.parts = [r.u16() for _ in range(16)]
    return f


def read_held(r, f):
    f.listing, f.watermark = r.varint(), r.varint(0, NUMBER_MAX)
    f.range = read_range(r)
    f.total, f.first = r.varint(), r.varint()
    at = r.at
    n = r.count(0, MASK, 18)
    r.require(f.first + n <= f.total, "outOfRange", at)
    f.entries = []
    for _ in range(n):
        form = r.u8()
        e = Frame(
            "entry",
            channel=form & 7,
            state=form >> 3 & 3,
            removal=bool(form & 0x20),
            code=None,
            print=None,
        )
        r.require(e.channel in LATEST and e.state < 3 and form < 0x80, "unknownCode", r.at - 1)
        r.require(not form & 0x20 or form & 0x40, "unknownCode", r.at - 1)
        e.key, e.version = r.take(16), r.number()
        if e.state == 2:
            e.code = r.u16()
        if form & 0x40:
            e.print = r.u64()
        f.entries.append(e)
    return f


def read_held_value(r, f):
    form = r.u8()
    f.channel, f.kind = form & 7, None
    r.require(f.channel in LATEST and form & ~0x17 == 0, "unknownCode", r.at - 1)
    f.key, f.version = r.take(16), r.varint(0, NUMBER_MAX)
    if form & 0x10:
        f.kind, f.total, f.offset = r.u8(), r.varint(), r.varint()
        at = r.at
        f.piece = r.block()
        r.require(f.offset + len(f.piece) <= f.total, "outOfRange", at)
    return f


def read_repair(r, f):
    f.first = r.varint(0, 2**62)
    f.packets, f.index = r.varint(1, 128), r.varint(0, 31)
    r.require(r.left >= 2, "outOfRange", r.at)
    f.combination = r.take(r.left)
    return f


def read_ack(r, f):
    f.delay = r.varint(0, 2**40)
    f.packets = read_packets(r)
    return f


def read_query(r, f):
    f.channel, f.key, f.offset = r.code(LATEST), r.take(16), r.varint()
    return f


def addressed(*more):
    def read(r, f):
        f.channel = r.code(ORDERED)
        address(r, f)
        for name in more:
            setattr(f, name, r.varint())
        return f

    return read


BODIES = {
    0x00: simple(),
    0x01: simple(token=Reader.varint),
    0x02: simple(token=Reader.varint),
    0x03: simple(code=Reader.u8),
    0x04: read_ack,
    0x05: read_early,
    0x06: simple(),
    0x08: simple(position=Reader.number),
    0x09: read_epochs,
    0x0A: read_answer,
    0x10: lambda r, f: read_record_body(r),
    0x11: lambda r, f: read_value_body(r),
    0x12: read_fragment,
    0x13: read_values,
    0x14: simple(channel=lambda r: r.code(ORDERED), records=Reader.varint, bytes=Reader.varint),
    0x15: addressed("records"),
    0x16: read_need_base,
    0x17: read_cancel,
    0x18: addressed(),
    0x19: read_held_query,
    0x1A: read_query,
    0x1B: simple(),
    0x30: read_acknowledgement,
    0x31: read_outcome,
    0x32: addressed(),
    0x33: simple(epochs=read_epoch_ids),
    0x34: simple(epochs=read_epoch_ids),
    0x35: simple(epochs=read_epoch_ids),
    0x36: read_epoch_held,
    0x38: read_value_ack,
    0x39: read_value_outcome,
    0x3A: simple(),
    0x3B: read_held_digest,
    0x3C: read_held,
    0x3D: read_held_value,
    0x3E: simple(version=Reader.number),
    0x3F: read_held_ranges,
    0x42: simple(microseconds=lambda r: r.varint(0, 2**50), recovered=lambda r: r.varint(0, 2**50)),
    0x43: read_repair,
}


def read_frames(data):
    """All frames of a packet. F-4: a statement needs a position before it."""
    r, out, positioned = Reader(data), [], False
    while r.left:
        at = r.at
        f = read_frame(r)
        positioned |= f.name == "position"
        if f.name in STATEMENTS and not positioned:
            raise WireError("statementWithoutPosition", at)
        out.append(f)
    return out
