#!/usr/bin/env python3
"""Names the public symbols without a docstring in symbol graphs.

    scripts/undocumented.py FOLDER...      one folder of symbol graphs per module; see scripts/docs

What a protocol asks for and the compiler makes is left out. Exit code 1 when a symbol is named.
"""
import json
import pathlib
import sys

# Requirements of the standard library's protocols: their meaning is the protocol's.
WITNESSES = {
    "==(_:_:)", "<(_:_:)", "hash(into:)", "hashValue", "description", "debugDescription", "rawValue",
    "init(rawValue:)", "RawValue", "allCases", "AllCases", "Element", "ArrayLiteralElement",
    "IntegerLiteralType", "StringLiteralType", "BooleanLiteralType", "ID", "Failure",
}


def undocumented(folder):
    found = set()
    for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        inherited = {r["source"] for r in graph["relationships"] if "sourceOrigin" in r}
        for symbol in graph["symbols"]:
            name = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in name or name in inherited or "docComment" in symbol:
                continue
            if symbol["pathComponents"][-1] not in WITNESSES:
                found.add(".".join(symbol["pathComponents"]))
    return sorted(found)


def main():
    status = 0
    for folder in sys.argv[1:]:
        for name in undocumented(folder):
            print(f"{pathlib.Path(folder).name}: no docstring: {name}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
