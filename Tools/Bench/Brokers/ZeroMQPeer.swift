internal import CommandLine
internal import Glibc
internal import Locks

/// Two PAIR sockets of libzmq over a Unix socket (`ipc://`), each in a context of its own, as in
/// two programs. The library is loaded when it is asked for, and needs not be there.
package final class ZeroMQPeer: EchoPeer {
    /// The package it needs.
    package static let package = PeerPackage(
        "libzmq5", file: "/usr/lib/\(architecture)-linux-gnu/libzmq.so.5")

    #if arch(arm64)
        private static let architecture = "aarch64"
    #else
        private static let architecture = "x86_64"
    #endif

    /// As the report calls it.
    package static let name = "ZeroMQ PAIR, ipc"
    package var name: String { Self.name }
    package let guarantee = "none: lost with either program"

    // Contexts and sockets are opaque to us, and travel as words.
    private typealias Make = @convention(c) () -> UInt
    private typealias Open = @convention(c) (UInt, Int32) -> UInt
    private typealias Place = @convention(c) (UInt, UnsafePointer<CChar>) -> Int32
    private typealias Give = @convention(c) (UInt, UnsafeRawPointer, Int, Int32) -> Int32
    private typealias Take = @convention(c) (UInt, UnsafeMutableRawPointer, Int, Int32) -> Int32
    private typealias Set = @convention(c) (UInt, Int32, UnsafeRawPointer, Int) -> Int32
    private typealias End = @convention(c) (UInt) -> Int32

    /// One program's end; 0 for none. A socket is used by one thread at a time.
    private struct Side {
        var context: UInt = 0
        var socket: UInt = 0
    }

    private let library: Library
    private let phone: Mutex<Side>
    private let watch: Mutex<Side>
    private let directory: String

    /// The functions that are used of it.
    @safe private struct Library: Sendable {
        let make: Make
        let open: Open
        let bind: Place
        let connect: Place
        let send: Give
        let receive: Take
        let set: Set
        let close: End
        let end: End

        init() throws(PeerFailure) {
            guard let handle = unsafe dlopen("libzmq.so.5", RTLD_NOW) else {
                throw PeerFailure("libzmq.so.5 cannot be loaded")
            }
            func find<Function>(_ name: String, _ type: Function.Type) throws(PeerFailure)
                -> Function
            {
                guard let symbol = unsafe dlsym(handle, name) else {
                    throw PeerFailure("libzmq has no \(name)")
                }
                return unsafe unsafeBitCast(symbol, to: type)
            }
            make = try find("zmq_ctx_new", Make.self)
            open = try find("zmq_socket", Open.self)
            unsafe bind = try find("zmq_bind", Place.self)
            unsafe connect = try find("zmq_connect", Place.self)
            unsafe send = try find("zmq_send", Give.self)
            unsafe receive = try find("zmq_recv", Take.self)
            unsafe set = try find("zmq_setsockopt", Set.self)
            close = try find("zmq_close", End.self)
            end = try find("zmq_ctx_term", End.self)
        }
    }

    /// From zmq.h: the kind of socket, and the options for waiting and for what is left at the end.
    private static let pair: Int32 = 0
    private static let linger: Int32 = 17
    private static let receiveTimeout: Int32 = 27

    /// Opens both ends.
    ///
    /// - Throws: where the library is missing.
    package init() throws(PeerFailure) {
        let library = try Library()
        let directory: String
        do throws(SystemError) {
            directory = try Files.makeTemporaryDirectory("rig-peer")
        } catch {
            throw PeerFailure("no temporary directory: \(error)")
        }
        let place = "ipc://\(directory)/socket"
        func side() -> Side {
            let context = library.make()
            let socket = library.open(context, Self.pair)
            for (option, value) in [(Self.linger, Int32(0)), (Self.receiveTimeout, 5000)] {
                var value = value
                _ = unsafe library.set(socket, option, &value, MemoryLayout<Int32>.size)
            }
            return Side(context: context, socket: socket)
        }
        let near = side()
        let far = side()
        guard unsafe library.bind(far.socket, place) == 0,
            unsafe library.connect(near.socket, place) == 0
        else {
            for side in [near, far] {
                _ = library.close(side.socket)
                _ = library.end(side.context)
            }
            Files.removeDirectory(directory)
            throw PeerFailure("libzmq cannot open \(place)")
        }
        self.library = library
        self.directory = directory
        phone = Mutex(near)
        watch = Mutex(far)
    }

    package func roundTrip(_ payload: [UInt8]) throws(PeerFailure) {
        try phone.withLock { side throws(PeerFailure) in
            try send(payload, side)
            guard try receive(side) == payload else {
                throw PeerFailure("ZeroMQ brought another message")
            }
        }
    }

    package func echo() throws(PeerFailure) {
        try watch.withLock { side throws(PeerFailure) in try send(try receive(side), side) }
    }

    private func send(_ payload: [UInt8], _ side: Side) throws(PeerFailure) {
        let sent = unsafe payload.withUnsafeBytes { bytes in
            unsafe library.send(side.socket, bytes.baseAddress!, bytes.count, 0)
        }
        guard sent == payload.count else { throw PeerFailure("ZeroMQ takes no message") }
    }

    private func receive(_ side: Side) throws(PeerFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe library.receive(side.socket, buffer.baseAddress!, buffer.count, 0)
        }
        guard count >= 0, count <= bytes.count else { throw PeerFailure("ZeroMQ does not answer") }
        return Array(bytes[..<Int(count)])
    }

    package func end() {
        phone.withLock { end(&$0) }
        watch.withLock { end(&$0) }
        Files.removeDirectory(directory)
    }

    private func end(_ side: inout Side) {
        guard side.socket != 0 else { return }
        _ = library.close(side.socket)
        _ = library.end(side.context)
        side = Side()
    }
}
