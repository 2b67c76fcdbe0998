import WatchProtoCore

/// Lost tails: a record that its receiver's disk holds and its sender's disk lost was returned
/// in the end, unless the sender had settled it and the receiver's disk holds that; a record
/// returned is settled; and nothing is returned that the sender's disk holds.
struct HandbackChecker: Checker {
    static let name = "hand-back"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .event(.tailLost(let epoch, let channel, let numbers)):
            for number in numbers {
                let id = RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
                guard ledger.disks[side].queued.contains(id) else { continue }
                return "\(id.text) was returned, though its sender's disk holds it"
            }
            return nil
        case .ended(let ending) where ending.isHealed && ending.isDrained:
            // Once a device and its copy are found out, nothing is told any more.
            return ledger.timesExchanged == [0, 0] ? kept(ledger) : nil
        default:
            return nil
        }
    }

    private func kept(_ ledger: Ledger) -> String? {
        for (slot, facts) in ledger.records.values.enumerated() {
            let id = ledger.records.keys[slot]
            let receiver = ledger.disks[1 - facts.sender]
            guard id.channel.traits.order == .ordered, id.channel.traits.isDurable,
                receiver.hasTaken(id), !(facts.wasSettled && receiver.isSettledThere(id)),
                facts.isOrphan || facts.senderWentBack, facts.knownOutcome == nil,
                !ledger.disks[facts.sender].queued.contains(id)
            else { continue }
            return "\(id.text) is on the other disk, lost on its sender's, and not returned"
        }
        return nil
    }
}

/// Decisions: a record of an ordered channel that the application left pending waits for its word,
/// whatever becomes of the epoch that it came in.
struct DecisionChecker: Checker {
    static let name = "decision"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .undecidable(let id) = observation else { return nil }
        return "\(id.text) was left pending, and its peer has forgotten it"
    }
}
