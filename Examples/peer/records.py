"""Records of the article Record encoding: medications, doses, complications, and deltas of two of
them."""

from codec import Reader, WireError

BASE_MS, LIMIT = 1577836800000, 200
ZONES = ("floating", None, "absolute")


def fits(value, size):
    return value is not None and 0 <= value < 1 << 8 * size


def le(value, size, signed=False):
    return value.to_bytes(size, "little", signed=signed)


def width(n):
    return max(1, (n.bit_length() + 7) // 8)


def fail(condition, rule, offset):
    if not condition:
        raise WireError(rule, offset)


def read_int(r, size, signed=False):
    return int.from_bytes(r.take(size), "little", signed=signed)


def read_color(r, alpha):
    at = r.at
    data = r.take(4 if alpha else 3)
    fail(not alpha or data[3] != 255, "notCanonical", at + 3)
    return int.from_bytes(data if alpha else data + b"\xff", "big")


def write_color(c):
    data = c.to_bytes(4, "big")
    return data[:3] if data[3] == 255 else data


def read_amount(r):
    at = r.at
    head = r.take(2)
    size, scale = (head[1] & 3) + 1, head[1] >> 4
    fail(not head[1] & 12 and scale <= 9, "outOfRange", at + 1)
    mantissa = read_int(r, size)
    fail(width(mantissa) == size, "overlong", at + 2)
    fail(not scale or mantissa % 10, "notCanonical", at + 1)
    return {"mantissa": mantissa, "scale": scale, "unit": head[0]}


def write_amount(a):
    size = width(a["mantissa"])
    return bytes([a["unit"], size - 1 | a["scale"] << 4]) + le(a["mantissa"], size)


def read_zone_offset(r):
    at = r.at
    value = read_int(r, 2, True)
    fail(-1080 <= value <= 1080, "outOfRange", at)
    return value


def read_slots(r, n):
    at = r.at
    number = read_int(r, (11 * n + 7) // 8)
    slots = [number >> 11 * i & 2047 for i in range(n)]
    fail(all(s < 1440 for s in slots), "outOfRange", at)
    fail(slots == sorted(set(slots)) and not number >> 11 * n, "notCanonical", at)
    return slots


def write_slots(slots):
    return le(sum(s << 11 * i for i, s in enumerate(slots)), (11 * len(slots) + 7) // 8)


def read_weekdays(r, slots):
    at = r.at
    mask = r.u8()
    fail(mask < 128 and mask != (127 if slots else 0), "notCanonical", at)
    return mask


def read_text(r, lengths):
    start = r.at
    r.take(sum(lengths))
    out, at = [], start
    for n in lengths:
        try:
            out.append(r.data[at : at + n].decode())
        except UnicodeDecodeError as e:
            raise WireError("invalidText", at + e.start) from None
        at += n
    return out


def read_extensions(r, length):
    end, out, last = r.at + length, [], -1
    fail(length >= 2, "notCanonical", r.at)
    fail(length <= r.left, "truncated", r.at)
    while r.at < end:
        at = r.at
        tag = r.u8()
        fail(tag > last, "notCanonical", at)
        at = r.at
        fail(r.at < end, "truncated", at)
        n = r.u8()
        fail(r.at + n <= end and n <= r.left, "truncated", at)
        out.append({"tag": tag, "hex": r.take(n).hex()})
        last = tag
    return out


def write_extensions(fields):
    return b"".join(bytes([f["tag"], len(f["hex"]) // 2]) + bytes.fromhex(f["hex"]) for f in fields)


def version(shape):
    fail(shape & 3 == 1, "unknownCode", 0)


# --- medication ---


def decode_medication(data):
    r = Reader(data)
    shape, second = r.u8(), r.u8()
    version(shape)
    fail(shape >> 4 & 3 != 3, "unknownCode", 0)
    n = second & 15
    fail(n <= 8, "outOfRange", 1)
    head = r.take(5)
    v = {"flags": head[0], "form": head[1], "id": r.take(16).hex()}
    wide, at = second >> 7, r.at
    v["updatedAt"] = read_int(r, 8, True) if wide else read_int(r, 5) + BASE_MS
    v["color"] = read_color(r, shape & 0x80)
    v["nextDose"] = (read_int(r, 4, True) if wide else read_int(r, 3)) if second & 0x40 else None
    if wide:
        fail(
            not fits(v["updatedAt"] - BASE_MS, 5)
            or v["nextDose"] is not None
            and not fits(v["nextDose"], 3),
            "overlong",
            at,
        )
    at, size = r.at, (second >> 4 & 3) + 1
    v["revision"] = read_int(r, size)
    fail(width(v["revision"]) == size, "overlong", at)
    v["weekdays"] = read_weekdays(r, n) if shape & 0x40 else (127 if n else 0)
    v["slots"] = read_slots(r, n)
    rule = shape >> 4 & 3
    v["zone"] = read_zone_offset(r) if rule == 1 else ZONES[rule]
    v["amount"] = read_amount(r) if shape & 8 else None
    at = r.at
    length = r.u8() if shape & 4 else 0
    fail(not shape & 4 or length >= 2, "notCanonical", at)
    v["name"], v["strength"], v["instructions"] = read_text(r, head[2:5])
    v["extensions"] = read_extensions(r, length) if shape & 4 else []
    r.end()
    fail(len(data) <= LIMIT, "outOfRange", LIMIT)
    return v


def encode_medication(v):
    texts = [v[k].encode() for k in ("name", "strength", "instructions")]
    color, ext, n = write_color(v["color"]), write_extensions(v["extensions"]), len(v["slots"])
    ms = v["updatedAt"] - BASE_MS
    wide = not fits(ms, 5) or v["nextDose"] is not None and not fits(v["nextDose"], 3)
    rule = {"floating": 0, "absolute": 2}.get(v["zone"], 1)
    usual = v["weekdays"] == (127 if n else 0)
    size = width(v["revision"])
    shape = (
        1
        | bool(ext) << 2
        | (v["amount"] is not None) << 3
        | rule << 4
        | (not usual) << 6
        | (len(color) == 4) << 7
    )
    second = n | size - 1 << 4 | (v["nextDose"] is not None) << 6 | wide << 7
    out = bytes([shape, second, v["flags"], v["form"], *map(len, texts)]) + bytes.fromhex(v["id"])
    out += le(v["updatedAt"], 8, True) if wide else le(ms, 5)
    out += color
    if v["nextDose"] is not None:
        out += le(v["nextDose"], 4, True) if wide else le(v["nextDose"], 3)
    out += (
        le(v["revision"], size)
        + (b"" if usual else bytes([v["weekdays"]]))
        + write_slots(v["slots"])
    )
    out += le(v["zone"], 2, True) if rule == 1 else b""
    out += write_amount(v["amount"]) if v["amount"] is not None else b""
    return out + (bytes([len(ext)]) if ext else b"") + b"".join(texts) + ext


# --- dose event ---


def decode_dose(data):
    r = Reader(data)
    shape = r.u8()
    version(shape)
    v = {"action": r.u8(), "id": r.take(16).hex(), "medication": r.take(16).hex()}
    at = r.at
    v["at"] = read_int(r, 8, True) if shape & 0x40 else read_int(r, 5) + BASE_MS
    fail(not shape & 0x40 or not fits(v["at"] - BASE_MS, 5), "overlong", at)
    v["zoneOffset"] = read_zone_offset(r)
    v["planned"] = None
    if shape & 0x10:
        at = r.at
        both = r.take(4)
        v["planned"] = {
            "day": int.from_bytes(both[:2], "little"),
            "minute": int.from_bytes(both[2:], "little"),
        }
        fail(v["planned"]["minute"] < 1440, "outOfRange", at + 2)
    at = r.at
    v["snoozeMinutes"] = read_int(r, 2) if shape & 0x80 else 0
    fail(not shape & 0x80 or v["snoozeMinutes"], "notCanonical", at)
    v["corrects"] = r.take(16).hex() if shape & 0x20 else None
    v["amount"] = read_amount(r) if shape & 8 else None
    at = r.at
    length = r.u8() if shape & 4 else 0
    fail(not shape & 4 or length >= 2, "notCanonical", at)
    v["extensions"] = read_extensions(r, length) if shape & 4 else []
    r.end()
    fail(len(data) <= LIMIT, "outOfRange", LIMIT)
    return v


def encode_dose(v):
    ms, ext = v["at"] - BASE_MS, write_extensions(v["extensions"])
    wide = not fits(ms, 5)
    shape = (
        1
        | bool(ext) << 2
        | (v["amount"] is not None) << 3
        | (v["planned"] is not None) << 4
        | (v["corrects"] is not None) << 5
        | wide << 6
        | bool(v["snoozeMinutes"]) << 7
    )
    out = bytes([shape, v["action"]]) + bytes.fromhex(v["id"] + v["medication"])
    out += le(v["at"], 8, True) if wide else le(ms, 5)
    out += le(v["zoneOffset"], 2, True)
    out += le(v["planned"]["day"], 2) + le(v["planned"]["minute"], 2) if v["planned"] else b""
    out += le(v["snoozeMinutes"], 2) if v["snoozeMinutes"] else b""
    out += bytes.fromhex(v["corrects"] or "") + (write_amount(v["amount"]) if v["amount"] else b"")
    return out + (bytes([len(ext)]) if ext else b"") + ext


# --- complication state ---


def decode_complication(data):
    r = Reader(data)
    shape = r.u8()
    version(shape)
    fail(not shape & 0xC0 and (not shape & 16 or shape & 8), "unknownCode", 0)
    v = dict(zip(("taken", "total", "overdue", "active"), (r.u8(), r.u8(), r.u8(), r.u8())))
    lengths = r.u8(), r.u8()
    v["color"] = read_color(r, shape & 32)
    at = r.at
    v["nextDose"] = (read_int(r, 4, True) if shape & 16 else read_int(r, 3)) if shape & 8 else None
    fail(not shape & 16 or not fits(v["nextDose"], 3), "overlong", at)
    at = r.at
    length = r.u8() if shape & 4 else 0
    fail(not shape & 4 or length >= 2, "notCanonical", at)
    v["name"] = read_text(r, lengths[:1])[0]
    v["amountText"] = read_text(r, lengths[1:])[0]
    v["extensions"] = read_extensions(r, length) if shape & 4 else []
    r.end()
    fail(len(data) <= LIMIT, "outOfRange", LIMIT)
    return v


def encode_complication(v):
    texts, color, ext = (
        [v["name"].encode(), v["amountText"].encode()],
        write_color(v["color"]),
        write_extensions(v["extensions"]),
    )
    wide = v["nextDose"] is not None and not fits(v["nextDose"], 3)
    shape = (
        1 | bool(ext) << 2 | (v["nextDose"] is not None) << 3 | wide << 4 | (len(color) == 4) << 5
    )
    out = (
        bytes([shape, v["taken"], v["total"], v["overdue"], v["active"], *map(len, texts)]) + color
    )
    if v["nextDose"] is not None:
        out += le(v["nextDose"], 4, True) if wide else le(v["nextDose"], 3)
    return out + (bytes([len(ext)]) if ext else b"") + b"".join(texts) + ext


DECODE = {
    "medication": decode_medication,
    "doseEvent": decode_dose,
    "complication": decode_complication,
}
ENCODE = {
    "medication": encode_medication,
    "doseEvent": encode_dose,
    "complication": encode_complication,
}


def decode(kind, data):
    return DECODE[kind](data)


def encode(kind, value):
    return ENCODE[kind](value)
