"""CPace, Noise and sealed packets for `sealed_phone.py`, without any code of this package.

Written from the articles of WatchSecurity.docc. Noise is the package noiseprotocol, ristretto255 is
libsodium's through ctypes, everything else the standard library's.
"""

import ctypes
import ctypes.util
import hashlib
import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from noise.connection import Keypair, NoiseConnection
from noise.exceptions import NoiseInvalidMessage

from watch_records import check, varint

SUITE = b"CPace-ristretto255-SHA512 Noise_25519_ChaChaPoly_BLAKE2b"
VERSION = 1
CLASSES = [(64, 64), (256, 192), (2_048, 256), (8_192, 1_024)]  # up to, in steps of; then 4,096


def with_length(data):
    """CPace's prepend_len. Its LEB128 is the wire's varint."""
    return varint(len(data)) + data


# --- CPace ----------------------------------------------------------------------------------------


def libsodium():
    found = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
    if found.sodium_init() < 0:
        raise OSError("libsodium does not start")
    return found


class CPace:
    """One side of CPace-ristretto255-SHA512 (draft-irtf-cfrg-cpace, sections 6 and 7)."""

    DOMAIN = b"CPaceRistretto255"

    def __init__(self, code, channel, session):
        self.sodium, self.session = libsodium(), session
        head = with_length(self.DOMAIN) + with_length(code)
        zeros = bytes(max(0, 128 - 1 - len(head)))  # the first block of SHA-512
        text = head + with_length(zeros) + with_length(channel) + with_length(session)
        generator = ctypes.create_string_buffer(32)
        self.sodium.crypto_core_ristretto255_from_hash(generator, hashlib.sha512(text).digest())
        self.scalar = ctypes.create_string_buffer(32)
        self.sodium.crypto_core_ristretto255_scalar_random(self.scalar)
        self.share = self.multiply(generator.raw)

    def multiply(self, element):
        product = ctypes.create_string_buffer(32)
        # Refuses what is no element, and the identity.
        refused = self.sodium.crypto_scalarmult_ristretto255(product, self.scalar, element)
        check(refused == 0, "notAnElement", 0)
        return product.raw

    def key(self, other, transcript):
        """ISK, from the counterpart's share and both messages, the first speaker's first."""
        check(other != self.share, "ownShare", 0)
        head = with_length(self.DOMAIN + b"_ISK") + with_length(self.session)
        shared = with_length(self.multiply(other))
        return hashlib.sha512(head + shared + transcript).digest()


# --- Noise ----------------------------------------------------------------------------------------


def draw_key(below=None, above=None):
    """A static key and its public half, which is below or above another one if that is given."""
    while True:
        secret = secrets.token_bytes(32)
        public = X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
        if (below is None or public < below) and (above is None or public > above):
            return secret, public


class Noise:
    """One side of a handshake, and what follows from it."""

    def __init__(self, pattern, opens, prologue, psk, static, remote=None):
        name = f"Noise_{pattern}_25519_ChaChaPoly_BLAKE2b".encode()
        self.connection = NoiseConnection.from_name(name)
        if opens:
            self.connection.set_as_initiator()
        else:
            self.connection.set_as_responder()
        self.connection.set_prologue(prologue)
        self.connection.set_psks(psk)
        self.connection.set_keypair_from_private_bytes(Keypair.STATIC, static)
        if remote:
            self.connection.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, remote)
        self.connection.start_handshake()
        # The package lets go of these when the handshake ends.
        self.handshake = self.connection.noise_protocol.handshake_state
        self.symmetric = self.handshake.symmetric_state

    def write(self, payload=b""):
        return bytes(self.connection.write_message(payload))

    def read(self, message):
        return bytes(self.connection.read_message(message))

    @property
    def hash(self):
        return bytes(self.symmetric.h)

    @property
    def remote(self):
        return bytes(self.handshake.rs.public_bytes)

    def take_static(self, secret):
        """Another static key, as long as the first has not been sent."""
        keys = self.connection.noise_protocol.keypair_class
        self.handshake.s = keys.from_private_bytes(secret)

    def exported(self, label):
        """A key for one purpose: HKDF over ck; its input is the label, a zero byte and h."""
        def mac(secret, text):
            return hmac.new(secret, text, hashlib.blake2b).digest()

        temporary = mac(bytes(self.symmetric.ck), label + b"\0" + self.hash)
        return mac(temporary, mac(temporary, b"\x01") + b"\x02")[:32]

    def keys(self):
        """The keys of the two directions: this side's, the counterpart's."""
        protocol = self.connection.noise_protocol
        return (bytes(protocol.cipher_state_encrypt.k), bytes(protocol.cipher_state_decrypt.k))

    def pairing_name(self):
        text = b"WatchProto pairing id, version 1\0" + self.hash
        return hashlib.blake2b(text, digest_size=16).digest()


class Paired:
    """What a pairing leaves, and the handshakes that it allows from then on."""

    def __init__(self, name, static, remote, psk):
        self.name, self.static, self.remote, self.psk = name, static, remote, psk
        self.counter = 0

    def reconnect(self, opens):
        # The host adds the wire version.
        prologue = with_length(SUITE) + bytes([VERSION]) + self.name + bytes([VERSION])
        return Noise("KKpsk0", opens, prologue, self.psk, self.static[0], self.remote)

    @property
    def wins(self):
        """Whether this side is answered when both open at once."""
        return self.static[1] < self.remote


# --- Packets --------------------------------------------------------------------------------------


def pad(frames):
    """0x80 and zeros, up to the class of the length."""
    least, start = len(frames) + 1, 0
    for limit, step in CLASSES + [(1 << 30, 4_096)]:
        if least <= limit:
            return frames + b"\x80" + bytes(-(least - start) % step)
        start = limit


def unpad(frames):
    text = frames.rstrip(b"\0")
    check(text[-1:] == b"\x80", "notCanonical", 0)
    return text[:-1]


class Sealer:
    """One direction of a session on a stream: packet numbers are implied, from 0."""

    def __init__(self, key):
        self.key, self.number = key, 0

    def step(self):
        """The cipher and nonce of the next packet; the key changes every 65,536 numbers."""
        if self.number and self.number % 65_536 == 0:
            last = b"\0" * 4 + b"\xff" * 8
            self.key = ChaCha20Poly1305(self.key).encrypt(last, bytes(32), b"")[:32]
        nonce = b"\0" * 4 + self.number.to_bytes(8, "little")
        self.number += 1
        return ChaCha20Poly1305(self.key), nonce

    def next_key(self):
        """The packet before said that the next one has the first number of the next key."""
        self.number = ((self.number - 1) // 65_536 + 1) * 65_536

    def seal(self, frames):
        cipher, nonce = self.step()
        return cipher.encrypt(nonce, pad(frames), b"")

    def open(self, packet):
        cipher, nonce = self.step()
        try:
            return unpad(cipher.decrypt(nonce, packet, b""))
        except InvalidTag:
            check(False, "notAuthentic", 0)
