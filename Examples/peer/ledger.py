"""The ledger of the article The dose ledger, as a watch has it."""

import records
from codec import WireError, fnv
from frame_parts import BACKGROUND, INTERACTIVE

KIND, EVENT = 9, 4
UNREADABLE, OTHER_BYTES = 65532, 65533


class Ledger:
    def __init__(self, payloads=()):
        self.events = {identity(p): p for p in payloads}
        self.questions, self.equals, self.call_due = [], 0, False

    def digest(self, bucket=None):
        """The number of events of a bucket, or of all, and the sum of their fingerprints (D-8)."""
        own = [p for i, p in self.events.items() if bucket in (None, i[0])]
        return len(own) % 2**32, sum(map(fnv, own)) % 2**64

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
        if code == b"\x01" and len(rest) == 20:
            if rest[:12] == wire(self.digest()):  # the rest is the phone's clock (D-25)
                self.equals += 1
                return b"\x01"
            return b"\x02" + b"".join(wire(self.digest(b)) for b in range(256))
        if code == b"\x02" and len(rest) >= 32 and len(rest) % 16 == 0:
            first, last, *theirs = (rest[i : i + 16] for i in range(0, len(rest), 16))
            if theirs != sorted(set(theirs)) or len(theirs) > 2000:
                return b""
            if first > last or first[0] != last[0]:
                return b"\x03"
            lacks = [i for i in theirs if i not in self.events]
            missing = sorted(i for i in self.events if first <= i <= last and i not in theirs)
            for i in missing:
                self.call_due = True
                peer.send(BACKGROUND, EVENT, self.events[i], idempotency_key=i)
            return b"\x03" + b"".join(lacks)
        return b""  # D-14

    def ask(self, peer):
        """D-12: sends the call that is due once every event of ours has an outcome."""
        if self.call_due and not peer.senders[BACKGROUND].unsettled:
            self.call_due = False
            peer.send(INTERACTIVE, KIND, b"\x03", expects_reply=True)


def identity(payload):
    return payload[2:18]


def wire(digest):
    return digest[0].to_bytes(4, "little") + digest[1].to_bytes(8, "little")
