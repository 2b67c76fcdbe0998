"""The hello, and the payloads of both handshake messages."""

from codec import NUMBER_MAX, Reader, u16, u32, u64, varint
from frame_parts import ORDERED, read_epoch, read_summary, write_epoch, write_summary

NOT_HELD, HELD, ABANDONED, EMPTY, HELD_BEHIND, PENDING_HELD, BOTH, BOTH_BEHIND = range(8)


class Hello:
    """A side's statement about its journal. Absent parts are None."""

    def __init__(
        self,
        T=0,
        n=0,
        m=0,
        N=0,
        n_pending=0,
        answer=0,
        present=None,
        newest=None,
        count=0,
        earlier=(),
        taken=None,
        complete=True,
        summary=None,
        coding=None,
    ):
        self.T, self.n, self.m, self.N, self.n_pending, self.answer = T, n, m, N, n_pending, answer
        self.present = present  # (end of the reservation or None, {channel: (watermark, last)})
        self.newest = newest  # newest confirmed epoch: (epoch, its end)
        self.count, self.earlier = count, list(earlier)
        self.taken, self.complete = taken, complete
        self.summary = summary
        self.coding = coding  # (version of the table, minute, offset), which this peer never offers

    def write(self):
        flags, out = self.answer << 4, u64(self.T) + varint(self.n) + varint(self.m)
        if self.N:
            flags |= 1
            out += u64(self.N) + varint(self.n_pending)
        if self.present or self.newest or self.count:
            flags |= 2
            head = self.epochs_head()
            out += bytes([head])
            if self.present:
                out += write_epoch(None, *self.present)[head & 1 :]
            if head >> 4 == 15:
                out += varint(self.count) + varint(len(self.earlier))
            out += b"".join(write_epoch(*e) for e in self.earlier)
            if self.newest:
                out += (u64(self.newest[0]) if head & 4 else b"") + varint(self.newest[1])
        if self.taken is not None:
            flags |= 4
            out += varint(len(self.taken) * 2 + (not self.complete))
            out += b"".join(u64(e) + bytes([c]) + varint(t) for e, c, t in self.taken)
        if self.summary:
            flags |= 8
            out += write_summary(self.summary)
        if self.coding:
            flags |= 128
            table, minute, offset = self.coding
            out += u32(table) + u32(minute % 2**32) + u16(offset % 2**16)
        return bytes([flags]) + out

    def epochs_head(self):
        head = 0
        if self.present:
            end, channels = self.present
            head = 1 if end is not None and not channels else 2
        if self.newest:
            head += 8 if self.earlier and self.earlier[-1][0] == self.newest[0] else 4
        short = len(self.earlier) == self.count < 15
        return head + 16 * (self.count if short else 15)

    @classmethod
    def read(cls, r, message1=False):
        h, start = cls(), r.at
        flags = r.u8()
        h.answer = flags >> 4 & 7
        h.T, h.n, h.m = r.u64(), r.varint(0, NUMBER_MAX), r.varint(0, NUMBER_MAX)
        r.require(h.T or not (h.n or h.m), "notCanonical", start + 1)
        if flags & 1:
            h.N, h.n_pending = r.u64(), r.varint(0, NUMBER_MAX)
            r.require(h.N, "outOfRange", start)
        if flags & 2:
            at, head = r.at, r.u8()
            r.require(head and head & 3 < 3 and head >> 2 & 3 < 3, "unknownCode", at)
            if head & 1:
                h.present = r.varint(0, NUMBER_MAX), {}
            elif head & 2:
                h.present = read_epoch(r, present=True)[1:]
            h.count = here = head >> 4
            if here == 15:
                h.count = r.varint(0, 1023)
                here = r.count(0, h.count, 9)
            h.earlier = [read_epoch(r) for _ in range(here)]
            if head & 12:
                epoch = h.earlier[-1][0] if h.earlier else 0
                if head & 4:
                    epoch = r.u64()
                r.require(epoch, "outOfRange", r.at - 8)
                h.newest = epoch, r.varint(0, NUMBER_MAX)
            r.require(head == h.epochs_head(), "notCanonical", at)
            r.require(h.present is None or h.present != (None, {}), "notCanonical", at)
        if flags & 4:
            at, n = r.at, r.varint()
            r.require(n and (n >> 1) * 10 <= r.left, "truncated", at)
            h.complete = not n & 1
            h.taken = [(r.u64(), r.code(ORDERED), r.number()) for _ in range(n >> 1)]
        if flags & 8:
            h.summary = read_summary(r)
            r.require(h.summary[0] or h.summary[2], "notCanonical", start)
        if flags & 128:
            table, minute, offset = r.u32(), r.u32(), r.u16()
            h.coding = table, (minute ^ 1 << 31) - (1 << 31), (offset ^ 1 << 15) - (1 << 15)
        r.require(not any(r.take(r.left)), "trailingBytes", r.at)  # zeros may follow (W-28)
        r.require(not message1 or not (h.answer or h.summary), "notCanonical", start)  # W-26, I-75
        return h


def write_payload1(epoch, hello):
    return u64(epoch) + hello.write()


def read_payload1(data):
    r = Reader(data)
    epoch = r.u64()
    r.require(epoch, "outOfRange", 0)
    return epoch, Hello.read(r, message1=True)


def write_payload2(connection, epoch, keeps, counter, hello):
    return u32(connection) + u64(epoch) + bytes([int(keeps)]) + varint(counter) + hello.write()


def read_payload2(data):
    r = Reader(data)
    connection, epoch = r.u32(), r.u64()
    r.require(epoch, "outOfRange", 4)
    keeps = bool(r.code((0, 1)))
    counter = r.varint(0, NUMBER_MAX)
    return connection, epoch, keeps, counter, Hello.read(r)
