public import WatchProto

extension SyncResult {
    /// Where a set that was not modified is, in one word; nil for every other result.
    public var controlState: String? {
        guard case .notModified(let isHeld) = self else { return nil }
        return isHeld ? "held" : "queued"
    }
}
