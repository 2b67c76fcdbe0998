"""Writes Fixtures/wire/sealed.tsv from fixed scalars: python3 sealed_vectors.py > FILE.

The tests of WatchProtoSecurity hold the code against that file, so that two implementations agree.
"""

import ristretto
from codec import u16, u32, u64
from hello import Hello, write_payload1, write_payload2
from noise import public, rekey
from packets import EARLY, SEQPACKET, STREAM, TRANSPORT, frame_up, header
from pairing import Run, SUITE, lv
from security import Direction, Sealed


def numbered(start, count):
    """Bytes that ascend from `start`: nobody's secret."""
    return bytes((start + place) % 256 for place in range(count))


def show(name, data, rules=""):
    print(f"{name}\t{data.hex() if isinstance(data, bytes) else data}\t{rules}")


FIELDS = ("role", "device", "nonce", "scalar", "static", "ephemeral")
ENTRY = dict(
    role=0,
    device=numbered(0x10, 16),
    nonce=numbered(0x20, 16),
    scalar=numbered(0x40, 64),
    static=numbered(0xA0, 32),
    ephemeral=numbered(0xC0, 32),
)
DISPLAY = dict(
    role=1,
    device=numbered(0x30, 16),
    nonce=numbered(0x50, 16),
    scalar=numbered(0x80, 64),
    static=numbered(0x60, 32),
    ephemeral=numbered(0xE0, 32),
)


def show_pairing():
    """Returns what the pairing leaves on both sides."""
    show("code", "042917")
    entry, display = Run("042917", enters=True, **ENTRY), Run("042917", enters=False, **DISPLAY)
    for name, side in (("entry", ENTRY), ("display", DISPLAY)):
        for field in FIELDS:
            show(f"{name} {field}", side[field], "S-2" if field == "scalar" else "")
        show(f"{name} static public", public(side["static"]))
        show(f"{name} ephemeral public", public(side["ephemeral"]))
    messages, states = [entry.message1()], []
    for side in (display, entry) * 3:
        answer = side.receive(messages[-1])
        if len(messages) >= 2 and answer:
            states.append((side.handshake.ck, side.handshake.h))
        if answer:
            messages.append(answer)
    show("PRS", entry.prs)
    show("CI", entry.ci)
    show("sid", entry.sid)
    show("generator", ristretto.encode(entry.generator))
    show("Ya", display.share)
    show("Yb", entry.share)
    show("ISK", entry.isk)
    show("pairing psk", entry.psk)
    show("pairing prologue", entry.prologue)
    for place, message in enumerate(messages):
        show(f"pairing message {place + 1}", message)
        if 2 <= place <= 4:
            chaining, hashed = states[place - 2]
            show(f"chaining key behind pairing message {place + 1}", chaining)
            show(f"hash behind pairing message {place + 1}", hashed)
    for place, key in enumerate(entry.handshake.split()):
        show(f"split {place + 1} of the pairing", key)
    show("pairing", entry.keys.pairing)
    show("psk", entry.keys.psk)
    show("first ticket", entry.keys.ticket, "I-40")
    return entry.keys, display.keys


def show_message1(phone, watch, ticket):
    """Returns the state of the initiator, the body of message 1, and its connection ID."""
    connection, counter = 0x04030201, 300
    payload = write_payload1(0x0102030405060708, Hello(T=ticket, n=1, m=1))
    ephemeral = numbered(0x05, 32)
    prologue = lv(SUITE) + b"\1" + phone.keys.pairing + b"\1" + u32(connection) + u64(counter)
    for purpose in (b"counter mask", b"message 1 MAC", b"refusal MAC", b"reset token"):
        for role in (0, 1):
            show(f"{purpose.decode()} key of role {role}", phone.purpose(purpose, role))
    show("connection ID of message 1", connection)
    show("counter", counter)
    show("session prologue", prologue, "S-7")
    show("initiator ephemeral", ephemeral)
    show("initiator ephemeral public", public(ephemeral))
    show("payload of message 1", payload, "W-12")
    body, state = phone.make1(connection, counter, payload, ephemeral)
    show("masked counter", body[32:37], "S-3")
    show("MAC of message 1", body[37:45], "S-4")
    show("body of message 1", body, "S-8 C-13")
    show("chaining key behind message 1", state.ck)
    show("hash behind message 1", state.h)
    early = phone.early_key(state)
    show("early key", early, "S-11")
    frames = bytes.fromhex("1002000107000101")
    show("frames of early packet 0", frames)
    packet = frame_up(STREAM, EARLY, Direction(early).seal(0, b"", frames))
    show("early packet 0 on a stream", packet, "S-16")
    refusal = watch.refusal_mac(True, 700, connection, body)
    show("refusal MAC naming 700", refusal, "S-5")
    return state, body, connection, counter, payload


def show_message2(phone, watch, ticket, state, body, connection, counter, payload):
    """Returns the initiator's keys for what it sends."""
    opened, responder = watch.open1(connection, counter, body)
    assert (opened, watch.early_key(responder)) == (payload, phone.early_key(state))
    responder.e = answering = numbered(0x25, 32)
    second = write_payload2(
        0x08070605, 0x1112131415161718, True, 5, Hello(T=ticket, n=1, m=1, answer=1)
    )
    body, answerer = watch.make2(responder, second)
    show("responder ephemeral", answering)
    show("responder ephemeral public", public(answering))
    show("payload of message 2", second, "W-13")
    show("body of message 2", body, "S-7")
    show("chaining key behind message 2", responder.ck)
    show("hash behind message 2", responder.h)
    opened, (name, sending, receiving) = phone.open2(state, body)
    assert (opened, name) == (second, answerer[0])
    assert sending.keys[0] == answerer[2].keys[0] and receiving.keys[0] == answerer[1].keys[0]
    show("split 1", sending.keys[0], "S-12")
    show("split 2", receiving.keys[0], "S-12")
    show("ticket", name, "S-12")
    return sending


def show_packets(watch, sending):
    frames, connection = bytes.fromhex("0105"), 0x08070605
    first = "packet 0 of the initiator"
    show("frames of packet 0", frames)
    stream = frame_up(STREAM, TRANSPORT, sending.seal(0, b"", frames))
    show(f"{first} on a stream", stream, "S-13 W-2")
    seqpacket = frame_up(SEQPACKET, TRANSPORT, sending.seal(0, b"\0", frames))
    show(f"{first} on seqpacket", seqpacket, "S-13 W-2")
    head = header(TRANSPORT, connection, 0)
    datagram = head + sending.seal(0, head, frames, pad=64)
    show(f"{first} in a datagram, padded to 64", datagram, "S-13 S-17")
    show("split 1 after 65,536 numbers", rekey(sending.keys[0]), "S-14")
    head = bytes([TRANSPORT | 1 << 4]) + u32(connection) + u16(5)
    datagram = head + sending.seal(65541, head, frames)
    show("packet 65541 of the initiator in a datagram", datagram, "S-14")
    token = watch.reset_token(True, connection, datagram)
    show("reset token that answers packet 65541", token, "S-6")


def main():
    print(
        "# Sealed vectors: name, bytes (hexadecimal) or number or text, rules shown. Written by"
        " Examples/peer/sealed_vectors.py."
    )
    of_phone, of_watch = show_pairing()
    phone, watch = Sealed(0, of_phone), Sealed(1, of_watch)
    made = show_message1(phone, watch, of_phone.ticket)
    show_packets(watch, show_message2(phone, watch, of_phone.ticket, *made))


if __name__ == "__main__":
    main()
