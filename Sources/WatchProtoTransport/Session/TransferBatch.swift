package import WatchProtoCore

/// What became of drafts that were given at once.
package struct TransferBatch: Hashable, Sendable {
    /// The identities of those accepted: the drafts from the first on, in order.
    package internal(set) var accepted: [RecordID] = []
    /// Why the draft after the last one accepted was refused; nil when all were accepted. Nothing
    /// of it and of those behind it has changed anything.
    package internal(set) var refusal: SendRefusal?
}
