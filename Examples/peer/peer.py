"""A peer: what its application sees, its carrier, and its loop. It keeps its state in memory."""

import collections
import select
import sys
import time
import ledger
from carriers import Gone, Listener
from codec import Violation, WireError
from frame_parts import Frame, ORDERED
from handshakes import Handshakes, random_u
from noise import NotAuthentic
from ordered import Received, Sender
from packets import (
    ADVISORY,
    DATAGRAM,
    EARLY,
    MESSAGE1,
    MESSAGE2,
    Packet,
    REFUSAL,
    RESET,
    TRANSPORT,
    read_packet,
    write_packet,
)
from tickets import Tickets
from values import ValueReceiver, ValueSender


class Peer(Handshakes):
    first_timeout = 0.5  # C-22, before anything was measured
    stall = 4.0

    def __init__(self, security, first_ticket=None, name="peer", trace=False):
        self.security, self.role, self.name, self.trace = security, security.role, name, trace
        self.epoch = random_u(8)
        self.counter, self.met = 0, 0
        self.tickets, self.received, self.values = Tickets(), Received(), ValueReceiver()
        if first_ticket:
            self.tickets.paired(first_ticket)
        self.senders = {c: Sender(c) for c in ORDERED}
        self.own_values = ValueSender(self.epoch)
        self.link = self.listener = self.pending = self.session = self.candidate = None
        self.waiting = []  # carriers of a listener before a packet of them has authenticated
        self.answered = None  # (message 1, message 2): C-16
        self.early_of = None
        self.arrivals = self.repeats = self.deltas_taken = self.sessions = self.packets_dropped = 0
        self.left_id, self.resets = None, []  # C-33
        self.close_code, self.events, self.refused = None, [], 0
        self.delivered, self.delivered_values, self.settled = [], [], {}
        self.ledger = None  # of doses, where there is one
        self.reject = (
            lambda f: None
        )  # the application's word: None takes a record over, else a code
        self.early, self.early_sent, self.early_answer, self.early_taken = False, {}, None, 0
        self.lines, self.turn_away, self.later = collections.deque(maxlen=400), 0, []
        self.met_at, self.call_at = None, 0.0  # where the counterpart was; when to call it

    # --- what the application sees ---

    def deliver(self, f, epoch):
        code = self.reject(f)
        if self.ledger and f.kind == ledger.EVENT:
            code = self.ledger.receive(f.payload)
        if code is None:
            if f.kind != ledger.KIND:
                self.delivered.append((epoch, f.channel, f.number, f.kind, f.payload))
            if f.expects_reply:
                answer = f.payload
                if f.kind == ledger.KIND:
                    answer = self.ledger.answer(self, f.payload) if self.ledger else b""
                self.send(f.channel, f.kind, answer, in_reply_to=f.number)
        return code

    def deliver_value(self, channel, key, kind, payload, version):
        self.delivered_values.append((channel, key, kind, payload, version))
        return None

    def on_settled(self, channel, number, outcome):
        self.settled[channel, number] = outcome

    def on_event(self, what, detail=None):
        self.events.append((what, str(detail)))
        self.log(what, detail)

    def log(self, *what):
        line = f"{time.monotonic() % 1000:8.3f} {self.name}: " + " ".join(map(str, what))
        self.lines.append(line)
        if self.trace:
            print(line, file=sys.stderr)

    def tail(self, count):
        """The last lines of the log."""
        return list(self.lines)[-count:]

    def send(self, channel, kind, payload, **more):
        return self.senders[channel].accept(kind, payload, **more)

    def put(self, channel, key, kind, payload):
        return self.own_values.put(channel, key, kind, payload)

    def cancel(self, channel, number):
        """OC-36, OC-37. A gap is left where the record never left."""
        s = self.senders[channel]
        r = s.unsettled.get(number)
        if r and not r.left:
            s.settle(number, "cancelled")
        elif r:
            r.more["cancel"], r.sent = True, False

    def idle(self):
        return not any(s.unsettled for s in self.senders.values()) and all(
            v.settled for v in self.own_values.values.values()
        )

    # --- carriers ---

    def connect(self, link):
        """The dialling side: message 1 follows at once."""
        self.link = link
        self.greet()

    def serve(self, listener):
        if isinstance(listener, Listener):
            self.listener = listener
        else:
            self.link, self.call_at = listener, time.monotonic() + 0.5

    def drop_link(self, why=""):
        self.end_session()
        self.pending = self.candidate = self.answered = None
        if self.link:
            self.log("link over", why)
            self.link.close()
            self.link = None

    def end_session(self):
        if self.session or self.candidate:
            for s in self.senders.values():
                s.end()
            self.left_id = (self.session or self.candidate).own_id
        self.session = self.candidate = None
        for s in self.senders.values():
            for r in s.unsettled.values():
                r.sent = False

    def stop(self, code=0):
        """A goodbye, and the end of the carrier (M-13)."""
        try:
            if self.session and not self.session.over and self.link:
                self.session.flush()
                self.session.send([Frame("close", code=code)])
                self.link.write()
        except Gone:
            pass
        self.drop_link("stop")
        if self.listener:
            self.listener.close()
            self.listener = None

    # --- values of this side ---

    def evaluate_values(self, session, summary):
        """Applies R's summary to the values of this side (L-15, L-16, L-35)."""
        own = self.own_values
        if own.evaluate(summary):
            own.top = summary[1]
            self.on_event("version lost", summary)
            session.outbox.append(
                Frame("heldQuery", wants=3, listing=1, ranges=[(1, True)], epochs=[self.epoch])
            )
            return
        if own.values or not own.confirmed:
            if (
                not own.confirmed
                and session.verdict.they_went_back
                and session.presented_confirmed()
            ):
                session.outbox.append(Frame("epochs", first=1, epochs=[(self.epoch, own.end, {})]))
            session.outbox.append(Frame("nothingLost"))

    def listing_complete(self, session):
        own = self.own_values
        if own.listing is None:
            return
        missing = [
            n for n in own.compare(own.listing) if n not in own.fetched and n not in own.wanted
        ]
        for name in missing:
            own.wanted.add(name)
            session.outbox.append(Frame("valueQuery", channel=name[0], key=name[1], offset=0))
        if own.lost and not own.wanted:
            own.mend(own.top)
            self.on_event("mended", f"{len(own.fetched)} adopted, versions above {own.top}")
            session.dirty = True
            session.outbox.append(Frame("mended"))

    # --- the loop ---

    def on_packet(self, link, first, body, data, address):
        try:
            p = read_packet(link.framing, first, body)
            if p.kind == MESSAGE1:
                return self.on_message1(p, data, address, link)
            if link is not self.link:
                return None
            if p.kind == MESSAGE2:
                self.on_message2(p, address)
            elif p.kind == TRANSPORT:
                self.on_transport(p, data, address)
            elif p.kind == EARLY:
                self.on_early(p, address)
            elif p.kind == REFUSAL:
                self.on_refusal(p)
            elif p.kind == RESET:
                self.on_reset(p)
            elif p.kind == ADVISORY:
                self.on_event("advisory", f"version {p.version} code {p.code}")
        except (WireError, NotAuthentic) as e:
            self.packets_dropped += 1
            self.log("dropped:", repr(e), data[:40].hex())
            if not link.lossy:
                raise Gone(f"not authentic or not understood: {e!r}") from None
        return None

    def on_transport(self, p, data, address):
        s = next(
            (
                s
                for s in (self.session, self.candidate)
                if s and (not self.link.lossy or p.connection == s.own_id)
            ),
            None,
        )
        if s is None:
            self.answer_unknown(p, data, address)
            return
        try:
            s.open(p, data)
        except Violation as e:
            self.on_event("violation", e)
            s.send([Frame("close", code=2)])
            raise Gone("violation") from None
        if address:
            s.address = address
        if s.over:
            raise Gone("close")

    def answer_unknown(self, p, data, address):
        """C-33: a reset, but not for this side's message 1 or the session that it left last."""
        now = time.monotonic()
        known = self.left_id, self.pending and self.pending.connection
        if not self.link.lossy or len(data) <= 21 or p.connection in known:
            return
        self.resets = [at for at in self.resets if now - at < 1]
        if len(self.resets) == 10:
            return
        self.resets.append(now)
        self.log("reset of an unknown connection", hex(p.connection))
        token = self.security.reset_token(True, p.connection, data)
        reset = Packet(RESET, connection=p.connection, token=token)
        self.link.send(write_packet(DATAGRAM, reset), address)

    def poll(self, timeout=0.05):
        """One turn: what has come, what is due, what may leave."""
        links = ([self.link] if self.link else []) + self.waiting
        fds = [l.fd for l in links] + ([self.listener.fd] if self.listener else [])
        writing = (
            [self.link.out]
            if self.link and getattr(self.link, "queue", None) and hasattr(self.link, "out")
            else []
        )
        if not fds:
            time.sleep(timeout)
            return
        readable, _, _ = select.select(fds, writing, [], min(timeout, self.next_deadline()))
        if self.listener and self.listener.fd in readable:
            link = self.listener.accept()
            if link:
                self.waiting.append(link)
        for link in links:
            try:
                if link.fd in readable:
                    for packet in link.receive():
                        self.on_packet(link, *packet)
                        if link is not self.link and link not in self.waiting:
                            break
                if link is self.link:
                    link.write()
            except (Gone, WireError) as e:
                if link is self.link:
                    self.drop_link(e)
                else:
                    self.waiting.remove(link)
                    link.close()
        try:
            self.timers()
            if self.session and self.link:
                self.session.flush()
        except Gone as e:
            self.drop_link(e)

    def next_deadline(self):
        if self.session and self.session.recovery:
            return 0.01
        return 0.1 if self.pending and self.link and self.link.lossy else 1.0

    def timers(self):
        p, now = self.pending, time.monotonic()
        if (
            p
            and self.link
            and self.link.lossy
            and now >= p.at + self.first_timeout * 2 ** min(p.repeats, 4)
        ):
            if p.repeats >= 4:
                self.greet()
            else:
                p.repeats, p.at = p.repeats + 1, now
                self.link.send(p.data)
        s = self.session
        if s and s.address:
            self.met_at = s.address
        if (
            self.link
            and self.link.lossy
            and not (p or s or self.candidate)
            and now > self.call_at
            and (self.link.peer or self.met_at)
        ):
            self.link.peer = (
                self.link.peer or self.met_at
            )  # the listening side calls by itself (links.md)
            self.call_at = now + 1
            self.greet()
        if (
            s
            and s.recovery
            and s.recovery.sent
            and now - max(s.recovery.heard, s.made) > self.stall
        ):
            self.on_event("stalled")  # *A dead link*: open anew, on the same carrier
            self.link.peer = self.link.peer or s.address
            self.greet()
        c = self.candidate
        if c and c.recovery and now - c.made > 16 * self.first_timeout:  # C-23
            self.on_event("candidate given up")
            self.link.peer = self.link.peer or c.address
            self.greet()
        if p and self.link and not self.link.lossy and now > p.made + 10:
            raise Gone("no answer to message 1")

    def run(self, until, timeout=5.0):
        """Turns until `until()` holds; False when the time is over."""
        end = time.monotonic() + timeout
        while not until():
            if time.monotonic() > end:
                return False
            self.poll(0.05)
        return True
