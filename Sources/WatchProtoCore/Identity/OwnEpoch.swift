/// One opening of the own journal, as its owner remembers it (Models/IDENTITY.md, section 2).
package struct OwnEpoch: Hashable, Sendable {
    /// The name that the opening drew.
    package let id: EpochID
    /// The highest version that the opening may have given out.
    package internal(set) var reservationEnd: UInt64
    /// The counterpart has written the epoch down.
    package internal(set) var isConfirmed = false
    /// The epoch is closed on both sides.
    package internal(set) var isGone = false
    /// A record of a durable ordered channel was accepted in the epoch.
    package internal(set) var isUsed = false
    /// The highest version that the opening gave out, as far as the journal holds it: it wrote,
    /// mended or adopted a value; 0 for none.
    package internal(set) var lastVersion: UInt64 = 0
    /// Whether the opening gave out a version.
    package var gaveOutVersion: Bool { lastVersion > 0 }

    /// Names an opening that has reserved versions up to `reservationEnd`.
    package init(id: EpochID, reservationEnd: UInt64) {
        self.id = id
        self.reservationEnd = reservationEnd
    }
}

extension OwnEpochs {
    /// The content of a journal about its own openings.
    package struct Image: Hashable, Sendable {
        /// The openings, oldest first; the last one is the present one.
        package private(set) var epochs: [OwnEpoch] = []
        /// The largest number of openings that are remembered.
        private let limit: Int
        private let announcesAnew: Bool

        /// The image of an empty journal; `announcesAnew` is false for tests only.
        package init(limits: Limits = Limits(), announcesAnew: Bool = true) {
            limit = limits.epochs
            self.announcesAnew = announcesAnew
        }

        /// The end of the newest reservation; 0 where there is none.
        package var reservationEnd: UInt64 {
            var end: UInt64 = 0
            for epoch in epochs { end = max(end, epoch.reservationEnd) }
            return end
        }

        /// The place of an opening in ``epochs``.
        package func place(of id: EpochID) -> Int? { epochs.lastIndex { $0.id == id } }

        /// Folds one entry; those of other rooms change nothing here.
        package mutating func apply(_ entry: JournalEntry) {
            switch entry {
            case .opened(let id, let end): opened(id, reservationEnd: end)
            case .ticketEntered(let entry):
                if entry.counterpartLostState, announcesAnew { announceAnew() }
            case .epoch(let id, let mark): apply(mark, to: id)
            case .queued(let record), .value(let record, _, _): accepted(record)
            case .numbered(let id, .context, let last): gaveOut(last, of: id)
            default: break
            }
        }

        /// The entries that make this image.
        var entries: [JournalEntry] {
            var entries: [JournalEntry] = []
            for epoch in epochs {
                entries.append(.opened(epoch.id, reservationEnd: epoch.reservationEnd))
                if epoch.isGone { entries.append(.epoch(epoch.id, .gone)) }
                if epoch.isConfirmed { entries.append(.epoch(epoch.id, .confirmed)) }
                if epoch.isUsed { entries.append(.epoch(epoch.id, .used)) }
                if epoch.gaveOutVersion {
                    entries.append(.numbered(epoch.id, .context, last: epoch.lastVersion))
                }
            }
            return entries
        }

        /// A counterpart that lost state may have forgotten every opening.
        private mutating func announceAnew() {
            for place in epochs.indices { epochs[place].isConfirmed = false }
        }

        private mutating func opened(_ id: EpochID, reservationEnd: UInt64) {
            if let last = epochs.indices.last, epochs[last].id == id {
                epochs[last].reservationEnd = max(epochs[last].reservationEnd, reservationEnd)
                return
            }
            while epochs.count >= max(1, limit) { epochs.remove(at: placeToForget) }
            epochs.append(OwnEpoch(id: id, reservationEnd: reservationEnd))
        }

        /// The oldest opening leaves first; one that may hold unsettled records leaves last.
        private var placeToForget: Int { epochs.firstIndex { $0.isGone || !$0.isUsed } ?? 0 }

        private mutating func apply(_ mark: EpochMark, to id: EpochID) {
            guard let place = place(of: id) else { return }
            switch mark {
            case .confirmed: epochs[place].isConfirmed = true
            case .gone: epochs[place].isGone = true
            case .used: epochs[place].isUsed = true
            case .known, .closed, .oldestRemembered: break
            }
        }

        private mutating func accepted(_ record: OutboundRecord) {
            switch record.id.channel.traits.order {
            case .ordered: apply(.used, to: record.id.epoch)
            case .latestValue: gaveOut(record.id.number.rawValue, of: record.id.epoch)
            }
        }

        private mutating func gaveOut(_ version: UInt64, of id: EpochID) {
            guard let place = place(of: id) else { return }
            epochs[place].lastVersion = max(epochs[place].lastVersion, version)
        }
    }
}
