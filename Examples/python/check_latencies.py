#!/usr/bin/env python3
"""Reads latency.hlog with HdrHistogram's own reader for Python and holds it against results.json.

    pip install hdrhistogram
    check_latencies.py out/run1

Prints a line for each series. Exit code 0: every count and every percentile is the same; 1: one is not.
"""

import json
import sys

try:
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader
except ImportError:
    print("check_latencies: needs hdrhistogram: pip install hdrhistogram", file=sys.stderr)
    sys.exit(69)

HOUR = 3_600_000_000_000
PERCENTILES = {"p50_ns": 500_000, "p90_ns": 900_000, "p99_ns": 990_000, "p99.9_ns": 999_000}


def key(name):
    """A series' tag: words of ASCII letters and digits with underscores between."""
    ascii_only = [c if c.isascii() and c.isalnum() else " " for c in name.lower()]
    return "_".join("".join(ascii_only).split()) or "series"


def read(path):
    """The intervals of a log together, by their tag."""
    log = HistogramLogReader(path, HdrHistogram(1, HOUR, 3))
    found = {}
    while True:
        # Without a destination of its own the reader adds every interval to its reference histogram.
        log.reference_histogram = None
        histogram = log.get_next_interval_histogram()
        if histogram is None:
            log.close()
            return found
        tag = histogram.get_tag()
        found.setdefault(tag, HdrHistogram(1, HOUR, 3)).add(histogram)


def differences(series, histogram):
    """The differences between the two for one series."""
    total = histogram.get_total_count()
    if total != series["n"]:
        yield f"n is {series['n']} in results.json and {total} in the log"
    counts = {item.value_iterated_to: item.count_at_value_iterated_to
              for item in histogram.get_recorded_iterator()}
    slots = {high: count for _, high, count in series["histogram"]}
    if counts != slots:
        yield f"the slots differ: {sorted(set(slots.items()) ^ set(counts.items()))[:5]}"
    for name, parts in PERCENTILES.items():
        if series[name] is None:
            continue
        # The sample that no fewer than this share are at or below; the log does not know the exact maximum.
        rank = -(-parts * total // 1_000_000)
        value = histogram.get_value_at_percentile(100 * rank / total)
        if min(value, series["max_ns"]) != series[name]:
            yield f"{name} is {series[name]} in results.json and {value} in the log"


def main():
    if len(sys.argv) != 2:
        print("usage: check_latencies.py DIR, as in rig demo --out DIR", file=sys.stderr)
        return 64
    directory = sys.argv[1]
    with open(f"{directory}/results.json", encoding="utf-8") as file:
        latencies = [series for series in json.load(file)["latencies"] if series["n"] > 0]
    logged = read(f"{directory}/latency.hlog")
    faults = []
    if sorted(logged) != sorted(key(series["name"]) for series in latencies):
        faults.append(f"the log holds {sorted(logged)}")
    for series in latencies:
        histogram = logged.get(key(series["name"]))
        found = list(differences(series, histogram)) if histogram else ["not in the log"]
        faults += [f"{series['name']}: {fault}" for fault in found]
        print(f"{series['name']}: n={series['n']}, {'; '.join(found) or 'the same'}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
