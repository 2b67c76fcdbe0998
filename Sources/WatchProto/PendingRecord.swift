import WatchProtoCore
import WatchProtoTransport

/// A record on its way to the application.
struct PendingRecord: Sendable {
    var record: InboundRecord
    var isRedelivery: Bool
    /// The pairing with the device that it came from.
    var pairing: PairingID
    /// The session that it came from, which gets the answer: each watch has its own. Nil if that
    /// one has ended; the journal delivers the record again.
    weak var driven: DriverSession?

    /// The kind whose receiver gets it: a message to a capability is one of the messages.
    var kind: ContentKind { record.kind == .request ? .message : record.kind }

    /// The same with another payload.
    func with(_ record: InboundRecord) -> PendingRecord {
        var copy = self
        copy.record = record
        return copy
    }
}
