"""Packets and frames of wire version 0 on a stream, in Python.

Written from `wire-format.md`. A frame is a dictionary: its `type` and its fields.
"""

from watch_records import Reader, Refused, check, low, varint

TRANSPORT, HANDSHAKE, EARLY, NOTICE = range(4)
INTERACTIVE, COMPLICATION, BACKGROUND, CONTEXT, BULK = range(5)
LANES = range(5)
NEWEST = (COMPLICATION, CONTEXT)  # newest per key; the others are ordered
WINDOWS = [(256, 1 << 20), (256, 1 << 18), (1024, 1 << 20), (1024, 1 << 20), (16, 1 << 20)]
LARGEST = [65_536, 4_096, 65_536, 65_536, 4_194_304]  # payload, by lane
LARGEST_NUMBER = (1 << 62) - 1  # of a record; what names the one after it may be one more
RECEIVED, COMMITTED, APPLIED = 2, 3, 4

PADDING, PING, PONG, CLOSE, ACK, EARLY_VERDICT, NEXT_KEY = range(7)
(RECORD, PART, RECEIPT, FLOOR, CREDIT, TRY_LATER, NEED_BASE, OUTCOME, WITHDRAW, HELD_QUERY,
 HELD) = range(0x10, 0x1B)
FURTHER_PART = 0x20  # and the lane, and 8 if an epoch follows
ARRIVAL, PARITY = 0x42, 0x43
VALUE_QUERY, VALUE = 0x50, 0x51
HELD_VALUES = {COMPLICATION: 1024, CONTEXT: 16_384}  # at most, 512 bytes each in two sets

# The flags of a record and the names of what they announce.
PREDECESSOR, KEY, HANDLE, WANTS_REPLY, REPLY, EXPIRY, IDEMPOTENCY = (1 << i for i in range(7))


def packet(kind, body):
    return varint(len(body) * 4 + kind) + body


def split_packet(data):
    """(kind, body, what is left) of the first packet in `data`, or None while it is cut short."""
    r = Reader(data)
    try:
        prefix = r.varint()
        check(prefix >> 2 <= 65_536, "outOfRange", 0)
        body = r.take(prefix >> 2)
    except Refused as refused:
        if refused.rule == "truncated":
            return None
        raise
    return prefix & 3, body, r.data[r.at :]


def block(data):
    return varint(len(data)) + data


def get_lane(r, newest=False):
    at, lane = r.at, r.byte()
    check(lane in (NEWEST if newest else LANES), "unknownCode", at)
    return lane


def get_number(r, largest=LARGEST_NUMBER):
    at, number = r.at, r.varint()
    check(1 <= number <= largest, "outOfRange", at)
    return number


def get_block(r, limit):
    at, length = r.at, r.varint()
    check(length <= limit, "outOfRange", at)
    check(length <= len(r.data) - r.at, "truncated", at)
    return r.take(length)


def get_code(r, codes):
    at, code = r.at, r.byte()
    check(code in codes, "unknownCode", at)
    return code


# --- Records --------------------------------------------------------------------------------------


def get_record(r):
    """A record from its form on: the type in front is not read, so that parts can use it, too."""
    at, form = r.at, r.byte()
    lane, f = form & 15, {"type": RECORD, "delta": form >> 4 & 3, "marked": form >> 6 & 1}
    newest = lane in NEWEST
    check(lane in LANES and f["delta"] <= 1 and form < 0x80, "unknownCode", at)
    check(newest or not form & 0x70, "unknownCode", at)
    at, flags = r.at, r.byte()
    allowed = EXPIRY | IDEMPOTENCY | (KEY | HANDLE if newest else PREDECESSOR)
    if lane == INTERACTIVE:
        allowed |= WANTS_REPLY | REPLY
    check(not flags & ~allowed and (not newest or flags & (KEY | HANDLE)), "unknownCode", at)
    f |= {"lane": lane, "wants_reply": bool(flags & WANTS_REPLY)}
    f["epoch"], f["number"] = r.varint(), get_number(r)
    if flags & PREDECESSOR:
        at, back, number = r.at, r.varint(), r.varint()
        if back == 0:
            check(0 < number < f["number"], "outOfRange", at)
            number = f["number"] - number
        check(back <= f["epoch"] and 1 <= number <= LARGEST_NUMBER, "outOfRange", at)
        f["predecessor"] = (f["epoch"] - back, number)
    f["kind"] = r.byte()
    if flags & KEY:
        f["key"] = r.take(16).hex()
    if flags & HANDLE:
        f["handle"] = r.varint()
    if flags & REPLY:
        f["reply_to"] = get_number(r)
    if flags & EXPIRY:
        f["expiry"] = r.low(8, signed=True)
    if flags & IDEMPOTENCY:
        f["idempotency"] = r.take(16).hex()
    if f["delta"]:
        f["base"] = (r.byte(), r.low(2))
    f["payload"] = get_block(r, LARGEST[lane])
    return f


