#!/usr/bin/env python3
"""Holds the Python peer against every vector of the wire format.

    python3 Examples/python/check_vectors.py Fixtures/wire

Prints one line of JSON: how many golden vectors were read and written again, how many bytes that no
peer may accept were refused by the rule and at the offset stated, and every fault. Exit code 0 when
there is no fault, 1 when there is one, 64 for a bad command line, 66 for a missing directory.
"""

import json
import os
import sys

import watch_deltas as deltas
import watch_packets as packets
import watch_parity as parity
import watch_records as records
from watch_frames import read_frame, write_frame
from watch_records import Reader, Refused


def golden_record(vector):
    kind, data = vector["kind"], bytes.fromhex(vector["hex"])
    if not kind.endswith("Delta"):
        value = records.DECODERS[kind](data)
        return value == vector["value"] and records.ENCODERS[kind](value) == data
    kind = kind.removesuffix("Delta")
    base, next_state = (bytes.fromhex(vector["value"][name]) for name in ("base", "next"))
    read = records.DECODERS[kind]
    made = deltas.DELTAS[kind][1](read(base), read(next_state))
    return deltas.apply_delta(kind, base, data) == next_state and made == data


def rejected_record(vector):
    kind, data = vector["kind"], bytes.fromhex(vector["hex"])
    if kind.endswith("Delta"):
        base = bytes.fromhex(vector["base"])
        return lambda: deltas.apply_delta(kind.removesuffix("Delta"), base, data)
    return lambda: records.DECODERS[kind](data)


def golden_frames(data):
    """A line holds one frame, but for padding, whose bytes are each a frame."""
    at, again = 0, b""
    while at < len(data):
        frame, at = read_frame(data, at)
        again += write_frame(frame)
    return again == data


def golden_parity(row, sources, combination):
    """The combination, and from it the first packet, and the last, where that is lost."""
    sources = [bytes.fromhex(frames) for frames in sources.split(",")]
    combined = parity.combine(sources, int(row))
    found = [
        parity.restore([None if i == lost else s for i, s in enumerate(sources)],
                       [(int(row), combined)])
        for lost in (0, len(sources) - 1)]
    return combined.hex() == combination and all(again == sources for again in found)


def golden_link_header(data, code, link, rest):
    """A datagram of a Unix datagram socket: code, link number and the packet behind them."""
    r = Reader(data)
    read = [*map(str, packets.get_link_header(r)), data[r.at :].hex()]
    return read == [code, link, rest] and packets.put_link_header(int(code), int(link)) == data[:5]


def refusal(action):
    try:
        action()
    except Refused as refused:
        return [refused.rule, refused.offset]
    return None


def fields(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def lines(path):
    for name, data, *rest in fields(path):
        yield name, bytes.fromhex(data), rest


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    if not os.path.isdir(sys.argv[1]):
        print(f"Error: there is no directory {sys.argv[1]!r} of vectors.", file=sys.stderr)
        return 66
    golden, rejected, faults = 0, 0, []

    def count_golden(name, check):
        nonlocal golden
        golden += 1
        try:
            if not check():
                faults.append({"golden": name, "found": "other bytes or fields"})
        except Refused as refused:
            faults.append({"golden": name, "found": str(refused)})

    def count_rejected(name, action, rule, offset):
        nonlocal rejected
        rejected += 1
        found = refusal(action)
        if found != [rule, offset]:
            faults.append({"rejected": name, "expected": [rule, offset], "found": found})

    def load(*name):
        with open(os.path.join(sys.argv[1], *name), encoding="utf-8") as file:
            return json.load(file)

    for vector in load("records", "golden.json"):
        count_golden(vector["name"], lambda: golden_record(vector))
    for vector in load("records", "rejected.json"):
        count_rejected(vector["name"], rejected_record(vector), vector["rule"], vector["offset"])
    for vector in load("packets", "golden.json"):
        count_golden(vector["name"], lambda: packets.holds(vector))
    for vector in load("packets", "rejected.json"):
        reader = Reader(bytes.fromhex(vector["hex"]))
        count_rejected(
            vector["name"], lambda: packets.READERS[vector["kind"]](reader), vector["rule"],
            vector["offset"])
    frames = os.path.join(sys.argv[1], "frames")
    for name, data, _ in lines(os.path.join(frames, "golden.tsv")):
        count_golden(name, lambda: golden_frames(data))
    for name, data, (rule, offset) in lines(os.path.join(frames, "rejected.tsv")):
        count_rejected(name, lambda: read_frame(data, 0), rule, int(offset))
    for name, *vector in fields(os.path.join(frames, "parity.tsv")):
        count_golden(name, lambda: golden_parity(*vector))
    carriers = os.path.join(sys.argv[1], "carriers")
    for name, data, rest in lines(os.path.join(carriers, "golden.tsv")):
        count_golden(name, lambda: golden_link_header(data, *rest))
    for name, data, (rule, offset) in lines(os.path.join(carriers, "rejected.tsv")):
        count_rejected(name, lambda: packets.get_link_header(Reader(data)), rule, int(offset))

    print(json.dumps({"golden": golden, "rejected": rejected, "faults": faults}))
    return 1 if faults or not golden or not rejected else 0


if __name__ == "__main__":
    sys.exit(main())
