"""Carriers: Unix streams, pipes, seqpacket, Unix datagrams and UDP, and how each is dialled or
listened at."""

import errno
import os
import random
import socket
import time
from packets import DATAGRAM, SEQPACKET, STREAM, Stream


class Gone(Exception):
    """The carrier has ended."""


class StreamCarrier:
    framing, lossy, largest = STREAM, False, 65536

    def __init__(self, read_fd, write_fd=None, keep=None):
        self.fd, self.out = read_fd, read_fd if write_fd is None else write_fd
        self.keep = keep  # a socket object that owns the descriptor
        os.set_blocking(self.fd, False)
        os.set_blocking(self.out, False)
        self.stream, self.queue, self.cut_after, self.written = Stream(), b"", None, 0

    def authenticated(self):
        self.stream.limit = 65536

    def send(self, data, address=None):
        if self.cut_after is not None and self.written + len(data) >= self.cut_after:  # for tests
            data = data[: self.cut_after - self.written]
            self.queue += data
            self.write()
            raise Gone("cut on purpose")
        self.written += len(data)
        self.queue += data
        self.write()

    def write(self):
        try:
            while self.queue:
                self.queue = self.queue[os.write(self.out, self.queue) :]
        except BlockingIOError:
            pass
        except OSError as e:
            raise Gone(str(e)) from None

    def receive(self):
        """[(first byte or kind, body, whole packet, address)]"""
        try:
            data = os.read(self.fd, 1 << 18)
        except BlockingIOError:
            return
        except OSError as e:
            raise Gone(str(e)) from None
        if not data:
            raise Gone("end")
        self.stream.feed(data)
        while True:
            packet = self.stream.next()
            if packet is None:
                return
            yield packet[0], packet[1], packet[1], None

    def close(self):
        if self.keep:
            try:
                self.keep.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.keep.close()
        else:
            for fd in {self.fd, self.out}:
                os.close(fd)


class SeqpacketCarrier:
    framing, lossy, largest = SEQPACKET, False, 65536

    def __init__(self, sock):
        self.sock, self.fd, self.queue = sock, sock.fileno(), []
        sock.setblocking(False)

    def authenticated(self):
        pass

    def send(self, data, address=None):
        self.queue.append(data)
        self.write()

    def write(self):
        try:
            while self.queue:
                self.sock.send(self.queue[0])
                del self.queue[0]
        except BlockingIOError:
            pass
        except OSError as e:
            raise Gone(str(e)) from None

    def receive(self):
        while True:
            try:
                data = self.sock.recv(1 << 17)
            except BlockingIOError:
                return
            except OSError as e:
                raise Gone(str(e)) from None
            if not data:
                raise Gone("end")
            yield data[0], data[1:], data, None

    def close(self):
        self.sock.close()


class DatagramCarrier:
    """`loss` drops that share of what is sent and of what arrives, on purpose."""

    framing, lossy, largest = DATAGRAM, True, 1200

    def __init__(self, sock, peer=None, path=None, loss=0.0, seed=1, repeat=0.0):
        self.sock, self.fd, self.peer, self.path, self.queue = sock, sock.fileno(), peer, path, b""
        self.loss, self.random, self.dropped = loss, random.Random(seed), 0
        self.repeat, self.old = repeat, []
        sock.setblocking(False)

    def authenticated(self):
        pass

    def drops(self):
        drop = self.loss and self.random.random() < self.loss
        self.dropped += bool(drop)
        return drop

    def send(self, data, address=None):
        to = address or self.peer
        if not to or self.drops():
            return
        try:
            self.sock.sendto(data, to)
            if (
                self.repeat and self.random.random() < self.repeat
            ):  # again at once, and an older one again
                self.sock.sendto(data, to)
                self.old = (self.old + [data])[-20:]
                self.sock.sendto(self.random.choice(self.old), to)
        except BlockingIOError:
            pass
        except OSError as e:
            if self.path and e.errno in (errno.ENOENT, errno.ECONNREFUSED):
                return  # nobody is there; the repetition finds him
            if e.errno != errno.ECONNREFUSED:
                raise Gone(str(e)) from None

    def write(self):
        pass

    def receive(self):
        while True:
            try:
                data, address = self.sock.recvfrom(1 << 17)
            except (BlockingIOError, ConnectionRefusedError):
                return
            if data and not self.drops():
                yield data[0], data[1:], data, address
                if self.repeat and self.random.random() < self.repeat:
                    yield data[0], data[1:], data, address

    def close(self):
        self.sock.close()
        if self.path:
            os.unlink(self.path)


def wait_until(what, seconds):
    end = time.monotonic() + seconds
    while True:
        try:
            return what()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


KINDS = {"unix": socket.SOCK_STREAM, "unix-seqpacket": socket.SOCK_SEQPACKET}


def udp_address(rest):
    host, port = rest.split("?")[0].rsplit(":", 1)
    return host.strip("[]"), int(port)


def dial(address, seconds=5, **more):
    scheme, rest = address.split(":", 1)
    if scheme in KINDS:

        def connect():
            s = socket.socket(socket.AF_UNIX, KINDS[scheme])
            try:
                s.connect(rest)
            except OSError:
                s.close()
                raise
            return s

        s = wait_until(connect, seconds)
        return StreamCarrier(s.fileno(), keep=s) if scheme == "unix" else SeqpacketCarrier(s)
    if scheme == "unix-datagram":
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        own = rest + ".peer"
        if os.path.exists(own):
            os.unlink(own)
        s.bind(own)
        return DatagramCarrier(s, rest, own, **more)
    if scheme == "udp":
        to = udp_address(rest)
        s = socket.socket(socket.AF_INET6 if ":" in to[0] else socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((to[0], 0))
        return DatagramCarrier(s, to, **more)
    raise ValueError(address)


class Listener:
    """Streams and seqpacket: `accept` gives carriers; the newest authentic one takes the place
    (C-42)."""

    def __init__(self, address):
        scheme, self.path = address.split(":", 1)
        self.scheme = scheme
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.sock = socket.socket(socket.AF_UNIX, KINDS[scheme])
        self.sock.bind(self.path)
        self.sock.listen(64)
        self.sock.setblocking(False)
        self.fd = self.sock.fileno()

    def accept(self):
        try:
            s = self.sock.accept()[0]
        except BlockingIOError:
            return None
        return StreamCarrier(s.fileno(), keep=s) if self.scheme == "unix" else SeqpacketCarrier(s)

    def close(self):
        self.sock.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


def listen(address, **more):
    """A Listener, or for datagrams the carrier itself."""
    scheme, rest = address.split(":", 1)
    if scheme in KINDS:
        return Listener(address)
    if scheme == "unix-datagram":
        if os.path.exists(rest):
            os.unlink(rest)
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(rest)
        return DatagramCarrier(s, rest + ".peer", rest, **more)
    host, port = udp_address(rest)
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((host, port))
    return DatagramCarrier(s, None, **more)
