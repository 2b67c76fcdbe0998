"""Deltas between two states of a medication or a complication, in Python.

Written from `record-encoding.md`. `apply_delta` turns the bytes of a base and of a delta into the
bytes of the next state; it makes the delta again to see that it is the only one.
"""

from watch_records import (
    COUNTS, DECODERS, ENCODERS, LIMIT, Reader, Refused, check, get_amount, get_extensions,
    get_offset, get_slots, get_weekdays, low, put_amount, put_extensions, put_slots,
    usual_weekdays, varint)


def put_next_dose(old, new):
    """The two bits of the mask, and what follows."""
    if old == new:
        return 0, b""
    if new is None:
        return 2, b""
    if old is None:
        return 3, low(new, 4)
    step = new - old
    return 1, varint(step * 2 if step >= 0 else -step * 2 - 1)


def get_next_dose(r, code, old):
    at = r.at
    if code == 1:
        zigzag = r.varint()
        check(old is not None, "outOfRange", at)
        new = old + (zigzag >> 1 ^ -(zigzag & 1))
        check(-(1 << 31) <= new < 1 << 31, "outOfRange", at)
        return new
    return r.low(4, signed=True) if code == 3 else None if code == 2 else old


def put_edit(old, new):
    old, new = old.encode(), new.encode()
    room = min(len(old), len(new))
    front = next((i for i in range(room) if old[i] != new[i]), room)
    room -= front
    behind = next((i for i in range(room) if old[-1 - i] != new[-1 - i]), room)
    between = new[front : len(new) - behind]
    return bytes([front, behind]) + varint(len(between)) + between


def get_edit(r, old):
    at, old = r.at, old.encode()
    front, behind = r.byte(), r.byte()
    check(front + behind <= len(old), "outOfRange", at)
    text = old[:front] + r.take(r.varint()) + old[len(old) - behind :]
    check(len(text) <= LIMIT, "outOfRange", 0)
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise Refused("invalidText", at) from None


def put_changed(changes):
    """The second mask and what it names, from (old, new, bytes) in the order of its bits."""
    mask = sum((old != new) << bit for bit, (old, new, _) in enumerate(changes))
    return mask, b"".join(data for old, new, data in changes if old != new)


def put_field_list(fields):
    data = put_extensions(fields)
    return varint(len(data)) + data


def schedule(m):
    return [m["slots"], m["zone"], m["weekdays"]]


def put_schedule(m):
    rule = {"floating": 0, "absolute": 2}.get(m["zone"], 1)
    has_mask = m["weekdays"] != usual_weekdays(m["slots"])
    return b"".join([
        bytes([len(m["slots"]) | rule << 4 | has_mask << 6]),
        bytes([m["weekdays"]]) if has_mask else b"", put_slots(m["slots"]),
        low(m["zone"], 2) if rule == 1 else b""])


def medication_delta(old, new):
    dose_code, dose = put_next_dose(old["nextDose"], new["nextDose"])
    step = new["updatedAt"] - old["updatedAt"]
    advance = (0 if step == 0 else 1 if 0 < step < 1 << 24 else 2 if 0 < step < 1 << 32 else 3)
    stamp = (b"", low(step & 0xFFFFFF, 3), low(step & 0xFFFFFFFF, 4), low(new["updatedAt"], 8))
    follows = new["revision"] == old["revision"] + 1
    flips = old["flags"] ^ new["flags"]
    amount = put_amount(new["amount"])
    mask, rest = put_changed([
        (0, flips & ~2, bytes([flips & ~2])),
        (old["color"], new["color"], new["color"].to_bytes(4, "big")),
        (schedule(old), schedule(new), put_schedule(new)),
        ((old["form"], old["amount"]), (new["form"], new["amount"]),
         bytes([new["form"], bool(amount)]) + amount),
        *((old[name], new[name], put_edit(old[name], new[name]))
          for name in ("name", "strength", "instructions")),
        (old["extensions"], new["extensions"], put_field_list(new["extensions"]))])
    first = (not follows) | dose_code << 1 | advance << 3 | bool(flips & 2) << 5 | bool(mask) << 6
    return b"".join([
        bytes([first, mask] if mask else [first]), b"" if follows else varint(new["revision"]),
        dose, stamp[advance], rest])


