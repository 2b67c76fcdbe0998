import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoRecords

/// The state that the entries of one pairing amount to.
struct JournalState: Equatable {
    private var image: JournalImage

    /// The state of an empty journal.
    init() { image = JournalImage(kinds: .product) }

    /// The state of a pairing as the file holds it.
    init(of pairing: PairingID, in file: JournalFile) throws {
        let configuration = PeerConfiguration(role: .watch, pairing: pairing, kinds: .product)
        image = try file.journal(for: pairing).restore(configuration)
    }

    /// Folds the entries of a batch.
    mutating func apply(_ entries: [JournalEntry]) { image.apply(entries) }

    /// Whether both make the same checkpoint.
    static func == (left: JournalState, right: JournalState) -> Bool {
        left.image.entries == right.image.entries
    }
}
