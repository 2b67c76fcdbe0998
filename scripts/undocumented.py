#!/usr/bin/env python3
"""Names the public symbols without a docstring in symbol graphs, and those whose docstring does not say
when they throw.

    scripts/undocumented.py FOLDER...      one folder of symbol graphs per module; see scripts/docs
    scripts/undocumented.py --self-test    finds faults planted in a graph of its own

Members that a protocol requires and the compiler makes are left out. Exit code 1 when a symbol is named.
ThrowingCommentTests, a test over the sources, checks throwing symbols as well.
"""
import json
import pathlib
import re
import sys
import tempfile

# Any of these words speaks of what is thrown.
SAYS = re.compile(r"\b(throws?|thrown|refus\w+|fail(s|ed|ure)?|faults?|errors?)\b", re.IGNORECASE)

# Requirements of the standard library's protocols: their meaning is the protocol's.
WITNESSES = {
    "==(_:_:)", "<(_:_:)", "hash(into:)", "hashValue", "description", "debugDescription", "rawValue",
    "init(rawValue:)", "RawValue", "allCases", "AllCases", "Element", "ArrayLiteralElement",
    "IntegerLiteralType", "StringLiteralType", "BooleanLiteralType", "ID", "Failure",
}


def throws(symbol):
    """Whether the symbol itself throws, not only a function it takes."""
    depth = 0
    for part in re.findall(r"[()]|\b(?:re)?throws\b", declaration(symbol)):
        if part in "()":
            depth += 1 if part == "(" else -1
        elif depth == 0:
            return True
    return False


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol.get("declarationFragments", []))


def complaint(symbol):
    """The fault of the symbol's docstring; None when there is none."""
    if "docComment" not in symbol:
        return None if symbol["pathComponents"][-1] in WITNESSES else "no docstring"
    text = " ".join(line["text"] for line in symbol["docComment"]["lines"])
    return None if not throws(symbol) or SAYS.search(text) else "not a word on what it throws"


def faults(folder):
    found = set()
    for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        inherited = {r["source"] for r in graph["relationships"] if "sourceOrigin" in r}
        for symbol in graph["symbols"]:
            name = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in name or name in inherited:
                continue
            if symbol.get("accessLevel", "public") != "public":
                continue
            if wrong := complaint(symbol):
                found.add((".".join(symbol["pathComponents"]), wrong))
    return sorted(found)


def planted(name, text, code):
    comment = {"docComment": {"lines": [{"text": text}]}} if text else {}
    return {"identifier": {"precise": name}, "pathComponents": [name],
            "declarationFragments": [{"spelling": code}], **comment}


def self_test():
    """A graph with a fault of each kind, and with what must not be named."""
    symbols = [
        planted("silent()", "One byte.", "func silent() throws(WireError) -> UInt8"),
        planted("bare()", None, "func bare()"),
        planted("said()", "One byte. Throws at the end.", "func said() throws -> UInt8"),
        planted("taking(_:)", "Runs it.", "func taking(_ body: () throws -> Void)"),
        planted("description", None, "var description: String { get }"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        graph = {"symbols": symbols, "relationships": []}
        pathlib.Path(folder, "A.symbols.json").write_text(json.dumps(graph), encoding="utf-8")
        found = faults(folder)
    expected = [("bare()", "no docstring"), ("silent()", "not a word on what it throws")]
    if found == expected:
        return 0
    print(f"self-test: expected {expected}, found {found}", file=sys.stderr)
    return 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    status = 0
    for folder in sys.argv[1:]:
        for name, wrong in faults(folder):
            print(f"{pathlib.Path(folder).name}: {wrong}: {name}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
