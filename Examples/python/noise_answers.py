#!/usr/bin/env python3
"""The Noise parts of pairing and of a reconnection, by another implementation and from fixed keys.

    pip install noiseprotocol==0.3.1
    python3 Examples/python/noise_answers.py

Both sides run here, each with its own state. Prints one line of JSON with every message and every key
that follows, in hexadecimal; the tests of WatchSecurity hold the same bytes. Exit code 0 when both sides
agree, 1 when they do not, 69 without the package.
"""

import hashlib
import hmac
import json
import sys

try:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from noise.connection import Keypair, NoiseConnection
except ImportError:
    print("noise_answers: needs noiseprotocol: pip install noiseprotocol==0.3.1", file=sys.stderr)
    sys.exit(69)

SUITE = b"CPace-ristretto255-SHA512 Noise_25519_ChaChaPoly_BLAKE2b"
VERSION = b"\x01"


def key(first):
    """A fixed key: 32 bytes that count up from `first`."""
    return bytes(range(first, first + 32))


STATICS, EPHEMERALS = (key(0x10), key(0x40)), (key(0x70), key(0xA0))


def public(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def side(pattern, is_initiator, prologue, psk):
    """One side of a handshake, its keys all fixed."""
    own, other = (0, 1) if is_initiator else (1, 0)
    noise = NoiseConnection.from_name(f"Noise_{pattern}_25519_ChaChaPoly_BLAKE2b".encode())
    noise.set_as_initiator() if is_initiator else noise.set_as_responder()
    noise.set_prologue(prologue)
    noise.set_psks(psk)
    noise.set_keypair_from_private_bytes(Keypair.STATIC, STATICS[own])
    noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, EPHEMERALS[own])
    if pattern.startswith("KK"):
        noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, public(STATICS[other]))
    noise.start_handshake()
    return noise


def exported(symmetric, label):
    """A key for one purpose: HKDF over the chaining key and label, zero byte, hash; second output."""
    def mac(secret, text):
        return hmac.new(secret, text, hashlib.blake2b).digest()

    temporary = mac(symmetric.ck, label + b"\0" + symmetric.h)
    first = mac(temporary, b"\x01")
    return mac(temporary, first + b"\x02")[:32]


def packet(secret, number):
    """A packet as a session seals it: one byte of header, then a text."""
    for _ in range(number >> 16):
        secret = ChaCha20Poly1305(secret).encrypt(b"\0" * 4 + b"\xff" * 8, bytes(32), b"")[:32]
    nonce = b"\0" * 4 + number.to_bytes(8, "little")
    return b"\x45" + ChaCha20Poly1305(secret).encrypt(nonce, b"Testamin 5 mg", b"\x45")


def run(initiator, responder, payloads):
    """Every message, and whether both sides read what the other wrote."""
    messages, agree = [], True
    for turn, payload in enumerate(payloads):
        writer, reader = (initiator, responder) if turn % 2 == 0 else (responder, initiator)
        message = bytes(writer.write_message(payload))
        agree &= bytes(reader.read_message(message)) == payload
        messages.append(message)
    return messages, agree and initiator.get_handshake_hash() == responder.get_handshake_hash()


def pairing():
    prologue = hashlib.blake2b(b"all that was said before").digest()
    sides = [side("XXpsk0", first, prologue, key(0xD0)) for first in (True, False)]
    symmetric = sides[0].noise_protocol.handshake_state.symmetric_state
    messages, agree = run(*sides, [b"", b"", b""])
    name = hashlib.blake2b(b"WatchProto pairing id, version 1\0" + symmetric.h, digest_size=16)
    return {
        "messages": messages,
        "hash": symmetric.h,
        "pairing": name.digest(),
        "psk": exported(symmetric, b"WatchProto reconnection psk, version 1"),
        "confirmation": bytes(
            ChaCha20Poly1305(sides[1].noise_protocol.cipher_state_encrypt.k).encrypt(
                bytes(12), b"", symmetric.h)),
    }, agree


def reconnection():
    pairing_id = bytes(range(16))
    prologue = bytes([len(SUITE)]) + SUITE + VERSION + pairing_id + VERSION
    sides = [side("KKpsk0", first, prologue, key(0xD0)) for first in (True, False)]
    symmetric = sides[0].noise_protocol.handshake_state.symmetric_state
    counter = (7).to_bytes(8, "little")
    message = bytes(sides[0].write_message(counter + b"greeting"))
    agree = bytes(sides[1].read_message(message)) == counter + b"greeting"
    early = exported(symmetric, b"WatchProto early data key, version 1")
    answer = bytes(sides[1].write_message(b"welcome"))
    agree &= bytes(sides[0].read_message(answer)) == b"welcome"
    agree &= sides[0].get_handshake_hash() == sides[1].get_handshake_hash()
    there = sides[0].noise_protocol.cipher_state_encrypt.k
    back = sides[1].noise_protocol.cipher_state_encrypt.k
    return {
        "messages": [message, answer],
        "hash": symmetric.h,
        "early packet 0": packet(early, 0),
        "packet 0": packet(there, 0),
        "packet 65536": packet(there, 1 << 16),
        "packet 0 back": packet(back, 0),
    }, agree


def main():
    (paired, first), (connected, second) = pairing(), reconnection()
    print(json.dumps(
        {"pairing": paired, "reconnection": connected},
        default=lambda value: value.hex()))
    return 0 if first and second else 1


if __name__ == "__main__":
    sys.exit(main())
