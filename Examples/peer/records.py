"""Records of the article Record encoding: medications, doses, complications, and deltas of two of
them."""

from codec import Reader, WireError, varint

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
    unit, shape = r.u8(), r.u8()
    size, scale = (shape & 3) + 1, shape >> 4
    fail(not shape & 12 and scale <= 9, "outOfRange", at + 1)
    mantissa = read_int(r, size)
    fail(width(mantissa) == size, "overlong", at + 2)
    fail(not scale or mantissa % 10, "notCanonical", at + 1)
    return {"mantissa": mantissa, "scale": scale, "unit": unit}


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


def read_planned(r, shape):
    fail(shape & 0x10 or not shape & 0x20, "unknownCode", 0)
    if not shape & 0x10:
        return None
    day = read_int(r, 2)
    at = r.at
    minute = entry = read_int(r, 2)
    place = r.at
    if shape & 0x20:
        entry = r.varint(0, 65535)
        fail(entry != minute, "notCanonical", place)
    fail(minute < 1440, "outOfRange", at)
    return {"day": day, "minute": minute, "entry": entry}


def read_quarters(r):
    at = r.at
    quarters = read_int(r, 1, True)
    fail(-72 <= quarters <= 72, "outOfRange", at)
    return quarters * 15


def read_wide_zone(r):
    at = r.at
    minutes = read_zone_offset(r)
    fail(minutes % 15, "overlong", at)
    return minutes


def read_replaces(r, own):
    at = r.at
    count = r.u8()
    fail(1 <= count <= 8, "outOfRange", at)
    found = []
    for _ in range(count):
        at = r.at
        found.append(r.take(16).hex())
        fail(len(found) < 2 or found[-2] < found[-1], "notCanonical", at)
        fail(found[-1] != own, "outOfRange", at)
    return found


def status_fits(action, status, shape):
    """Only a withdrawal has none, only a record snoozes, and only a dose taken has an amount."""
    taken, snoozed = status == 0, status == 2
    if (status == 3) != (action == 2) or snoozed and action:
        return False
    return (taken or not shape & 8) and (taken or bool(shape & 0x80) == snoozed)


def decode_dose(data):
    fail(len(data) <= LIMIT, "outOfRange", LIMIT)
    r = Reader(data)
    shape = r.u8()
    version(shape)
    details = r.u8()
    v = {"action": details & 3, "status": details >> 2 & 3}
    fail(status_fits(v["action"], v["status"], shape), "unknownCode", 1)
    v["id"], v["medication"] = r.take(16).hex(), r.take(16).hex()
    at, wide = r.at, shape & 0x40
    v["at"] = read_int(r, 8, True) if wide else read_int(r, 5) + BASE_MS
    v["minute"] = read_int(r, 4 if wide else 3, bool(wide)) if shape & 0x80 else None
    narrow = fits(v["at"] - BASE_MS, 5) and (v["minute"] is None or fits(v["minute"], 3))
    fail(not wide or not narrow, "overlong", at)
    v["zoneOffset"] = read_wide_zone(r) if details & 0x10 else read_quarters(r)
    v["planned"] = read_planned(r, shape)
    v["device"] = read_int(r, 4) if details & 0x20 else None
    v["boot"] = read_int(r, 4) if details & 0x40 else None
    v["uptime"] = read_int(r, 5) if details & 0x40 else None
    bits = r.varint(0, 2**32 - 1) if details & 0x80 else None
    v["phoneOffset"] = None if bits is None else bits >> 1 ^ -(bits & 1)
    v["replaces"] = read_replaces(r, v["id"]) if v["action"] else []
    v["amount"] = read_amount(r) if shape & 8 else None
    at = r.at
    length = r.u8() if shape & 4 else 0
    fail(not shape & 4 or length >= 2, "notCanonical", at)
    v["extensions"] = read_extensions(r, length) if shape & 4 else []
    r.end()
    return v


def encode_dose(v):
    ms, ext, dose = v["at"] - BASE_MS, write_extensions(v["extensions"]), v["planned"]
    wide = not fits(ms, 5) or v["minute"] is not None and not fits(v["minute"], 3)
    entry = dose is not None and dose["entry"] != dose["minute"]
    minutes = bool(v["zoneOffset"] % 15)
    shape = (
        1
        | bool(ext) << 2
        | (v["amount"] is not None) << 3
        | (dose is not None) << 4
        | entry << 5
        | wide << 6
        | (v["minute"] is not None) << 7
    )
    details = (
        v["action"]
        | v["status"] << 2
        | minutes << 4
        | (v["device"] is not None) << 5
        | (v["uptime"] is not None) << 6
        | (v["phoneOffset"] is not None) << 7
    )
    out = bytes([shape, details]) + bytes.fromhex(v["id"] + v["medication"])
    out += le(v["at"], 8, True) if wide else le(ms, 5)
    if v["minute"] is not None:
        out += le(v["minute"], 4, True) if wide else le(v["minute"], 3)
    out += le(v["zoneOffset"], 2, True) if minutes else le(v["zoneOffset"] // 15, 1, True)
    out += le(dose["day"], 2) + le(dose["minute"], 2) if dose else b""
    out += varint(dose["entry"]) if entry else b""
    out += le(v["device"], 4) if v["device"] is not None else b""
    out += le(v["boot"], 4) + le(v["uptime"], 5) if v["uptime"] is not None else b""
    offset = v["phoneOffset"]
    out += varint(offset * 2 if offset >= 0 else -offset * 2 - 1) if offset is not None else b""
    if v["action"]:
        out += bytes([len(v["replaces"])]) + bytes.fromhex("".join(v["replaces"]))
    out += write_amount(v["amount"]) if v["amount"] else b""
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
