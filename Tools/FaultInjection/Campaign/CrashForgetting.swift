import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoSecurity

/// A pairing that a run forgets, and its content before.
struct CrashForgetting {
    static let pairing = PairingID(rawValue: 0xF0_26E7)

    /// The state of its journal.
    var state = JournalState()
    /// How many of its words the store holds.
    var words = 0
    /// Bytes that go with it: words, names, keys, and where the journal is sealed its rows.
    var traces: [[UInt8]] = []
    /// The keys of another device, which stay.
    var kept: [UInt8] = []
    /// How many batches of the other pairing had been given when forgetting began.
    var begunAfter: Int?
    /// How many calls had been made when it was done.
    var doneAt: Int?
}

extension CrashForgetting {
    /// All of it is there, or nothing; and it went in its order.
    func outcome(
        of file: JournalFile, batches: Int, isDropped: Bool
    ) throws -> CrashVerifier.Outcome {
        let devices = try file.pairedDevices().map { $0.exposed() }
        let state = try JournalState(of: Self.pairing, in: file)
        let words =
            try file.read { store in
                try store.query("SELECT count(*) FROM crash_word") {
                    row throws(StoreFailure) in Int(row.integer(0))
                }
            }.first ?? 0
        let name = try file.pairedDevices().map(\.pairing).contains(Self.pairing)
        let signs = [
            name, file.pairings.contains(Self.pairing), state != JournalState(), words > 0,
        ]
        guard Set(signs).count == 1 else {
            return .fault(
                "a pairing is forgotten by halves: keys \(signs[0]), pairing \(signs[1]), "
                    + "records \(signs[2]), words of the store \(signs[3])")
        }
        guard devices.contains(kept) else { return .fault("the keys of another device are gone") }
        if name, state != self.state || words != self.words {
            return .fault("the pairing that is not forgotten holds something else")
        }
        if name, let begunAfter, batches > begunAfter {
            return .fault("batch \(batches) is there, and the forgetting before it is not")
        }
        return .holds(batches: batches, isForgotten: !name, isDropped: isDropped)
    }
}
