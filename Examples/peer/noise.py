"""Noise, revision 34, with X25519, ChaCha20-Poly1305 and BLAKE2b: KKpsk0 and XXpsk0."""

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305


class NotAuthentic(Exception):
    pass


def blake(data, size=64, key=b""):
    return hashlib.blake2b(data, digest_size=size, key=key).digest()


def hmac(key, data):
    key = key.ljust(128, b"\0")
    inner = blake(bytes(b ^ 0x36 for b in key) + data)
    return blake(bytes(b ^ 0x5C for b in key) + inner)


def hkdf(ck, x, outputs=2):
    t, out = hmac(ck, x), [b""]
    for i in range(1, outputs + 1):
        out.append(hmac(t, out[-1] + bytes([i])))
    return out[1:]


def seal(key, n, associated, plain):
    return ChaCha20Poly1305(key).encrypt(bytes(4) + n.to_bytes(8, "little"), plain, associated)


def unseal(key, n, associated, sealed):
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(4) + n.to_bytes(8, "little"), sealed, associated)
    except InvalidTag:
        raise NotAuthentic from None


def rekey(key):
    return seal(key, 2**64 - 1, b"", bytes(32))[:32]


def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def dh(private, other):
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(other)
        )
    except ValueError:
        raise NotAuthentic from None


PATTERNS = {"KK": (["e es ss", "e ee se"]), "XX": (["e", "e ee s es", "s se"])}


class Noise:
    """One side of a handshake with psk0. Payloads are given and returned; keys are 32 bytes."""

    def __init__(
        self, pattern, initiator, prologue, psk, static, remote_static=None, ephemeral=None
    ):
        name = f"Noise_{pattern}psk0_25519_ChaChaPoly_BLAKE2b".encode()
        self.h = self.ck = name.ljust(64, b"\0") if len(name) <= 64 else blake(name)
        self.key, self.n = None, 0
        self.initiator, self.tokens, self.psk = initiator, list(PATTERNS[pattern]), psk
        self.s, self.rs, self.e, self.re = static, remote_static, ephemeral or os.urandom(32), None
        self.mix_hash(prologue)
        if pattern == "KK":
            ours, theirs = public(static), remote_static
            for key in (ours, theirs) if initiator else (theirs, ours):
                self.mix_hash(key)
        self.first = True

    def copy(self):
        other = object.__new__(Noise)
        other.__dict__ = dict(self.__dict__, tokens=list(self.tokens))
        return other

    def mix_hash(self, data):
        self.h = blake(self.h + data)

    def mix_key(self, data):
        self.ck, key = hkdf(self.ck, data)
        self.key, self.n = key[:32], 0

    def mix_psk(self):
        self.ck, h, key = hkdf(self.ck, self.psk, 3)
        self.mix_hash(h)
        self.key, self.n = key[:32], 0

    def encrypt(self, plain):
        out = seal(self.key, self.n, self.h, plain) if self.key else plain
        self.n += 1
        self.mix_hash(out)
        return out

    def decrypt(self, sealed):
        out = unseal(self.key, self.n, self.h, sealed) if self.key else sealed
        self.n += 1
        self.mix_hash(sealed)
        return out

    def mix_dh(self, token):
        ours, theirs = token if self.initiator else token[::-1]
        self.mix_key(dh(self.e if ours == "e" else self.s, self.re if theirs == "e" else self.rs))

    def write(self, payload=b""):
        out = b""
        if self.first:
            self.mix_psk()
            self.first = False
        for token in self.tokens.pop(0).split():
            if token == "e":
                key = public(self.e)
                out += key
                self.mix_hash(key)
                self.mix_key(key)
            elif token == "s":
                out += self.encrypt(public(self.s))
            else:
                self.mix_dh(token)
        return out + self.encrypt(payload)

    def read(self, message):
        """Changes nothing unless the message authenticates (S-10)."""
        trial = self.copy()
        payload = trial._read(message)
        self.__dict__ = trial.__dict__
        return payload

    def _read(self, message):
        if self.first:
            self.mix_psk()
            self.first = False
        for token in self.tokens.pop(0).split():
            if token == "e":
                self.re, message = message[:32], message[32:]
                if len(self.re) < 32:
                    raise NotAuthentic
                self.mix_hash(self.re)
                self.mix_key(self.re)
            elif token == "s":
                self.rs, message = self.decrypt(message[:48]), message[48:]
            else:
                self.mix_dh(token)
        if len(message) < 16:
            raise NotAuthentic
        return self.decrypt(message)

    def split(self):
        return [key[:32] for key in hkdf(self.ck, b"")]
