import WatchProtoCore

/// One key and one number seal one packet, and one ephemeral key one handshake message, in the
/// whole run: of two, either shows the other.
struct NonceChecker: Checker {
    static let name = "nonce"

    /// The tag of what was sealed with each piece of a key stream; nil for a packet.
    private var seen: [UInt128: UInt128?] = [:]

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .sealed(let stream):
            guard seen.updateValue(nil, forKey: stream) != nil else { return nil }
            return "a packet was sealed with a key and a number that had sealed another"
        case .sealedMessage(let stream, let tag):
            // One of the same bytes is the same message, and may leave as often as it likes.
            guard let former = seen.updateValue(tag, forKey: stream), former != tag else {
                return nil
            }
            return "two handshake messages have one ephemeral key"
        default:
            return nil
        }
    }
}

/// A packet is opened once, however often it arrives. An early packet may be opened again by a side
/// that died before its journal held the counter of its message 1: its records are undone there,
/// too.
struct ReplayChecker: Checker {
    static let name = "replay"

    private var opened = [Set<UInt128>(), Set<UInt128>()]
    private var early = [EarlyMemory(), EarlyMemory()]

    /// The early packets that one side has opened.
    private struct EarlyMemory {
        /// The counter of each packet's message 1, by the packet's tag.
        var counters: [UInt128: UInt64] = [:]
        /// Messages 1 up to this counter were met, as the journal has it.
        var held: UInt64 = 0
    }

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        let again = "a packet that had been opened was opened again"
        switch observation {
        case .opened(let tag):
            return opened[side].insert(tag).inserted ? nil : again
        case .openedEarly(let tag, let counter):
            return early[side].counters.updateValue(counter, forKey: tag) == nil ? nil : again
        case .counterHeld(let counter):
            early[side].held = max(early[side].held, counter)
        case .crashed:
            // The journal does not hold these counters: their packets may be opened once more.
            let held = early[side].held
            early[side].counters = early[side].counters.filter { $0.value <= held }
        case .wiped, .restored, .exchanged:
            early[side] = EarlyMemory()
        default:
            break
        }
        return nil
    }
}

/// Nobody without a session's keys can end the session: a peer counts a forged reset and does
/// nothing else.
struct ResetChecker: Checker {
    static let name = "forged-reset"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .resetForged(isInert: false) = observation else { return nil }
        return "a reset with a wrong token ended the session, or was not counted"
    }
}

/// Sealed content does not stand on the wire in clear. Of packets and hellos the check takes pieces
/// of eight bytes that differ, one from every 32nd byte on.
struct SecrecyChecker: Checker {
    static let name = "secrecy"

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        guard case .readable = observation else { return nil }
        return "a piece of what was to be sealed stands on the wire"
    }
}

/// Nothing goes past the sealer: no arrival brings the application a record unless a packet of it
/// was opened. The checker does not evaluate what a sealer opens.
struct DowngradeChecker: Checker {
    static let name = "downgrade"

    private var isReading = [false, false]
    private var hasOpened = [false, false]

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .arrival(let isOver):
            (isReading[side], hasOpened[side]) = (!isOver, false)
        case .opened, .openedEarly:
            hasOpened[side] = true
        case .delivered(let record, _) where isReading[side] && !hasOpened[side]:
            return "\(record.id.text) was taken of a packet that does not authenticate"
        case .crashed:
            (isReading[side], hasOpened[side]) = (false, false)
        default:
            break
        }
        return nil
    }
}
