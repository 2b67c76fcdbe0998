"""Two ledgers of doses, of which each lacks events of the other one."""

import records
from ledger import Ledger, read_nodes
from scenarios_values import write_list
from world import need

MEDICATION = "c3f4da93ee2d45fda5e4e172237fc80a"


def dose(number):
    """The payload of a dose event with the identity `number`."""
    nothing = dict.fromkeys(("planned", "minute", "device", "boot", "uptime", "phoneOffset"))
    return records.encode(
        "doseEvent",
        dict(
            nothing,
            id=number.to_bytes(16, "big").hex(),
            medication=MEDICATION,
            action=0,
            status=0,
            at=1771843168469,
            zoneOffset=60,
            replaces=[],
            amount=None,
            extensions=[],
        ),
    )


def ledgers(w, n=20):
    """Our watch and PhoneSim each have events that the other lacks. Then we lose some, as by a
    backup: the phone sends them again."""
    need(w.role == "watch", "role")
    w.start_sim()
    write_list(f"{w.dir}/meds.json")
    w.sim.call("import", path=f"{w.dir}/meds.json")
    for first in (0x01, 0x40):
        w.sim.call("dose.record", index=0, count=n, dose=f"{first:02x}" + "ff" * 8 + "00" * 7)
    ours = Ledger(dose(first << 120 | i << 60) for first in (0x01, 0x80) for i in range(n))
    w.peer.ledger = ours

    def same(equals=1):
        ours.ask(w.peer)
        count, total = ours.digest()
        state = w.sim.call("status", w.peer)["doses"]
        is_same = state["digest"] == f"{count}-{total:x}" and ours.equals >= equals
        return is_same and state["settled"]

    w.up()
    w.connected()
    w.run(same)
    need(len(ours.events) == 4 * n, len(ours.events))
    asked = [q for q in ours.questions if q[:1] == b"\x02"]
    read = [node for q in asked for node in read_nodes(q[2:])]
    need(read and all(names is None or len(names) <= 64 for _, names in read), "D-10", asked)
    # A backup of the watch lacks half of them.
    for i in sorted(ours.events)[::2]:
        del ours.events[i]
    need(not same(), "the same without half of them")
    known = ours.equals
    w.cut()
    w.connected()
    w.run(lambda: same(known + 1))
    need(len(ours.events) == 4 * n, len(ours.events))
    return f"{4 * n} doses, {len(ours.questions)} questions"
