"""The frames of latest-value channels within a session."""

from codec import Violation
from frame_parts import Frame
from values import HeldListing


class ValueFrames:
    # --- receiving ---

    def on_value(self, f):
        if f.handle is not None:
            if f.key is not None:
                if self.handles.setdefault(f.handle, (f.channel, f.key)) != (f.channel, f.key):
                    raise Violation("a handle that changes its key")
            elif f.handle in self.handles:
                f.key = self.handles[f.handle][1]
            else:
                self.outbox.append(Frame("needBase", channel=f.channel, handle=f.handle))
                return
        epoch, r = self.epoch_of(f.epoch), self.peer.values
        if epoch in r.known:
            self.take_value(epoch, f)
        else:
            kept = r.waiting.get((f.channel, f.key))
            if not kept or kept[1].number <= f.number:
                r.waiting[f.channel, f.key] = (epoch, f)

    def take_value(self, epoch, f):
        r, name = self.peer.values, (f.channel, f.key)
        held = r.version(name)
        if f.number < held:
            self.outbox.append(Frame("valueOutcome", outcome=0, version=f.number))
            return
        if f.number == held:
            v = r.values.get(name)
            self.answer_value(f.number, v.code if v else None)
            return
        payload = r.whole(name, f)
        if payload is None:
            if name not in self.asked:
                self.asked.add(name)
                self.outbox.append(Frame("needBase", channel=f.channel, key=f.key))
            return
        if not f.delta:
            self.asked.discard(name)
        else:
            self.peer.deltas_taken += 1
        code = self.peer.deliver_value(f.channel, f.key, f.kind, payload, f.number)
        r.take(epoch, name, f, payload, code)
        self.dirty = True
        self.answer_value(f.number, code)

    def answer_value(self, version, code):
        if code is not None:
            self.outbox.append(Frame("valueOutcome", outcome=1, version=version, code=code))
            return
        last = self.outbox[-1] if self.outbox else None
        if (
            last
            and last.name == "valueAcknowledgement"
            and last.ranges[-1][1] + 1 == version
            and len(last.ranges) == 1
        ):
            last.ranges[-1] = (last.ranges[-1][0], version)
        else:
            self.outbox.append(
                Frame("valueAcknowledgement", applied=True, ranges=[(version, version)])
            )

    def on_nothingLost(self, f):
        self.conclude_nothing_lost()

    on_mended = on_nothingLost

    def on_heldQuery(self, f):
        r = self.peer.values
        if f.wants & 1 or f.epochs:
            self.outbox.append(
                Frame(
                    "heldDigest",
                    digest=r.digest(),
                    epochs=[(e, int(e in r.known)) for e in f.epochs],
                )
            )
        if f.ranges and (not self.listing or f.listing > self.listing.number):
            self.listing = HeldListing(f.listing, r.watermark, r.entries())
        for number, wants_entries in f.ranges:
            if f.listing == self.listing.number:
                self.outbox += self.listing.answer(number, wants_entries)

    def on_valueQuery(self, f):
        v = self.peer.values.values.get((f.channel, f.key))
        if v is None or v.payload is None:
            self.outbox.append(
                Frame(
                    "heldValue",
                    channel=f.channel,
                    key=f.key,
                    version=v.version if v else 0,
                    kind=None,
                )
            )
            return
        offset = min(f.offset, len(v.payload))
        while True:
            piece = v.payload[offset : offset + 700]
            self.outbox.append(
                Frame(
                    "heldValue",
                    channel=f.channel,
                    key=f.key,
                    version=v.version,
                    kind=v.kind,
                    total=len(v.payload),
                    offset=offset,
                    piece=piece,
                )
            )
            offset += len(piece)
            if offset >= len(v.payload):
                return

    def on_removalWatermark(self, f):
        self.peer.values.forget_removals(f.version, self.their_epoch)
        self.concluded = True

    # --- sending ---

    def on_valueAcknowledgement(self, f):
        for first, last in f.ranges:
            for version in range(first, last + 1):
                if self.peer.own_values.acknowledged(version, f.applied):
                    self.concluded = True
                    self.peer.on_settled("value", version, "applied")

    def on_valueOutcome(self, f):
        if self.peer.own_values.refused(f.version, f.code):
            self.concluded = True
            self.peer.on_settled(
                "value", f.version, ("rejected", f.code) if f.outcome else "superseded"
            )

    def on_epochsKnown(self, f):
        if self.peer.epoch in f.epochs and not self.peer.own_values.confirmed:
            self.peer.own_values.confirmed = True
            self.concluded = True

    def on_needBase(self, f):
        own = self.peer.own_values
        for name, v in own.values.items():
            if f.key == name[1] and f.channel == name[0] or f.version == v.version:
                own.bases.pop(name, None)
                v.sent = v.settled = False

    def on_heldDigest(self, f):
        self.their_digest = f.digest

    def on_held(self, f):
        own = self.peer.own_values
        parts = self.held_parts.setdefault(f.listing, {})
        for i, e in enumerate(f.entries):
            parts[f.first + i] = e
        if len(parts) == f.total:
            own.listing = list(parts.values())
            self.peer.listing_complete(self)

    def on_heldValue(self, f):
        own, name = self.peer.own_values, (f.channel, f.key)
        if f.kind is None:
            own.wanted.discard(name)
        else:
            pieces = own.pieces.setdefault((name, f.version), {})
            pieces[f.offset] = f.piece
            whole = b"".join(p for _, p in sorted(pieces.items()))
            if len(whole) == f.total:
                own.fetched[name] = (f.kind, whole)
                own.wanted.discard(name)
        self.peer.listing_complete(self)
