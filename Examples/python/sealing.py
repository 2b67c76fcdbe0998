"""The article *Sealing*: pairing, handshakes and packets of wire version 1."""
import crypto
from crypto import blake2b, hkdf, mac, seal, unseal, x25519
from wire import u, varint

SUITE = b"CPace-ristretto255-SHA512 Noise_25519_ChaChaPoly_BLAKE2b"


def lv(data):
    return varint(len(data)) + data


class Noise:
    """The symmetric state of a Noise handshake (revision 34, 5.2), and its steps with a psk."""

    def __init__(self, pattern, prologue):
        name = f"Noise_{pattern}_25519_ChaChaPoly_BLAKE2b".encode()
        self.h = name.ljust(64, b"\0") if len(name) <= 64 else blake2b(64, name)
        self.ck, self.key, self.number = self.h, None, 0
        self.mix_hash(prologue)

    def mix_hash(self, data):
        self.h = blake2b(64, self.h, data)

    def mix_key(self, material):
        self.ck, key = hkdf(self.ck, material)
        self.key, self.number = key[:32], 0

    def mix_psk(self, psk):
        self.ck, hashed, key = hkdf(self.ck, psk, 3)
        self.mix_hash(hashed)
        self.key, self.number = key[:32], 0

    def ephemeral(self, public):
        self.mix_hash(public)
        self.mix_key(public)

    def encrypt(self, plain):
        sealed = seal(self.key, self.number, self.h, plain)
        self.number += 1
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed):
        plain = unseal(self.key, self.number, self.h, sealed)
        if plain is not None:
            self.number += 1
            self.mix_hash(sealed)
        return plain

    def exported(self, label):
        return hkdf(self.ck, label + b"\0" + self.h)[1][:32]

    def split(self):
        return [key[:32] for key in hkdf(self.ck, b"")]


class Device:
    """What a pairing leaves on one side."""

    def __init__(self, role, pairing, secret, counterpart, psk):
        self.role, self.pairing, self.secret = role, pairing, secret
        self.public, self.counterpart, self.psk = crypto.public_key(secret), counterpart, psk

    def outer(self, purpose, role):
        label = b"WatchProto " + purpose + b", version 1\0" + bytes([role])
        return crypto.hmac_blake2b(self.psk, label)[:32]

    def mask(self, role, ephemeral):
        return int.from_bytes(mac(self.outer(b"counter mask", role), ephemeral)[:8], "little")

    def mac1(self, role, connection, ephemeral, masked, sealed):
        key = self.outer(b"message 1 MAC", role)
        return mac(key, b"\1", u(connection, 4), ephemeral, masked, sealed)[:8]

    def refusal(self, role, named, connection, body):
        return mac(self.outer(b"refusal MAC", role), u(named, 8), u(connection, 4), body)

    def reset(self, role, connection, tail):
        return mac(self.outer(b"reset token", role), u(connection, 4), tail)

    def noise(self, initiates, connection, counter):
        noise = Noise("KKpsk0", lv(SUITE) + b"\1" + self.pairing + b"\1" + u(connection, 4) + u(counter, 8))
        for key in (self.public, self.counterpart) if initiates else (self.counterpart, self.public):
            noise.mix_hash(key)
        noise.mix_psk(self.psk)
        return noise


class Initiation:
    """Message 1 as its maker, and what opens message 2."""

    def __init__(self, device, connection, counter, payload, ephemeral):
        self.device, self.connection, self.secret = device, connection, ephemeral
        self.noise = noise = device.noise(True, connection, counter)
        public = crypto.public_key(ephemeral)
        noise.ephemeral(public)
        noise.mix_key(x25519(ephemeral, device.counterpart))
        noise.mix_key(x25519(device.secret, device.counterpart))
        sealed = noise.encrypt(payload)
        masked = u(counter ^ device.mask(device.role, public), 8)
        self.body = public + masked + device.mac1(device.role, connection, public, masked, sealed) + sealed
        self.early = noise.exported(b"WatchProto early data key, version 1")

    def open(self, body):
        """The payload of message 2; None where it does not authenticate (S-10)."""
        noise, device = Noise.__new__(Noise), self.device
        noise.__dict__.update(self.noise.__dict__)
        noise.ephemeral(body[:32])
        noise.mix_key(x25519(self.secret, body[:32]))
        noise.mix_key(x25519(device.secret, body[:32]))
        payload = noise.decrypt(body[32:])
        if payload is not None:
            self.noise = noise
        return payload

    def keys(self):
        """(sending, receiving, ticket)."""
        first, second = self.noise.split()
        return first, second, int.from_bytes(self.noise.h[:8], "little")


