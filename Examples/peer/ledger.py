"""The ledger of the article The dose ledger, as a watch has it."""

from functools import lru_cache

import records
from codec import WireError, fnv
from frame_parts import BACKGROUND, INTERACTIVE

KIND, EVENT = 9, 4
UNREADABLE, OTHER_BYTES = 65532, 65533


class Ledger:
    def __init__(self, payloads=()):
        self.events = {identity(p): p for p in payloads}
        self.questions, self.equals, self.call_due = [], 0, False

    def node(self, digits=""):
        """The payloads of a node, by its hexadecimal digits (D-8)."""
        return [p for p in self.events.values() if f"{fingerprint(p):016x}".startswith(digits)]

    def digest(self, digits=""):
        """The number of events of a node, and the sum of their fingerprints (D-8)."""
        own = self.node(digits)
        return len(own) % 2**32, sum(map(fingerprint, own)) % 2**64

    def children(self, salt, digits=""):
        """The short digests of a node's children (D-27)."""
        digests = [self.digest(digits + d) for d in "0123456789abcdef"]
        return b"".join(short(salt, wire(d), bool(d[0])) for d in digests)

    def receive(self, payload):
        """D-4: the code of a rejection, or None for an event that is here now."""
        try:
            records.decode("doseEvent", payload)
        except WireError:
            return UNREADABLE
        known = self.events.setdefault(identity(payload), payload)
        return None if known == payload else OTHER_BYTES

    def answer(self, peer, question):
        """The bytes of an answer. The events that the phone lacks go into the queue (D-11)."""
        self.questions.append(question)
        code, rest = question[:1], question[1:]
        if code == b"\x01" and len(rest) == 21:
            if rest[1:13] == wire(self.digest()):  # the rest is the phone's clock (D-25)
                self.equals += 1
                return b"\x01"
            return b"\x02" + self.children(rest[:1])
        if code == b"\x02":
            try:
                salt, nodes = rest[:1], read_nodes(rest[1:])
            except (IndexError, ValueError):
                return b""
            digests, bits, more = b"", [], []
            for digits, names in nodes:
                if names is None:
                    digests += self.children(salt, digits)
                    continue
                own = [(name(salt, p), p) for p in self.node(digits)]
                known, theirs = {n for n, _ in own}, set(names)
                bits += [n not in known for n in names]
                more += [p for n, p in own if n not in theirs]
            for p in more:
                self.call_due = True
                peer.send(BACKGROUND, EVENT, p, idempotency_key=identity(p))
            lacks = sum(b << i for i, b in enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")
            return bytes([3, bool(more)]) + digests + lacks
        return b""  # D-14

    def ask(self, peer):
        """D-12: sends the call that is due once every event of ours has an outcome."""
        if self.call_due and not peer.senders[BACKGROUND].unsettled:
            self.call_due = False
            peer.send(INTERACTIVE, KIND, b"\x03", expects_reply=True)


def identity(payload):
    return payload[2:18]


@lru_cache(None)
def fingerprint(payload):
    """D-8."""
    return fnv(payload)


def wire(digest):
    return digest[0].to_bytes(4, "little") + digest[1].to_bytes(8, "little")


def short(salt, data, is_filled=True):
    """D-27: 3 bytes for a digest; those of no events are 0."""
    low = max(1, fnv(salt + data) % 2**24) if is_filled else 0
    return low.to_bytes(3, "little")


def name(salt, payload):
    """D-27: the name of an event."""
    return (fnv(salt + fingerprint(payload).to_bytes(8, "little")) % 2**24).to_bytes(3, "little")


def read_nodes(data):
    """The nodes of a question, each with its digits, and its names or None if it is opened."""
    nodes, at, last = [], 0, ""
    while at < len(data) or not nodes:
        count, end = data[at], at + 1 + (data[at] + 1) // 2
        digits = data[at + 1 : end].hex()
        names = data[end]
        opened = names == 255
        size = 0 if opened else 3 * names
        if not 1 <= count <= 16 or digits[count:].strip("0") or not opened and names > 64:
            raise ValueError
        digits = digits[:count]
        if opened and count == 16 or nodes and digits.ljust(16, "0") <= last or len(nodes) == 64:
            raise ValueError
        at = end + 1 + size
        if at > len(data):
            raise ValueError
        found = [data[i : i + 3] for i in range(end + 1, at, 3)]
        nodes.append((digits, None if opened else found))
        last = digits.ljust(16, "f")
    return nodes
