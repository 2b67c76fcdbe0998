"""Deltas of medications and complications (article *Record encoding*)."""

from codec import Reader, WireError, block, varint
from records import (
    LIMIT,
    ZONES,
    decode,
    encode,
    fail,
    le,
    read_amount,
    read_extensions,
    read_int,
    read_slots,
    read_weekdays,
    read_zone_offset,
    write_amount,
    write_extensions,
    write_slots,
)


def zigzag(n):
    return n * 2 if n >= 0 else -n * 2 - 1


def unzigzag(z):
    return z >> 1 if not z & 1 else -(z + 1 >> 1)


def next_dose_change(old, new):
    """(two bits, bytes)"""
    if old == new:
        return 0, b""
    if new is None:
        return 2, b""
    return (3, le(new, 4, True)) if old is None else (1, varint(zigzag(new - old)))


def read_next_dose(r, change, old):
    if change == 0:
        return old
    if change == 2:
        return None
    at = r.at
    if change == 3:
        return read_int(r, 4, True)
    new = unzigzag(r.varint())
    fail(old is not None and -(2**31) <= old + new < 2**31, "outOfRange", at)
    return old + new


def text_edit(old, new):
    old, new = old.encode(), new.encode()
    short = min(len(old), len(new))
    f = next((i for i in range(short) if old[i] != new[i]), short)
    b = next((i for i in range(short - f) if old[-1 - i] != new[-1 - i]), short - f)
    return bytes([f, b]) + block(new[f : len(new) - b])


def read_text_edit(r, old):
    at, old = r.at, old.encode()
    ends = r.take(2)
    middle = r.block()
    f, b = ends
    fail(f + b <= len(old), "outOfRange", at)
    try:
        return (old[:f] + middle + old[len(old) - b :]).decode()
    except UnicodeDecodeError:
        raise WireError("invalidText", at) from None


def read_fields(r):
    data = r.block()
    if not data:
        return []
    inner = Reader(data)
    try:
        return read_extensions(inner, len(data))
    except WireError as e:
        raise WireError(e.rule, r.at - len(data) + e.offset) from None


def color4(c):
    return c.to_bytes(4, "big")


def delta_medication(o, n):
    """From one value to the next of the same medication, or None where there is none."""
    if o["id"] != n["id"]:
        return None
    change, dose = next_dose_change(o["nextDose"], n["nextDose"])
    mask, out, second = change << 1, b"", 0
    if n["revision"] != o["revision"] + 1:
        mask |= 1
        out += varint(n["revision"])
    out += dose
    ahead = n["updatedAt"] - o["updatedAt"]
    if 0 < ahead < 1 << 24:
        mask, out = mask | 1 << 3, out + le(ahead, 3)
    elif 0 < ahead < 1 << 32:
        mask, out = mask | 2 << 3, out + le(ahead, 4)
    elif ahead:
        mask, out = mask | 3 << 3, out + le(n["updatedAt"], 8, True)
    flips = o["flags"] ^ n["flags"]
    mask |= bool(flips & 2) << 5
    rest = b""
    if flips & ~2:
        second, rest = second | 1, rest + bytes([flips & ~2])
    if o["color"] != n["color"]:
        second, rest = second | 2, rest + color4(n["color"])
    if any(o[k] != n[k] for k in ("slots", "weekdays", "zone")):
        rule = {"floating": 0, "absolute": 2}.get(n["zone"], 1)
        usual = n["weekdays"] == (127 if n["slots"] else 0)
        second |= 4
        rest += bytes([len(n["slots"]) | rule << 4 | (not usual) << 6]) + (
            b"" if usual else bytes([n["weekdays"]])
        )
        rest += write_slots(n["slots"]) + (le(n["zone"], 2, True) if rule == 1 else b"")
    if o["form"] != n["form"] or o["amount"] != n["amount"]:
        second |= 8
        rest += bytes([n["form"], n["amount"] is not None]) + (
            write_amount(n["amount"]) if n["amount"] else b""
        )
    for bit, field in ((16, "name"), (32, "strength"), (64, "instructions")):
        if o[field] != n[field]:
            second, rest = second | bit, rest + text_edit(o[field], n[field])
    if o["extensions"] != n["extensions"]:
        second, rest = second | 128, rest + block(write_extensions(n["extensions"]))
    mask |= bool(second) << 6
    return bytes([mask]) + (bytes([second]) if second else b"") + out + rest


