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
#endif