def put_record(f):
    names = {"predecessor": PREDECESSOR, "key": KEY, "handle": HANDLE, "reply_to": REPLY,
             "expiry": EXPIRY, "idempotency": IDEMPOTENCY}
    flags = sum(bit for name, bit in names.items() if name in f)
    flags |= WANTS_REPLY if f.get("wants_reply") else 0
    out = bytes([f["lane"] | f.get("delta", 0) << 4 | f.get("marked", 0) << 6, flags])
    out += varint(f["epoch"]) + varint(f["number"])
    if "predecessor" in f:
        epoch, number = f["predecessor"]
        back = f["epoch"] - epoch
        out += varint(back) + varint(number if back else f["number"] - number)
    out += bytes([f["kind"]]) + bytes.fromhex(f.get("key", ""))
    for name in ("handle", "reply_to"):
        out += varint(f[name]) if name in f else b""
    out += low(f["expiry"], 8) if "expiry" in f else b""
    out += bytes.fromhex(f.get("idempotency", ""))
    if f.get("delta"):
        out += bytes([f["base"][0]]) + low(f["base"][1], 2)
    return out + block(f["payload"])


# --- All frames -----------------------------------------------------------------------------------


def get_ranges(r):
    """Floor and ranges: the floor and the pairs (first, last) above it."""
    floor, ranges = get_number(r, LARGEST_NUMBER + 1), []
    at, count = r.at, r.varint()
    check(count <= 32, "outOfRange", at)
    check(2 * count <= len(r.data) - r.at, "truncated", at)
    end = floor
    for _ in range(count):
        at, first = r.at, end + r.varint() + 1
        end = first + r.varint() + 1
        check(end <= LARGEST_NUMBER + 1, "outOfRange", at)
        ranges.append((first, end - 1))
    return floor, ranges


def put_ranges(floor, ranges):
    out, end = varint(floor) + varint(len(ranges)), floor
    for first, last in ranges:
        out += varint(first - end - 1) + varint(last - first)
        end = last + 1
    return out


def get_descending(r):
    at, smallest = r.at, r.varint() + 2
    count, ranges = r.varint(), []
    check(count >= 1, "outOfRange", at)
    for place in range(count):
        at = r.at
        largest = smallest - 2 - (r.varint() if place else 0)
        at, smallest = (r.at, largest - r.varint())
        check(smallest >= 0, "outOfRange", at)
        ranges.append((smallest, largest))
    return ranges


def put_descending(ranges):
    out = varint(ranges[0][1]) + varint(len(ranges))
    above = None
    for smallest, largest in ranges:
        out += (b"" if above is None else varint(above - largest - 2)) + varint(largest - smallest)
        above = smallest
    return out


def get_early(r):
    """What became of early data: 512 packets at most, numbered from 0."""
    f = {"session": r.low(4)}
    at, f["verdict"] = r.at, get_code(r, range(3))
    if f["verdict"] == 1:
        f["ranges"] = get_descending(r)
        check(f["ranges"][0][1] < 512, "outOfRange", at)
    elif f["verdict"] == 2:
        f["highest"] = r.low(8)
    return f


def put_early(f):
    out = low(f["session"], 4) + bytes([f["verdict"]])
    if f["verdict"] == 1:
        out += put_descending(f["ranges"])
    return out + (low(f["highest"], 8) if f["verdict"] == 2 else b"")


def get_part(r):
    f = {"lane": get_lane(r), "epoch": r.varint(), "number": get_number(r), "total": r.varint()}
    at, f["offset"] = r.at, r.varint()
    check(f["offset"] < f["total"], "outOfRange", at)
    at, f["piece"] = r.at, get_block(r, f["total"] - f["offset"])
    check(f["piece"], "outOfRange", at)
    return f


