"""What stands around frames in wire version 0: greetings, flights, notices, prefixes, headers.

Written from `wire-format.md`. Reading gives dictionaries with the fields of the vectors in
`Fixtures/wire/packets`: names of 64 and 128 bits in hexadecimal digits, lists by lane.
"""

from watch_frames import EARLY, LANES, LARGEST_NUMBER, TRANSPORT
from watch_records import Reader, check, low, varint

LARGEST_PACKET, LARGEST_FLIGHT, MOST_EPOCHS = 65_536, 16_384, 32


def hexadecimal(r):
    return f"{r.low(8):016x}"


def put_hexadecimal(text):
    return low(int(text, 16), 8)


def per_lane(r, largest=(1 << 64) - 1):
    numbers = []
    for _ in LANES:
        at = r.at
        numbers.append(r.varint())
        check(numbers[-1] <= largest, "outOfRange", at)
    return numbers


def get_count(r, lowest=0):
    at, count = r.at, r.varint()
    check(lowest <= count <= MOST_EPOCHS, "outOfRange", at)
    return count


def get_epoch(r, listed):
    at, epoch = r.at, hexadecimal(r)
    check(int(epoch, 16) and epoch not in [other["id"] for other in listed], "outOfRange", at)
    return epoch


def get_own_epoch(r, listed):
    epoch, at = get_epoch(r, listed), r.at
    code, former = r.byte(), listed[-1] if listed else None
    check(code in (0, 2) or code == 1 and former, "unknownCode", at)
    parent, highest = None, [0] * 5
    implied = former and [number - 1 for number in former["next"]]
    if code == 1:
        parent, highest = former["id"], implied
    elif code == 2:
        parent, highest = get_epoch(r, []), per_lane(r, LARGEST_NUMBER)
        check(not former or (parent, highest) != (former["id"], implied), "notCanonical", at)
    numbers = []
    for _ in LANES:
        at = r.at
        numbers.append((r.varint(), r.varint()))
        number, live = numbers[-1]
        check(live < number <= LARGEST_NUMBER + 1, "outOfRange", at)
    return {"id": epoch, "parent": parent, "parentHighest": highest,
            "next": [number for number, _ in numbers], "unsettled": [live for _, live in numbers]}


def get_greeting(r):
    """A greeting; what a newer version put behind it stays where it is."""
    at, role = r.at, r.byte()
    check(role <= 1, "unknownCode", at)
    greeting = {"role": role, "pairing": r.take(16).hex(), "highestVersion": r.byte(),
                "own": [], "known": []}
    for _ in range(get_count(r, lowest=1)):
        greeting["own"].append(get_own_epoch(r, greeting["own"]))
    for _ in range(get_count(r)):
        epoch = get_epoch(r, greeting["known"])
        greeting["known"].append({"id": epoch, "receivedThrough": per_lane(r, LARGEST_NUMBER + 1)})
    greeting["offers"], greeting["bytes"] = per_lane(r), per_lane(r)
    greeting["digests"] = [hexadecimal(r), hexadecimal(r)]
    at, greeting["largestDatagram"] = r.at, r.varint()
    check(greeting["largestDatagram"] >= 128, "outOfRange", at)
    return greeting


def put_own_epoch(epoch, former):
    out = put_hexadecimal(epoch["id"])
    implied = former and [number - 1 for number in former["next"]]
    if epoch["parent"] is None:
        out += b"\0"
    elif former and (epoch["parent"], epoch["parentHighest"]) == (former["id"], implied):
        out += b"\1"
    else:
        out += b"\2" + put_hexadecimal(epoch["parent"])
        out += b"".join(map(varint, epoch["parentHighest"]))
    for number, live in zip(epoch["next"], epoch["unsettled"]):
        out += varint(number) + varint(live)
    return out


