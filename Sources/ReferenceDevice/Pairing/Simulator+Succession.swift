internal import Locks
internal import WatchProto
internal import WatchProtoCore
internal import WatchProtoJournal
internal import WatchProtoSecurity

/// What a new pairing has from those whose place it took.
struct Succession: Sendable {
    /// What they did not deliver and the new one is to.
    var inherited: [HandedBack] = []
    /// How many records were queued for another device, or have no worth any more, and are gone.
    var erased = 0
}

/// The user's answer whether the doses on a watch stay though it pairs with another phone.
struct DoseAnswer: Sendable {
    /// The answer that came with the confirmation ahead, for every run of this pairing.
    var ahead = false
    /// The answer in this run; nil before it.
    var now: Bool?
    /// Whether they stay.
    var keeps: Bool { now ?? ahead }
}

extension Simulator {
    /// Makes a pairing durable. On the pairing's thread.
    ///
    /// It takes the place of former ones with the same device: what they did not deliver is the new
    /// one's to deliver, or gone. Left behind it would stand in the file for good, out of reach of
    /// whoever forgets that device.
    ///
    /// A phone may have several watches, and what it has of others stays. A watch belongs to one
    /// phone: its new pairing takes the place of every other. What those brought would be on the
    /// wrist for good otherwise, as no journal of the new pairing knows of it, and be told to
    /// another phone with each dose. All of it goes in the transaction that keeps the new keys.
    ///
    /// Throws when the disk failed; nothing is paired then.
    func keepPairing(_ device: PairedDevice) throws {
        let isWatch = application.role == .watch
        let former = try keys.paired()
        let same = former.filter { $0.counterpart == device.counterpart }
        // The wearer's events from before the first pairing stay, and where the user says that the
        // other phone is the wearer's, too.
        let isErased = isWatch && former.areOfOthers(than: device.counterpart)
        let keepsOwn = !isErased || life.withLock { $0.doseAnswer.keeps }
        let gone = isWatch ? try keys.all() : same.map(\.pairing)
        var succession = Succession()
        var writes = application.eraseBrought() + (keepsOwn ? [] : LedgerTables.deleteAll)
        for pairing in gone {
            let isSame = same.contains { $0.pairing == pairing }
            for record in try keys.undelivered(to: pairing) {
                // The ledger has it.
                if keepsOwn, record.kind == .doseEvent { continue }
                guard isSame, let value = application.inheritance(of: record) else {
                    succession.erased += 1
                    continue
                }
                succession.inherited.append(value)
                writes.append(StoreChange.keep(value))
            }
        }
        try keys.keep(device, erasing: gone, writes)
        application.dropBrought()
        if !keepsOwn {
            _ = forgetDoses()
            trace.reset()
        }
        let made = succession
        life.withLock { life in
            life.succession = made
            for pairing in gone { life.links[pairing] = nil }
            life.wanted.subtract(gone)
        }
    }
}