def get_further_part(r, code):
    """A part without the record's length, to the end of its packet."""
    check(code & 7 in LANES, "unknownCode", r.at - 1)
    at, epoch = r.at, r.varint() if code & 8 else 0
    check(bool(epoch) == bool(code & 8), "notCanonical", at)
    f = {"lane": code & 7, "epoch": epoch, "number": get_number(r)}
    at, f["offset"], largest = r.at, r.varint(), LARGEST[code & 7] + 96
    check(f["offset"] <= largest, "outOfRange", at)
    f["piece"] = r.take(len(r.data) - r.at)
    check(f["offset"] and 0 < len(f["piece"]) < largest - f["offset"], "outOfRange", at)
    return f


def get_held(r):
    f = {"lane": get_lane(r, newest=True)}
    at, f["total"] = r.at, r.varint()
    check(f["total"] <= HELD_VALUES[f["lane"]], "outOfRange", at)
    f["first"] = r.varint()
    at, count = r.at, r.varint()
    check(f["first"] + count <= f["total"], "outOfRange", at)
    check(21 * count <= len(r.data) - r.at, "truncated", at)
    f["values"] = [(r.take(16).hex(), r.byte(), r.low(4)) for _ in range(count)]
    return f


def get_end(r):
    """Where a frame ends whose length is stated for who does not know it."""
    at, length = r.at, r.varint()
    check(length <= 65_536, "outOfRange", at)
    check(length <= len(r.data) - r.at, "truncated", at)
    return r.at + length


def get_limited(r, largest, least=0):
    at, number = r.at, r.varint()
    check(least <= number <= largest, "outOfRange", at)
    return number


def get_arrival(r):
    end = get_end(r)
    f = {"microseconds": get_limited(r, 1 << 50), "restored": get_limited(r, 1 << 50)}
    check(r.at == end, "notCanonical", r.at)
    return f


def get_parity(r):
    end = get_end(r)
    f = {"first": get_limited(r, 1 << 62), "count": get_limited(r, 128, least=1),
         "row": get_limited(r, 31)}
    check(end >= r.at + 2, "outOfRange", r.at)
    f["bytes"] = r.take(end - r.at)
    return f


def get_value(r, kind):
    """A value query or a value, behind its type."""
    end = get_end(r)
    f = {"lane": get_lane(r, newest=True), "key": r.take(16).hex()}
    if kind == VALUE:
        f["epoch"] = r.low(8)
        at = r.at
        f["number"] = get_number(r) if f["epoch"] else r.varint()
        check(f["epoch"] or not f["number"], "outOfRange", at)
        f["kind"] = r.byte()
        at, f["total"] = r.at, r.varint()
        check(f["total"] <= LARGEST[f["lane"]], "outOfRange", at)
    at, f["offset"] = r.at, r.varint()
    check(f["offset"] <= f.get("total", LARGEST[f["lane"]]), "outOfRange", at)
    if kind == VALUE:
        f["piece"] = get_block(r, f["total"] - f["offset"])
    check(r.at == end, "notCanonical", r.at)
    return f


def put_value(f):
    out = bytes([f["lane"]]) + bytes.fromhex(f["key"])
    if f["type"] == VALUE:
        out += low(f["epoch"], 8) + varint(f["number"]) + bytes([f["kind"]]) + varint(f["total"])
    out += varint(f["offset"])
    return block(out + block(f["piece"]) if f["type"] == VALUE else out)


