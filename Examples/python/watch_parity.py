"""Parity over packets, in Python.

Written from `wire-format.md`, *Parity*. A source is what one packet brings into a combination.
"""

POLYNOMIAL = 0x11D  # x⁸ + x⁴ + x³ + x² + 1


def product(left, right):
    """In GF(2⁸), one bit after the other: no tables, so that it is easy to see that it is right."""
    out = 0
    while right:
        out ^= left if right & 1 else 0
        left = left << 1 ^ (POLYNOMIAL if left & 0x80 else 0)
        right >>= 1
    return out


def inverse(value):
    return next(other for other in range(1, 256) if product(value, other) == 1)


def coefficient(row, place):
    return inverse(255 - row ^ place)


def source(frames, length=0):
    """The length of the frames in two bytes, the frames, and zeros up to `length`."""
    return (len(frames).to_bytes(2, "little") + frames).ljust(length, b"\0")


def add(total, data, factor):
    return bytes(t ^ product(factor, d) for t, d in zip(total, data))


def combine(packets, row):
    """Combination `row` of the frames of `packets`."""
    length = max(len(frames) for frames in packets) + 2
    total = bytes(length)
    for place, frames in enumerate(packets):
        total = add(total, source(frames, length), coefficient(row, place))
    return total


def restore(packets, combinations):
    """The frames of all packets; those that are lost are None in `packets`. `combinations` are
    pairs (row, bytes), as many as packets are lost."""
    lost = [place for place, frames in enumerate(packets) if frames is None]
    length = len(combinations[0][1])
    equations = []
    for row, total in combinations[: len(lost)]:
        for place, frames in enumerate(packets):
            if frames is not None:
                total = add(total, source(frames, length), coefficient(row, place))
        equations.append(([coefficient(row, place) for place in lost], total))
    for column in range(len(lost)):
        pivot = next(i for i in range(column, len(lost)) if equations[i][0][column])
        equations[column], equations[pivot] = equations[pivot], equations[column]
        factors, total = equations[column]
        scale = inverse(factors[column])
        equations[column] = (
            [product(scale, f) for f in factors], bytes(product(scale, t) for t in total))
        for other in range(len(lost)):
            if other != column:
                f, t = equations[other]
                by = f[column]
                equations[other] = (
                    [a ^ product(by, b) for a, b in zip(f, equations[column][0])],
                    add(t, equations[column][1], by))
    found = dict(zip(lost, (total for _, total in equations)))
    return [
        found[place][2 : 2 + int.from_bytes(found[place][:2], "little")]
        if frames is None else frames
        for place, frames in enumerate(packets)]
