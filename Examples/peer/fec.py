"""The FEC code of Loss recovery: combinations of packets over GF(2^8), 0x11D."""

EXP, LOG = [0] * 510, [0] * 256
x = 1
for i in range(255):
    EXP[i] = EXP[i + 255] = x
    LOG[x] = i
    x = x << 1 ^ (0x11D if x & 0x80 else 0)


def times(a, b):
    return EXP[LOG[a] + LOG[b]] if a and b else 0


def inverse(a):
    return EXP[255 - LOG[a]]


def coefficient(i, j):
    return inverse((255 - i) ^ j)


def symbol(frames):
    return len(frames).to_bytes(2, "little") + frames


def mix(into, factor, data):
    for k, byte in enumerate(data):
        into[k] ^= times(factor, byte)


def combination(i, packets):
    sources = [symbol(p) for p in packets]
    out = bytearray(max(map(len, sources)))
    for j, source in enumerate(sources):
        mix(out, coefficient(i, j), source)
    return bytes(out)


def recover(count, arrived, repairs):
    """`arrived`: {place: frames}; `repairs`: {index: combination}. Returns {place: frames} or
    None."""
    missing = [j for j in range(count) if j not in arrived]
    if not missing or len(repairs) < len(missing):
        return None
    rows = []
    for i, c in list(repairs.items())[: len(missing)]:
        rest = bytearray(c)
        for j, frames in arrived.items():
            mix(rest, coefficient(i, j), symbol(frames)[: len(rest)])
        rows.append(([coefficient(i, j) for j in missing], rest))
    for k in range(len(missing)):  # Gauss-Jordan
        pivot = next(i for i in range(k, len(rows)) if rows[i][0][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        scale = inverse(rows[k][0][k])
        rows[k] = [times(scale, v) for v in rows[k][0]], bytearray(
            times(scale, v) for v in rows[k][1]
        )
        for i in range(len(rows)):
            factor = rows[i][0][k]
            if i != k and factor:
                mix(rows[i][0], factor, rows[k][0])
                mix(rows[i][1], factor, rows[k][1])
    out = {}
    for j, (_, data) in zip(missing, rows):
        size = int.from_bytes(data[:2], "little")
        if size + 2 > len(data) or any(data[size + 2 :]):
            return None
        out[j] = bytes(data[2 : 2 + size])
    return out
