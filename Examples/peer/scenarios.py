"""Records and values both ways, through cuts, kills and restarts: none is lost, none comes
twice."""

import os
import random
import time

import records
from frame_parts import BACKGROUND, BULK, CONTEXT, INTERACTIVE
from packets import TRANSPORT, header
from world import check_delivered, need


def exchange(w, n=40, size=100, longest=150000):
    """Ordered records and values, both ways, in one session."""
    w.start_sim()
    w.up()
    w.connected()
    theirs = [b"theirs %d " % i + bytes(size) for i in range(n)]
    ours = [b"ours %d " % i + bytes(size) for i in range(n)]
    w.sim_sends("user_info", theirs)
    for p in ours:
        w.peer.send(BACKGROUND, 7, p)
    big = os.urandom(longest)
    w.sim_sends("user_info", [big], priority="low")
    w.peer.send(BULK, 7, big)
    w.peer.put(CONTEXT, bytes(16), 6, b"first")
    w.peer.put(CONTEXT, bytes(16), 6, b"second")
    w.sim_sends("context", [b"a", b"b"], key="00" * 15 + "07")
    w.run(
        lambda: w.peer.idle()
        and len(w.peer.delivered) > n
        and w.peer.values.values.get((CONTEXT, bytes(15) + b"\7")),
        25,
    )
    w.settled()
    check_delivered(w.peer, BACKGROUND, theirs)
    check_delivered(w.peer, BULK, [big])
    d = w.trace_deliveries()
    numbers = [x["number"] for x in d if x["channel"] == "background"]
    need(numbers == list(range(1, n + 1)), numbers)
    need(len([x for x in d if x["channel"] == "bulk"]) == 1, "bulk")
    need(w.peer.values.values[CONTEXT, bytes(15) + b"\7"].payload == b"b", "value")


def reconnect(w, times=6):
    """Sessions of the same two openings keep the ticket; records wait for the next."""
    w.start_sim()
    sent = []
    for i in range(times):
        w.peer.send(BACKGROUND, 7, b"ours %d" % i)
        sent.append(b"theirs %d" % i)
        w.sim_sends("user_info", sent[-1:])
        w.up()
        w.connected()
        w.run(lambda: w.peer.idle() and len(w.peer.delivered) == i + 1)
        if i >= 2:
            need(w.peer.session.keeps, "ticket not kept in session", i + 1, w.peer.tail(5))
        w.settled()
        w.peer.stop() if i % 2 else w.cut()
    w.up()
    w.connected()
    check_delivered(w.peer, BACKGROUND, sent)
    need([x["number"] for x in w.trace_deliveries()] == list(range(1, times + 1)), "deliveries")


def cuts(w, n=300, seed=1):
    """The link is cut at random moments, also within a packet."""
    rnd = random.Random(seed)
    w.start_sim()
    w.up()
    w.connected()
    theirs, ours = [b"theirs %d" % i for i in range(n)], [b"ours %d" % i for i in range(n)]
    pending = list(range(n))
    while pending:
        step, pending = pending[:10], pending[10:]
        w.connected()
        w.sim_sends("user_info", [theirs[i] for i in step])
        for i in step:
            w.peer.send(BACKGROUND, 7, ours[i])
            w.peer.put(CONTEXT, bytes([i % 5]) * 16, 6, b"value %d" % i)
        if w.peer.link and hasattr(w.peer.link, "cut_after"):
            w.peer.link.cut_after = w.peer.link.written + rnd.randint(1, 600)
        for _ in range(rnd.randint(0, 3)):
            w.peer.poll(0.005)
        if w.peer.link and rnd.random() < 0.5:
            w.cut()
    w.run(lambda: w.peer.idle() and len(w.peer.delivered) >= n, 20)
    w.settled()
    check_delivered(w.peer, BACKGROUND, theirs)
    numbers = [x["number"] for x in w.trace_deliveries() if x["channel"] == "background"]
    need(numbers == list(range(1, n + 1)), "sim got", len(numbers), numbers[:20])
    return f"{w.peer.sessions} sessions, {w.peer.repeats} repeated records"


def kills(w, rounds=6, n=40):
    """The simulator is killed in the midst and started again on its journal."""
    w.start_sim()
    w.up()
    w.connected()
    theirs, arrived, i = [], [], 0
    for r in range(rounds):
        w.connected()
        batch = [b"theirs %d" % (len(theirs) + j) for j in range(n)]
        w.sim_sends("user_info", batch)  # a reply comes when it is durable
        theirs += batch
        for _ in range(n):
            w.peer.send(BACKGROUND, 7, b"ours %d" % i)
            i += 1
        w.peer.put(CONTEXT, bytes(16), 6, b"value %d" % r)
        for _ in range(random.randint(0, 4)):
            w.peer.poll(0.003)
        w.kill_sim()
        arrived += w.sim.has("record.arrived")
        for _ in range(3):
            w.peer.poll(0.01)
        w.start_sim()
    w.run(lambda: w.peer.idle() and len(w.peer.delivered) >= len(theirs), 20)
    w.settled()
    arrived += w.sim.has("record.arrived")
    check_delivered(w.peer, BACKGROUND, theirs)
    numbers = [e["msg"] for e in arrived if e["channel"] == "background"]
    need(set(numbers) <= set(range(1, i + 1)), "strange numbers")
    outcomes = [w.peer.settled.get((BACKGROUND, n)) for n in range(1, i + 1)]
    need(outcomes == ["applied"] * i, "outcomes", outcomes)
    return f"{w.peer.sessions} sessions, {w.peer.repeats} repeated records"


