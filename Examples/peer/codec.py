"""Encodings of the article Wire format: numbers, blocks, FNV-1a. Reading keeps offsets for
errors."""


class WireError(Exception):
    """Bytes that the articles do not allow: a violation (W-6)."""

    def __init__(self, rule, offset):
        super().__init__(f"{rule} at {offset}")
        self.rule, self.offset = rule, offset


class Violation(Exception):
    """The counterpart broke a rule of the articles within a session."""


NUMBER_MAX = 2**62 - 1
MASK64 = 2**64 - 1


def u16(n):
    return n.to_bytes(2, "little")


def u32(n):
    return n.to_bytes(4, "little")


def u64(n):
    return n.to_bytes(8, "little")


def i64(n):
    return n.to_bytes(8, "little", signed=True)


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def block(data):
    return varint(len(data)) + data


FNV_BASIS = 0xCBF29CE484222325


def fnv(data, h=FNV_BASIS):
    """FNV-1a, 64 bits; pass the former result to go on."""
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK64
    return h


class Reader:
    def __init__(self, data, offset=0):
        self.data, self.at = bytes(data), offset

    @property
    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        if self.left < n:
            raise WireError("truncated", self.at)
        self.at += n
        return self.data[self.at - n : self.at]

    def u8(self):
        return self.take(1)[0]

    def u16(self):
        return int.from_bytes(self.take(2), "little")

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def u64(self):
        return int.from_bytes(self.take(8), "little")

    def i64(self):
        return int.from_bytes(self.take(8), "little", signed=True)

    def code(self, allowed):
        """A byte that must be one of `allowed`."""
        value = self.u8()
        self.require(value in allowed, "unknownCode", self.at - 1)
        return value

    def varint(self, low=0, high=MASK64):
        start, value = self.at, 0
        for shift in range(0, 70, 7):
            if self.left < 1:
                raise WireError("truncated", start)
            byte = self.u8()
            value |= (byte & 127) << shift
            if byte < 128:
                self.require(byte or not shift, "overlong", start)
                self.require(low <= value <= high, "outOfRange", start)
                return value
        raise WireError("outOfRange", start)

    def number(self):
        return self.varint(1, NUMBER_MAX)

    def block(self):
        start = self.at
        length = self.varint()
        self.require(length <= self.left, "truncated", start)
        return self.take(length)

    def count(self, low, high, each=1):
        """A count of things that take at least `each` bytes (W-4)."""
        start = self.at
        n = self.varint(low, high)
        self.require(n * each <= self.left, "truncated", start)
        return n

    def require(self, condition, rule, offset):
        if not condition:
            raise WireError(rule, offset)

    def end(self):
        self.require(not self.left, "trailingBytes", self.at)
