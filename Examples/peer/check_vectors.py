"""Holds this peer against the wire vectors: python3 check_vectors.py Fixtures/wire"""

import json
import re
import sys
from pathlib import Path

import deltas
import fec
import frame_text
import records
from codec import Reader, WireError, u32, u64
from frame_reading import read_frame
from frame_writing import write_frame
from hello import Hello, read_payload1, read_payload2, write_payload1, write_payload2
from noise import public, rekey
from packets import (
    DATAGRAM,
    SEQPACKET,
    STREAM,
    Stream,
    TRANSPORT,
    complete,
    frame_up,
    header,
    prefix,
    read_packet,
    write_packet,
)
from pairing import Run
from security import Direction, Sealed, Unsealed

V = Path(sys.argv[1])
bad = good = 0


def rows(name):
    for line in (V / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def check(what, ok, detail=""):
    global bad, good
    good += bool(ok)
    if not ok:
        bad += 1
        print("WRONG", what, detail)


def frames():
    for fields, hexa, *_ in rows("frames.tsv"):
        data = bytes.fromhex(hexa)
        try:
            r = Reader(data)
            f = read_frame(r)
            check(fields, not r.left and write_frame(f) == data, write_frame(f).hex() + " " + hexa)
            check(fields, frame_text.text(f) == fields, frame_text.text(f))
        except WireError as e:
            check(fields, False, e)


def refused():
    for why, hexa, rule, offset, *_ in rows("frames-rejected.tsv"):
        try:
            r = Reader(bytes.fromhex(hexa))
            f = read_frame(r)
            check("refuse " + why, False, f)
        except WireError as e:
            check(
                "refuse " + why,
                (e.rule, e.offset) == (rule, int(offset)),
                f"{e} not {rule} at {offset}",
            )


def hellos():
    for fields, hexa, *_ in rows("hellos.tsv"):
        data = bytes.fromhex(hexa)
        h = Hello.read(Reader(data))
        check(fields, h.write() == data)
        f = dict(re.findall(r"([A-Za-z']+)=(\S*)", fields))
        check(
            fields,
            h.T == int(f["T"])
            and h.n == int(f["n"])
            and h.m == int(f["m"])
            and h.N == int(f.get("N", 0))
            and h.n_pending == int(f.get("n'", 0))
            and h.answer == int(f.get("answer", 0)),
        )


def packets():
    for carrier, fields, hexa, *_ in rows("packets.tsv"):
        data = bytes.fromhex(hexa)
        if carrier == STREAM:
            s = Stream()
            s.feed(data)
            p = read_packet(carrier, *s.next())
        else:
            p = read_packet(carrier, data[0], data[1:])
        check(fields, write_packet(carrier, p) == data)


def headers():
    for fields, hexa, *_ in rows("headers.tsv"):
        kind, f = fields.split()[0], dict(re.findall(r"(\w+)=(\S+)", fields))
        if kind == "prefix":
            check(fields, prefix(int(f["kind"]), int(f["length"])).hex() == hexa)
            s = Stream()
            s.limit = 65536
            s.feed(bytes.fromhex(hexa) + bytes(int(f["length"])))
            check(fields, s.next() == (int(f["kind"]), bytes(int(f["length"]))))
        elif kind == "header":
            number = int(f["number"])
            if (number >= 2**14) == (f["bytes"] == "4"):
                check(
                    fields,
                    header(0, int.from_bytes(bytes.fromhex(f["id"]), "little"), number).hex()
                    == hexa,
                )
            data = bytes.fromhex(hexa)
            p = read_packet(DATAGRAM, data[0], data[1:])
            check(
                fields,
                (p.low, p.size, p.phase)
                == (number & (1 << 8 * int(f["bytes"])) - 1, int(f["bytes"]), int(f["phase"])),
            )
        else:
            largest = None if f["largest"] == "none" else int(f["largest"])
            check(
                fields,
                complete(int(f["low"]), int(f["bytes"]), largest) == int(hexa),
                complete(int(f["low"]), int(f["bytes"]), largest),
            )


def repair():
    for name, row, packets, c, *_ in rows("repair.tsv"):
        ps = [bytes.fromhex(p) for p in packets.split(",")]
        check(name, fec.combination(int(row), ps).hex() == c)
        lost = len(ps) - 1
        got = fec.recover(
            len(ps), {j: p for j, p in enumerate(ps) if j != lost}, {int(row): bytes.fromhex(c)}
        )
        check(name + " recovered", got == {lost: ps[lost]})


def unsealed():
    u = {r[0]: r[1] for r in rows("unsealed.tsv")}
    m1 = bytes.fromhex(u["message 1"])
    cid, body = int.from_bytes(m1[1:5], "little"), m1[5:]
    watch = Unsealed(1, bytes.fromhex("00112233445566778899aabbccddeeff"))
    phone = Unsealed(0, watch.pairing)
    counter = watch.peek1(cid, body)
    payload, random1 = watch.open1(cid, counter, body)
    check("unsealed payload 1", payload.hex() == u["payload of message 1"])
    check("unsealed payload 1", write_payload1(*read_payload1(payload)) == payload)
    check("unsealed 1", m1[0] == 0 and phone.make1(cid, counter, payload, random1)[0] == body)
    b2 = bytes.fromhex(u["message 2"])[4:]
    p2, session = phone.open2(random1, b2)
    check("unsealed 2", p2.hex() == u["payload of message 2"] and str(session[0]) == u["ticket"])
    check("unsealed payload 2", write_payload2(*read_payload2(p2)) == p2)
    check("unsealed 2", watch.make2(random1, p2, b2[:8])[0] == b2)
    check(
        "unsealed refusal",
        (u32(cid) + u64(700) + watch.refusal_mac(True, 700, cid, body)).hex()
        == u["refusal, counter 700"],
    )


def sealed():
    S = {r[0]: r[1] for r in rows("sealed.tsv")}

    def b(name):
        return bytes.fromhex(S[name])

    E, W = (
        Run(
            S["code"],
            int(S[f"{w} role"]),
            w == "entry",
            b(f"{w} device"),
            b(f"{w} nonce"),
            b(f"{w} scalar"),
            b(f"{w} static"),
            b(f"{w} ephemeral"),
        )
        for w in ("entry", "display")
    )
    m = E.message1()
    for i in range(1, 7):
        check(f"pairing message {i}", m == b(f"pairing message {i}"), m.hex())
        side = (W, E)[(i + 1) % 2]
        m = side.receive(m)
    for name, got in (
        ("ISK", E.isk),
        ("pairing psk", E.psk),
        ("pairing prologue", E.prologue),
        ("pairing", E.keys.pairing),
        ("psk", E.keys.psk),
        ("entry static public", public(E.static)),
        ("display static public", E.keys.remote_static),
    ):
        check(name, got == b(name), got.hex())
    check("first ticket", str(E.keys.ticket) == S["first ticket"])
    check(
        "both", (E.keys.pairing, E.keys.psk) == (W.keys.pairing, W.keys.psk) and E.sid == b("sid")
    )
    phone, watch = Sealed(0, E.keys), Sealed(1, W.keys)
    for purpose in ("counter mask", "message 1 MAC", "refusal MAC", "reset token"):
        for role in (0, 1):
            check(
                purpose, phone.purpose(purpose.encode(), role) == b(f"{purpose} key of role {role}")
            )
    cid, counter = int(S["connection ID of message 1"]), int(S["counter"])
    body, noise = phone.make1(cid, counter, b("payload of message 1"), b("initiator ephemeral"))
    check("body of message 1", body == b("body of message 1"), body.hex())
    check("peek", watch.peek1(cid, body) == counter)
    payload, wn = watch.open1(cid, counter, body)
    check(
        "payload 1",
        payload == b("payload of message 1") and write_payload1(*read_payload1(payload)) == payload,
    )
    check("early key", phone.early_key(noise) == b("early key") == watch.early_key(wn))
    s = Stream()
    s.feed(b("early packet 0 on a stream"))
    kind, sealed = s.next()
    check(
        "early packet",
        Direction(b("early key")).open(0, b"", sealed) == b("frames of early packet 0"),
    )
    check(
        "refusal",
        watch.refusal_mac(True, 700, cid, body)
        == b("refusal MAC naming 700")
        == phone.refusal_mac(False, 700, cid, body),
    )
    wn.e = b("responder ephemeral")
    body2, ws = watch.make2(wn, b("payload of message 2"))
    check("body of message 2", body2 == b("body of message 2"))
    p2, ps = phone.open2(noise, body2)
    check("payload 2", p2 == b("payload of message 2") and write_payload2(*read_payload2(p2)) == p2)
    check("ticket", ps[0] == ws[0] == int(S["ticket"]))
    check("split", ps[1].keys[0] == b("split 1") and ps[2].keys[0] == b("split 2"))
    frames = b("frames of packet 0")
    connection = int.from_bytes(p2[:4], "little")
    check(
        "stream",
        frame_up(STREAM, TRANSPORT, ps[1].seal(0, b"", frames))
        == b("packet 0 of the initiator on a stream"),
    )
    check(
        "seqpacket",
        frame_up(SEQPACKET, TRANSPORT, ps[1].seal(0, b"\0", frames))
        == b("packet 0 of the initiator on seqpacket"),
    )
    h = header(0, connection, 0)
    check(
        "datagram",
        h + ps[1].seal(0, h, frames, 64)
        == b("packet 0 of the initiator in a datagram, padded to 64"),
    )
    check("rekey", rekey(b("split 1")) == b("split 1 after 65,536 numbers"))
    data = b("packet 65541 of the initiator in a datagram")
    p = read_packet(DATAGRAM, data[0], data[1:])
    check("65541", ws[2].open(65541, p.associated, p.sealed) == frames)
    check(
        "reset token",
        watch.reset_token(True, connection, data) == b("reset token that answers packet 65541"),
    )


def records_():
    for row in json.loads((V / "records/golden.json").read_text()):
        what, data = f"{row['kind']} {row['name']}", bytes.fromhex(row["hex"])
        try:
            if row["kind"].endswith("Delta"):
                base, nxt = bytes.fromhex(row["value"]["base"]), bytes.fromhex(row["value"]["next"])
                check(what, deltas.apply_delta(row["kind"], base, data) == nxt)
                check(what + " made", deltas.make_delta(row["kind"], base, nxt) == data)
            else:
                value = records.decode(row["kind"], data)
                check(what, records.encode(row["kind"], value) == data)
                check(
                    what,
                    all(value[k] == v for k, v in row["value"].items()),
                    f"{value} {row['value']}",
                )
        except WireError as e:
            check(what, False, e)
    for row in json.loads((V / "records/rejected.json").read_text()):
        what, data = f"refuse {row['kind']} {row['name']}", bytes.fromhex(row["hex"])
        try:
            if row["kind"].endswith("Delta"):
                deltas.apply_delta(row["kind"], bytes.fromhex(row["base"]), data)
            else:
                records.decode(row["kind"], data)
            check(what, False, "taken")
        except WireError as e:
            check(
                what,
                (e.rule, e.offset) == (row["rule"], row["offset"]),
                f"{e} not {row['rule']} at {row['offset']}",
            )


if __name__ == "__main__":
    for part in (frames, refused, hellos, packets, headers, repair, unsealed, sealed, records_):
        part()
    print(f"{good} checks good, {bad} wrong")
    sys.exit(bad > 0)
