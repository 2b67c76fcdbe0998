"""The cryptography of the article *Sealing*, in plain Python: slow, and not constant in time.

For interoperation and vectors, never for keys that protect anything.
"""
import hashlib
import hmac
import struct

P = 2**255 - 19


def blake2b(size, *parts, key=b""):
    """BLAKE2b with an output of `size` bytes (RFC 7693)."""
    state = hashlib.blake2b(digest_size=size, key=key)
    for part in parts:
        state.update(part)
    return state.digest()


def mac(key, *parts):
    """MAC(k, m): BLAKE2b-128 with a key."""
    return blake2b(16, *parts, key=key)


def hmac_blake2b(key, *parts):
    """HMAC over BLAKE2b-512."""
    return hmac.new(key, b"".join(parts), hashlib.blake2b).digest()


def hkdf(chaining_key, material, count=2):
    """HKDF of Noise, 4.3: `count` outputs of 64 bytes."""
    temporary = hmac_blake2b(chaining_key, material)
    outputs, last = [], b""
    for number in range(1, count + 1):
        last = hmac_blake2b(temporary, last, bytes([number]))
        outputs.append(last)
    return outputs


def x25519(scalar, point):
    """The function X25519 (RFC 7748, 5)."""
    k = int.from_bytes(scalar, "little") & ~7 & (2**255 - 1) | 2**254
    u = int.from_bytes(point, "little") & (2**255 - 1)
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for bit in range(254, -1, -1):
        now = k >> bit & 1
        if swap ^ now:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = now
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb = d * a % P, c * b % P
        aa, bb = a * a % P, b * b % P
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public_key(secret):
    """The public key of an X25519 secret."""
    return x25519(secret, (9).to_bytes(32, "little"))


def _quarter(s, a, b, c, d):
    for one, other, third, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[one] = s[one] + s[other] & 0xFFFFFFFF
        mixed = s[third] ^ s[one]
        s[third] = (mixed << shift | mixed >> 32 - shift) & 0xFFFFFFFF


def _chacha_block(key, counter, nonce):
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    s = start[:]
    for _ in range(10):
        for column in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                       (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            _quarter(s, *column)
    return struct.pack("<16I", *(one + other & 0xFFFFFFFF for one, other in zip(s, start)))


def _stream(key, nonce, data):
    out = bytearray()
    for place in range(0, len(data), 64):
        block = _chacha_block(key, place // 64 + 1, nonce)
        out += bytes(x ^ y for x, y in zip(data[place:place + 64], block))
    return bytes(out)


def _tag(key, nonce, associated, sealed):
    one_time = _chacha_block(key, 0, nonce)[:32]
    r = int.from_bytes(one_time[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    pad = lambda data: data + bytes(-len(data) % 16)
    text = pad(associated) + pad(sealed) + struct.pack("<QQ", len(associated), len(sealed))
    total = 0
    for place in range(0, len(text), 16):
        block = int.from_bytes(text[place:place + 16] + b"\x01", "little")
        total = (total + block) * r % (2**130 - 5)
    return (total + int.from_bytes(one_time[16:], "little") & 2**128 - 1).to_bytes(16, "little")


def seal(key, number, associated, plain):
    """SEAL(k, n, a, p): ciphertext and tag."""
    nonce = bytes(4) + struct.pack("<Q", number)
    sealed = _stream(key, nonce, plain)
    return sealed + _tag(key, nonce, associated, sealed)


def unseal(key, number, associated, sealed):
    """What was sealed; None where it does not authenticate."""
    if len(sealed) < 16:
        return None
    nonce = bytes(4) + struct.pack("<Q", number)
    body, tag = sealed[:-16], sealed[-16:]
    if not hmac.compare_digest(tag, _tag(key, nonce, associated, body)):
        return None
    return _stream(key, nonce, body)


def rekey(key):
    """The key after `key` (S-14)."""
    return seal(key, 2**64 - 1, b"", bytes(32))[:32]


# The group ristretto255 (RFC 9496).
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def _is_negative(x):
    return x % P & 1


def _absolute(x):
    x %= P
    return P - x if x & 1 else x


def _root_of_ratio(u, v):
    r = u * v**3 % P * pow(u * v**7 % P, (P - 5) // 8, P) % P
    check = v * r * r % P
    correct, flipped = check == u % P, check == -u % P
    flipped_i = check == -u * SQRT_M1 % P
    if flipped or flipped_i:
        r = r * SQRT_M1 % P
    return correct or flipped, _absolute(r)


INVSQRT_A_MINUS_D = _root_of_ratio(1, (-1 - D) % P)[1]
ONE_MINUS_D_SQ = (1 - D * D) % P
D_MINUS_ONE_SQ = (D - 1) ** 2 % P
# The root that RFC 9496, 4.1 names SQRT_AD_MINUS_ONE.
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235


def decode(element):
    """The point that 32 bytes encode; None where they encode none."""
    s = int.from_bytes(element, "little")
    if s >= P or _is_negative(s):
        return None
    ss = s * s % P
    u1, u2 = 1 - ss, 1 + ss
    v = (-D * u1 * u1 - u2 * u2) % P
    was_square, root = _root_of_ratio(1, v * u2 * u2 % P)
    x_den = root * u2 % P
    y_den = root * x_den * v % P
    x = _absolute(2 * s * x_den)
    y = u1 * y_den % P
    t = x * y % P
    if not was_square or _is_negative(t) or y == 0:
        return None
    return x, y, 1, t


def encode(point):
    """The 32 bytes of a point."""
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    _, root = _root_of_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = root * u1 % P, root * u2 % P
    z_inverse = den1 * den2 * t % P
    den = den2
    if _is_negative(t * z_inverse):
        x, y = y * SQRT_M1 % P, x * SQRT_M1 % P
        den = den1 * INVSQRT_A_MINUS_D % P
    if _is_negative(x * z_inverse):
        y = -y
    return _absolute(den * (z - y)).to_bytes(32, "little")


def _add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _map(half):
    r = SQRT_M1 * half * half % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = _root_of_ratio(u, v)
    if not was_square:
        s = -_absolute(s * half) % P
        c = r
    else:
        c = -1
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0, w1 = 2 * s * v % P, n * SQRT_AD_MINUS_ONE % P
    w2, w3 = (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def from_hash(hashed):
    """The element derived from 64 bytes (RFC 9496, 4.3.4)."""
    halves = [int.from_bytes(half, "little") & 2**255 - 1 for half in (hashed[:32], hashed[32:])]
    return encode(_add(_map(halves[0] % P), _map(halves[1] % P)))


def multiply(scalar, element):
    """The product of a scalar and an element; None for what S-1 forbids."""
    point, product = decode(element), (0, 1, 1, 0)
    if point is None:
        return None
    for bit in bin(scalar)[2:]:
        product = _add(product, product)
        if bit == "1":
            product = _add(product, point)
    encoded = encode(product)
    return None if encoded == bytes(32) else encoded


def reduce_scalar(wide):
    """64 random bytes modulo the order of the group (S-2)."""
    return int.from_bytes(wide, "little") % ORDER
