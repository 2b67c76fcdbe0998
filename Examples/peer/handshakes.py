"""How a peer opens sessions and answers those that the counterpart opens."""

import os
import time
from carriers import Gone
from codec import Violation
from frame_parts import DURABLE_ORDERED, Frame
from frame_writing import write_frame
from hello import Hello, read_payload1, read_payload2, write_payload1, write_payload2
from noise import NotAuthentic
from packets import (
    ADVISORY,
    EARLY,
    MESSAGE1,
    MESSAGE2,
    Packet,
    REFUSAL,
    SEQPACKET,
    frame_up,
    header,
    write_packet,
)
from security import Direction, Wrong
from session import Session


def random_u(size):
    n = 0
    while not n:
        n = int.from_bytes(os.urandom(size), "little")
    return n


class Pending:
    """This side's message 1, until it is answered."""

    def __init__(self, connection, counter, body, state, data, epochs):
        self.connection, self.counter, self.body, self.state, self.data = (
            connection,
            counter,
            body,
            state,
            data,
        )
        self.repeats, self.refusals = 0, 0
        self.at = self.made = time.monotonic()


class Handshakes:
    def hello(self, answer=0, summary=None):
        channels = {
            c: (s.watermark, s.last)
            for c, s in self.senders.items()
            if c in DURABLE_ORDERED and s.unsettled
        }
        own = self.own_values
        end = None if own.confirmed else own.end
        present = (end, channels) if channels or end is not None else None
        newest = (self.epoch, own.end) if own.confirmed else None
        return Hello(
            answer=answer,
            present=present,
            newest=newest,
            summary=summary,
            **self.tickets.parts(),
        )

    def greet(self, above=0):
        """Makes message 1 (I-24)."""
        self.end_session()
        self.counter = max(self.counter, above) + 1
        connection = random_u(4)
        body, state = self.security.make1(
            connection, self.counter, write_payload1(self.epoch, self.hello())
        )
        data = write_packet(
            self.link.framing,
            Packet(MESSAGE1, version=self.security.version, connection=connection, body=body),
        )
        refusals = self.pending.refusals if self.pending else 0
        self.early_sent = {}
        self.pending = Pending(connection, self.counter, body, state, data, None)
        self.pending.refusals = refusals
        self.link.send(data)
        self.log("message 1, counter", self.counter)
        if self.early:
            self.send_early(connection, Direction(self.security.early_key(state)))

    def send_early(self, connection, direction):
        """Unsettled durable records, right behind message 1 (C-27), as many as fit few packets."""
        for s in self.senders.values():
            for r in list(s.unsettled.values())[:8] if s.channel in DURABLE_ORDERED else []:
                f = s.frame(r)
                number, plain = len(self.early_sent), write_frame(f)
                if len(plain) > 400:
                    break
                head = header(EARLY, connection, number) if self.link.lossy else b""
                associated = head or (bytes([EARLY]) if self.link.framing == SEQPACKET else b"")
                body = direction.seal(number, associated, plain)
                self.link.send(head + body if head else frame_up(self.link.framing, EARLY, body))
                self.log("-> early", f)
                self.early_sent[number] = (s, r.number)
                r.left = True

    def on_early_answer(self, f):
        """F-9: what is not rejected need not be sent again, unless it got lost."""
        taken = {n for a, b in f.packets or [] for n in range(a, b + 1)}
        self.early_answer = f.answer
        for number, (s, n) in self.early_sent.items():
            r = s.unsettled.get(n)
            if r and r.sent and (f.answer == 2 or self.link.lossy and number not in taken):
                r.sent = False

    def on_early(self, p, address):
        """Early packets of the counterpart: I-50."""
        s = self.candidate or self.session
        if (
            not s
            or s.initiator
            or not s.early
            or not s.verdict
            or s.verdict.i_went_back
            or s.verdict.they_went_back
            or s.verdict.clone
        ):
            return
        if self.link.lossy and p.connection != s.other_id:
            return
        number = p.low if self.link.lossy else s.early_next
        if number in s.early_taken or number >= 512:
            return
        plain = s.early.open(number, p.associated, p.sealed)
        s.early_next = number + 1
        s.take_early(number, plain)

    def on_message1(self, p, data, address, link):
        """M-4, M-5. Returns whether it was authentic and not stale."""
        if p.version != self.security.version:
            self.log("message 1 of version", p.version)
            link.send(
                write_packet(link.framing, Packet(ADVISORY, version=self.security.version, code=3)),
                address,
            )
            return False
        try:
            counter = self.security.peek1(p.connection, p.body)
        except Wrong:
            link.send(
                write_packet(link.framing, Packet(ADVISORY, version=self.security.version, code=4)),
                address,
            )
            return False
        if self.answered and self.answered[0] == data and self.candidate:
            self.log("message 1 again")
            link.send(self.answered[1], address)
            return True
        if counter > self.met + 2**32:
            return False
        if counter <= self.met:
            mac = self.security.refusal_mac(True, self.met, p.connection, p.body)
            link.send(
                write_packet(
                    link.framing,
                    Packet(REFUSAL, connection=p.connection, highest=self.met, mac=mac),
                ),
                address,
            )
            self.log("refused counter", counter, "naming", self.met)
            return False
        if (
            self.pending
            and link is self.link
            and not self.security.yields()
            and self.pending.repeats < 3
        ):
            self.log("crossing: not answered")
            return True
        payload, state = self.security.open1(p.connection, counter, p.body)
        early_key = self.security.early_key(state)
        epoch, hello = read_payload1(payload)
        self.met = counter
        if link is not self.link:  # C-42
            if self.link:
                self.drop_link("replaced")
            self.link = link
            self.waiting.remove(link)
        self.pending = None
        self.end_session()
        t = self.tickets
        verdict = t.evaluate(hello)
        epochs = (self.epoch, epoch)
        keeps = bool(verdict and not verdict.clone and t.may_keep(verdict, hello, epochs))
        summary = None if keeps else self.values.summary()
        own_id = random_u(4)
        mine = self.hello(t.answer(hello), summary)
        body, (ticket, tx, rx) = self.security.make2(
            state, write_payload2(own_id, self.epoch, keeps, self.counter, mine)
        )
        if keeps:
            ticket = verdict.common
        s = Session(self, False, ticket, tx, rx, own_id, p.connection, epoch, hello, counter)
        s.verdict, s.keeps, s.address = verdict, keeps, address
        s.early = Direction(early_key) if self.early else None
        self.candidate = s
        reply = write_packet(link.framing, Packet(MESSAGE2, connection=p.connection, body=body))
        self.answered = (data, reply)
        link.authenticated()
        link.send(reply, address)
        self.log("hello", {k: v for k, v in hello.__dict__.items() if v})
        self.log("message 2 for counter", counter, "keeps" if keeps else "new ticket", verdict)
        return True

    def confirmed(self, session):
        """The first packet of the session has come."""
        self.candidate, self.session, self.answered = None, session, None
        self.sessions += 1
        if session.keeps and not session.initiator:
            session.begin()
            session.peer.own_values.ready = not self.own_values.lost

    def on_message2(self, p, address):
        pending = self.pending
        if not pending or p.connection != pending.connection:
            return
        payload, (ticket, tx, rx) = self.security.open2(pending.state, p.body)
        own_id, epoch, keeps, counter, hello = read_payload2(payload)
        self.met = max(self.met, counter)
        self.pending = None
        self.link.authenticated()
        t = self.tickets
        verdict = t.evaluate(hello, hello.answer)
        epochs = (self.epoch, epoch)
        if keeps and not t.may_keep(verdict, hello, epochs):
            raise Violation(f"keeps a ticket that this side cannot keep: {verdict}")  # I-42
        s = Session(
            self,
            True,
            verdict.common if keeps else ticket,
            tx,
            rx,
            pending.connection,
            own_id,
            epoch,
            hello,
            pending.counter,
        )
        s.verdict, s.keeps, s.address, s.confirmed = verdict, keeps, address, True
        self.session = s
        self.sessions += 1
        summary = None if keeps else self.values.summary()
        if not keeps or verdict.case == 1:  # M-7
            s.answer_due = Frame("ticketAnswer", answer=t.answer(hello), summary=summary)
        self.log("hello", {k: v for k, v in hello.__dict__.items() if v})
        self.log("message 2 came;", "keeps" if keeps else "new ticket", verdict)
        if verdict.clone:
            self.on_event("clone", verdict)
            s.send([s.answer_due])
            return
        s.outbox.append(Frame("ping", token=self.counter))
        s.begin()
        for sender, n in self.early_sent.values():
            if n in sender.unsettled:
                sender.unsettled[n].sent = True
        if keeps:
            self.own_values.ready = not self.own_values.lost
        else:
            self.evaluate_values(s, hello.summary)

    def on_refusal(self, p):
        pending = self.pending
        if not pending or p.connection != pending.connection:
            return
        if p.mac != self.security.refusal_mac(False, p.highest, pending.connection, pending.body):
            raise NotAuthentic
        if p.highest > self.counter + 2**32:
            return
        self.refused += 1
        pending.refusals += 1
        self.log("refused, highest", p.highest)
        if pending.refusals > 4:
            raise Gone("refused four times")
        self.greet(p.highest)

    def on_reset(self, p):
        s = self.session or self.candidate
        if not s or p.connection != s.other_id:
            return
        if any(
            p.token == self.security.reset_token(False, p.connection, data)
            for data in s.newest_sent
        ):
            self.on_event("reset")
            self.end_session()
            self.greet()