def read_frame(data, at):
    """The frame that begins at `at`, and where the next one does."""
    r = Reader(data, at)
    kind = r.byte()
    f = {}
    if kind in (PING, PONG):
        f["token"] = r.varint()
    elif kind == CLOSE:
        f["code"] = r.byte()
    elif kind == ACK:
        f = {"delay": r.varint(), "ranges": get_descending(r)}
    elif kind == EARLY_VERDICT:
        f = get_early(r)
    elif kind == RECORD:
        f = get_record(r)
    elif kind == PART:
        f = get_part(r)
    elif kind & 0xF0 == FURTHER_PART:
        f, kind = get_further_part(r, kind), FURTHER_PART
    elif kind == RECEIPT:
        code_at, code = r.at, r.byte()
        f["lane"], f["stage"] = code & 15, code >> 4
        check(f["lane"] in LANES and RECEIVED <= f["stage"] <= APPLIED, "unknownCode", code_at)
        f["epoch"] = r.varint()
        f["floor"], f["ranges"] = get_ranges(r)
    elif kind == CREDIT:
        f = {"lane": get_lane(r), "offers": r.varint(), "bytes": r.varint()}
    elif kind in (FLOOR, TRY_LATER, NEED_BASE, OUTCOME, WITHDRAW):
        f = {"lane": get_lane(r, kind == NEED_BASE), "epoch": r.varint()}
        f["number"] = get_number(r, LARGEST_NUMBER + (kind == FLOOR))
        if kind == TRY_LATER:
            f["credit"] = r.varint()
        elif kind == OUTCOME:
            f["outcome"] = get_code(r, range(1, 6))
            f["code"] = r.low(2) if f["outcome"] == 4 else None
            if f["outcome"] == 5:
                at = r.at
                f["further"] = r.varint()
                check(f["number"] + f["further"] <= LARGEST_NUMBER, "outOfRange", at)
        elif kind == WITHDRAW:
            f["reason"] = get_code(r, (0, 1))
    elif kind == HELD_QUERY:
        f["lane"] = get_lane(r, newest=True)
    elif kind == HELD:
        f = get_held(r)
    elif kind == ARRIVAL:
        f = get_arrival(r)
    elif kind == PARITY:
        f = get_parity(r)
    elif kind in (VALUE_QUERY, VALUE):
        f = get_value(r, kind)
    elif kind >= 0x40:
        f["skipped"] = get_block(r, 1 << 64)
    else:
        check(kind in (PADDING, NEXT_KEY), "unknownCode", at)
    return {**f, "type": kind}, r.at


def write_frame(f):
    kind, out = f["type"], bytes([f["type"]])
    if kind in (PING, PONG):
        return out + varint(f["token"])
    if kind == CLOSE:
        return out + bytes([f["code"]])
    if kind == ACK:
        return out + varint(f["delay"]) + put_descending(f["ranges"])
    if kind == EARLY_VERDICT:
        return out + put_early(f)
    if kind == RECORD:
        return out + put_record(f)
    if kind == PART:
        return b"".join([out, bytes([f["lane"]]), varint(f["epoch"]), varint(f["number"]),
                         varint(f["total"]), varint(f["offset"]), block(f["piece"])])
    if kind == FURTHER_PART:
        epoch = varint(f["epoch"]) if f["epoch"] else b""
        return b"".join([bytes([kind | f["lane"] | (8 if epoch else 0)]), epoch,
                         varint(f["number"]), varint(f["offset"]), f["piece"]])
    if kind == RECEIPT:
        out += bytes([f["lane"] | f["stage"] << 4]) + varint(f["epoch"])
        return out + put_ranges(f["floor"], f["ranges"])
    if kind == CREDIT:
        return out + bytes([f["lane"]]) + varint(f["offers"]) + varint(f["bytes"])
    if kind in (FLOOR, TRY_LATER, NEED_BASE, OUTCOME, WITHDRAW):
        out += bytes([f["lane"]]) + varint(f["epoch"]) + varint(f["number"])
        if kind == TRY_LATER:
            return out + varint(f["credit"])
        if kind == OUTCOME:
            out += bytes([f["outcome"]]) + (low(f["code"], 2) if f["outcome"] == 4 else b"")
            return out + (varint(f.get("further", 0)) if f["outcome"] == 5 else b"")
        return out + (bytes([f["reason"]]) if kind == WITHDRAW else b"")
    if kind == HELD_QUERY:
        return out + bytes([f["lane"]])
    if kind == HELD:
        out += bytes([f["lane"]]) + varint(f["total"]) + varint(f["first"])
        return out + varint(len(f["values"])) + b"".join(
            bytes.fromhex(key) + bytes([kind]) + low(fingerprint, 4)
            for key, kind, fingerprint in f["values"])
    if kind == ARRIVAL:
        return out + block(varint(f["microseconds"]) + varint(f["restored"]))
    if kind == PARITY:
        return out + block(
            varint(f["first"]) + varint(f["count"]) + varint(f["row"]) + f["bytes"])
    if kind in (VALUE_QUERY, VALUE):
        return out + put_value(f)
    return out + (block(f["skipped"]) if kind >= 0x40 else b"")
