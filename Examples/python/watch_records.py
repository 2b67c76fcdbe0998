"""Medications, dose events and complication states, in Python.

Written from `record-encoding.md`. A value is a dictionary with the names that the vectors in
Fixtures/wire/records use; decoding refuses all that encoding would not give.
"""

BASE_MS = 1_577_836_800_000  # 2020-01-01T00:00Z in milliseconds since 1970
LIMIT = 200


class Refused(ValueError):
    """Bytes that no peer may accept: the rule they break and where."""

    def __init__(self, rule, offset):
        super().__init__(f"{rule} at {offset}")
        self.rule, self.offset = rule, offset


def check(condition, rule, offset):
    if not condition:
        raise Refused(rule, offset)


class Reader:
    """Takes bytes off the front and remembers where it is."""

    def __init__(self, data, at=0):
        self.data, self.at = bytes(data), at

    def __bool__(self):
        return self.at < len(self.data)

    def take(self, count):
        check(len(self.data) - self.at >= count, "truncated", self.at)
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def low(self, count, signed=False):
        """A number of fixed width, lowest byte first."""
        return int.from_bytes(self.take(count), "little", signed=signed)

    def varint(self):
        """Seven bits a byte, in as few bytes as possible, at most 64 bits."""
        start, value = self.at, 0
        for place in range(10):
            check(self, "truncated", start)
            byte = self.byte()
            check(place < 9 or byte <= 1, "outOfRange", start)
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                check(byte or not place, "overlong", start)
                return value

    def end(self):
        check(not self, "trailingBytes", self.at)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def low(value, count):
    return value.to_bytes(count, "little", signed=value < 0)