class Response:
    """Message 1 as its receiver, and message 2."""

    @staticmethod
    def counter(device, connection, body):
        """The counter of a message 1 whose MAC is right; None for every other (C-13)."""
        if len(body) < 64:
            return None
        public, masked, found, sealed = body[:32], body[32:40], body[40:48], body[48:]
        other = 1 - device.role
        if found != device.mac1(other, connection, public, masked, sealed):
            return None
        return int.from_bytes(masked, "little") ^ device.mask(other, public)

    def __init__(self, device, connection, counter, body):
        self.device, self.remote = device, body[:32]
        self.noise = noise = device.noise(False, connection, counter)
        noise.ephemeral(self.remote)
        noise.mix_key(x25519(device.secret, self.remote))
        noise.mix_key(x25519(device.secret, device.counterpart))
        self.payload = noise.decrypt(body[48:])
        if self.payload is not None:
            self.early = noise.exported(b"WatchProto early data key, version 1")

    def respond(self, payload, ephemeral):
        noise, device = self.noise, self.device
        public = crypto.public_key(ephemeral)
        noise.ephemeral(public)
        noise.mix_key(x25519(ephemeral, self.remote))
        noise.mix_key(x25519(ephemeral, device.counterpart))
        return public + noise.encrypt(payload)

    def keys(self):
        """(sending, receiving, ticket)."""
        first, second = self.noise.split()
        return second, first, int.from_bytes(self.noise.h[:8], "little")


class Sealer:
    """The packets of one direction where the number is implied."""

    def __init__(self, key):
        self.key, self.index, self.number = key, 0, 0

    def _advance(self):
        while self.index < self.number >> 16:
            self.key, self.index = crypto.rekey(self.key), self.index + 1

    def seal(self, frames, associated=b""):
        self._advance()
        sealed = seal(self.key, self.number, associated, frames + b"\x80")
        self.number += 1
        return sealed

    def open(self, sealed, associated=b""):
        """The frames; None where the packet does not authenticate. No padding is an error."""
        self._advance()
        plain = unseal(self.key, self.number, associated, sealed)
        if plain is None:
            return None
        self.number += 1
        plain = plain.rstrip(b"\0")
        if plain[-1:] != b"\x80":
            raise ValueError("a packet without padding (S-16)")
        return plain[:-1]

    def update(self):
        """Behind keyUpdate the next packet has the next key (S-14)."""
        self.number = (self.number - 1 >> 16) + 1 << 16


class PairingRun:
    """Both sides of a pairing from fixed randomness: for vectors."""

    def __init__(self, code, enterer, shower):
        """Sides are dicts: role, device, nonce, scalar (64 bytes), static, ephemeral."""
        self.code, self.enterer, self.shower = code, enterer, shower
        introduction = lambda side: b"\1" + bytes([side["role"]]) + side["device"] + side["nonce"]
        first, second = introduction(enterer), introduction(shower)
        self.prs = lv(code) + enterer["device"] + shower["device"]
        self.ci = lv(SUITE) + b"\1" + bytes([enterer["role"], shower["role"]])
        self.sid = enterer["nonce"] + shower["nonce"]
        head = lv(b"CPaceRistretto255") + lv(self.prs)
        zeros = bytes(max(0, 127 - len(head)))
        import hashlib
        text = head + lv(zeros) + lv(self.ci) + lv(self.sid)
        self.generator = crypto.from_hash(hashlib.sha512(text).digest())
        a, b = (crypto.reduce_scalar(side["scalar"]) for side in (shower, enterer))
        self.ya, self.yb = crypto.multiply(a, self.generator), crypto.multiply(b, self.generator)
        shared = crypto.multiply(a, self.yb)
        assert shared == crypto.multiply(b, self.ya)
        said = lv(self.ya) + lv(second)
        answer = lv(self.yb) + lv(b"")
        self.isk = hashlib.sha512(lv(b"CPaceRistretto255_ISK") + lv(self.sid) + lv(shared) + said + answer).digest()
        self.psk = blake2b(32, self.isk)
        m1, m2, m3 = b"\1" + first, b"\2" + said, b"\3" + answer
        self.prologue = blake2b(64, m1, m2, m3)
        noise, self.states = Noise("XXpsk0", self.prologue), []
        ee, es = enterer["ephemeral"], shower["ephemeral"]
        noise.mix_psk(self.psk)
        noise.ephemeral(crypto.public_key(ee))
        m3 += crypto.public_key(ee) + noise.encrypt(b"")
        self.states.append((noise.ck, noise.h))
        noise.ephemeral(crypto.public_key(es))
        noise.mix_key(x25519(ee, crypto.public_key(es)))
        sealed = noise.encrypt(crypto.public_key(shower["static"]))
        noise.mix_key(x25519(ee, crypto.public_key(shower["static"])))
        m4 = b"\4" + crypto.public_key(es) + sealed + noise.encrypt(b"")
        self.states.append((noise.ck, noise.h))
        sealed = noise.encrypt(crypto.public_key(enterer["static"]))
        noise.mix_key(x25519(es, crypto.public_key(enterer["static"])))
        m5 = b"\5" + sealed + noise.encrypt(b"")
        self.states.append((noise.ck, noise.h))
        self.split = noise.split()
        m6 = b"\6" + seal(self.split[1], 0, noise.h, b"")
        self.messages = [m1, m2, m3, m4, m5, m6]
        self.pairing = blake2b(16, b"WatchProto pairing id, version 1\0", noise.h)
        self.session_psk = noise.exported(b"WatchProto reconnection psk, version 1")
        self.ticket = int.from_bytes(self.pairing[:8], "little") or 1