def put_greeting(greeting):
    out = bytes([greeting["role"]]) + bytes.fromhex(greeting["pairing"])
    out += bytes([greeting["highestVersion"]]) + varint(len(greeting["own"]))
    for place, epoch in enumerate(greeting["own"]):
        out += put_own_epoch(epoch, greeting["own"][place - 1] if place else None)
    out += varint(len(greeting["known"]))
    for epoch in greeting["known"]:
        out += put_hexadecimal(epoch["id"]) + b"".join(map(varint, epoch["receivedThrough"]))
    out += b"".join(map(varint, greeting["offers"] + greeting["bytes"]))
    out += b"".join(map(put_hexadecimal, greeting["digests"]))
    return out + varint(greeting["largestDatagram"])


def get_handshake(r):
    version, at = r.byte(), r.at
    sender = r.low(4)
    check(sender & 0xFFFF, "outOfRange", at)
    at, receiver = r.at, r.low(4)
    check(receiver == 0 or receiver & 0xFFFF, "outOfRange", at)
    check(len(r.data) - r.at <= LARGEST_FLIGHT, "outOfRange", r.at)
    return {"version": version, "sender": sender, "receiver": receiver,
            "flight": r.take(len(r.data) - r.at).hex()}


def put_handshake(packet):
    return (bytes([packet["version"]]) + low(packet["sender"], 4) + low(packet["receiver"], 4)
            + bytes.fromhex(packet["flight"]))


def get_notice(r):
    version, at = r.byte(), r.at
    code = r.byte()
    check(code <= 6, "unknownCode", at)
    r.end()
    return {"version": version, "code": code}


def put_notice(notice):
    return bytes([notice["version"], notice["code"]])


def get_prefix(r):
    prefix = r.varint()
    check(prefix >> 2 <= LARGEST_PACKET, "outOfRange", 0)
    return {"kind": prefix & 3, "length": prefix >> 2}


def put_prefix(prefix):
    return varint(prefix["length"] * 4 + prefix["kind"])


def get_header(r):
    first = r.byte()
    check(first < 0x20, "unknownCode", 0)
    header = {"kind": first & 3, "keyPhase": bool(first & 16),
              "numberBytes": (0, 1, 2, 4)[first >> 2 & 3], "hint": 0, "number": 0}
    if header["numberBytes"]:
        check(header["kind"] in (TRANSPORT, EARLY), "notCanonical", 0)
        header["hint"], header["number"] = r.low(2), r.low(header["numberBytes"])
    return header


def put_header(header):
    code = (0, 1, 2, None, 3)[header["numberBytes"]]
    out = bytes([header["kind"] | code << 2 | header["keyPhase"] << 4])
    if code:
        out += low(header["hint"], 2) + low(header["number"], header["numberBytes"])
    return out


def whole_number(data, largest):
    """The packet number that the low bytes `data` stand for, after `largest` (RFC 9000, A.3)."""
    window = 1 << 8 * len(data)
    expected = 0 if largest is None else largest + 1
    number = expected // window * window + int.from_bytes(data, "little")
    if number <= expected - window // 2:
        return number + window
    if number > expected + window // 2 and number >= window:
        return number - window
    return number


# --- The header of a Unix datagram socket

PACKET, HAIL, WELCOME, BUSY, CALL, END, OPENING = range(7)


def get_link_header(r):
    """The code of a datagram and the number of its link; the rest is the packet, if it has one."""
    check(len(r.data) >= 5, "truncated", len(r.data))
    at, code = r.at, r.byte()
    check(code <= OPENING, "unknownCode", at)
    return code, r.low(4)


def put_link_header(code, link):
    return bytes([code]) + low(link, 4)


READERS = {"greeting": get_greeting, "handshake": get_handshake, "notice": get_notice,
           "streamPrefix": get_prefix, "datagramHeader": get_header}
WRITERS = {"greeting": put_greeting, "handshake": put_handshake, "notice": put_notice,
           "streamPrefix": put_prefix, "datagramHeader": put_header}


def holds(vector):
    """Whether a golden vector is read as its fields say, and written as its bytes."""
    data, value = bytes.fromhex(vector["hex"]), vector["value"]
    if vector["kind"] == "packetNumber":
        number = whole_number(data, value["largestReceived"])
        return number == value["number"] and low(number, 8)[: len(data)] == data
    r = Reader(data)
    read = READERS[vector["kind"]](r)
    r.end()
    return read == value and WRITERS[vector["kind"]](read) == data
