import WatchProtoCore
import WatchProtoJournal

/// Messages as kept values: their identities, and the outcomes of own ones.
extension StoredValue {
    /// The messages of each purpose that are kept, the newest ones.
    static let messageLimit = 1024

    /// In the payload, before the code of a rejection. Other bytes stand for an unknown outcome
    /// that nobody can tell any more.
    private enum Code {
        static let unknown: UInt8 = 0
        static let applied: UInt8 = 1
        static let notDelivered: UInt8 = 2
        static let cancelled: UInt8 = 3
        static let expired: UInt8 = 4
        static let rejected: UInt8 = 5
        static let forgotten: UInt8 = 6
    }

    /// A message of this device whose call ended without an outcome.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - pairing: the pairing that it was sent in.
    ///   - outcome: its outcome, as far as that is known.
    ///   - receiver: the opening of the other device that it was sent to, if that is known.
    ///   - isForgotten: whether the other device may have forgotten the message.
    init(
        sent id: TransferID, in pairing: PairingID, _ outcome: TransferOutcome = .unknown,
        receiver: EpochID? = nil, isForgotten: Bool = false
    ) {
        self.init(.sentMessage, id, pairing)
        payload =
            switch outcome {
            case .reached: [Code.applied]
            case .notApplied(.cancelled), .notApplied(.superseded): [Code.cancelled]
            case .notApplied(.expired): [Code.expired]
            case .notApplied(.notDelivered): [Code.notDelivered]
            case .notApplied(.rejected(let rejection)):
                [
                    Code.rejected, UInt8(truncatingIfNeeded: rejection.code),
                    UInt8(rejection.code >> 8),
                ]
            case .unknown where isForgotten: [Code.forgotten]
            case .unknown:
                [Code.unknown]
                    + (0..<8).map {
                        UInt8(truncatingIfNeeded: (receiver?.rawValue ?? 0) >> (8 * $0))
                    }
            }
    }

    /// The opening of the other device that an own message of unknown outcome was sent to; nil if
    /// that is not known.
    var receiver: EpochID? {
        guard mayBeAsked, payload.count == 9 else { return nil }
        let number = payload.dropFirst().reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return number == 0 ? nil : EpochID(rawValue: number)
    }

    /// A message of the other device that this application was given.
    init(given id: TransferID, in pairing: PairingID) { self.init(.givenMessage, id, pairing) }

    private init(_ purpose: Purpose, _ id: TransferID, _ pairing: PairingID) {
        self.init(
            purpose: purpose, counterpart: pairing.rawValue, channel: id.channel,
            key: id.storedKey, kind: .message, payload: [])
    }

    /// The identity of the message.
    var message: TransferID {
        RecordID(
            epoch: EpochID(rawValue: UInt64(truncatingIfNeeded: key.rawValue >> 64)),
            channel: channel, number: RecordNumber(UInt64(truncatingIfNeeded: key.rawValue)))
    }

    /// The outcome of an own message.
    var outcome: TransferOutcome {
        switch payload.first {
        case Code.applied: return .reached(.applied)
        case Code.notDelivered: return .notApplied(.notDelivered)
        case Code.cancelled: return .notApplied(.cancelled)
        case Code.expired: return .notApplied(.expired)
        case Code.rejected where payload.count == 3:
            let code = UInt16(payload[1]) | UInt16(payload[2]) << 8
            return .notApplied(.rejected(Rejection(code: code)))
        default: return .unknown
        }
    }

    /// Whether the other device may know the outcome of an own message, and this one does not.
    var mayBeAsked: Bool { payload.first == Code.unknown }
}

extension DeviceStorage {
    /// The kept messages of a purpose, those kept first at the front.
    func messages(_ purpose: StoredValue.Purpose) -> [StoredValue] {
        memory.withLock { memory in memory.kept.filter { $0.purpose == purpose } }
    }

    /// Whether identities of given messages made room for others in this run.
    var hasDroppedMessages: Bool { memory.withLock { $0.hasDroppedMessages } }

    /// A message, if it is kept for this purpose.
    func message(_ purpose: StoredValue.Purpose, _ id: TransferID) -> StoredValue? {
        memory.withLock { memory in
            memory.kept.last { $0.purpose == purpose && $0.message == id }
        }
    }

    /// Keeps a message, and as many others of its purpose as the limit leaves.
    ///
    /// - Returns: the writes that make that durable; none in memory.
    func keepMessage(_ message: StoredValue) -> [SQLWrite] {
        let oldest = memory.withLock { memory -> StoredValue? in
            memory.keep(message)
            let count = memory.kept.count { $0.purpose == message.purpose }
            guard count > StoredValue.messageLimit,
                let place = memory.kept.firstIndex(where: { $0.purpose == message.purpose })
            else { return nil }
            if message.purpose == .givenMessage { memory.hasDroppedMessages = true }
            return memory.kept.remove(at: place)
        }
        guard isDurable else { return [] }
        return (oldest.map { removal(of: $0) } ?? []) + [StoredValue.insert(message)]
    }

    /// Makes writes durable before it returns.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func persist(_ writes: [SQLWrite]) async throws(JournalError) {
        guard let file, !writes.isEmpty else { return }
        try await grouped.persist(writes, in: file)
    }
}
