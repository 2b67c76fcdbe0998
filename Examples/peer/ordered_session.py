"""The frames of ordered channels within a session."""

import time
from codec import Reader, Violation, WireError
from frame_parts import DURABLE_ORDERED, Frame, ORDERED
from frame_reading import read_record_body, read_value_body
from ordered import CANCELLED, EXPIRED, REJECTED, WINDOWS, expired


class OrderedFrames:
    # --- receiving ---

    def count(self, channel, records, size):
        c = self.credit[channel]
        c[2] += records
        c[3] += size
        window = WINDOWS[channel]
        if c[0] - c[2] < window[0] // 2 or c[1] - c[3] < window[1] // 2:
            c[0], c[1] = c[2] + window[0], c[3] + window[1]
            self.outbox = [g for g in self.outbox if g.name != "credit" or g.channel != channel]
            self.outbox.append(Frame("credit", channel=channel, records=c[0], bytes=c[1]))

    def on_record(self, f, counted=False):
        if not counted:
            self.count(f.channel, 1, len(f.payload))
        self.peer.arrivals += 1
        if self.peer.turn_away:  # for tests
            self.peer.turn_away -= 1
            self.outbox.append(
                Frame(
                    "tryLater",
                    channel=f.channel,
                    epoch=f.epoch,
                    number=f.number,
                    records=self.credit[f.channel][0],
                )
            )
            self.peer.later.append((time.monotonic() + 0.1, f.channel))
            return
        self.offer(f)

    def on_cancel(self, f):
        """OC-38: taken in the record's turn."""
        self.offer(f)

    def offer(self, f):
        """A record or a request to cancel one: answered if it is known, else it waits for its
        turn."""
        epoch = self.epoch_of(f.epoch)
        if self.peer.received.is_known(epoch, f.channel, f.number):
            self.peer.repeats += f.name == "record"
            self.outbox += self.peer.received.answers(f.channel, f.epoch, epoch, [f.number])
            return
        self.buffer.setdefault(f.channel, {})[f.epoch, f.number] = f
        self.drain_buffer(f.channel)

    def drain_buffer(self, channel):
        waiting, moved = self.buffer.get(channel, {}), True
        while moved:
            moved = False
            for name, f in sorted(
                waiting.items(), key=lambda item: (-item[0][0] if item[0][0] else 1, item[0][1])
            ):
                p = f.predecessor and (self.epoch_of(f.predecessor[0]), f.predecessor[1])
                if not self.peer.received.satisfied(channel, p):
                    continue
                del waiting[name]
                self.take_record(f)
                moved = True
                break

    def take_record(self, f):
        epoch, received, exception = self.epoch_of(f.epoch), self.peer.received, None
        if received.is_known(epoch, f.channel, f.number):
            self.outbox += received.answers(f.channel, f.epoch, epoch, [f.number])
            return
        if f.name == "cancel":
            exception = (EXPIRED if f.expired else CANCELLED, None)
        elif expired(f.expiry):
            exception = (EXPIRED, None)
        else:
            code = self.peer.deliver(f, epoch)
            exception = (REJECTED, code) if code is not None else None
        skipped = received.take(epoch, f.channel, f.number, exception)
        self.dirty |= f.channel in DURABLE_ORDERED
        numbers = (skipped if f.epoch else []) + [f.number]  # OC-12
        self.outbox += received.answers(f.channel, f.epoch, epoch, numbers)

    def on_fragment(self, f):
        if f.channel in ORDERED:
            self.count(f.channel, f.offset == 0, len(f.piece))
        part = self.fragments.setdefault((f.channel, f.epoch, f.number), [f.total, {}])
        if part[0] not in (None, f.total):
            part[1].clear()
        part[0] = f.total
        part[1][f.offset] = f.piece
        self.join(f)

    def on_furtherFragment(self, f):
        if f.channel in ORDERED:
            self.count(f.channel, 0, len(f.piece))
        self.fragments.setdefault((f.channel, f.epoch, f.number), [None, {}])[1][f.offset] = f.piece
        self.join(f)

    def join(self, f):
        name = (f.channel, f.epoch, f.number)
        total, pieces = self.fragments[name]
        whole, at = bytearray(total or 0), 0
        for offset, piece in sorted(pieces.items()):
            if total is None or offset > at:
                return
            whole[offset : offset + len(piece)] = piece
            at = max(at, offset + len(piece))
        if at != total:
            return
        del self.fragments[name]
        r = Reader(bytes(whole))
        try:
            frame = (read_record_body if f.channel in ORDERED else read_value_body)(r)
            r.end()
        except WireError as e:
            raise Violation(f"in fragments: {e}") from None
        if (frame.channel, frame.epoch, frame.number) != name:
            raise Violation("fragments of another record")
        if f.channel in ORDERED:
            self.on_record(frame, counted=True)
        else:
            self.on_value(frame)

    def on_watermark(self, f):
        epoch = self.epoch_of(f.epoch)
        if (
            self.peer.received.raise_watermark(epoch, f.channel, f.number)
            and f.channel in DURABLE_ORDERED
        ):
            self.concluded = True
        self.drain_buffer(f.channel)
        self.close_epochs()

    def on_epochOver(self, f):
        self.over_epochs.update(f.epochs)
        self.close_epochs(f.epochs)

    def close_epochs(self, again=()):
        received, closed = self.peer.received, []
        for epoch in sorted(self.over_epochs):
            if epoch in received.closed:
                if epoch in again:
                    closed.append(epoch)
            elif epoch != self.their_epoch and (
                epoch not in self.indices or received.can_close(epoch)
            ):  # OC-19
                received.close(epoch)
                self.concluded = True
                closed.append(epoch)
        if closed:
            self.state_epochs("epochClosed", closed)

    # --- sending ---

    def settle(self, channel, index, first, last, outcome):
        if index != 0:
            return  # no earlier epochs without a journal
        s = self.peer.senders[channel]
        if last > s.last:
            raise Violation("answer about a number that was never used")  # OC-23
        for n in [n for n in s.unsettled if first <= n <= last]:
            s.settle(n, outcome)
            self.concluded |= channel in DURABLE_ORDERED
            self.peer.on_settled(channel, n, outcome)

    def on_acknowledgement(self, f):
        for first, last in f.ranges:
            if f.applied:
                self.settle(f.channel, f.epoch, first, last, "applied")
            else:
                for n, r in self.peer.senders[f.channel].unsettled.items():
                    if first <= n <= last:
                        r.stage = "committed"

    def on_outcome(self, f):
        self.settle(f.channel, f.epoch, f.number, f.last, (f.outcome, f.code))

    def on_credit(self, f):
        s = self.peer.senders[f.channel]
        s.records, s.bytes = max(s.records, f.records), max(s.bytes, f.bytes)

    def on_tryLater(self, f):
        s = self.peer.senders[f.channel]
        s.blocked = (f.number, f.records)
        for n, r in s.unsettled.items():
            if n >= f.number:
                r.sent = False

    def on_epochClosed(self, f):
        pass

    def on_epochHeld(self, f):
        if f.epoch != self.peer.epoch:
            self.state_epochs("epochOver", [f.epoch])  # M-23
