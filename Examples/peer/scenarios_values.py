"""Medications, faces, deltas and what is longer than a packet."""

import json
import os

import records
from frame_parts import BULK, CONTEXT
from world import check_delivered, need


def deltas(w):
    """PhoneSim's medications and faces as values and deltas (our side is the watch)."""
    need(w.role == "watch", "role")
    w.start_sim()
    write_list(f"{w.dir}/meds.json")
    w.sim.call("import", path=f"{w.dir}/meds.json")
    w.sim.call("sync")
    w.up()
    w.connected()
    w.settled()
    for i in range(6):
        w.sim.call("medication.change", w.peer, index=i, count=5)
        w.sim.call("complication.update", w.peer, text=f"Noon {i}")
        w.settled()
        if i == 3 and w.carrier != "pipes":
            w.cut()
    left = w.sim.call("medication.remove", w.peer, index=0)["left"]
    w.settled()
    have = {k: v for (c, k), v in w.peer.values.values.items() if c == CONTEXT and not v.removal}
    theirs = w.sim.call("medication.list", w.peer, limit=1000)["medications"]
    need(len(have) == len(theirs) == left, len(have), len(theirs), left)
    for m in theirs:
        mine = records.decode("medication", have[bytes.fromhex(m["key"])].payload)
        need((mine["name"], mine["revision"]) == (m["name"], m["revision"]), mine, m)
    c = w.sim.call("status", w.peer)["counters"]
    return f"{len(have)} medications; {c['deltas_sent']} deltas sent, {w.peer.deltas_taken} taken"


def our_deltas(w):
    """We are the phone: medications, faces and deltas of ours to WatchSim."""
    need(w.role == "phone", "role")
    w.start_sim()
    w.up()
    w.connected()
    meds = [
        dict(
            id=os.urandom(16).hex(),
            name=f"Med {i}",
            strength="50 mg",
            form=1,
            amount=None,
            slots=[480],
            weekdays=127,
            zone="floating",
            nextDose=3230880,
            color=0x3366CCFF,
            flags=1,
            instructions="Take with food",
            revision=1,
            updatedAt=1771843168469,
            extensions=[],
        )
        for i in range(20)
    ]
    for r in range(5):
        for m in meds:
            m["revision"], m["updatedAt"], m["nextDose"] = (
                r + 1,
                m["updatedAt"] + 1000,
                m["nextDose"] + 60,
            )
            w.peer.put(CONTEXT, bytes.fromhex(m["id"]), 2, records.encode("medication", m))
        w.run(w.peer.idle)
    store = w.sim.call("store", w.peer)
    need(store["count"] == 20, store)
    one = w.sim.call("medication.fetch", w.peer, key=meds[3]["id"])
    need(one["revision"] == 5, one)
    w.peer.put(CONTEXT, bytes.fromhex(meds[0]["id"]), 3, b"")
    w.run(w.peer.idle)
    need(w.sim.call("store", w.peer)["count"] == 19, "removal")
    w.sim.call("dose.record", w.peer, index=0, count=5)
    w.run(lambda: len([d for d in w.peer.delivered if d[3] == 4]) == 5)
    for d in w.peer.delivered:
        if d[3] == 4:
            records.decode("doseEvent", d[4])
    return f"deltas made {w.peer.own_values.deltas}"


def big_values(w, n=6):
    """Values in fragments, both ways."""
    w.start_sim()
    w.up()
    w.connected()
    for r in range(2):
        for i in range(n):
            w.sim_sends("context", [bytes([r, i]) * 15000], key=bytes([i] * 16).hex())
            w.peer.put(CONTEXT, bytes([i] * 16), 6, bytes([i, r]) * 15000)
    w.run(lambda: w.peer.idle(), 25)
    w.settled()
    for i in range(n):
        need(
            w.peer.values.values[CONTEXT, bytes([i] * 16)].payload == bytes([1, i]) * 15000,
            "value",
            i,
        )


def big_files(w):
    """Bulk records of the largest size, both ways: longer than the first window of credit."""
    w.start_sim()
    w.up()
    w.connected()
    theirs, ours = [os.urandom(700000) for _ in range(3)], [os.urandom(4194304), os.urandom(900000)]
    for p in ours:
        w.peer.send(BULK, 7, p)
    w.sim_sends("user_info", theirs, priority="low")
    w.run(lambda: w.peer.idle() and len(w.peer.delivered) == 3, 60)
    w.settled()
    check_delivered(w.peer, BULK, theirs)
    need([x["number"] for x in w.trace_deliveries()] == [1, 2], "deliveries")
    need([e["bytes"] for e in w.sim.has("record.arrived")] == [4194304, 900000], "bytes")


def write_list(path, n=20):
    meds = [
        {
            "name": f"Medication {i}",
            "strength": f"{10 + i} mg",
            "form": "tablet",
            "schedule": {"times": ["08:00", "20:00"]},
        }
        for i in range(n)
    ]
    with open(path, "w") as f:
        json.dump({"format": "watchproto.medications/1", "medications": meds}, f)