def resets(w):
    """A packet of an unknown connection is answered by a reset, by either side (C-33)."""
    w.start_sim()
    w.up()
    w.connected()
    w.peer.send(BACKGROUND, 7, b"before")
    w.run(w.peer.idle)
    if w.role == "phone":
        came, connection = [], 0x1234567
        data = header(TRANSPORT, connection, 0) + os.urandom(40)
        w.peer.on_reset = came.append
        w.peer.link.send(data)
        w.run(lambda: came, 5)
        wanted = w.peer.security.reset_token(False, connection, data)
        need((came[0].connection, came[0].token) == (connection, wanted), came[0].__dict__)
        return
    w.peer.link.close()
    w.peer.link = None
    w.peer = w.new_peer()
    w.up()
    start = time.monotonic()
    w.sim_sends("user_info", [b"after"])
    w.run(lambda: w.peer.delivered)
    took = time.monotonic() - start
    need(any("reset of" in line for line in w.peer.lines), w.peer.lines)
    need(took < w.peer.stall, "took", took)


def doses(w, rounds=6, n=30):
    """Doses of ours to a PhoneSim that is killed in the midst: it counts each once."""
    need(w.role == "watch", "role")
    w.start_sim()
    w.up()
    w.connected()
    total = 0
    for r in range(rounds):
        w.connected()
        for _ in range(n):
            total += 1
            dose = dict(
                id=total.to_bytes(16, "big").hex(),
                medication="c3f4da93ee2d45fda5e4e172237fc80a",
                planned=None,
                action=0,
                status=0,
                minute=None,
                at=1771843168469 + total,
                zoneOffset=60,
                device=None,
                boot=None,
                uptime=None,
                phoneOffset=None,
                replaces=[],
                amount=None,
                extensions=[],
            )
            w.peer.send(BACKGROUND, 4, records.encode("doseEvent", dose))
        for _ in range(random.randint(0, 4)):
            w.peer.poll(0.003)
        w.kill_sim()
        w.peer.poll(0.01)
        w.start_sim()
    w.run(w.peer.idle, 20)
    count = w.sim.call("dose.history", w.peer, limit=1)["count"]
    need(count == total, count, total)
    return f"{count} doses, {w.peer.sessions} sessions"


def restarts(w, rounds=4, n=10):
    """Our peer comes back as wiped: what was settled stays settled, the rest comes again."""
    w.start_sim()
    w.up()
    w.connected()
    total, seen = 0, []
    for r in range(rounds):
        w.sim_sends("user_info", [b"theirs %d" % (total + j) for j in range(n)])
        total += n
        w.peer.put(CONTEXT, bytes([r]) * 16, 6, b"of opening %d" % r)
        w.peer.send(BACKGROUND, 7, b"ours %d" % r)
        w.run(lambda: w.peer.idle() and len(w.peer.delivered) >= n if r == 0 else w.peer.idle(), 10)
        if r % 2:
            w.settled()
        seen += [d[4] for d in w.peer.delivered]
        w.peer.stop()
        w.peer = w.new_peer()
        w.up()
        w.connected()
    w.settled()
    w.peer.put(CONTEXT, b"9" * 16, 6, b"last")
    w.run(w.peer.idle)
    need(len(w.peer.own_values.values) == rounds + 1, "adopted", w.peer.own_values.values.keys())
    need(
        all(
            w.peer.own_values.values[CONTEXT, bytes([r]) * 16].payload == b"of opening %d" % r
            for r in range(rounds)
        ),
        "adopted",
    )
    seen += [d[4] for d in w.peer.delivered]
    need(set(seen) == {b"theirs %d" % i for i in range(total)}, "lost")
    changes = [e["change"] for e in w.sim.has("counterpart")]
    conflicts = w.sim.has("value.conflict") + w.sim.has("value.recovered")
    return f"{len(seen) - total} more than once; {changes}; recovered {len(conflicts)}"


def key_update(w, n=5):
    """Our side renews its key, twice."""
    w.start_sim()
    w.up()
    w.connected()
    for r in range(3):
        for i in range(n):
            w.peer.send(BACKGROUND, 7, b"ours")
        w.run(w.peer.idle)
        w.peer.run(lambda: False, 0.1)
        w.peer.session.update_key()
        w.sim_sends("user_info", [b"theirs"])
    w.peer.send(BACKGROUND, 7, b"last")
    w.run(w.peer.idle)
    need(w.peer.sessions == 1, "sessions", w.peer.sessions, w.peer.tail(8))
    return f"number {w.peer.session.tx_number}"


