import WatchProto
import WatchProtoRecords

func userInfo(_ text: String) -> RecordDraft {
    RecordDraft(lane: .background, kind: .userInfo, payload: Array(text.utf8))
}

func context(_ key: UInt128, _ text: String) -> RecordDraft {
    RecordDraft(
        lane: .context, kind: .applicationContext, key: RecordKey(rawValue: key),
        payload: Array(text.utf8))
}

/// The removal of a key that `context(_:_:)` gave a value.
func removal(_ key: UInt128) -> RecordDraft {
    RecordDraft(
        lane: .context, kind: .medicationRemoval, key: RecordKey(rawValue: key), payload: [])
}

extension Pair {
    /// Sends drafts from the phone, and carries all that follows.
    func send(_ drafts: [RecordDraft]) throws {
        for draft in drafts { _ = try phone.send(draft, at: now) }
        phone.drain(at: now)
        settle()
    }
}
