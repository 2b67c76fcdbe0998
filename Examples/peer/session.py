"""One session: how it begins, and what the packets and frames of it bring about."""

import time
from codec import Violation, WireError
from frame_parts import DURABLE_ORDERED, Frame, ORDERED
from frame_reading import read_frames
from ordered import WINDOWS, ranges_of
from ordered_session import OrderedFrames
from outgoing import Outgoing
from packets import complete
from recovery import Recovery
from value_session import ValueFrames


class Session(OrderedFrames, ValueFrames, Outgoing):
    def __init__(self, peer, initiator, ticket, tx, rx, own_id, other_id, epoch, hello, counter):
        self.peer, self.initiator, self.ticket = peer, initiator, ticket
        self.tx, self.rx, self.own_id, self.other_id = tx, rx, own_id, other_id
        self.their_epoch, self.hello, self.counter = epoch, hello, counter
        self.verdict, self.presented = None, peer.own_values.confirmed
        self.keeps = self.entered = self.confirmed = self.over = False
        self.tx_number = self.rx_number = 0
        self.outbox, self.newest_sent = [], []
        self.recovery = Recovery(peer.first_timeout) if peer.link.lossy else None
        self.address = None
        self.answer_due = None  # own ticketAnswer, until a packet with it is acknowledged
        self.indices = [epoch] + [None] * hello.count
        for i, (e, end, channels) in enumerate(hello.earlier):
            self.indices[i + 1] = e
        self.listed = {epoch: (hello.present or (None, {}))[1]}
        self.listed.update({e: c for e, _, c in hello.earlier})
        self.announced = {}
        if hello.present and hello.present[0] is not None:
            self.announced[epoch] = hello.present[0]
        self.announced.update({e: end for e, end, _ in hello.earlier if end is not None})
        self.nothing_lost = False
        self.told_known = set()
        self.over_epochs = set()
        self.credit = {c: list(WINDOWS[c]) + [0, 0] for c in ORDERED}  # limits told, counted
        self.handles, self.fragments, self.buffer = {}, {}, {}
        self.asked = set()  # needBase under way
        self.listing = None  # what was held when the listing asked for last began
        self.held_parts = {}
        self.early, self.early_taken, self.early_next = None, set(), 0
        self.early_told, self.made = initiator, time.monotonic()
        self.pieces = {c: [] for c in ORDERED}
        self.in_pieces = {}  # record or value in fragments: offsets that are not acknowledged

    # --- beginning ---

    def may_act(self):
        return self.confirmed and self.verdict is not None and not self.verdict.clone

    def begin(self):
        """Both may act now: enter the ticket, owe answers (M-8, M-20)."""
        p, t = self.peer, self.peer.tickets
        if self.entered:
            return
        self.entered = True
        epochs = (p.epoch, self.their_epoch)
        lost = self.verdict.they_went_back
        if not self.keeps:
            t.enter(self.ticket, self.verdict, self.hello, epochs)
        if lost:
            p.on_event("counterpart lost state", self.verdict)
        for s in p.senders.values():
            s.begin()
        p.own_values.begin(lost)
        self.owe_at_begin()
        self.conclude_nothing_lost_from_hello()
        p.log(
            "session",
            "initiator" if self.initiator else "responder",
            "keeps" if self.keeps else "new",
            self.verdict,
        )

    def owe_at_begin(self):
        """OC-11, OC-20."""
        received = self.peer.received
        for index, epoch in enumerate(self.indices):
            if epoch is None:
                continue
            for channel, (watermark, last) in self.listed.get(epoch, {}).items():
                if epoch in received.closed:
                    continue
                t = received.taken(epoch, channel)
                end = min(last, t.through) if index == 0 else t.through
                self.outbox += received.answers(
                    channel, index, epoch, range(max(watermark, t.watermark) + 1, end + 1)
                )
        closed = [e for e in self.indices if e in received.closed]
        if closed:
            self.state_epochs("epochClosed", closed)
        if None not in self.indices:
            for epoch, channels in received.epochs.items():
                parts = {
                    c: (t.through, t.watermark)
                    for c, t in channels.items()
                    if c in DURABLE_ORDERED and t.through
                }
                if epoch not in self.indices and parts:
                    self.outbox.append(Frame("epochHeld", epoch=epoch, parts=parts))

    def presented_confirmed(self):
        return self.presented

    def state_epochs(self, name, epochs):
        for i in range(0, len(epochs), 32):
            self.outbox.append(Frame(name, epochs=list(epochs[i : i + 32])))

    def conclude_nothing_lost_from_hello(self):
        """L-13."""
        r, newest = self.peer.values, self.hello.newest
        if newest and newest[0] not in r.known:
            return
        named = dict(self.announced)
        if newest:
            named[newest[0]] = newest[1]
        if not r.top or named.get(r.top[0], -1) >= r.top[1]:
            self.conclude_nothing_lost()

    def conclude_nothing_lost(self):
        self.nothing_lost = True
        self.learn_epochs()

    def learn_epochs(self):
        """L-14, M-24."""
        if not self.nothing_lost:
            return
        r = self.peer.values
        new = [e for e in self.announced if e not in self.told_known]
        if not new:
            return
        self.told_known.update(new)
        r.known.update(dict.fromkeys(new, True))
        self.state_epochs("epochsKnown", new)
        self.dirty = True
        for name, (epoch, f) in list(r.waiting.items()):
            if epoch in r.known:
                del r.waiting[name]
                self.take_value(epoch, f)

    # --- packets in ---

    def open(self, p, data):
        """A transport packet: opens it and has its frames take effect. Raises NotAuthentic."""
        now = time.monotonic()
        if not self.recovery:
            number = self.rx_number
            plain = self.rx.open(number, p.associated, p.sealed)
            self.rx_number += 1
            self.key_updated = False
        else:
            window = self.recovery.window
            largest = window.largest if window.largest >= 0 else None
            number = complete(p.low, p.size, largest, p.phase)
            if window.has(number):
                self.recovery.due = self.recovery.due or now  # LR-5
                return
            if number >> 16 & 1 != p.phase:
                return
            plain = self.rx.open(number, p.associated, p.sealed)
        self.take_packet(number, plain, now)
        if not self.recovery and self.key_updated:
            self.rx_number = (number | 0xFFFF) + 1

    def take_packet(self, number, plain, now):
        try:
            frames = read_frames(plain)
        except WireError as e:
            raise Violation(f"{e} in {plain.hex()[:400]}") from None
        self.peer.log("<-", *frames)
        if self.recovery:
            if not self.indices_known(frames):
                return  # I-73
            self.recovery.arrived(number, frames, plain, now)
        self.dirty, self.position, self.concluded = False, None, False
        first = not self.confirmed
        if first:
            self.confirmed = True
            self.peer.confirmed(self)
        answer = next((f for f in frames if f.name == "ticketAnswer"), None)
        if not self.initiator and not self.entered:
            if self.verdict is None and answer:
                self.verdict = self.peer.tickets.evaluate(self.hello, answer.answer)
            if self.verdict and self.verdict.clone:
                self.peer.on_event("clone", self.verdict)
            elif self.verdict and (self.keeps or answer):  # M-6
                self.begin()
                self.peer.evaluate_values(self, answer.summary if answer else None)
        for f in frames:
            getattr(self, "on_" + f.name, self.on_nothing)(f)
            if self.over:
                return
        if self.dirty or self.concluded:
            t = self.peer.tickets
            if self.concluded:
                t.conclude(self.ticket, self.position)
            t.batch()

    def take_early(self, number, plain):
        """Records of an early packet. They may be taken before anything else of the session."""
        try:
            frames = read_frames(plain)
        except WireError as e:
            raise Violation(f"{e} in an early packet") from None
        self.peer.log("<- early", number, *frames)
        self.dirty, self.concluded = False, False
        for f in frames:
            if f.name in ("record", "cancel", "value", "fragment", "furtherFragment"):
                getattr(self, "on_" + f.name)(f)
        self.early_taken.add(number)
        self.peer.early_taken += 1
        if self.dirty:
            self.peer.tickets.batch()
        self.early_told = False  # F-9: it is repeated while early packets arrive

    def on_earlyData(self, f):
        if self.initiator and f.counter == self.counter and self.peer.early_sent:
            self.peer.on_early_answer(f)

    def early_word(self):
        if not self.early or self.verdict and self.verdict.case not in (2, 3, 4, 5):
            return Frame("earlyData", counter=self.counter, answer=2, packets=None)
        if not self.early_taken:
            return Frame("earlyData", counter=self.counter, answer=0, packets=None)
        return Frame(
            "earlyData",
            counter=self.counter,
            answer=1,
            packets=ranges_of(self.early_taken)[::-1][:32],
        )

    def indices_known(self, frames):
        for f in frames:
            if f.name in ("record", "value", "fragment", "furtherFragment", "cancel", "watermark"):
                for index in [f.epoch] + ([f.predecessor[0]] if f.get("predecessor") else []):
                    if index >= len(self.indices) or self.indices[index] is None:
                        return any(g.name == "epochs" for g in frames)
        return True

    def epoch_of(self, index):
        if index >= len(self.indices) or self.indices[index] is None:
            raise Violation(f"epoch index {index}")
        return self.indices[index]

    def on_nothing(self, f):
        pass

    # --- frames of the session ---

    def on_ticketAnswer(self, f):
        pass  # taken before the other frames

    def on_ping(self, f):
        self.outbox.insert(0, Frame("pong", token=f.token))

    def on_close(self, f):
        self.over = True
        self.peer.log("closed by the counterpart, code", f.code)
        self.peer.close_code = f.code

    def on_ack(self, f):
        if not self.recovery:
            raise Violation("ack")
        now = time.monotonic()
        try:
            done, lost = self.recovery.acked(f, now)
        except ValueError as e:
            raise Violation(str(e)) from None
        for g in done:
            if g is self.answer_due:
                self.answer_due = None
            self.arrived_piece(g)
        self.outbox += lost

    def arrived_piece(self, g):
        owner = g.get("_record") or g.get("_value")
        if g.name == "fragment" and owner in self.in_pieces:
            self.in_pieces[owner].discard(g.offset)
            if not self.in_pieces[owner]:
                del self.in_pieces[owner]

    def may_cut(self, channel):
        """On a carrier that loses, at most two of a channel are in fragments (L-24)."""
        self.in_pieces = {o: left for o, left in self.in_pieces.items() if not self.ended(o)}
        return not self.recovery or sum(o.channel == channel for o in self.in_pieces) < 2

    def ended(self, owner):
        if hasattr(owner, "settled"):
            return owner.settled or owner not in self.peer.own_values.values.values()
        return owner.number not in self.peer.senders[owner.channel].unsettled

    def on_repair(self, f):
        if not self.recovery:
            raise Violation("repair")
        for number, plain in self.recovery.repair(f).items():
            state = self.dirty, self.position, self.concluded
            self.take_packet(number, plain, time.monotonic())
            self.dirty, self.position, self.concluded = state

    def on_keyUpdate(self, f):
        if self.recovery:
            raise Violation("keyUpdate")
        self.key_updated = True

    def on_position(self, f):
        self.position = f.position

    def on_epochs(self, f):
        while len(self.indices) < f.first + len(f.epochs):
            self.indices.append(None)
        for i, (epoch, end, channels) in enumerate(f.epochs):
            self.indices[f.first + i] = epoch
            if epoch not in self.listed:
                self.listed[epoch] = channels
            if end is not None:
                self.announced[epoch] = end
        self.learn_epochs()
