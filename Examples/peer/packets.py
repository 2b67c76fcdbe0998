"""Packets on the three kinds of carriers: prefixes, headers, cut numbers, and those without
keys."""

from codec import Reader, WireError, u16, u32, u64, varint

TRANSPORT, EARLY, MESSAGE1, MESSAGE2, REFUSAL, RESET, ADVISORY, PAIRING = range(8)
STREAM, SEQPACKET, DATAGRAM = "stream", "seqpacket", "datagram"


class Packet:
    """A packet behind its prefix or first byte. `number_low` and `associated` are for sealed
    ones."""

    def __init__(self, kind, **fields):
        self.kind = kind
        self.__dict__.update(fields)


def prefix(kind, length):
    return varint(length * 8 + kind)


def frame_up(carrier, kind, body, number_bytes=0, phase=0):
    """Prefix or first byte, then the body."""
    if carrier == STREAM:
        return prefix(kind, len(body)) + body
    return bytes([kind | (number_bytes == 4) << 3 | phase << 4]) + body


def header(kind, connection, number):
    """Header of a sealed packet on a carrier that may lose (C-5)."""
    wide = number >= 2**14
    low = (number & 0xFFFFFFFF).to_bytes(4, "little") if wide else u16(number)
    return bytes([kind | wide << 3 | (number >> 16 & 1) << 4]) + u32(connection) + low


def complete(low, size, largest, phase=None):
    """W-9: the whole number nearest to the one behind `largest` (None at first)."""

    def nearest(expected):
        window = 1 << 8 * size
        found = expected & ~(window - 1) | low
        if found + window // 2 <= expected:
            found += window
        elif found > expected + window // 2 and found >= window:
            found -= window
        return found

    found = nearest(0 if largest is None else largest + 1)
    if phase is not None and found >> 16 & 1 != phase and largest is not None and largest >= 65536:
        found = nearest(largest & ~0xFFFF)
    return found


def read_packet(carrier, first, body, head=b""):
    """`first`: kind on a stream, else the first byte. `body`: what follows."""
    kind, r = first & 7, Reader(body)
    lossy = carrier == DATAGRAM
    if carrier != STREAM:
        r.require(not first & 0xE0, "unknownCode", 0)
        r.require(not first & 0x18 or lossy and kind <= EARLY, "unknownCode", 0)
    p = Packet(kind)
    if kind in (TRANSPORT, EARLY):
        if lossy:
            p.connection = r.u32()
            p.size = 4 if first & 8 else 2
            p.low, p.phase = int.from_bytes(r.take(p.size), "little"), first >> 4 & 1
        p.associated = {STREAM: b"", SEQPACKET: bytes([first])}.get(
            carrier, bytes([first]) + body[: r.at]
        )
        p.sealed = r.take(r.left)
    elif kind == MESSAGE1:
        p.version = r.u8()
        p.connection, p.body = r.u32(), r.take(r.left)
    elif kind == MESSAGE2:
        p.connection, p.body = r.u32(), r.take(r.left)
    elif kind == REFUSAL:
        p.connection, p.highest, p.mac = r.u32(), r.u64(), r.take(16)
    elif kind == RESET:
        r.require(lossy, "unknownCode", 0)
        p.connection, p.token = r.u32(), r.take(16)
    elif kind == ADVISORY:
        p.version, p.code = r.u8(), r.code(range(9))
    else:
        p.version, p.form = r.u8(), r.code(range(3))
        p.cookie = r.take(16) if p.form else None
        p.message = r.take(r.left) if p.form < 2 else b""
        r.require(len(p.message) <= 127 and (p.message or p.form == 2), "outOfRange", r.at)
    r.end()
    return p


def write_packet(carrier, p):
    """Packets without keys."""
    if p.kind == MESSAGE1:
        body = bytes([p.version]) + u32(p.connection) + p.body
    elif p.kind == MESSAGE2:
        body = u32(p.connection) + p.body
    elif p.kind == REFUSAL:
        body = u32(p.connection) + u64(p.highest) + p.mac
    elif p.kind == RESET:
        body = u32(p.connection) + p.token
    elif p.kind == ADVISORY:
        body = bytes([p.version, p.code])
    else:
        body = bytes([p.version, p.form]) + (p.cookie or b"") + p.message
    return frame_up(carrier, p.kind, body)


class Stream:
    """Cuts a stream into packets: feed bytes, get (kind, body)."""

    def __init__(self):
        self.buffer, self.limit = b"", 512  # W-7: until a packet has authenticated

    def feed(self, data):
        self.buffer += data

    def next(self):
        value = 0
        for i, byte in enumerate(self.buffer[:4]):
            value |= (byte & 127) << 7 * i
            if byte < 128:
                length = value >> 3
                if length > self.limit:
                    raise WireError("outOfRange", 0)
                if byte == 0 and i:
                    raise WireError("overlong", 0)
                if len(self.buffer) < i + 1 + length:
                    return None
                body = self.buffer[i + 1 : i + 1 + length]
                self.buffer = self.buffer[i + 1 + length :]
                return value & 7, body
        if len(self.buffer) >= 4:
            raise WireError("outOfRange", 0)
        return None
