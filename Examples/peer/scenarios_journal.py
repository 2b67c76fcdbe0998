"""The simulator goes back to a copy of its journal, runs beside one, or comes back empty."""

import os
import shutil
from frame_parts import BACKGROUND, CONTEXT
from world import need


def restore(w, n=10):
    """The simulator goes back to a copy of its journal: it lost records of both directions."""
    w.start_sim()
    w.up()
    w.connected()

    def round_(name, total):
        w.sim_sends("user_info", [b"%s %d" % (name, i) for i in range(n)])
        for i in range(n):
            w.peer.send(BACKGROUND, 7, b"ours")
        w.peer.put(CONTEXT, bytes(16), 6, name)
        w.sim_sends("context", [name], key="00" * 15 + "07")
        w.run(lambda: w.peer.idle() and len(w.peer.delivered) >= total)
        w.settled()

    round_(b"before", n)
    w.kill_sim()
    w.cut()
    save(w, "copy")
    restarted(w)
    round_(b"lost", 2 * n)
    w.kill_sim()
    w.cut()
    load(w, "copy")
    restarted(w)
    round_(b"after", 3 * n)
    got = [d[4] for d in w.peer.delivered]
    need(len(got) == len(set(got)) == 3 * n, len(got), len(set(got)))
    told = [
        (
            e["event"],
            e.get("change") or e.get("wiped") or (e.get("first"), e.get("last")),
        )
        for e in w.sim.drain()
        if e["event"] in ("counterpart", "journal.went_back", "records.lost")
    ]
    return f"told {told}"


def restarted(w):
    """The simulator runs again, and there is a session."""
    w.start_sim()
    if w.peer.link is None and w.peer.listener is None:
        w.up()
    w.connected()


def journal_files(w):
    return [f for f in os.listdir(w.dir) if f.startswith("journal")]


def save(w, name):
    os.makedirs(f"{w.dir}/{name}")
    for f in journal_files(w):
        shutil.copy(f"{w.dir}/{f}", f"{w.dir}/{name}/{f}")


def load(w, name):
    for f in journal_files(w):
        os.unlink(f"{w.dir}/{f}")
    for f in os.listdir(f"{w.dir}/{name}"):
        shutil.copy(f"{w.dir}/{name}/{f}", f"{w.dir}/{f}")


def clone(w):
    """A copy of the simulator's journal goes on beside it."""

    def life(payload, count):
        w.start_sim()
        if w.peer.link is None:
            w.up()
        w.connected()
        w.sim_sends("user_info", [payload])
        w.run(lambda: len(w.peer.delivered) == count)
        w.settled()
        w.kill_sim()
        w.cut()

    life(b"one", 1)
    save(w, "copy")
    life(b"two", 2)
    save(w, "first")
    load(w, "copy")
    life(b"of the copy", 3)
    load(w, "first")
    w.start_sim()
    if w.peer.link is None:
        w.up()
    w.peer.run(lambda: any(e[0] == "clone" for e in w.peer.events), 5)
    w.peer.run(lambda: False, 0.5)
    told = [
        (e["event"], e.get("change") or e.get("reason"), e.get("meaning"))
        for e in w.sim.drain()
        if e["event"] in ("counterpart", "link.closed")
    ]
    need(any(e[0] == "clone" for e in w.peer.events), w.peer.events, told, w.peer.tail(8))
    need(len(w.peer.delivered) == 3, "took of a clone")
    return f"told {told}"


def sim_wiped(w, n=4):
    """The simulator comes back empty (no journal): its values are mended from what we hold."""
    w.options = [
        o
        for i, o in enumerate(w.options)
        if o != "--journal" and (i == 0 or w.options[i - 1] != "--journal")
    ]
    need(not w.sealed, "its keys would be gone")
    seen = []
    for life in range(3):
        w.start_sim()
        if w.peer.link is None and (w.role == "phone" or w.peer.listener is None):
            w.up()
        w.connected()
        w.sim_sends("user_info", [b"life %d record %d" % (life, i) for i in range(n)])
        for i in range(n):
            w.sim_sends("context", [b"life %d" % life], key=bytes([life * 2 + i] * 16).hex())
        w.peer.send(BACKGROUND, 7, b"ours in life %d" % life)
        w.peer.put(CONTEXT, bytes([life]) * 16, 6, b"ours")
        w.run(lambda: w.peer.idle() and len(w.peer.delivered) == n * (life + 1))
        w.settled()
        w.peer.run(lambda: False, 0.2)
        seen.append(
            [
                (e["event"], e.get("change") or e.get("key") or e.get("wiped"))
                for e in w.sim.drain()
                if e["event"]
                in ("counterpart", "value.recovered", "value.conflict", "journal.went_back")
            ]
        )
        need(
            w.peer.values.values[CONTEXT, bytes([life * 2] * 16)].payload == b"life %d" % life,
            "value",
        )
        w.kill_sim()
        w.cut()
    need(len(set(d[4] for d in w.peer.delivered)) == 3 * n == len(w.peer.delivered), "records")
    return f"{seen}; {w.peer.events}"
