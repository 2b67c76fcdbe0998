"""Ordered channels: what is received of the counterpart's epochs, and what is sent in one's own."""

import time
from frame_parts import DURABLE_ORDERED, Frame

SKIPPED, CANCELLED, EXPIRED, REJECTED, UNKNOWN = 1, 2, 3, 4, 5
WINDOWS = {
    0: (256, 1048576),
    2: (1024, 1048576),
    4: (16, 1048576),
    5: (256, 1048576),
    6: (256, 524288),
}


def ranges_of(numbers):
    out = []
    for n in sorted(numbers):
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return [tuple(r) for r in out]


class Taken:
    """One epoch of the counterpart in one channel."""

    def __init__(self):
        self.through = self.watermark = 0
        self.exceptions = {}  # number: (outcome, code)

    def answer(self, n):
        """None for applied, else (outcome, code)."""
        if n <= self.watermark:
            return UNKNOWN, None
        return self.exceptions.get(n)


class Received:
    """All ordered channels of the receiving direction. Survives sessions."""

    def __init__(self):
        self.epochs = {}  # epoch: {channel: Taken}
        self.closed = {}  # epochs that are closed, the oldest first

    def taken(self, epoch, channel):
        return self.epochs.setdefault(epoch, {}).setdefault(channel, Taken())

    def satisfied(self, channel, predecessor):
        """OC-3. `predecessor`: (epoch, number) or None."""
        if predecessor is None or predecessor[0] in self.closed:
            return True
        return self.taken(predecessor[0], channel).through >= predecessor[1]

    def is_known(self, epoch, channel, number):
        return epoch in self.closed or number <= self.taken(epoch, channel).through

    def take(self, epoch, channel, number, exception=None):
        """OC-4. Returns the numbers that were jumped over."""
        t = self.taken(epoch, channel)
        skipped = range(t.through + 1, number)
        for n in skipped:
            t.exceptions[n] = (SKIPPED, None)
        t.through = number
        if exception:
            t.exceptions[number] = exception
        return list(skipped)

    def raise_watermark(self, epoch, channel, number):
        t = self.taken(epoch, channel)
        if epoch in self.closed or number <= t.watermark:
            return False
        t.watermark, t.through = number, max(t.through, number)
        t.exceptions = {n: e for n, e in t.exceptions.items() if n > number}
        return True

    def can_close(self, epoch):
        return all(
            t.through <= t.watermark
            for c, t in self.epochs.get(epoch, {}).items()
            if c in DURABLE_ORDERED
        )

    def close(self, epoch):
        self.epochs.pop(epoch, None)
        self.closed[epoch] = True
        while len(self.closed) > 1024:
            del self.closed[next(iter(self.closed))]

    def answers(self, channel, index, epoch, numbers):
        """Frames that answer about these numbers (OC-8 to OC-10)."""
        applied, out = [], []
        for n in numbers:
            e = (UNKNOWN, None) if epoch in self.closed else self.taken(epoch, channel).answer(n)
            if e is None:
                applied.append(n)
            elif out and out[-1].last == n - 1 and (out[-1].outcome, out[-1].code) == e:
                out[-1].last = n
            else:
                out.append(
                    Frame(
                        "outcome",
                        channel=channel,
                        epoch=index,
                        number=n,
                        last=n,
                        outcome=e[0],
                        code=e[1],
                    )
                )
        spans = ranges_of(applied)
        for i in range(0, len(spans), 32):
            out.insert(
                0,
                Frame(
                    "acknowledgement",
                    channel=channel,
                    applied=True,
                    epoch=index,
                    ranges=spans[i : i + 32],
                ),
            )
        return out


class Record:
    def __init__(self, number, kind, payload, **more):
        self.number, self.kind, self.payload, self.more = number, kind, payload, more
        self.sent = False  # in this session
        self.left = False  # ever
        self.stage = "queued"


class Sender:
    """One ordered channel of the sending direction, in the present epoch."""

    def __init__(self, channel):
        self.channel, self.last, self.watermark = channel, 0, 0
        self.unsettled = {}  # number: Record, ascending
        self.outcomes = {}  # number: "applied" or (outcome, code)
        self.begin()

    def accept(self, kind, payload, **more):
        self.last += 1
        self.unsettled[self.last] = Record(self.last, kind, payload, **more)
        return self.last

    def begin(self):
        """A session begins (OC-25)."""
        self.records, self.bytes = WINDOWS[self.channel]
        self.used_records = self.used_bytes = 0
        self.blocked = None  # OC-30: (number, limit in records)
        self.stated = 0  # the watermark that the session has stated
        for r in self.unsettled.values():
            r.sent = False

    def end(self):
        """A session ended: OC-49."""
        if self.channel not in DURABLE_ORDERED:
            for n, r in list(self.unsettled.items()):
                self.settle(n, "outcome unknown" if r.left else "not delivered")

    def predecessor(self, number):
        before = [n for n in self.unsettled if n < number]
        return (0, before[-1]) if before else None

    def next_to_send(self, whole):
        """The next record that may leave by the credit, or None. A record longer than `whole`
        leaves in pieces."""
        for r in self.unsettled.values():
            if r.sent:
                continue
            if (
                self.blocked
                and r.number >= self.blocked[0]
                and self.records <= self.blocked[1]
            ):
                return None
            if (
                self.used_records >= self.records
                or self.used_bytes + (len(r.payload) if len(r.payload) <= whole else 1) > self.bytes
            ):
                return None
            return r
        return None

    def frame(self, r):
        if r.more.get("cancel"):
            return Frame(
                "cancel",
                channel=self.channel,
                expired=False,
                epoch=0,
                number=r.number,
                predecessor=self.predecessor(r.number),
            )
        return Frame(
            "record",
            channel=self.channel,
            epoch=0,
            number=r.number,
            predecessor=self.predecessor(r.number),
            kind=r.kind,
            payload=r.payload,
            **r.more
        )

    def settle(self, number, outcome):
        if number not in self.unsettled:
            return False
        del self.unsettled[number]
        self.outcomes[number] = outcome
        self.watermark = min(self.unsettled, default=self.last + 1) - 1
        return True


def expired(expiry):
    return expiry is not None and time.time() * 1000 >= expiry
