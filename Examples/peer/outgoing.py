"""The outgoing traffic of a session: which frames, in which packets."""

import time
from frame_parts import DURABLE_ORDERED, Frame, STATEMENTS
from frame_writing import write_frame
from packets import SEQPACKET, TRANSPORT, frame_up, header


class Outgoing:
    def may_state(self):
        return self.entered and self.position_to_state() > 0

    def position_to_state(self):
        return self.peer.tickets.position(self.ticket)

    def room(self):
        return self.peer.link.largest - 40

    def fill(self):
        """Records and values that may leave now go to the outbox."""
        p = self.peer
        if not (self.entered and self.confirmed) or len(self.outbox) > 200:
            return
        if self.recovery and len(self.recovery.sent) > 64:
            return
        for s in p.senders.values():
            while len(self.outbox) < 200:
                if self.pieces[s.channel]:  # credit counts the bytes of each piece (OC-26)
                    g = self.pieces[s.channel][0]
                    if not self.stale(g):
                        if s.used_bytes + len(g.piece) > s.bytes:
                            break
                        s.used_bytes += len(g.piece)
                        self.outbox.append(g)
                    del self.pieces[s.channel][0]
                    continue
                r = s.next_to_send(self.room() - 100)
                if r is None or len(r.payload) > self.room() - 100 and not self.may_cut(s.channel):
                    break
                r.channel = s.channel
                f = s.frame(r)
                r.sent = r.left = True
                s.used_records += 1
                f._record = r
                frames = self.cut(f, r)
                if len(frames) == 1:
                    s.used_bytes += len(r.payload)
                    self.outbox += frames
                else:
                    self.pieces[s.channel] = frames
        while len(self.outbox) < 200:
            found = p.own_values.next_to_send()
            if found is None:
                break
            v = p.own_values.values[found[1]]
            v.channel = found[1][0]
            if len(v.payload) > self.room() - 100 and not self.may_cut(v.channel):
                break
            f = p.own_values.frame(found[1])
            v.sent = True
            f._value = v
            self.outbox += self.cut(f, v)

    def cut(self, f, owner):
        """Fragments, where a frame is too long for a packet (OC-32)."""
        whole = write_frame(f)
        if len(whole) <= self.room():
            return [f]
        whole, size, out = whole[1:], self.room() - 40, []
        for offset in range(0, len(whole), size):
            g = Frame(
                "fragment",
                channel=f.channel,
                epoch=0,
                number=f.number,
                total=len(whole),
                offset=offset,
                piece=whole[offset : offset + size],
            )
            g._record = f.get("_record")
            g._value = f.get("_value")
            out.append(g)
        if self.recovery:
            self.in_pieces[owner] = {g.offset for g in out}
        return out

    def stale(self, f):
        """A frame in the outbox that has lost its sense."""
        r, v = f.get("_record"), f.get("_value")
        if r is not None and r.number not in self.peer.senders[f.channel].unsettled:
            return True
        return v is not None and (v.settled or v not in self.peer.own_values.values.values())

    def add_watermarks(self, packet, size):
        for s in self.peer.senders.values():
            if s.channel in DURABLE_ORDERED and s.watermark > s.stated:
                f = Frame("watermark", channel=s.channel, epoch=0, number=s.watermark)
                s.stated = s.watermark
                packet.append(f)

    def flush(self):
        now = time.monotonic()
        if self.over or not self.peer.link:
            return
        if self.recovery:
            at = self.recovery.probe_at()
            if at is not None and now >= at:
                self.outbox += self.recovery.probe() or [Frame("ping", token=1)]
        for due, channel in self.peer.later[:]:  # OC-31
            if now >= due:
                self.peer.later.remove((due, channel))
                self.credit[channel][0] += 1
                self.outbox.append(
                    Frame(
                        "credit",
                        channel=channel,
                        records=self.credit[channel][0],
                        bytes=self.credit[channel][1],
                    )
                )
        self.fill()
        while True:
            packet, size, rest = [], 0, []
            if self.answer_due is not None:
                packet.append(self.answer_due)
                size += 40
            if not self.early_told and self.confirmed:
                self.early_told = True
                packet.append(self.early_word())
            head, stated = len(packet), False
            for f in self.outbox:
                if self.stale(f):
                    continue
                if f.name in STATEMENTS and not self.may_state():
                    rest.append(f)
                    continue
                length = len(write_frame(f))
                if size + length > self.room():
                    rest.append(f)
                    size = 1 << 30
                    continue
                size += length
                if f.name in STATEMENTS and not stated:
                    stated = True
                    packet.append(Frame("position", position=self.position_to_state()))
                    size += 9
                packet.append(f)
            self.outbox = rest
            if stated and size < self.room() - 30:
                self.add_watermarks(packet, size)
            ack_due = (
                self.recovery
                and self.recovery.due is not None
                and (packet[head:] or now >= self.recovery.due)
            )
            if (
                not packet[head:]
                and not ack_due
                and not (head and not getattr(self, "answered_once", False))
            ):
                return
            self.answered_once = True
            if ack_due and self.recovery.window.ranges:
                packet.insert(0, self.recovery.ack(now))
            self.send(packet)
            if not self.recovery:
                self.answer_due = None
            if not any(f.name not in STATEMENTS or self.may_state() for f in self.outbox):
                self.fill()
                if not self.outbox or all(
                    f.name in STATEMENTS and not self.may_state() for f in self.outbox
                ):
                    return

    def update_key(self):
        """S-14. On a carrier that can lose, numbers are left out; elsewhere keyUpdate says so."""
        if not self.recovery:
            self.send([Frame("keyUpdate")])
        self.tx_number = (self.tx_number | 0xFFFF) + 1

    def send(self, frames):
        link, number = self.peer.link, self.tx_number
        self.tx_number += 1
        plain = b"".join(map(write_frame, frames))
        self.peer.log("->", *frames)
        if self.recovery:
            head = header(TRANSPORT, self.other_id, number)
            data = head + self.tx.seal(number, head, plain)
            self.recovery.left(number, frames, time.monotonic())
            self.newest_sent = (self.newest_sent + [data])[-32:]
        else:
            data = frame_up(
                link.framing,
                TRANSPORT,
                self.tx.seal(number, b"\0" if link.framing == SEQPACKET else b"", plain),
            )
        link.send(data, self.address)
