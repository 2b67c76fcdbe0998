"""How handshake messages and packets are sealed: `Sealed` (version 1) and `Unsealed` (version
0)."""

import os
from codec import fnv, u32, u64
from noise import Noise, NotAuthentic, blake, hkdf, hmac, public, rekey, seal, unseal
from pairing import SUITE, lv


class Wrong(NotAuthentic):
    """Version 0: role or pairing are not the counterpart's (W-16)."""


class Direction:
    """The key of one direction. None seals nothing."""

    def __init__(self, key):
        self.keys = {0: key}
        self.place = 0

    def key(self, number):
        place = number >> 16
        if place not in self.keys:
            if place != self.place + 1:
                raise NotAuthentic
            self.keys[place] = rekey(self.keys[self.place])
        return self.keys[place]

    def moved(self, number):
        """A packet with this number was sealed or opened."""
        if number >> 16 > self.place:
            self.place = number >> 16

    def seal(self, number, associated, frames, pad=0):
        if self.keys[0] is None:
            return frames
        plain = frames + b"\x80"
        out = seal(self.key(number), number, associated, plain + bytes(max(0, pad - len(plain))))
        self.moved(number)
        return out

    def open(self, number, associated, sealed):
        if self.keys[0] is None:
            return sealed
        plain = unseal(self.key(number), number, associated, sealed).rstrip(b"\0")
        if plain[-1:] != b"\x80":
            raise NotAuthentic
        self.moved(number)
        return plain[:-1]


class Sealed:
    version = 1

    def __init__(self, role, keys):
        self.role, self.keys = role, keys
        self.own_key, self.other_key = public(keys.static), keys.remote_static

    def yields(self):
        """C-20: the side with the lower static key does not answer while its message 1 is fresh."""
        return self.own_key > self.other_key

    def purpose(self, purpose, role):
        return hmac(self.keys.psk, b"WatchProto " + purpose + b", version 1\0" + bytes([role]))[:32]

    def mac(self, purpose, role, data):
        return blake(data, 16, self.purpose(purpose, role))

    def noise(self, initiator, connection, counter, ephemeral=None):
        prologue = lv(SUITE) + b"\1" + self.keys.pairing + b"\1" + u32(connection) + u64(counter)
        return Noise(
            "KK",
            initiator,
            prologue,
            self.keys.psk,
            self.keys.static,
            self.keys.remote_static,
            ephemeral,
        )

    def masked(self, role, ephemeral, counter):
        mask = self.mac(b"counter mask", role, ephemeral)[:5]
        return bytes(a ^ b for a, b in zip(mask, counter))

    def message1_mac(self, role, connection, ephemeral, masked, sealed):
        return self.mac(
            b"message 1 MAC", role, b"\1" + u32(connection) + ephemeral + masked + sealed
        )[:8]

    def make1(self, connection, counter, payload, ephemeral=None):
        """Body of message 1, and what is kept until message 2."""
        noise = self.noise(True, connection, counter, ephemeral)
        m = noise.write(payload)
        masked = self.masked(self.role, m[:32], u64(counter))
        mac = self.message1_mac(self.role, connection, m[:32], masked, m[32:])
        return m[:32] + masked + mac + m[32:], noise

    def peek1(self, connection, body):
        """Checks the MAC alone, returns the counter (C-13)."""
        if len(body) < 45 + 16:
            raise NotAuthentic
        e, masked, mac, sealed = body[:32], body[32:37], body[37:45], body[45:]
        if mac != self.message1_mac(1 - self.role, connection, e, masked, sealed):
            raise NotAuthentic
        return int.from_bytes(self.masked(1 - self.role, e, masked), "little")

    def open1(self, connection, counter, body):
        noise = self.noise(False, connection, counter)
        return noise.read(body[:32] + body[45:]), noise

    @staticmethod
    def early_key(noise):
        return hkdf(noise.ck, b"WatchProto early data key, version 1\0" + noise.h)[1][:32]

    def make2(self, noise, payload):
        return noise.write(payload), self.session(noise, initiator=False)

    def open2(self, noise, body):
        payload = noise.read(body)
        return payload, self.session(noise, initiator=True)

    @staticmethod
    def session(noise, initiator):
        """(ticket, what this side sends with, what it receives with)"""
        first, second = map(Direction, noise.split())
        ticket = int.from_bytes(noise.h[:8], "little")
        return (ticket, first, second) if initiator else (ticket, second, first)

    def refusal_mac(self, own, counter, connection, body):
        return self.mac(
            b"refusal MAC",
            self.role if own else 1 - self.role,
            u64(counter) + u32(connection) + body,
        )

    def reset_token(self, own, connection, packet):
        return self.mac(
            b"reset token", self.role if own else 1 - self.role, u32(connection) + packet[-8:]
        )


class Unsealed:
    version = 0

    def __init__(self, role, pairing):
        self.role, self.pairing = role, pairing

    def yields(self):
        return self.role == 1

    def make1(self, connection, counter, payload, random=None):
        random = random or os.urandom(8)
        rest = bytes([self.role]) + self.pairing + payload
        checksum = fnv(rest + u64(connection) + random + u64(counter))
        return random + u64(counter) + u64(checksum) + rest, random

    def peek1(self, connection, body):
        if len(body) < 41:
            raise NotAuthentic
        if fnv(body[24:] + u64(connection) + body[:16]) != int.from_bytes(body[16:24], "little"):
            raise NotAuthentic
        if body[24:41] != bytes([1 - self.role]) + self.pairing:
            raise Wrong
        return int.from_bytes(body[8:16], "little")

    def open1(self, connection, counter, body):
        return body[41:], body[:8]

    def make2(self, random1, payload, random=None):
        random = random or os.urandom(8)
        return random + bytes([self.role]) + self.pairing + payload, self.session(random1, random)

    def open2(self, random1, body):
        if len(body) < 25:
            raise NotAuthentic
        if body[8:25] != bytes([1 - self.role]) + self.pairing:
            raise Wrong
        return body[25:], self.session(random1, body[:8])

    @staticmethod
    def session(random1, random2):
        return fnv(random1 + random2), Direction(None), Direction(None)

    def refusal_mac(self, own, counter, connection, body):
        h0 = fnv(body + u64(counter))
        return fnv(u64(1), h0).to_bytes(8, "big") + h0.to_bytes(8, "big")

    def reset_token(self, own, connection, packet):
        """W-15: bound to the side that resets, the connection and the packet's end."""
        role = self.role if own else 1 - self.role
        h0 = fnv(u64(connection * 256 + role), fnv(packet[-8:]))
        return fnv(u64(0), h0).to_bytes(8, "big") + h0.to_bytes(8, "big")

    early_key = staticmethod(lambda state: None)
