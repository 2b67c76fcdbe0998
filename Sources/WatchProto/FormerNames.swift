// The words of the new core for what the former core names otherwise, so that a file can serve
// both. The file goes when the former core goes.
#if !NEW_CORE
    public typealias Channel = Lane
    public typealias PeerEnvironment = PeerHost

    extension RecordDraft {
        public init(
            channel: Channel, kind: ContentKind, key: RecordKey? = nil, payload: [UInt8],
            expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil, expectsReply: Bool = false,
            inReplyTo: RecordNumber? = nil, waitsForCommit: Bool = false
        ) {
            self.init(
                lane: channel, kind: kind, key: key, payload: payload, expiresAt: expiresAt,
                idempotencyKey: idempotencyKey, expectsReply: expectsReply, inReplyTo: inReplyTo,
                waitsForCommit: waitsForCommit)
        }

        public var channel: Channel {
            get { lane }
            set { lane = newValue }
        }
    }

    extension RecordID {
        public init(epoch: EpochID, channel: Channel, number: RecordNumber) {
            self.init(epoch: epoch, lane: channel, number: number)
        }

        public var channel: Channel { lane }
    }

    extension Peer {
        public mutating func decide(_ id: RecordID, _ disposition: Disposition, at now: Instant) {
            switch disposition {
            case .applied: applied(id, at: now)
            case .rejected(let code): rejected(id, code: code, at: now)
            case .pending: break
            }
        }

        public var presentEpoch: EpochID { currentEpoch }
        public var isComparing: Bool { isReconciling }
    }
#endif
