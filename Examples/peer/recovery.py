"""Loss recovery of a session on datagrams: acknowledgements, retransmission, recovery by FEC."""

import fec
from frame_parts import Frame, NEVER_AGAIN, NOT_ELICITING


class Window:
    """Packet numbers that arrived (C-6)."""

    def __init__(self):
        self.ranges, self.largest = [], -1  # ranges: the newest first

    def has(self, n):
        return n <= self.largest - 4032 or any(a <= n <= b for a, b in self.ranges)

    def add(self, n):
        self.largest = max(self.largest, n)
        numbers = sorted(self.ranges + [(n, n)])
        out = []
        for a, b in numbers:
            if out and a <= out[-1][1] + 1:
                out[-1] = (out[-1][0], max(b, out[-1][1]))
            else:
                out.append((a, b))
        self.ranges = out[::-1][:64]


class Recovery:
    def __init__(self, first_rtt=0.5):
        self.window, self.sent = Window(), {}  # number: (time, frames)
        self.next_unknown = 0  # numbers from here on were never sent
        self.due = None  # when an ack is due
        self.unacked = 0
        self.largest_at = 0.0
        self.rtt, self.backoff, self.last_sent = first_rtt, 1, 0.0
        self.largest_acked = -1
        self.packets, self.repairs = {}, {}  # arrived frames by number; FEC blocks
        self.recovered = self.retransmitted = 0
        self.heard = 0.0  # when a packet last arrived

    # --- receiving ---

    def arrived(self, number, frames, data, now):
        if number > self.window.largest:
            self.largest_at = now
        self.window.add(number)
        self.heard = now
        self.packets[number] = data
        while len(self.packets) > 256:
            del self.packets[next(iter(self.packets))]
        if any(f.name not in NOT_ELICITING for f in frames):
            self.unacked += 1
            self.due = now if self.unacked >= 2 else self.due or now + 0.02

    def ack(self, now):
        self.due, self.unacked = None, 0
        delay = int((now - self.largest_at) * 1e6)
        return Frame("ack", delay=max(0, delay), packets=self.window.ranges[:8])

    def repair(self, f):
        """A repair frame; returns {number: frames} of recovered packets."""
        block = self.repairs.setdefault((f.first, f.packets), {})
        block[f.index] = f.combination
        while len(self.repairs) > 32:
            del self.repairs[next(iter(self.repairs))]
        arrived = {
            n - f.first: self.packets[n]
            for n in range(f.first, f.first + f.packets)
            if n in self.packets
        }
        got = fec.recover(f.packets, arrived, block) or {}
        out = {f.first + j: data for j, data in got.items() if not self.window.has(f.first + j)}
        self.recovered += len(out)
        return out

    # --- sending ---

    def left(self, number, frames, now):
        self.next_unknown = number + 1
        if any(f.name not in NOT_ELICITING for f in frames):
            self.sent[number] = (now, frames)
            self.last_sent = now

    def acked(self, f, now):
        """Returns (frames that arrived, frames to send again)."""
        largest = f.packets[0][1]
        if largest >= self.next_unknown:
            raise ValueError("acknowledges what was never sent")  # LR-15
        if largest in self.sent:
            sample = now - self.sent[largest][0]
            self.rtt = sample if self.rtt is None else 0.875 * self.rtt + 0.125 * sample
        self.largest_acked = max(self.largest_acked, largest)
        done, lost = [], []
        for a, b in f.packets:
            for n in [n for n in self.sent if a <= n <= b]:
                done += self.sent.pop(n)[1]
        if done:
            self.backoff = 1
        for n, (t, frames) in list(self.sent.items()):
            if (
                n <= self.largest_acked - 3
                or n < self.largest_acked
                and now - t > 1.125 * self.rtt + 0.001
            ):
                lost += self.again(n)
        return done, lost

    def again(self, number):
        frames = self.sent.pop(number)[1]
        out = [f for f in frames if f.name not in NEVER_AGAIN]
        self.retransmitted += len(out)
        return out

    def probe_at(self):
        if not self.sent:
            return None
        return self.last_sent + min(2.0, (2 * self.rtt + 0.03) * self.backoff)

    def probe(self):
        """Time-out: the frames of the oldest two packets."""
        self.backoff *= 2
        out = []
        for n in sorted(self.sent)[:2]:
            out += self.again(n)
        return out