def apply_medication(r, old):
    new = dict(old)
    first = r.byte()
    check(first < 0x80, "unknownCode", 0)
    mask = r.byte() if first & 0x40 else 0
    at, new["revision"] = r.at, r.varint() if first & 1 else old["revision"] + 1
    if first & 1:
        check(new["revision"] < 1 << 32, "outOfRange", at)
    check(new["revision"] < 1 << 32, "notCanonical", 0)
    new["nextDose"] = get_next_dose(r, first >> 1 & 3, old["nextDose"])
    advance = first >> 3 & 3
    if advance == 3:
        new["updatedAt"] = r.low(8, signed=True)
    elif advance:
        new["updatedAt"] += r.low(advance + 2)
        check(new["updatedAt"] < 1 << 63, "notCanonical", 0)
    if first & 0x20:
        new["flags"] ^= 2
    if mask & 1:
        new["flags"] ^= r.byte()
    if mask & 2:
        new["color"] = int.from_bytes(r.take(4), "big")
    if mask & 4:
        at, shape = r.at, r.byte()
        count, rule = shape & 15, shape >> 4 & 3
        check(shape < 0x80 and count <= 8 and rule != 3, "unknownCode", at)
        new["weekdays"] = get_weekdays(r, count) if shape & 0x40 else usual_weekdays(count)
        new["slots"] = get_slots(r, count)
        new["zone"] = get_offset(r) if rule == 1 else ("floating", 1, "absolute")[rule]
    if mask & 8:
        new["form"], at = r.byte(), r.at
        present = r.byte()
        check(present <= 1, "unknownCode", at)
        new["amount"] = get_amount(r) if present else None
    for bit, name in ((16, "name"), (32, "strength"), (64, "instructions")):
        if mask & bit:
            new[name] = get_edit(r, old[name])
    if mask & 128:
        new["extensions"] = get_extensions(r, r.varint())
    return new


def complication_delta(old, new):
    dose_code, dose = put_next_dose(old["nextDose"], new["nextDose"])
    counted = [old[name] != new[name] for name in COUNTS]
    mask, rest = put_changed([
        (old["color"], new["color"], new["color"].to_bytes(4, "big")),
        (old["name"], new["name"], put_edit(old["name"], new["name"])),
        (old["amountText"], new["amountText"], put_edit(old["amountText"], new["amountText"])),
        (old["extensions"], new["extensions"], put_field_list(new["extensions"]))])
    first = dose_code | sum(c << bit for bit, c in enumerate(counted, 2)) | bool(mask) << 6
    return b"".join([
        bytes([first, mask] if mask else [first]), dose,
        bytes(new[name] for name, changed in zip(COUNTS, counted) if changed), rest])


def apply_complication(r, old):
    new = dict(old)
    first = r.byte()
    check(first < 0x80, "unknownCode", 0)
    mask = r.byte() if first & 0x40 else 0
    check(mask < 0x10, "unknownCode", 1)
    new["nextDose"] = get_next_dose(r, first & 3, old["nextDose"])
    for bit, name in enumerate(COUNTS, 2):
        if first >> bit & 1:
            new[name] = r.byte()
    if mask & 1:
        new["color"] = int.from_bytes(r.take(4), "big")
    for bit, name in ((2, "name"), (4, "amountText")):
        if mask & bit:
            new[name] = get_edit(r, old[name])
    if mask & 8:
        new["extensions"] = get_extensions(r, r.varint())
    return new


DELTAS = {"medication": (apply_medication, medication_delta),
          "complication": (apply_complication, complication_delta)}


def apply_delta(kind, base, delta):
    """The bytes of the next state. Refuses a delta that is not the one between the two."""
    check(kind in DELTAS, "unknownCode", 0)
    apply, between = DELTAS[kind]
    old, r = DECODERS[kind](base), Reader(delta)
    new = apply(r, old)
    r.end()
    data = ENCODERS[kind](new)
    check(len(data) <= LIMIT, "outOfRange", 0)
    check(between(old, new) == delta, "notCanonical", 0)
    return data
