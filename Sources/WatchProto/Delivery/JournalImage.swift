/// What a journal amounts to: its entries, folded. The host keeps it; a peer starts from it.
public struct JournalImage: Sendable {
    /// The image of an empty journal.
    public init() {}

    /// Folds one more durable entry in.
    public mutating func apply(_ entry: JournalEntry) {}
}
