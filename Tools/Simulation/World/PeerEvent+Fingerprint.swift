import WatchProtoCore

extension PeerEvent {
    /// A number for the digest of a run: which event, of which record.
    var fingerprint: UInt64 {
        func of(_ id: RecordID, _ kind: UInt64) -> UInt64 {
            LinkDraws.mixed(
                id.epoch.rawValue ^ id.number.rawValue &* 31 ^ UInt64(id.channel.rawValue) << 40
                    ^ kind << 48)
        }
        switch self {
        case .linkWanted: return 1
        case .linkClosed: return 2
        case .journalFailed: return 3
        case .overdueEnded: return 4
        case .shapeIsOneSided: return 7
        case .activation(let state): return 0x100 + UInt64(state.rawValue)
        case .reachability(let isReachable, let evidence):
            return 0x200 + UInt64(evidence.flapCount) * 2 + (isReachable ? 1 : 0)
        case .counterpartChanged(let change): return 0x300 + UInt64(change.rawValue)
        case .catchUp(let settled, let total): return 0x400 + UInt64(settled) << 32 + UInt64(total)
        case .linkQuality(let quality): return 0x600 + UInt64(quality.rawValue)
        case .advisory(let version, let code):
            return 0x700 + UInt64(version) << 16 + UInt64(code.rawValue)
        case .journalWentBack(let wiped): return wiped ? 6 : 5
        case .progress(let id, let stage): return of(id, 1 + UInt64(stage.rawValue))
        case .departed(let id): return of(id, 7)
        case .overdue(let id, _): return of(id, 8)
        case .renumbered(let id, _): return of(id, 9)
        case .settled(let id, let outcome): return of(id, 16 + outcome.fingerprint)
        case .tailLost(let epoch, let channel, let numbers):
            return LinkDraws.mixed(
                epoch.rawValue ^ UInt64(channel.rawValue) << 56 ^ numbers.upperBound)
        case .recovered(let channel, let key, _, let payload):
            return Self.fingerprint(channel, key, payload)
        case .conflict(let channel, let key, let kept, _):
            return Self.fingerprint(channel, key, kept.payload) ^ 1
        }
    }

    private static func fingerprint(
        _ channel: Channel, _ key: RecordKey, _ payload: [UInt8]
    ) -> UInt64 {
        LinkDraws.mixed(
            ContentHash.of(payload) ^ UInt64(truncatingIfNeeded: key.rawValue)
                ^ UInt64(channel.rawValue) << 48)
    }
}

extension Outcome {
    fileprivate var fingerprint: UInt64 {
        switch self {
        case .applied: 0
        case .superseded: 1
        case .cancelled: 2
        case .expired: 3
        case .rejected(let code): 16 + UInt64(code)
        case .unknown: 4
        case .outcomeUnknown: 5
        case .notDelivered: 6
        }
    }
}

extension RecordID {
    /// The identity in a few characters, for messages and traces.
    var text: String {
        "\(channel) \(String(epoch.rawValue >> 48, radix: 16)):\(number.rawValue)"
    }
}
