package import WatchProtoCore

/// Moves bytes between two peers once it is open: over a socket, a pipe pair or a radio.
///
/// The article "Writing a carrier" has the rules. The driver calls a carrier from one thread at a
/// time. A call never blocks: if it cannot go on, it returns `nothingYet` or takes fewer bytes. The
/// descriptors of the carrier wake the driver when it can go on. Descriptors must be non-blocking
/// and closed on exec. No call may end the process (SIGPIPE).
package protocol Carrier: AnyObject, Sendable {
    /// How bytes arrive, whether they may be lost, and how large a datagram may be.
    var traits: CarrierTraits { get }

    /// The descriptor that is readable when ``read(into:)`` has bytes; nil while suspended.
    var readDescriptor: Int32? { get }

    /// The descriptor that is writable when ``write(_:to:)`` can take more bytes. It may equal the
    /// other one.
    var writeDescriptor: Int32? { get }

    /// The address for this side's first datagrams. Nil if the carrier knows it, or if this side
    /// waits for the counterpart.
    var address: PathAddress? { get }

    /// When this side makes its first handshake message. A carrier that cannot lose and is
    /// `whenCalled` was opened by the counterpart, or by anybody. It stays pending until message 1
    /// has authenticated.
    var initiation: InitiationTime { get }

    /// Reads received bytes into the front of `buffer`: on a stream all that is there and fits, on
    /// a datagram carrier one datagram. The buffer belongs to the caller, who uses it for every
    /// read.
    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead

    /// Gives bytes to the system: on a stream as many as it takes, on a datagram carrier all or
    /// none.
    func write(_ bytes: Span<UInt8>) -> CarrierWrite

    /// Writes `bytes` to an address that the peer names; nil for the carrier's own address.
    func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> CarrierWrite

    /// Stops the flow without closing. Nothing is read until ``resume()``, so that back-pressure
    /// reaches the counterpart. Bytes written before still leave.
    func suspend()

    /// Continues the flow after ``suspend()``.
    func resume()

    /// Closes for good. Bytes written before still leave. Called once. It may wait a moment (for a
    /// child process to end), on the driver's thread only.
    func close()
}

extension Carrier {
    /// Nil: the carrier knows its counterpart.
    package var address: PathAddress? { nil }
    /// At once: this side has opened it.
    package var initiation: InitiationTime { .atOnce }
    /// Writes to the only counterpart.
    package func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> CarrierWrite {
        write(bytes)
    }
}

/// The result of a read.
package enum CarrierRead: Hashable, Sendable {
    /// The number of bytes at the front of the buffer.
    case bytes(Int)
    /// A datagram: its number of bytes at the front of the buffer, and its source.
    case datagram(Int, from: PathAddress)
    /// There is nothing now. The descriptor becomes readable when there is.
    case nothingYet
    /// A datagram was not for this link. It was dropped, and is counted under this cause.
    case ignored(IgnoredDatagram)
    /// The system reports that nobody receives the datagrams. It is a hint that anybody on the path
    /// can forge.
    case portRefused
    /// The counterpart closed, or its process ended.
    case ended
    /// The system refused. The carrier is unusable.
    case failed(CarrierFailure)
}

/// Why a datagram was dropped.
package enum IgnoredDatagram: Hashable, Sendable {
    /// It came from a socket that cannot be the counterpart's.
    case unknownSender
    /// It is longer than the carrier's largest datagram.
    case tooLarge
}

/// The result of a write.
package enum CarrierWrite: Hashable, Sendable {
    /// The number of bytes taken; 0 if there is no room now.
    case took(Int)
    /// The system refused. The carrier is unusable.
    case failed(CarrierFailure)
}

extension PathAddress {
    /// Stands for the counterpart on a carrier that has one counterpart and no addresses.
    package static let onlyCounterpart = PathAddress(host: 0, port: 1)
}

extension CarrierFailure {
    /// The counterpart closed its side.
    package static let endOfStream = CarrierFailure(call: "end of stream", errorNumber: 0)
    /// This side's program asked to cut the carrier.
    package static let cutLocally = CarrierFailure(call: "cut by this side", errorNumber: 0)
}

extension CarrierFailure: Error {}
