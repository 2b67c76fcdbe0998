import Testing

@testable import WatchProtoCore

extension ValueWalk {
    private mutating func below(_ count: Int) -> Int {
        Int(random.uniform(in: 0...UInt64(count - 1)))
    }

    mutating func step() throws {
        if random.uniform(in: 0...9999) < plan.faults { return fault() }
        switch below(16) {
        case 0, 1: if below(plan.quiet) == 0 { try write() }
        case 2: if below(3) == 0 { try shake() }
        case 3: if pair.sender.session == nil || below(6) == 0 { try shake() }
        case 4: try join()
        case 5: pair.formSender()
        case 6: commitSender()
        case 7: formReceiver()
        case 8: commitReceiver()
        case 9, 10: try transmit()
        case 11, 12: try deliverForward()
        case 13, 14: try deliverBackward()
        default: try answer()
        }
        try check()
    }

    // MARK: The application

    private mutating func write() throws {
        let key = random.uniform(in: 0...UInt64(plan.keys - 1))
        writes += 1
        let isRemoval = plan.removes && below(4) == 0
        _ = try pair.sender.accept(
            RecordDraft(
                channel: .context, kind: isRemoval ? TestKinds.removal : TestKinds.text,
                key: RecordKey(rawValue: UInt128(key)), payload: Array("\(writes)".utf8)),
            clock: pair.clock)
    }

    /// The number of a write; nil for a removal that stands for a watermark.
    static func number(_ payload: [UInt8]) -> Int? {
        Int(String(decoding: payload, as: UTF8.self))
    }

    private func name(_ key: UInt128) -> ValueName {
        ValueName(channel: .context, key: RecordKey(rawValue: key))
    }

    private mutating func answer() throws {
        for record in pair.receiver.takeDeliveries() {
            met.delivered += 1
            try note(record.id, record.key, record.payload)
            let key = record.key?.rawValue ?? 0
            if let given = Self.number(record.payload) {
                let held = seen[key] ?? 0
                if given < held { throw Violation.older(key: key, held: held, given: given) }
                seen[key] = given
            }
            pair.receiver.disposed(record, .applied, clock: pair.clock)
        }
    }

    // MARK: Sessions

    private mutating func shake() throws {
        pair.disconnect()
        pair.isLossless = below(2) == 0
        presented = pair.receiver.presentation
        pair.beginReceiver()
        if pair.receiver.session?.conclusion == .own { met.ownConclusions += 1 }
        if plan.travelsEarly, below(2) == 0 {
            met.early += 1
            pair.sender.beginEarly(isLossless: pair.isLossless, epochs: pair.listed)
            try pair.transmitSender()
        } else {
            try join()
        }
    }

    private mutating func join() throws {
        guard let told = presented else { return }
        presented = nil
        try pair.join(told)
    }

    private mutating func transmit() throws {
        if below(2) == 0 { try pair.transmitSender() } else { try pair.transmitReceiver() }
    }

    /// On a carrier that can lose, frames come in any order and not all of them.
    private mutating func deliverForward() throws {
        guard !pair.toReceiver.isEmpty else { return }
        let place = pair.isLossless ? 0 : below(pair.toReceiver.count)
        if !pair.isLossless, below(8) == 0 {
            // The epochs of a hello are told again until they come.
            if case .epochs = pair.toReceiver[place] { return }
            pair.toReceiver.remove(at: place)
        } else {
            try pair.deliverForward(at: place)
        }
    }

    private mutating func deliverBackward() throws {
        guard !pair.toSender.isEmpty, presented == nil else { return }
        let place = pair.isLossless ? 0 : below(pair.toSender.count)
        if !pair.isLossless, below(8) == 0 {
            pair.toSender.remove(at: place)
            return
        }
        var before: [UInt128: Int] = [:]
        for key in 0..<plan.keys { before[key] = own(key) }
        let watermark = pair.sender.values.watermark
        try pair.deliverBackward(at: place)
        if pair.sender.values.watermark > watermark { met.watermarks += 1 }
        for key in 0..<plan.keys {
            guard let former = before[key], let now = own(key), now != former else { continue }
            met.adopted += 1
            if now < former { throw Violation.loser(key: key, own: former, taken: now) }
        }
    }

    private func own(_ key: UInt128) -> Int? {
        pair.sender.newest(name(key)).flatMap { Self.number($0.payload) }
    }

    // MARK: Journals

    private mutating func commitSender() {
        pair.commitSender()
        for event in pair.events {
            if case .renumbered = event { met.mended += 1 }
            if case .conflict = event { met.conflicts += 1 }
        }
        pair.events = []
    }

