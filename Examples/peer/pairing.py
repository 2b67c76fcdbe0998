"""Pairing: CPace over ristretto255, then Noise XXpsk0. One object for each run."""

import hashlib
import os

import ristretto as r
from codec import varint
from noise import Noise, NotAuthentic, blake, hkdf, seal, unseal

SUITE = b"CPace-ristretto255-SHA512 Noise_25519_ChaChaPoly_BLAKE2b"
VERSION = 1


def lv(data):
    return varint(len(data)) + data


def sha512(data):
    return hashlib.sha512(data).digest()


def generator(prs, ci, sid):
    dsi = lv(b"CPaceRistretto255") + lv(prs)
    return r.derive(sha512(dsi + lv(bytes(max(0, 127 - len(dsi)))) + lv(ci) + lv(sid)))


class Keys:
    """The results of a pairing."""

    def __init__(self, pairing, psk, static, remote_static, ticket):
        self.pairing, self.psk, self.static, self.remote_static, self.ticket = (
            pairing,
            psk,
            static,
            remote_static,
            ticket,
        )

    def dump(self):
        return {k: v.hex() if isinstance(v, bytes) else v for k, v in self.__dict__.items()}

    @classmethod
    def load(cls, d):
        return cls(**{k: bytes.fromhex(v) if isinstance(v, str) else v for k, v in d.items()})


class Run:
    """Either side of one exchange. `receive` returns the answer or None; `keys` is set at the
    end."""

    def __init__(
        self, code, role, enters, device=None, nonce=None, scalar=None, static=None, ephemeral=None
    ):
        self.code, self.role, self.enters = code.encode(), role, enters
        self.device, self.nonce = device or os.urandom(16), nonce or os.urandom(16)
        self.scalar = int.from_bytes(scalar or os.urandom(64), "little") % r.ORDER
        self.static, self.ephemeral = static or os.urandom(32), ephemeral or os.urandom(32)
        self.keys = None
        self.sent = {}  # number of the counterpart's message: (it, our answer)
        self.expects = 2 if enters else 1

    def own(self):
        return bytes([VERSION, self.role]) + self.device + self.nonce

    def message1(self):
        self.m1 = b"\1" + self.own()
        return self.m1

    def setup(self, m1, ad):
        """Names of both, from message 1 and the associated data of message 2."""
        self.prs = lv(self.code) + m1[3:19] + ad[2:18]
        self.ci = lv(SUITE) + bytes([VERSION, m1[2], ad[1]])
        self.sid = m1[19:35] + ad[18:34]
        self.generator = generator(self.prs, self.ci, self.sid)
        self.share = r.encode(r.multiply(self.scalar, self.generator))

    def noise(self, other_share, m2, m3):
        """ISK, then Noise; S-1."""
        point = r.decode(other_share)
        if point is None or other_share == self.share:
            raise NotAuthentic
        k = r.encode(r.multiply(self.scalar, point))
        if k == bytes(32):
            raise NotAuthentic
        self.isk = sha512(lv(b"CPaceRistretto255_ISK") + lv(self.sid) + lv(k) + m2[1:] + m3[1:])
        self.psk, self.prologue = blake(self.isk, 32), blake(self.m1 + m2 + m3)
        self.handshake = Noise(
            "XX", self.enters, self.prologue, self.psk, self.static, ephemeral=self.ephemeral
        )

    def receive(self, message):
        number = message[0]
        if number in self.sent:
            return self.sent[number][1] if self.sent[number][0] == message else None
        lengths = {1: 35, 2: 69, 3: 83, 4: 97, 5: 65, 6: 17}
        if number != self.expects or len(message) != lengths[number]:
            return None
        answer = getattr(self, f"on{number}")(message)
        self.sent[number] = (message, answer)
        self.expects += 2
        return answer

    def on1(self, m):  # displaying side
        self.m1, ad = m, self.own()
        self.setup(m, ad)
        self.m2 = b"\2\x20" + self.share + b"\x22" + ad
        return self.m2

    def on2(self, m):  # entering side
        self.setup(self.m1, m[35:])
        m3 = b"\3\x20" + self.share + b"\0"
        self.noise(m[2:34], m, m3)
        return m3 + self.handshake.write()

    def on3(self, m):  # displaying side
        self.noise(m[2:34], self.m2, m[:35])
        self.handshake.read(m[35:])
        return b"\4" + self.handshake.write()

    def on4(self, m):  # entering side
        self.handshake.read(m[1:])
        return b"\5" + self.handshake.write()

    def on5(self, m):  # displaying side
        self.handshake.read(m[1:])
        self.finish()
        return b"\6" + seal(self.handshake.split()[1], 0, self.handshake.h, b"")

    def on6(self, m):  # entering side
        unseal(self.handshake.split()[1], 0, self.handshake.h, m[1:])
        self.finish()

    def finish(self):
        n = self.handshake
        pairing = blake(b"WatchProto pairing id, version 1\0" + n.h, 16)
        psk = hkdf(n.ck, b"WatchProto reconnection psk, version 1\0" + n.h)[1][:32]
        ticket = int.from_bytes(pairing[:8], "little") or 1  # I-40
        self.keys = Keys(pairing, psk, self.static, n.rs, ticket)
