"""A frame as the columns of `frames.tsv` show it."""


def text(f):
    """A frame as the column of fields in frames.tsv has it."""
    out = [f.name]

    def say(name, value, show=True):
        if value is not None and show:
            out.append(f"{name}={value}")

    n = f.name
    for field in ("token",):
        say(field, f.get(field))
    if n == "close":
        say("code", f.code)
    if n == "ack":
        say("delay", f.delay)
    if n in ("ack", "earlyData"):
        if n == "earlyData":
            say("counter", f.counter)
            say("answer", f.answer)
        if f.packets:
            say("packets", ",".join(f"{a}-{b}" for a, b in reversed(f.packets)))
    if n == "position":
        say("position", f.position)
    if n == "epochs":
        say("first", f.first)
        say("epochs", ";".join(epoch(*e) for e in f.epochs))
    if n == "ticketAnswer":
        say("answer", f.answer)
        if f.summary:
            say_summary(out, f.summary)
    if n in (
        "record",
        "fragment",
        "furtherFragment",
        "credit",
        "tryLater",
        "cancel",
        "received",
        "acknowledgement",
        "outcome",
        "watermark",
        "value",
        "values",
        "needBase",
        "valueQuery",
        "heldValue",
    ):
        say("channel", f.channel)
    if n == "cancel":
        say("expired", 1, f.expired)
    if n == "acknowledgement":
        say("applied", int(f.applied))
    if n == "value":
        say("marks", 1, f.marks)
        say("delta", 1, f.delta)
        say("epoch", f.epoch)
        say("version", f.number)
        say("kind", f.kind)
        say("key", f.key and f.key.hex())
        say("handle", f.handle)
        say("expiry", f.expiry)
        say("base", f.base and f"{f.base[0]}/{f.base[1]}")
        say("body", f.body.hex())
    if n == "values":
        say("epoch", f.epoch)
        say("version", f.number)
        say("kind", f.kind)
        say("handle", f.handle)
        say("key", f.key.hex())
        say("further", ",".join(f"{step}/{key.hex()}" for step, key in f.further))
        say("body", f.body.hex())
    if n in (
        "record",
        "fragment",
        "furtherFragment",
        "tryLater",
        "cancel",
        "received",
        "acknowledgement",
        "outcome",
        "watermark",
    ):
        say("epoch", f.epoch)
        if n not in ("acknowledgement", "outcome"):
            say("number", f.number)
    if n in ("record", "cancel"):
        say("predecessor", f.predecessor and "%d/%d" % f.predecessor)
    if n == "record":
        say("kind", f.kind)
        say("expectsReply", 1, f.expects_reply)
        say("inReplyTo", f.in_reply_to)
        say("expiry", f.expiry)
        say("idempotencyKey", f.idempotency_key and f.idempotency_key.hex())
        say("payload", f.payload.hex())
    if n == "fragment":
        say("total", f.total)
    if n in ("fragment", "furtherFragment"):
        say("offset", f.offset)
        say("piece", f.piece.hex())
    if n == "credit":
        say("records", f.records)
        say("bytes", f.bytes)
    if n == "tryLater":
        say("records", f.records)
    if n == "acknowledgement":
        say("numbers", ",".join(f"{a}-{b}" for a, b in f.ranges))
    if n == "outcome":
        say("numbers", f"{f.number}-{f.last}")
        say("outcome", f.outcome)
        say("code", f.code)
    if n in ("epochOver", "epochClosed", "epochsKnown"):
        say("epochs", ",".join(f"{e:016x}" for e in f.epochs))
    if n == "epochHeld":
        say("epoch", f"{f.epoch:016x}")
        say("parts", ",".join(f"{c}:{t}/{w}" for c, (t, w) in f.parts.items()))
    if n == "needBase":
        say("key", f.key and f.key.hex())
        say("handle", f.handle)
        say("version", f.version)
    if n == "heldQuery":
        say("wants", f.wants)
        if f.ranges:
            say("listing", f.listing)
            say("ranges", ",".join(f"{n}{'+' * entries}" for n, entries in f.ranges))
        say("epochs", ",".join(f"{e:016x}" for e in f.epochs))
    if n == "valueQuery":
        say("key", f.key.hex())
        say("offset", f.offset)
    if n == "valueAcknowledgement":
        say("level", int(f.applied))
        say("versions", ",".join(f"{a}-{b}" for a, b in f.ranges))
    if n == "valueOutcome":
        say("outcome", f.outcome)
        say("version", f.version)
        say("code", f.code)
    if n == "heldDigest":
        say("digest", f"{f.digest:016x}")
        say("epochs", ",".join(f"{e:016x}/{k}" for e, k in f.epochs))
    if n == "held":
        for field in ("listing", "watermark", "range", "total", "first"):
            say(field, f.get(field))
        say(
            "entries",
            ";".join(
                f"{e.channel}:{e.key.hex()}:{e.version}:{e.state}"
                + (f"/{e.code}" if e.code is not None else "")
                + (f":{e.print:016x}" if e.print is not None else "")
                + (":removal" if e.removal else "")
                for e in f.entries
            ),
        )
    if n == "heldRanges":
        say("listing", f.listing)
        say("range", f.range)
        if f.digest is not None:
            say("digest", f"{f.digest:016x}")
        say("parts", ",".join(f"{part:04x}" for part in f.parts))
    if n == "heldValue":
        say("key", f.key.hex())
        say("version", f.version)
        say("kind", f.kind)
        if f.kind is not None:
            say("total", f.total)
            say("offset", f.offset)
            say("piece", f.piece.hex())
    if n == "removalWatermark":
        say("version", f.version)
    if n == "arrival":
        say("microseconds", f.microseconds)
        say("recovered", f.recovered)
    if n == "repair":
        say("first", f.first)
        say("packets", f.packets)
        say("index", f.index)
        say("combination", f.combination.hex())
    return " ".join(out)


def epoch(e, end, channels):
    return (
        f"{e:016x}"
        + (f"/{end}" if end is not None else "")
        + "".join(f"/{c}:{w}-{l}" for c, (w, l) in channels.items())
    )


def say_summary(out, s):
    out.append(f"top={s[0]:016x}/{s[1]}" if s[0] else "top=0")
    out.append(f"digest={s[2]:016x}")
