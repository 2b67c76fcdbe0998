"""Latest-value channels: what is held of the counterpart's values, and the values that are sent."""

import deltas
from codec import MASK64, WireError, fnv, u64
from frame_parts import Frame, base_of, fingerprint

REMOVAL_OF_MEDICATION = 3


def mixed(channel, key, version):
    return mix(fnv(key[8:][::-1] + key[:8][::-1] + u64(version * 4 + channel // 2)))


def mix(h):
    h ^= h >> 30
    h = h * 0xBF58476D1CE4E5B9 & MASK64
    h ^= h >> 27
    h = h * 0x94D049BB133111EB & MASK64
    return h ^ h >> 31


def digest(names):
    return sum(mixed(*name) for name in names) & MASK64


class HeldListing:
    """What is held at one time, to be told range by range (L-47, F-31)."""

    def __init__(self, number, watermark, entries):
        self.number, self.watermark, self.entries = number, watermark, entries
        self.places = [mixed(e.channel, e.key, 0) for e in entries]

    def within(self, number):
        """The entries of a range."""
        shift = 64 - (number.bit_length() - 1)
        digits = number - (1 << 64 - shift)
        return [e for e, place in zip(self.entries, self.places) if place >> shift == digits]

    def answer(self, number, wants_entries):
        """The frames that answer a question about a range."""
        entries = self.within(number)
        if not wants_entries and len(entries) > 8 and number < 1 << 24:
            parts = [digest(map(version_of, self.within(16 * number + d))) for d in range(16)]
            return [
                Frame(
                    "heldRanges",
                    listing=self.number,
                    range=number,
                    digest=sum(parts) & MASK64,
                    parts=[mix(part + self.number & MASK64) & 0xFFFF for part in parts],
                )
            ]
        return [
            Frame(
                "held",
                listing=self.number,
                watermark=self.watermark,
                range=number,
                total=len(entries),
                first=first,
                entries=entries[first : first + 32],
            )
            for first in range(0, max(1, len(entries)), 32)
        ]


def version_of(entry):
    return entry.channel, entry.key, entry.version


class HeldValue:
    def __init__(self, version, kind, payload, code=None):
        self.version, self.kind, self.payload, self.code = version, kind, payload, code
        self.removal = kind == REMOVAL_OF_MEDICATION and code is None
        self.name = version  # of the value that is held, if the newest was rejected


class ValueReceiver:
    """Survives sessions. Names are (channel, key)."""

    def __init__(self):
        self.values = {}  # name: HeldValue
        self.bases = {}  # name: {base reference: (kind, payload)}
        self.top = None  # (epoch, version)
        self.watermark = 0
        self.known = {}  # epochs that are known
        self.waiting = {}  # name: (epoch, frame): epochs that are not known yet (L-12)

    def digest(self):
        return digest((c, k, v.version) for (c, k), v in self.values.items())

    def summary(self):
        if not self.top and not self.values:
            return None
        return (self.top[0] if self.top else 0, self.top[1] if self.top else None, self.digest())

    def version(self, name):
        return self.values[name].version if name in self.values else self.watermark

    def whole(self, name, f):
        """The payload of a value frame, or None where its base is missing (L-22)."""
        if not f.delta:
            return f.body
        base = self.bases.get(name, {}).get(f.base)
        if base is None:
            return None
        try:
            return deltas.apply_delta_of_kind(f.kind, base[1], f.body)
        except (WireError, KeyError):
            return None

    def take(self, epoch, name, f, payload, code):
        if code is None:
            self.values[name] = HeldValue(f.number, f.kind, payload)
        elif name in self.values:
            self.values[name].version, self.values[name].code = f.number, code
        else:
            self.values[name] = HeldValue(f.number, f.kind, None, code)
        if not self.top or f.number > self.top[1]:
            self.top = (epoch, f.number)
        kept = self.bases.setdefault(name, {})
        kept[base_of(f.number, payload)] = (f.kind, payload)
        if (
            f.base is not None and f.base in kept
        ):  # the base that is in use stays the newest but one
            kept[f.base] = kept.pop(f.base)
            mine = base_of(f.number, payload)
            kept[mine] = kept.pop(mine)
        while len(kept) > 4:
            del kept[next(iter(kept))]

    def forget_removals(self, watermark, epoch):
        self.watermark = max(self.watermark, watermark)
        for name, v in list(self.values.items()):
            if v.removal and v.version <= watermark:
                del self.values[name]
        if not self.top or watermark > self.top[1]:
            self.top = (epoch, watermark)

    def entries(self):
        """The listing, as entries of *held*."""
        out = []
        for (channel, key), v in sorted(self.values.items()):
            print_ = fingerprint(v.kind, v.payload) if v.payload is not None else None
            out.append(
                Frame(
                    "entry",
                    channel=channel,
                    state=2 if v.code is not None else 0,
                    key=key,
                    version=v.version,
                    removal=v.removal,
                    code=v.code,
                    print=print_,
                )
            )
        return out


class OwnValue:
    def __init__(self, version, kind, payload):
        self.version, self.kind, self.payload = version, kind, payload
        self.sent = self.settled = False
        self.outcome = None


class ValueSender:
    """Values of this side, in its present epoch. `lost`: R holds values of a journal that this
    side lost (L-15)."""

    def __init__(self, epoch):
        self.epoch, self.last, self.end = epoch, 0, 1 << 20
        self.values = {}  # name: OwnValue, the newest
        self.bases = {}  # name: (version, kind, payload) that R is known to have committed
        self.deltas = 0
        self.sent_marks = {}  # version: (name, kind, payload)
        self.confirmed = False
        self.lost = False
        self.ready = False  # may send in this session
        self.listing, self.fetched, self.wanted, self.pieces = None, {}, set(), {}

    def put(self, channel, key, kind, payload):
        self.last += 1
        self.values[channel, key] = OwnValue(self.last, kind, payload)
        return self.last

    def begin(self, counterpart_lost):
        self.ready, self.listing, self.fetched, self.wanted, self.pieces = (
            False,
            None,
            {},
            set(),
            {},
        )
        self.sent_marks = {}
        for v in self.values.values():
            v.sent = False
            if counterpart_lost:
                v.settled = False
        if counterpart_lost:
            self.bases = {}
            self.confirmed = False

    def evaluate(self, summary):
        """L-15, with the summary of R (None: no top)."""
        top = summary[0] if summary else 0
        self.lost = bool(top) and (top != self.epoch or summary[1] > self.end)
        self.ready = not self.lost
        return self.lost

    def next_to_send(self):
        if not self.ready:
            return None
        return min(
            ((v.version, name) for name, v in self.values.items() if not v.sent and not v.settled),
            default=None,
        )

    def frame(self, name):
        v, base = self.values[name], self.bases.get(name)
        f = Frame(
            "value",
            channel=name[0],
            key=name[1],
            epoch=0,
            number=v.version,
            kind=v.kind,
            body=v.payload,
            base=None,
            delta=False,
            marks=False,
        )
        if not any(n == name for n, _, _ in self.sent_marks.values()):
            f.marks = True
            self.sent_marks[v.version] = (name, v.kind, v.payload)
        if base and f.marks:
            f.base = base_of(base[0], base[2])
        if base and base[1] == v.kind:
            delta = deltas.make_delta_of_kind(v.kind, base[2], v.payload)
            if delta is not None and len(delta) < len(v.payload):
                f.base, f.delta, f.body = base_of(base[0], base[2]), True, delta
                self.deltas += 1
        return f

    def acknowledged(self, version, applied):
        """Returns whether anything changed."""
        if version in self.sent_marks:
            name, kind, payload = self.sent_marks.pop(version)
            self.bases[name] = (version, kind, payload)
        for v in self.values.values():
            if v.version == version and applied and not v.settled:
                v.settled, v.outcome = True, "applied"
                return True
        return False

    def refused(self, version, code):
        self.sent_marks.pop(version, None)
        for v in self.values.values():
            if v.version == version and not v.settled:
                v.settled, v.outcome = True, (
                    ("rejected", code) if code is not None else "superseded"
                )
                return True
        return False

    def compare(self, entries):
        """R's whole listing (L-37, L-38, L-43). Returns the names to fetch."""
        held = {(e.channel, e.key): e for e in entries}
        fetch = []
        for name, e in held.items():
            own = self.values.get(name)
            if own is None and not e.removal and e.print is not None and name not in self.fetched:
                fetch.append(name)
        for name, v in self.values.items():
            e = held.get(name)
            if e is None or e.version < v.version:
                v.settled = v.sent = False
            elif e.version == v.version and e.state == 0:
                v.settled, v.outcome = True, "applied"
            elif e.version > v.version and e.print == fingerprint(v.kind, v.payload):
                v.settled, v.outcome = True, "applied"  # L-18
        return fetch

    def mend(self, top):
        """L-17: new names above the top and all own versions, in their old order."""
        self.last = max(self.last, top)
        for v in sorted(self.values.values(), key=lambda v: v.version):
            if not v.settled:
                self.last += 1
                v.version, v.sent = self.last, False
        for name, (kind, payload) in self.fetched.items():
            self.last += 1
            self.values[name] = OwnValue(self.last, kind, payload)
            self.values[name].settled, self.values[name].outcome = True, "adopted"
        self.end = max(self.end, self.last + (1 << 20))
        self.lost, self.ready = False, True
