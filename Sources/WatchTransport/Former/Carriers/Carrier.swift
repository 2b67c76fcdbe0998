public import WatchProto

/// What moves bytes between two peers once it is open: a socket, a pipe pair, a radio.
///
/// Anybody can write one; the article "Writing a carrier" goes through the rules. The driver calls
/// a carrier from one thread at a time and never blocks in it: a call that cannot go on says
/// `nothingYet` or takes less, and the descriptor it offers wakes the driver when it can.
/// Descriptors must be non-blocking and closed on exec. No call may end the process (SIGPIPE).
public protocol Carrier: AnyObject, Sendable {
    /// How bytes arrive, whether they may be lost, and how large a datagram may be.
    var traits: CarrierTraits { get }

    /// The descriptor that is readable when ``read(into:)`` has something, or nil while suspended.
    var readDescriptor: Int32? { get }

    /// The descriptor that is writable when ``write(_:)`` can take more; may equal the other one.
    var writeDescriptor: Int32? { get }

    /// Whether the counterpart opened it and has sent its first packets with or right behind that:
    /// then this side's peer waits a moment for them before it speaks.
    var isCalled: Bool { get }

    /// Reads what has arrived into the front of `buffer`, which belongs to the caller and is used
    /// again for every read: on a stream as much as there is and fits, on a datagram carrier one
    /// datagram.
    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead

    /// Gives bytes to the system: on a stream as many as it takes, on a datagram carrier all or
    /// none.
    func write(_ bytes: Span<UInt8>) -> CarrierWrite

    /// Stops the flow without closing: nothing is read until ``resume()``, so that the counterpart
    /// feels the back-pressure. What was written before still leaves.
    func suspend()

    /// Lets the flow go on after ``suspend()``.
    func resume()

    /// Closes for good; what was written before still leaves. Never called twice. May wait a moment
    /// (for a child process to end), which holds up nobody but the driver's own thread.
    func close()
}

extension Carrier {
    /// Both sides open it at once.
    public var isCalled: Bool { false }
}

/// What a read brought.
public enum CarrierRead: Hashable, Sendable {
    /// So many bytes stand at the front of the buffer.
    case bytes(Int)
    /// Nothing now; the descriptor says when.
    case nothingYet
    /// A datagram came that is not for this link; it is gone, and counted under this cause.
    case ignored(IgnoredDatagram)
    /// The counterpart closed, or ended.
    case ended
    /// The system refused; the carrier is of no more use.
    case failed(CarrierFailure)
}

/// Why a datagram was thrown away.
public enum IgnoredDatagram: Hashable, Sendable {
    /// It came from somebody who is not the counterpart.
    case stranger
    /// It belongs to an earlier link between the two.
    case stale
    /// It is longer than the carrier's largest.
    case tooLarge
}

/// What a write took.
public enum CarrierWrite: Hashable, Sendable {
    /// So many bytes were taken, 0 when there is no room now.
    case took(Int)
    /// The system refused; the carrier is of no more use.
    case failed(CarrierFailure)
}

extension CarrierFailure {
    /// The counterpart closed its side.
    public static let endOfStream = CarrierFailure(call: "end of stream", errorNumber: 0)
    /// The program at this end asked the carrier to be cut.
    public static let cutLocally = CarrierFailure(call: "cut by this side", errorNumber: 0)
    /// Who had the link did not complete the greeting, and made room for somebody who knocked.
    public static let gaveWay = CarrierFailure(
        call: "no greeting in time, and another came", errorNumber: 0)
}

extension CarrierFailure: Error {}
