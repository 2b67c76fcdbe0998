"""Runs scenarios against the simulators.

    python3 trial.py PROGRAMS some
    python3 trial.py PROGRAMS all
    python3 trial.py PROGRAMS NAMES ROLES CARRIERS SEALS [LOSS]

PROGRAMS is the directory of PhoneSim and WatchSim; the others are lists with commas, for example
`exchange,cuts phone,watch unix,udp unsealed,sealed 0.2`. The environment's TRACE shows each frame.
"""

import os
import sys
import time
import traceback
from scenarios import (
    cancels,
    cuts,
    doses,
    early,
    exchange,
    key_update,
    kills,
    pending,
    reconnect,
    refused,
    replies,
    resets,
    restarts,
)
from scenarios_ledger import ledgers
from scenarios_journal import clone, restore, sim_wiped
from scenarios_values import big_files, big_values, deltas, our_deltas
from sim import Refused, Sim
from world import Missed, World

CARRIERS = ("unix", "unix-seqpacket", "pipes", "unix-datagram", "udp")
ROLES = ("phone", "watch")
SEALS = ("unsealed", "sealed")
SCENARIOS = {
    f.__name__: f
    for f in (
        exchange,
        reconnect,
        cuts,
        kills,
        resets,
        doses,
        ledgers,
        restarts,
        deltas,
        our_deltas,
        refused,
        restore,
        clone,
        key_update,
        cancels,
        replies,
        big_values,
        sim_wiped,
        pending,
        early,
        big_files,
    )
}


def some():
    """Each carrier in both roles, sealed and not, and one of each kind of trouble: 25 s."""
    for carrier in CARRIERS:
        for role in ROLES:
            for seal in SEALS:
                yield "exchange", role, carrier, seal, 0.0, dict(n=10, longest=70000)
    yield "exchange", "phone", "udp", "sealed", 0.1, dict(n=10, longest=20000)
    yield "exchange", "watch", "unix-datagram", "unsealed", 0.1, dict(n=10, longest=20000)
    for role, carrier, seal in (
        ("phone", "unix", "sealed"),
        ("watch", "unix-seqpacket", "unsealed"),
        ("phone", "unix-datagram", "sealed"),
        ("watch", "udp", "unsealed"),
    ):
        yield "cuts", role, carrier, seal, 0.0, dict(n=30)
    for role, carrier, seal in (
        ("watch", "unix", "sealed"),
        ("phone", "unix-seqpacket", "unsealed"),
        ("phone", "pipes", "sealed"),
        ("watch", "unix-datagram", "sealed"),
        ("phone", "udp", "unsealed"),
    ):
        yield "kills", role, carrier, seal, 0.0, dict(rounds=2, n=10)
    yield "resets", "phone", "udp", "unsealed", 0.0, {}
    yield "resets", "phone", "unix-datagram", "sealed", 0.0, {}
    yield "resets", "watch", "udp", "unsealed", 0.0, {}
    yield "doses", "watch", "unix", "sealed", 0.0, dict(rounds=2, n=10)
    yield "ledgers", "watch", "unix", "sealed", 0.0, {}
    yield "restarts", "watch", "unix", "unsealed", 0.0, dict(rounds=2, n=5)
    yield "deltas", "watch", "unix", "sealed", 0.0, {}
    yield "our_deltas", "phone", "unix", "unsealed", 0.0, {}
    yield "early", "phone", "unix", "sealed", 0.0, {}
    yield "sim_wiped", "watch", "unix", "unsealed", 0.0, {}


def fits(name, role, carrier, seal):
    """Whether a scenario has a sense there."""
    watches = ("deltas", "doses", "ledgers")
    if name in watches and role == "phone" or name == "our_deltas" and role == "watch":
        return False
    if name == "sim_wiped" and seal == "sealed":
        return False
    if name == "resets":
        return carrier == "udp" or role == "phone" and carrier == "unix-datagram"
    if name == "reconnect":
        return carrier in ("unix", "unix-seqpacket")
    if name in ("restore", "clone"):
        return carrier == "unix"
    again = ("cuts", "restarts", "cancels", "early", "sim_wiped", "ledgers")  # needs a second link
    return carrier != "pipes" or name not in again


def every(names=SCENARIOS, roles=ROLES, carriers=CARRIERS, seals=SEALS, loss=0.0):
    for name in names:
        for carrier in carriers:
            for role in roles:
                for seal in seals:
                    if fits(name, role, carrier, seal):
                        yield name, role, carrier, seal, loss, {}


def violations(w):
    """The violations that either side reports: there must be none."""
    ours = [e for p in w.peers for e in p.events if e[0] == "violation"]
    ends = ("counterpart", "carrier", "local_request", "replaced", "cut_short")
    theirs = w.sim.has("error") if w.sim else []
    closed = [e for e in w.sim.has("link.closed") if e["reason"] not in ends] if w.sim else []
    return [str(e)[:200] for e in ours + theirs + closed]


def trial(name, role, carrier, seal, loss, more):
    """Runs one scenario. Returns what went wrong, or None."""
    w = World(role, carrier, seal == "sealed", loss, 0.3 if loss else 0.0, "TRACE" in os.environ)
    try:
        w.begin()
        print((SCENARIOS[name](w, **more) or "")[:60], end=" ")
        wrong = None
    except (Missed, TimeoutError, Refused) as e:
        wrong = f"{type(e).__name__} {str(e)[:800]}"
    except Exception:
        wrong = traceback.format_exc()
    if wrong:
        wrong += (
            "".join(f"\n      {line[:300]}" for line in w.peers[-1].tail(30)) if w.peers else ""
        )
    told = violations(w)
    code = w.end()
    if code not in (None, 0):
        wrong = wrong or f"exit code {code}"
    return wrong or (f"told {told}" if told and name != "clone" else None)


def main():
    Sim.programs, what, *lists = sys.argv[1:]
    if what == "some":
        plan = list(some())
    elif what == "all":
        plan = list(every())
    else:
        loss = float(lists[3]) if len(lists) > 3 else 0.0
        plan = list(every(what.split(","), *(x.split(",") for x in lists[:3]), loss))
    failed, begun = 0, time.monotonic()
    for one in plan:
        start = time.monotonic()
        print("{:10} {:5} {:14} {:8} loss {}".format(*one[:5]), end=" ", flush=True)
        wrong = trial(*one)
        failed += wrong is not None
        print(f"{time.monotonic() - start:.1f} s {'WRONG ' + wrong if wrong else 'ok'}", flush=True)
    print(f"{len(plan)} trials, {failed} wrong, {time.monotonic() - begun:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