    /// Forms a batch of the receiver; the values that the application has seen by now become
    /// durable with it.
    private mutating func formReceiver() {
        guard pair.receiverJournal.underWay.isEmpty else { return }
        pair.formReceiver()
        underWaySeen = pair.receiverJournal.underWay.isEmpty ? nil : seen
    }

    private mutating func commitReceiver() {
        pair.commitReceiver()
        durableSeen = seen
        underWaySeen = nil
    }

    // MARK: Faults

    private mutating func fault() {
        let side = below(2)
        func mayHappen(_ sides: Int) -> Bool { sides >> side & 1 == 1 }
        switch below(4) {
        case 0: if mayHappen(plan.crashes) { crash(side) }
        case 1:
            guard mayHappen(plan.restores) else { return }
            if side == 0 {
                senderBackup = pair.senderJournal
                senderBackup?.crash()
            } else {
                receiverBackup = (pair.receiverJournal, durableSeen)
                receiverBackup?.journal.crash()
            }
        case 2:
            guard mayHappen(plan.restores), !mayHappen(wentBack) else { return }
            if side == 0, let backup = senderBackup {
                pair.senderJournal = backup
                senderBackup = nil
                wentBack |= 1
                restart(0)
            } else if side == 1, let backup = receiverBackup {
                pair.receiverJournal = backup.journal
                durableSeen = backup.seen
                receiverBackup = nil
                wentBack |= 2
                restart(1)
            }
        default:
            guard mayHappen(plan.wipes), !mayHappen(wentBack) else { return }
            if side == 0 {
                pair.senderJournal = TestJournal()
            } else {
                pair.receiverJournal = TestJournal()
                durableSeen = [:]
            }
            wentBack |= 1 << side
            restart(side)
        }
    }

    /// A batch under way may be durable although its receipt never came.
    private mutating func crash(_ side: Int) {
        if below(2) == 0 {
            if side == 0 {
                _ = pair.senderJournal.commit()
            } else {
                _ = pair.receiverJournal.commit()
                durableSeen = underWaySeen ?? durableSeen
            }
        }
        restart(side)
    }

    private mutating func restart(_ side: Int) {
        presented = nil
        if side == 0 {
            pair.restartSender()
        } else {
            pair.restartReceiver()
            seen = durableSeen
            underWaySeen = nil
        }
    }

    // MARK: Checks

    private mutating func note(
        _ id: RecordID, _ key: RecordKey?, _ payload: [UInt8]
    ) throws {
        if let (formerKey, former) = names.updateValue((key, payload), forKey: id),
            formerKey != key || former != payload
        {
            throw Violation.ambiguous(id)
        }
    }

    /// Every name stands for one value; once the sender has compared, so does a version both hold.
    private mutating func check() throws {
        for value in pair.sender.values.table.values {
            try note(value.newest.id, value.newest.key, value.newest.payload)
        }
        guard pair.sender.hearsStatements else { return }
        for key in 0..<plan.keys {
            guard let own = pair.sender.values[name(key)],
                let held = pair.receiver.values[name(key)],
                [own.version, own.versionThere].contains(held.version),
                let ours = Self.number(own.newest.payload),
                let theirs = held.held.flatMap({ Self.number($0.payload) })
            else { continue }
            if ours != theirs {
                throw Violation.twoWrites(key: key, own: ours, held: theirs)
            }
        }
    }

    /// Faults end, and one session lives: both come to hold the same.
    mutating func finish() throws {
        for lossless in [true, false] {
            commitReceiver()
            try pair.connect(lossless: lossless)
            presented = nil
            for _ in 0..<24 {
                commitSender()
                try pair.transmitSender()
                while !pair.toReceiver.isEmpty { try pair.deliverForward() }
                try answer()
                commitReceiver()
                try pair.transmitReceiver()
                while !pair.toSender.isEmpty { try deliverBackward() }
                try check()
            }
        }
        for key in 0..<plan.keys {
            let ours = pair.own(key)
            if ours != pair.held(key) { throw Violation.different(key: key) }
        }
        try checkImages()
    }

    /// The journals give the same values as the machines hold.
    private func checkImages() throws {
        var sender = LatestValueSender.Image(kinds: TestKinds.table)
        for entry in pair.senderJournal.entries { sender.apply(entry) }
        var receiver = LatestValueReceiver.Image(
            kinds: TestKinds.table, mutants: pair.mutants)
        for entry in pair.receiverJournal.entries { receiver.apply(entry) }
        let isSame =
            sender.values.digest() == pair.sender.values.digest()
            && sender.values.watermark == pair.sender.values.watermark
            && sender.values.table.keys == pair.sender.values.table.keys
            && receiver.values.table == pair.receiver.values.table
            && receiver.values.watermark == pair.receiver.values.watermark
            && receiver.values.top == pair.receiver.values.top
        if !isSame { throw Violation.image }
    }
}