def width(value):
    """How many bytes a number needs, at least one."""
    return max(1, (value.bit_length() + 7) // 8)


# --- Parts that several records share -------------------------------------------------------------


def narrow_stamp(milliseconds):
    return 0 <= milliseconds - BASE_MS < 1 << 40


def narrow_minute(minute):
    return minute is None or 0 <= minute < 1 << 24


def put_stamp(milliseconds, wide):
    return low(milliseconds, 8) if wide else low(milliseconds - BASE_MS, 5)


def get_stamp(r, wide):
    return r.low(8, signed=True) if wide else r.low(5) + BASE_MS


def put_minute(minute, wide):
    return b"" if minute is None else low(minute, 4 if wide else 3)


def get_minute(r, wide):
    return r.low(4, signed=True) if wide else r.low(3)


def put_colour(colour):
    data = colour.to_bytes(4, "big")
    return data[:3] if data[3] == 255 else data


def get_colour(r, has_alpha):
    colour = r.take(4 if has_alpha else 3)
    check(not has_alpha or colour[3] != 255, "notCanonical", r.at - 1)
    return int.from_bytes(colour if has_alpha else colour + b"\xff", "big")


def put_amount(amount):
    if amount is None:
        return b""
    count = width(amount["mantissa"])
    shape = count - 1 | amount["scale"] << 4
    return bytes([amount["unit"], shape]) + low(amount["mantissa"], count)


def get_amount(r):
    unit, at = r.byte(), r.at
    shape = r.byte()
    scale, count = shape >> 4, (shape & 3) + 1
    check(not shape & 0x0C and scale <= 9, "outOfRange", at)
    mantissa = r.low(count)
    check(count == width(mantissa), "overlong", at + 1)
    check(not scale or mantissa % 10, "notCanonical", at)
    return {"mantissa": mantissa, "scale": scale, "unit": unit}


def get_offset(r):
    at, minutes = r.at, r.low(2, signed=True)
    check(-1080 <= minutes <= 1080, "outOfRange", at)
    return minutes


def put_slots(slots):
    packed = sum(slot << 11 * place for place, slot in enumerate(slots))
    return low(packed, (11 * len(slots) + 7) // 8)


def get_slots(r, count):
    at, packed = r.at, r.low((11 * count + 7) // 8)
    slots = [packed >> 11 * place & 0x7FF for place in range(count)]
    check(all(slot < 1440 for slot in slots), "outOfRange", at)
    check(all(a < b for a, b in zip(slots, slots[1:])), "notCanonical", at)
    check(not packed >> 11 * count, "notCanonical", at)
    return slots


def usual_weekdays(slots):
    return 127 if slots else 0


def get_weekdays(r, slots_count):
    at, mask = r.at, r.byte()
    check(mask < 128 and mask != usual_weekdays(slots_count), "notCanonical", at)
    return mask


def put_extensions(fields):
    pieces = [(field["tag"], bytes.fromhex(field["hex"])) for field in fields]
    return b"".join(bytes([tag, len(data)]) + data for tag, data in pieces)


def get_extensions(r, total):
    check(len(r.data) - r.at >= total, "truncated", r.at)
    inner, fields = Reader(r.data[: r.at + total], r.at), []
    while inner:
        at, tag = inner.at, inner.byte()
        check(not fields or fields[-1]["tag"] < tag, "notCanonical", at)
        at, size = inner.at, inner.byte()
        check(len(inner.data) - inner.at >= size, "truncated", at)
        fields.append({"tag": tag, "hex": inner.take(size).hex()})
    r.at += total
    return fields


def get_extension_length(r, present):
    at, total = r.at, r.byte() if present else 0
    check(not present or total >= 2, "notCanonical", at)
    return total


def get_text(r, length):
    """Each text is UTF-8 by itself."""
    at = r.at
    try:
        return r.take(length).decode()
    except UnicodeDecodeError as error:
        raise Refused("invalidText", at + error.start) from None


# --- Records --------------------------------------------------------------------------------------


def begin(data):
    check(len(data) <= LIMIT, "outOfRange", LIMIT)
    r = Reader(data)
    shape = r.byte()
    check(shape & 3 == 1, "unknownCode", 0)
    return r, shape


def decode_medication(data):
    r, first = begin(data)
    rule = first >> 4 & 3
    check(rule != 3, "unknownCode", 0)
    second = r.byte()
    count, wide = second & 15, bool(second & 0x80)
    check(count <= 8, "outOfRange", 1)
    m = {}
    m["flags"], m["form"], *lengths = r.take(5)
    m["id"] = r.take(16).hex()
    times_at = r.at
    m["updatedAt"] = get_stamp(r, wide)
    m["color"] = get_colour(r, first & 0x80)
    m["nextDose"] = get_minute(r, wide) if second & 0x40 else None
    fits = narrow_stamp(m["updatedAt"]) and narrow_minute(m["nextDose"])
    check(wide != fits, "overlong", times_at)
    at, size = r.at, (second >> 4 & 3) + 1
    m["revision"] = r.low(size)
    check(size == width(m["revision"]), "overlong", at)
    m["weekdays"] = get_weekdays(r, count) if first & 0x40 else usual_weekdays(count)
    m["slots"] = get_slots(r, count)
    m["zone"] = get_offset(r) if rule == 1 else ("floating", 1, "absolute")[rule]
    m["amount"] = get_amount(r) if first & 8 else None
    total = get_extension_length(r, first & 4)
    check(len(data) - r.at >= sum(lengths), "truncated", r.at)
    m["name"], m["strength"], m["instructions"] = (get_text(r, length) for length in lengths)
    m["extensions"] = get_extensions(r, total)
    r.end()
    return m


def encode_medication(m):
    rule = {"floating": 0, "absolute": 2}.get(m["zone"], 1)
    wide = not (narrow_stamp(m["updatedAt"]) and narrow_minute(m["nextDose"]))
    has_mask = m["weekdays"] != usual_weekdays(m["slots"])
    texts = [m[name].encode() for name in ("name", "strength", "instructions")]
    extensions = put_extensions(m["extensions"])
    first = (1 | bool(extensions) << 2 | (m["amount"] is not None) << 3 | rule << 4
             | has_mask << 6 | (m["color"] & 255 != 255) << 7)
    second = (len(m["slots"]) | width(m["revision"]) - 1 << 4
              | (m["nextDose"] is not None) << 6 | wide << 7)
    return b"".join([
        bytes([first, second, m["flags"], m["form"], *map(len, texts)]), bytes.fromhex(m["id"]),
        put_stamp(m["updatedAt"], wide), put_colour(m["color"]), put_minute(m["nextDose"], wide),
        low(m["revision"], width(m["revision"])), bytes([m["weekdays"]]) if has_mask else b"",
        put_slots(m["slots"]), low(m["zone"], 2) if rule == 1 else b"", put_amount(m["amount"]),
        bytes([len(extensions)]) if extensions else b"", *texts, extensions])


def decode_dose_event(data):
    r, shape = begin(data)
    e = {"action": r.byte(), "id": r.take(16).hex(), "medication": r.take(16).hex()}
    at, wide = r.at, bool(shape & 0x40)
    e["at"] = get_stamp(r, wide)
    check(wide != narrow_stamp(e["at"]), "overlong", at)
    e["zoneOffset"] = get_offset(r)
    e["planned"] = None
    if shape & 0x10:
        e["planned"] = {"day": r.low(2), "minute": r.low(2)}
        check(e["planned"]["minute"] < 1440, "outOfRange", r.at - 2)
    e["snoozeMinutes"] = r.low(2) if shape & 0x80 else 0
    check(not shape & 0x80 or e["snoozeMinutes"], "notCanonical", r.at - 2)
    e["corrects"] = r.take(16).hex() if shape & 0x20 else None
    e["amount"] = get_amount(r) if shape & 8 else None
    e["extensions"] = get_extensions(r, get_extension_length(r, shape & 4))
    r.end()
    return e


def encode_dose_event(e):
    wide = not narrow_stamp(e["at"])
    extensions = put_extensions(e["extensions"])
    shape = (1 | bool(extensions) << 2 | (e["amount"] is not None) << 3
             | (e["planned"] is not None) << 4 | (e["corrects"] is not None) << 5
             | wide << 6 | bool(e["snoozeMinutes"]) << 7)
    planned = e["planned"]
    return b"".join([
        bytes([shape, e["action"]]), bytes.fromhex(e["id"] + e["medication"]),
        put_stamp(e["at"], wide), low(e["zoneOffset"], 2),
        low(planned["day"], 2) + low(planned["minute"], 2) if planned else b"",
        low(e["snoozeMinutes"], 2) if e["snoozeMinutes"] else b"",
        bytes.fromhex(e["corrects"] or ""), put_amount(e["amount"]),
        bytes([len(extensions)]) if extensions else b"", extensions])


COUNTS = ("taken", "total", "overdue", "active")


def decode_complication(data):
    r, shape = begin(data)
    check(not shape & 0xC0 and shape & 0x18 != 0x10, "unknownCode", 0)
    c = {name: r.byte() for name in COUNTS}
    name, amount = r.byte(), r.byte()
    c["color"] = get_colour(r, shape & 0x20)
    at, wide = r.at, bool(shape & 0x10)
    c["nextDose"] = get_minute(r, wide) if shape & 8 else None
    check(wide != narrow_minute(c["nextDose"]), "overlong", at)
    total = get_extension_length(r, shape & 4)
    c["name"], c["amountText"] = get_text(r, name), get_text(r, amount)
    c["extensions"] = get_extensions(r, total)
    r.end()
    return c


def encode_complication(c):
    wide = not narrow_minute(c["nextDose"])
    texts = [c["name"].encode(), c["amountText"].encode()]
    extensions = put_extensions(c["extensions"])
    shape = (1 | bool(extensions) << 2 | (c["nextDose"] is not None) << 3 | wide << 4
             | (c["color"] & 255 != 255) << 5)
    return b"".join([
        bytes([shape, *(c[name] for name in COUNTS), *map(len, texts)]), put_colour(c["color"]),
        put_minute(c["nextDose"], wide), bytes([len(extensions)]) if extensions else b"",
        *texts, extensions])


DECODERS = {"medication": decode_medication, "doseEvent": decode_dose_event,
            "complication": decode_complication}
ENCODERS = {"medication": encode_medication, "doseEvent": encode_dose_event,
            "complication": encode_complication}
