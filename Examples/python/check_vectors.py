"""Holds this implementation against Fixtures/wire: python3 check_vectors.py FOLDER."""
import os
import sys

import wire
from wire import Reader, Violation


def rows(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]


def ranges(pairs):
    return ",".join(f"{low}-{high}" for low, high in pairs)


def epoch_text(epoch):
    text = f"{epoch['id']:016x}"
    if epoch["end"] is not None or epoch["numbers"]:
        text += f"/{'' if epoch['end'] is None else epoch['end']}"
    return text + "".join(f"/{c}:{w}-{last}" for c, (w, last) in sorted(epoch["numbers"].items()))


def held_text(entry):
    text = f"{entry['channel']}:{entry['key']}:{entry['version']}:{entry['state']}"
    text += f"/{entry['code']}" if "code" in entry else ""
    text += f":{entry['fingerprint']:016x}" if "fingerprint" in entry else ""
    return text + (":removal" if entry.get("removal") else "")


def said(frame):
    """The fields of a frame as the fixture writes them."""
    words = {}
    for name, value in frame.items():
        if name in ("packets", "numbers", "versions") and isinstance(value, list):
            value = ranges(value)
        elif name == "epochs":
            kind = frame["frame"]
            if kind == "epochs":
                value = ";".join(map(epoch_text, value))
            elif kind == "heldDigest":
                value = ",".join(f"{epoch:016x}/{known}" for epoch, known in value)
            else:
                value = ",".join(f"{epoch:016x}" for epoch in value)
        elif name == "epoch" and frame["frame"] == "epochHeld" or name == "digest":
            value = f"{value:016x}"
        elif name == "top":
            value = f"{value[0]:016x}/{value[1]}" if value[0] else "0"
        elif name == "parts":
            value = ",".join(f"{c}:{t}/{w}" for c, t, w in value)
        elif name == "entries":
            value = ";".join(map(held_text, value))
        elif name in ("predecessor", "base"):
            value = f"{value[0]}/{value[1]}"
        elif isinstance(value, bytes):
            value = value.hex()
        words[name] = str(value)
    return words


def main(folder):
    checked = 0
    for fields, text, _ in rows(folder, "frames.tsv"):
        name, *parts = fields.split(" ")
        expected = {"frame": name, **dict(part.split("=", 1) for part in parts)}
        reader = Reader(bytes.fromhex(text))
        found = said(wire.read_frame(reader))
        assert found == expected and reader.left == 0, f"{fields}: {found}"
        checked += 1
    for why, text, _, _, rules in rows(folder, "frames-rejected.tsv"):
        try:
            found = wire.read_frames(bytes.fromhex(text))
            raise SystemExit(f"taken, although {why} ({rules}): {found}")
        except Violation:
            checked += 1
    for fields, text, _ in rows(folder, "hellos.tsv"):
        hello = wire.read_hello(bytes.fromhex(text), 0x99, "answer=" in fields)
        assert wire.write_hello(hello).hex() == text, fields
        words = dict(part.split("=", 1) for part in fields.split(" "))
        for name in ("T", "n", "m", "N", "n'", "count", "answer", "largest"):
            assert hello[name] == int(words.get(name, 65535 if name == "largest" else 0)) \
                or name == "count" and name not in words, f"{fields}: {name}"
        checked += 1
    for fields, text, rule in rows(folder, "headers.tsv"):
        name, *parts = fields.split(" ")
        words = dict(part.split("=", 1) for part in parts)
        if name == "prefix":
            assert wire.prefix(int(words["kind"]), int(words["length"])).hex() == text, fields
        elif name == "number":
            largest = None if words["largest"] == "none" else int(words["largest"])
            whole = wire.whole_number(int(words["low"]), int(words["bytes"]), largest)
            assert whole == int(text), f"{fields}: {whole}"
        else:
            count, number = int(words["bytes"]), int(words["number"])
            first = (8 if count == 4 else 0) | int(words["phase"]) << 4
            made = bytes([first]) + bytes.fromhex(words["id"]) + wire.u(number % (1 << 8 * count), count)
            assert made.hex() == text and number >> 16 & 1 == int(words["phase"]), fields
        checked += 1
    print(f"{checked} vectors agree")


if __name__ == "__main__":
    main(sys.argv[1])
