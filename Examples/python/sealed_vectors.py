"""Writes Fixtures/wire/sealed.tsv from fixed scalars: python3 sealed_vectors.py > FILE.

The tests of WatchSecurity hold the code against that file, so that two implementations agree.
"""
import crypto
import sealing
import wire


def numbered(start, count):
    """Bytes that ascend from `start`: nobody's secret."""
    return bytes((start + place) % 256 for place in range(count))


def show(name, data, rules=""):
    print(f"{name}\t{data.hex() if isinstance(data, bytes) else data}\t{rules}")


def main():
    print("# Sealed vectors: name, bytes (hexadecimal) or number or text, rules shown. Written by"
          " Examples/python/sealed_vectors.py.")
    enterer = {"role": 0, "device": numbered(0x10, 16), "nonce": numbered(0x20, 16),
               "scalar": numbered(0x40, 64), "static": numbered(0xA0, 32), "ephemeral": numbered(0xC0, 32)}
    shower = {"role": 1, "device": numbered(0x30, 16), "nonce": numbered(0x50, 16),
              "scalar": numbered(0x80, 64), "static": numbered(0x60, 32), "ephemeral": numbered(0xE0, 32)}
    run = sealing.PairingRun(b"042917", enterer, shower)
    show("code", "042917")
    for name, side in (("enterer", enterer), ("shower", shower)):
        for field in ("role", "device", "nonce", "scalar", "static", "ephemeral"):
            show(f"{name} {field}", side[field], "S-2" if field == "scalar" else "")
        show(f"{name} static public", crypto.public_key(side["static"]))
        show(f"{name} ephemeral public", crypto.public_key(side["ephemeral"]))
    show("PRS", run.prs)
    show("CI", run.ci)
    show("sid", run.sid)
    show("generator", run.generator)
    show("Ya", run.ya)
    show("Yb", run.yb)
    show("ISK", run.isk)
    show("pairing psk", run.psk)
    show("pairing prologue", run.prologue)
    for place, message in enumerate(run.messages):
        show(f"pairing message {place + 1}", message)
        if 2 <= place <= 4:
            chaining, hashed = run.states[place - 2]
            show(f"chaining key behind pairing message {place + 1}", chaining)
            show(f"hash behind pairing message {place + 1}", hashed)
    show("split 1 of the pairing", run.split[0])
    show("split 2 of the pairing", run.split[1])
    show("pairing", run.pairing)
    show("psk", run.session_psk)
    show("first ticket", run.ticket, "I-40")

    phone = sealing.Device(0, run.pairing, enterer["static"], crypto.public_key(shower["static"]), run.session_psk)
    watch = sealing.Device(1, run.pairing, shower["static"], crypto.public_key(enterer["static"]), run.session_psk)
    connection, counter = 0x04030201, 300
    first = wire.u(0x0102030405060708, 8) + wire.write_hello({"T": run.ticket, "n": 1, "m": 1})
    ephemeral, answering = numbered(0x05, 32), numbered(0x25, 32)
    prologue = sealing.lv(sealing.SUITE) + b"\1" + run.pairing + b"\1" + wire.u(connection, 4) + wire.u(counter, 8)
    for purpose in (b"counter mask", b"message 1 MAC", b"refusal MAC", b"reset token"):
        for role in (0, 1):
            show(f"{purpose.decode()} key of role {role}", phone.outer(purpose, role))
    show("connection ID of message 1", connection)
    show("counter", counter)
    show("session prologue", prologue, "S-7")
    show("initiator ephemeral", ephemeral)
    show("initiator ephemeral public", crypto.public_key(ephemeral))
    show("payload of message 1", first, "W-12")
    initiation = sealing.Initiation(phone, connection, counter, first, ephemeral)
    show("masked counter", initiation.body[32:40], "S-3")
    show("MAC of message 1", initiation.body[40:48], "S-4")
    show("body of message 1", initiation.body, "S-8 C-13")
    show("chaining key behind message 1", initiation.noise.ck)
    show("hash behind message 1", initiation.noise.h)
    show("early key", initiation.early, "S-11")
    early = bytes.fromhex("1002000107000101")
    show("frames of early packet 0", early)
    show("early packet 0 on a stream", wire.prefix(1, len(early) + 17) + crypto.seal(initiation.early, 0, b"", early + b"\x80"), "S-16")
    show("refusal MAC naming 700", watch.refusal(1, 700, connection, initiation.body), "S-5")

    response = sealing.Response(watch, connection, sealing.Response.counter(watch, connection, initiation.body), initiation.body)
    assert response.payload == first and response.early == initiation.early
    second = wire.u(0x08070605, 4) + wire.u(0x1112131415161718, 8) + b"\1" + wire.varint(5) \
        + wire.write_hello({"T": run.ticket, "n": 1, "m": 1, "answer": 1})
    body = response.respond(second, answering)
    show("responder ephemeral", answering)
    show("responder ephemeral public", crypto.public_key(answering))
    show("payload of message 2", second, "W-13")
    show("body of message 2", body, "S-7")
    show("chaining key behind message 2", response.noise.ck)
    show("hash behind message 2", response.noise.h)
    assert initiation.open(body) == second
    sending, receiving, ticket = initiation.keys()
    assert (receiving, sending, ticket) == response.keys()
    show("split 1", sending, "S-12")
    show("split 2", receiving, "S-12")
    show("ticket", ticket, "S-12")
    frames = bytes.fromhex("0105")
    stream = crypto.seal(sending, 0, b"", frames + b"\x80")
    show("frames of packet 0", frames)
    show("packet 0 of the initiator on a stream", wire.prefix(0, len(stream)) + stream, "S-13 W-2")
    show("packet 0 of the initiator on seqpacket", b"\0" + crypto.seal(sending, 0, b"\0", frames + b"\x80"), "S-13 W-2")
    padded = (frames + b"\x80").ljust(64, b"\0")
    header = b"\0" + wire.u(0x08070605, 4) + wire.u(0, 2)
    show("packet 0 of the initiator in a datagram, padded to 64", header + crypto.seal(sending, 0, header, padded), "S-13 S-17")
    later = crypto.rekey(sending)
    show("split 1 after 65,536 numbers", later, "S-14")
    header = b"\x10" + wire.u(0x08070605, 4) + wire.u(5, 2)
    datagram = header + crypto.seal(later, 65541, header, frames + b"\x80")
    show("packet 65541 of the initiator in a datagram", datagram, "S-14")
    show("reset token that answers packet 65541", watch.reset(1, 0x08070605, datagram[-8:]), "S-6")


if __name__ == "__main__":
    main()
