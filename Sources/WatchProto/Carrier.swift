/// A way to carry bytes that the application provides, in place of an address: over WCSession, Core
/// Bluetooth or Network, for instance.
///
/// The library opens one link after the other, and one at a time. It authenticates and seals every
/// packet, so a carrier needs no security of its own. The article *Carrying it over WCSession, Core
/// Bluetooth or Network* goes through the rules.
public protocol CompanionCarrier: Sendable {
    /// The form in which the links of this carrier deliver bytes. It does not change.
    var delivery: CarrierDelivery { get }

    /// Opens the next link to the other device, or waits until the other device opens one. The task
    /// is cancelled where the session wants no link any more.
    ///
    /// - Returns: a link on which both devices can send now.
    /// - Throws: an error of the carrier's own. The session reports it as
    ///   ``SessionEvent/linkLost(_:)`` and tries again later.
    func open() async throws -> any CarrierLink
}

/// An open link of a carrier of the application.
///
/// The library calls `send` for one part after the other, and `receive` again and again, on two
/// tasks. It calls `close` once.
public protocol CarrierLink: Sendable {
    /// Sends bytes: one whole packet, or the next part of a stream. Returns when the carrier can
    /// take more; until then the library sends nothing.
    ///
    /// - Throws: an error of the carrier's own, which ends the link.
    func send(_ bytes: [UInt8]) async throws

    /// Waits for the next bytes: one whole packet, or the next part of a stream.
    ///
    /// - Returns: nil where the other device has closed the link.
    /// - Throws: an error of the carrier's own, which ends the link.
    func receive() async throws -> [UInt8]?

    /// Closes the link. A `send` or `receive` that waits must return then.
    func close() async
}

/// The form in which a carrier delivers bytes.
public struct CarrierDelivery: Hashable, Sendable {
    let traits: CarrierTraits

    /// Bytes in order, in parts of any size, and none is lost.
    public static let stream = CarrierDelivery(traits: .stream)

    /// Whole packets.
    ///
    /// - Parameters:
    ///   - largestBytes: the size of the largest packet, 244 to 65,536 bytes.
    ///   - canLose: whether a packet may be lost, repeated or overtaken. A carrier that promises
    ///     not to and does so all the same breaks the session. If in doubt, say true.
    ///   - sendInterval: the time between two chances to send, as the connection interval of
    ///     Bluetooth Low Energy; zero for a carrier that can send at any time.
    public static func packets(
        largestBytes: Int, canLose: Bool, sendInterval: Duration = .zero
    ) -> CarrierDelivery {
        CarrierDelivery(
            traits: CarrierTraits(
                framing: .datagram(largestBytes: largestBytes), isLossy: canLose,
                sendInterval: max(sendInterval, .zero)))
    }

    /// Why no session can use it; nil where one can.
    var fault: String? {
        guard case .datagram(let largest) = traits.framing, !(244...65_536).contains(largest)
        else { return nil }
        return "the carrier's largest packet has \(largest) bytes; it must have 244 to 65,536"
    }
}
