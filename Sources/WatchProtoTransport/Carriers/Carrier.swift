package import WatchProtoCore

/// Moves bytes between two peers once it is open: a socket, a pipe pair, a radio.
///
/// Anybody can write one; the article "Writing a carrier" goes through the rules. The driver calls
/// a carrier from one thread at a time and never blocks in it: a call that cannot go on says
/// `nothingYet` or takes less, and the descriptor it offers wakes the driver when it can.
/// Descriptors must be non-blocking and closed on exec. No call may end the process (SIGPIPE).
package protocol Carrier: AnyObject, Sendable {
    /// How bytes arrive, whether they may be lost, and how large a datagram may be.
    var traits: CarrierTraits { get }

    /// The descriptor that is readable when ``read(into:)`` has something, or nil while suspended.
    var readDescriptor: Int32? { get }

    /// The descriptor that is writable when ``write(_:to:)`` can take more; may equal the other
    /// one.
    var writeDescriptor: Int32? { get }

    /// Where this side's datagrams go first; nil where the carrier knows it, and where this side
    /// waits to be called.
    var address: PathAddress? { get }

    /// When this side makes its first handshake message. A carrier that cannot lose and waits to be
    /// called was opened by the counterpart, or by anybody: it waits until message 1 has
    /// authenticated.
    var initiation: InitiationTime { get }

    /// Reads what has arrived into the front of `buffer`, which belongs to the caller and is used
    /// again for every read: on a stream as much as there is and fits, on a datagram carrier one
    /// datagram.
    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead

    /// Gives bytes to the system: on a stream as many as it takes, on a datagram carrier all or
    /// none.
    func write(_ bytes: Span<UInt8>) -> CarrierWrite

    /// The same, to an address that the peer names; nil for the carrier's own.
    func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> CarrierWrite

    /// Stops the flow without closing: nothing is read until ``resume()``, so that the counterpart
    /// feels the back-pressure. Bytes written before still leave.
    func suspend()

    /// Lets the flow go on after ``suspend()``.
    func resume()

    /// Closes for good; bytes written before still leave. Never called twice. May wait a moment
    /// (for a child process to end), which delays nobody but the driver's own thread.
    func close()
}

extension Carrier {
    /// Nil: the carrier knows its counterpart.
    package var address: PathAddress? { nil }
    /// At once: this side has opened it.
    package var initiation: InitiationTime { .atOnce }
    /// Writes to the one counterpart there is.
    package func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> CarrierWrite {
        write(bytes)
    }
}

/// The result of a read.
package enum CarrierRead: Hashable, Sendable {
    /// So many bytes stand at the front of the buffer.
    case bytes(Int)
    /// A datagram of so many bytes stands at the front of the buffer; it came from this address.
    case datagram(Int, from: PathAddress)
    /// Nothing now; the descriptor says when.
    case nothingYet
    /// A datagram came that is not for this link; it is gone, and counted under this cause.
    case ignored(IgnoredDatagram)
    /// The system says that nobody takes the datagrams: a hint that anybody on the way can forge.
    case portRefused
    /// The counterpart closed, or ended.
    case ended
    /// The system refused; the carrier is of no more use.
    case failed(CarrierFailure)
}

/// Why a datagram was dropped.
package enum IgnoredDatagram: Hashable, Sendable {
    /// It came from a socket that cannot be the counterpart's.
    case stranger
    /// It is longer than the carrier's largest.
    case tooLarge
}

/// The result of a write.
package enum CarrierWrite: Hashable, Sendable {
    /// So many bytes were taken, 0 when there is no room now.
    case took(Int)
    /// The system refused; the carrier is of no more use.
    case failed(CarrierFailure)
}

extension PathAddress {
    /// Stands for the counterpart on a carrier that has one counterpart and no addresses.
    package static let onlyCounterpart = PathAddress(host: 0, port: 1)
}

extension CarrierFailure {
    /// The counterpart closed its side.
    package static let endOfStream = CarrierFailure(call: "end of stream", errorNumber: 0)
    /// The program at this end asked the carrier to be cut.
    package static let cutLocally = CarrierFailure(call: "cut by this side", errorNumber: 0)
}

extension CarrierFailure: Error {}
