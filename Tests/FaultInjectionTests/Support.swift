import WatchProtoCore

/// A record with this payload was accepted as the n-th of its channel.
func queued(_ number: UInt64, _ payload: [UInt8]) -> JournalEntry {
    let id = RecordID(
        epoch: EpochID(rawValue: 1), channel: .background, number: RecordNumber(number))
    return .queued(
        OutboundRecord(
            id: id, draft: RecordDraft(channel: .background, kind: .opaque, payload: payload),
            acceptedAt: WallTime(milliseconds: 0)))
}
