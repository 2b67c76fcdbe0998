"""A pairing on a link: packets of messages, cookies and repetitions (Pairing; C-43 to C-45)."""

import hashlib
import hmac
import os
import select
import time
from carriers import Gone, Listener
from codec import WireError
from noise import NotAuthentic
from packets import ADVISORY, PAIRING, Packet, read_packet, write_packet


class PairingFailed(Exception):
    pass


class Cookies:
    """C-44: a secret for 60 s, good for its own and the next period."""

    def __init__(self):
        self.secret = os.urandom(32)

    def make(self, address, period=None):
        period = int(time.monotonic() // 60) if period is None else period
        return hmac.new(self.secret, f"{period} {address}".encode(), hashlib.sha256).digest()[:16]

    def good(self, address, cookie):
        now = int(time.monotonic() // 60)
        return cookie in (self.make(address, now), self.make(address, now - 1))


def pair(where, run, timeout=10.0, between=lambda: None):
    """Runs `run` over a carrier or a Listener. Returns its keys. `between` is called at every
    turn."""
    link = None if isinstance(where, Listener) else where
    cookies, cookie, address = Cookies(), bytes(16), None
    last, sent_at, done_at = None, 0.0, None
    end = time.monotonic() + timeout

    def send(message):
        nonlocal last, sent_at
        form = 1 if link.lossy and run.enters else 0
        last = Packet(
            PAIRING, version=1, form=form, cookie=cookie if form else None, message=message
        )
        sent_at = time.monotonic()
        link.send(write_packet(link.framing, last), address)

    if link and run.enters:
        send(run.message1())
    while time.monotonic() < end:
        between()
        fds = ([link.fd] if link else []) + ([where.fd] if isinstance(where, Listener) else [])
        readable, _, _ = select.select(fds, [], [], 0.05)
        if isinstance(where, Listener) and where.fd in readable:
            newer = where.accept()
            if newer:
                if link:
                    link.close()
                link = newer
                if run.enters:
                    send(run.message1())
        now = time.monotonic()
        if link and link.lossy and run.enters and last and now - sent_at > 0.5:
            send(last.message)
        if done_at and now - done_at > 1.5:  # the counterpart may ask for message 6 again
            return run.keys
        if not link or link.fd not in readable:
            continue
        try:
            for first, body, data, source in list(link.receive()):
                try:
                    p = read_packet(link.framing, first, body)
                except WireError:
                    continue
                if p.kind == ADVISORY:
                    if not link.lossy:
                        raise PairingFailed(f"advisory: version {p.version}, code {p.code}")
                    continue
                if p.kind != PAIRING or p.version != 1:
                    continue
                if link.lossy and not run.enters:
                    if p.form != 1 or not cookies.good(source, p.cookie):
                        answer = Packet(
                            PAIRING, version=1, form=2, cookie=cookies.make(source), message=b""
                        )
                        link.send(write_packet(link.framing, answer), source)
                        continue
                    address = source
                if p.form == 2:
                    cookie = p.cookie
                    send(last.message)
                    continue
                try:
                    answer = run.receive(p.message)
                except NotAuthentic:
                    if link.lossy and not run.enters and p.message[0] == 3:
                        link.send(
                            write_packet(link.framing, Packet(ADVISORY, version=1, code=2)), source
                        )
                        raise PairingFailed("the code was wrong") from None
                    if link.lossy:
                        continue
                    link.close()
                    raise PairingFailed(f"message {p.message[0]} does not authenticate") from None
                if answer:
                    send(answer)
                if run.keys and run.enters:
                    link.close()
                    return run.keys
                if run.keys:
                    done_at = done_at or time.monotonic()
        except Gone as e:
            if run.keys:
                link.close()
                return run.keys
            if not isinstance(where, Listener):
                raise PairingFailed(str(e)) from None
            link.close()
            link = None
    raise PairingFailed("timed out")