def apply_medication(o, data):
    r, n = Reader(data), dict(o)
    mask = r.u8()
    fail(mask < 128, "unknownCode", 0)
    second = r.u8() if mask & 64 else 0
    at = r.at
    n["revision"] = r.varint(0, 2**32 - 1) if mask & 1 else o["revision"] + 1
    fail(n["revision"] < 2**32, "outOfRange", 0)
    n["nextDose"] = read_next_dose(r, mask >> 1 & 3, o["nextDose"])
    how = mask >> 3 & 3
    if how:
        at = r.at
        n["updatedAt"] = read_int(r, 8, True) if how == 3 else o["updatedAt"] + read_int(r, 2 + how)
        fail(-(2**63) <= n["updatedAt"] < 2**63, "outOfRange", at)
    n["flags"] ^= mask >> 4 & 2
    if second & 1:
        n["flags"] ^= r.u8()
    if second & 2:
        n["color"] = int.from_bytes(r.take(4), "big")
    if second & 4:
        at = r.at
        head = r.u8()
        count, rule = head & 15, head >> 4 & 3
        fail(head < 128 and count <= 8 and rule != 3, "unknownCode", at)
        n["weekdays"] = read_weekdays(r, count) if head & 64 else (127 if count else 0)
        n["slots"] = read_slots(r, count)
        n["zone"] = read_zone_offset(r) if rule == 1 else ZONES[rule]
    if second & 8:
        n["form"] = r.u8()
        n["amount"] = read_amount(r) if r.code((0, 1)) else None
    for bit, field in ((16, "name"), (32, "strength"), (64, "instructions")):
        if second & bit:
            n[field] = read_text_edit(r, o[field])
    if second & 128:
        n["extensions"] = read_fields(r)
    r.end()
    return n


COUNTS = ("taken", "total", "overdue", "active")


def delta_complication(o, n):
    change, dose = next_dose_change(o["nextDose"], n["nextDose"])
    mask, second, counts, rest = change, 0, b"", b""
    for i, field in enumerate(COUNTS):
        if o[field] != n[field]:
            mask, counts = mask | 4 << i, counts + bytes([n[field]])
    if o["color"] != n["color"]:
        second, rest = 1, color4(n["color"])
    for bit, field in ((2, "name"), (4, "amountText")):
        if o[field] != n[field]:
            second, rest = second | bit, rest + text_edit(o[field], n[field])
    if o["extensions"] != n["extensions"]:
        second, rest = second | 8, rest + block(write_extensions(n["extensions"]))
    mask |= bool(second) << 6
    return bytes([mask]) + (bytes([second]) if second else b"") + dose + counts + rest


def apply_complication(o, data):
    r, n = Reader(data), dict(o)
    mask = r.u8()
    fail(mask < 128, "unknownCode", 0)
    second = r.u8() if mask & 64 else 0
    fail(second < 16, "unknownCode", r.at - 1)
    n["nextDose"] = read_next_dose(r, mask & 3, o["nextDose"])
    for i, field in enumerate(COUNTS):
        if mask & 4 << i:
            n[field] = r.u8()
    if second & 1:
        n["color"] = int.from_bytes(r.take(4), "big")
    for bit, field in ((2, "name"), (4, "amountText")):
        if second & bit:
            n[field] = read_text_edit(r, o[field])
    if second & 8:
        n["extensions"] = read_fields(r)
    r.end()
    return n


DELTAS = {
    "medicationDelta": ("medication", delta_medication, apply_medication),
    "complicationDelta": ("complication", delta_complication, apply_complication),
}


def make_delta(what, base, new):
    kind, make, _ = DELTAS[what]
    return make(decode(kind, base), decode(kind, new))


def apply_delta(what, base, delta):
    if what not in DELTAS:
        raise WireError("unknownCode", 0)
    kind, make, apply = DELTAS[what]
    old = decode(kind, base)
    new = apply(old, delta)
    data = encode(kind, new)
    fail(len(data) <= LIMIT, "outOfRange", 0)
    fail(make(old, new) == delta, "notCanonical", 0)
    return data


KINDS = {2: "medicationDelta", 5: "complicationDelta"}


def apply_delta_of_kind(kind, base, delta):
    return apply_delta(KINDS[kind], base, delta)


def make_delta_of_kind(kind, base, new):
    try:
        return make_delta(KINDS[kind], base, new) if kind in KINDS else None
    except WireError:
        return None
