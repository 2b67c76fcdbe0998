"""ristretto255 (RFC 9496), as CPace needs it. Not constant in time: an example."""

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def negative(x):
    return x & 1


def magnitude(x):
    return P - x if x & 1 else x


def sqrt_ratio(u, v):
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * r * r % P
    if check in (-u % P, -u * SQRT_M1 % P):
        r = r * SQRT_M1 % P
    return check in (u % P, -u % P), magnitude(r)


INVSQRT_A_MINUS_D = sqrt_ratio(1, (-1 - D) % P)[1]
SQRT_AD_MINUS_ONE = P - sqrt_ratio((-D - 1) % P, 1)[1]  # the odd root (RFC 9496, 4.1)
ONE_MINUS_D_SQ = (1 - D * D) % P
D_MINUS_ONE_SQ = (D - 1) ** 2 % P
IDENTITY = (0, 1, 1, 0)


def add(p, q):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = p, q
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * D * t1 * t2 % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, p):
    out = IDENTITY
    for bit in bin(scalar)[2:]:
        out = add(out, out)
        if bit == "1":
            out = add(out, p)
    return out


def decode(data):
    """The element, or None."""
    s = int.from_bytes(data, "little")
    if len(data) != 32 or s >= P or s & 1:
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    square, inv = sqrt_ratio(1, v * u2 * u2 % P)
    x = magnitude(2 * s * inv * u2 % P)
    y = u1 * inv * u2 % P * inv % P * v % P
    t = x * y % P
    return (x, y, 1, t) if square and not negative(t) and y else None


def encode(p):
    x0, y0, z0, t0 = p
    u1, u2 = (z0 + y0) * (z0 - y0) % P, x0 * y0 % P
    inv = sqrt_ratio(1, u1 * u2 * u2 % P)[1]
    den1, den2 = inv * u1 % P, inv * u2 % P
    z_inv = den1 * den2 * t0 % P
    if negative(t0 * z_inv % P):
        x, y, den = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den = x0, y0, den2
    if negative(x * z_inv % P):
        y = -y % P
    return magnitude(den * (z0 - y) % P).to_bytes(32, "little")


def elligator(t):
    r = SQRT_M1 * t * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    square, s = sqrt_ratio(u, v)
    if square:
        c = -1
    else:
        s, c = -magnitude(s * t % P) % P, r
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0, w1, w2, w3 = 2 * s * v % P, n * SQRT_AD_MINUS_ONE % P, (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def derive(data):
    """An element from 64 bytes (RFC 9496, 4.3.4)."""
    halves = (int.from_bytes(half, "little") % 2**255 % P for half in (data[:32], data[32:]))
    return add(*map(elligator, halves))