def cancels(w):
    """Cancelled and expired records, of both sides."""
    w.start_sim()
    first = w.sim.call("send", kind="user_info", payload_b64="AAAA")["msg"]
    w.sim.call("cancel", msg=first, channel="background", epoch=w.sim.call("status")["epoch"])
    w.sim.call("send", kind="user_info", payload_b64="AAAB", expires_in_ms=400)
    w.sim.call("send", kind="user_info", payload_b64="AAAC")
    a = w.peer.send(BACKGROUND, 7, b"never")
    b = w.peer.send(BACKGROUND, 7, b"left")
    w.peer.send(BACKGROUND, 7, b"old", expiry=int(time.time() * 1000) - 1000)
    w.peer.send(BACKGROUND, 7, b"good")
    w.peer.cancel(BACKGROUND, a)
    w.peer.senders[BACKGROUND].unsettled[b].left = True
    w.peer.cancel(BACKGROUND, b)
    time.sleep(0.5)
    w.up()
    w.connected()
    w.run(w.peer.idle)
    w.settled()
    # one that left, but that we never read
    epoch = w.sim.call("status", w.peer)["epoch"]
    m = w.sim.call("send", kind="user_info", payload_b64="AAAD")["msg"]
    time.sleep(0.05)
    w.cut()
    w.sim.call("cancel", msg=m, channel="background", epoch=epoch)
    if w.role == "phone" or w.carrier not in ("unix", "unix-seqpacket"):
        w.up()
    w.connected()
    w.sim.call("send", w.peer, kind="user_info", payload_b64="AAAE")
    w.settled()
    status = w.sim.call("record.status", w.peer, msg=m, channel="background", epoch=epoch)
    need(status["outcome"] == "cancelled", status)
    need([d[4][-1] for d in w.peer.delivered] == [2, 4], w.peer.delivered)
    need(
        w.peer.settled[2, 2] == (2, None)
        and w.peer.settled[2, 3] == (3, None)
        and w.peer.settled[2, 4] == "applied",
        w.peer.settled,
    )
    return str(w.peer.settled)


def replies(w):
    """Messages of the interactive channel that want an answer."""
    w.start_sim()
    w.up()
    w.connected()
    w.sim.event("reachability", w.peer, reachable=True)
    w.sim.call("send", w.peer, kind="message", payload_b64="AAAA", expects_reply=True, count=20)
    for _ in range(5):
        w.peer.send(INTERACTIVE, 1, b"q", expects_reply=True)
    w.run(
        lambda: len([d for d in w.peer.delivered if d[1] == 0]) == 25
        and not w.peer.senders[0].unsettled
    )
    w.run(
        lambda: len([r for r in w.sim.call("trace.dump", w.peer)["records"] if r.get("replied_ns")])
        == 20
    )


def pending(w):
    """Some records are turned away for a while, and come again."""
    w.start_sim()
    w.peer.turn_away = 3
    w.up()
    w.connected()
    w.sim_sends("user_info", [b"%d" % i for i in range(6)])
    w.run(lambda: len(w.peer.delivered) == 6)
    w.settled()
    check_delivered(w.peer, BACKGROUND, [b"%d" % i for i in range(6)])


def early(w):
    """Records in early packets, in the role in which we dial."""
    w.peer.early = True
    w.start_sim()
    w.up()
    w.connected()
    w.peer.send(BACKGROUND, 7, b"first")
    w.run(w.peer.idle)
    taken = []
    for i in range(4):
        w.cut()
        w.peer.early = True
        w.peer.send(BACKGROUND, 7, b"early %d" % i)
        w.sim_sends("user_info", [b"theirs %d" % i])
        w.up() if w.peer.listener is None else None
        w.connected()
        w.run(lambda: w.peer.idle() and len(w.peer.delivered) == i + 1)
        w.settled()
        taken.append(w.peer.early_answer)
    numbers = [x["number"] for x in w.trace_deliveries() if x["channel"] == "background"]
    need(numbers == list(range(1, 6)), numbers)
    check_delivered(w.peer, BACKGROUND, [b"theirs %d" % i for i in range(4)])
    return f"answers to ours {taken}, its early packets taken: {w.peer.early_taken}"


def refused(w):
    """A record that our application rejects is settled; the link stays open."""
    w.peer.reject = lambda f: 513 if f.payload == b"bad" else None
    w.start_sim()
    w.up()
    w.connected()
    w.sim_sends("user_info", [b"good", b"bad", b"good again"])
    w.settled()
    e = w.sim.event("record.settled", w.peer, outcome="rejected")
    need(e["code"] == 513 and e["msg"] == 2, e)
    (
        w.peer.put(CONTEXT, bytes(16), 2, b"no medication at all")
        if w.role == "phone"
        else w.peer.send(BACKGROUND, 4, b"no dose at all")
    )
    w.run(w.peer.idle)
    need(
        (("rejected", 1) if w.role == "phone" else (4, 1)) in w.peer.settled.values(),
        w.peer.settled,
    )
