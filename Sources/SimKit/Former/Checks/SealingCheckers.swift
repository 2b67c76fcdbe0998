import WatchProto

/// One key and one number seal one packet, or one flight of a handshake, in the whole run: of two,
/// either shows the other.
struct NonceChecker: Checker {
    static let name = "nonce"

    /// The tag of what was sealed with each piece of a key stream; nil for a packet.
    private var seen: [UInt128: UInt128?] = [:]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .sealed(let stream):
            guard seen.updateValue(nil, forKey: stream) != nil else { return nil }
            return "a packet was sealed with a key and a number that had sealed another"
        case .sealedFlight(let stream, let tag):
            // One of the same bytes is the same flight, and may leave as often as it likes.
            guard let former = seen.updateValue(tag, forKey: stream), former != tag else {
                return nil
            }
            return "a flight was sealed with a key and a number that had sealed something else"
        default:
            return nil
        }
    }
}

/// A packet is opened once, however often it arrives. One of early data may be opened again by a
/// side that died before its journal held that the flight was taken: what it brought is undone
/// there, too.
struct ReplayChecker: Checker {
    static let name = "replay"

    private var opened = [Set<UInt128>(), Set<UInt128>()]
    private var early = [EarlyMemory(), EarlyMemory()]

    /// What one side has opened of early data.
    private struct EarlyMemory {
        /// The number of each packet's flight, by the packet's tag.
        var flights: [UInt128: UInt64] = [:]
        /// Flights up to this number were taken, as the journal has it.
        var held: UInt64 = 0
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        let again = "a packet that had been opened was opened again"
        switch sight {
        case .opened(let tag):
            return opened[side].insert(tag).inserted ? nil : again
        case .openedEarly(let tag, let flight):
            return early[side].flights.updateValue(flight, forKey: tag) == nil ? nil : again
        case .handshakeTaken(let number):
            early[side].held = max(early[side].held, number)
        case .crashed:
            // Whatever the journal comes to hold after this, these were opened in vain.
            let held = early[side].held
            early[side].flights = early[side].flights.filter { $0.value <= held }
        case .wiped, .restored:
            early[side] = EarlyMemory()
        default:
            break
        }
        return nil
    }
}

/// What is to be sealed is not on the wire in clear: of packets and of greetings, pieces of eight
/// bytes that differ, from every 32nd on.
struct SecrecyChecker: Checker {
    static let name = "secrecy"

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .readable = sight else { return nil }
        return "a piece of what was to be sealed stands on the wire"
    }
}

/// Nothing goes past the sealer: no arrival brings the application a record unless a packet of it
/// was opened. What a sealer opens, it does not judge.
///
/// A record that came early may wait for one that was taken back: then the floors in the greeting
/// let it out, which the answer brings to the side that opened, sealed as a flight is. Only where
/// early data was opened on that link, and no packet of a session since.
struct DowngradeChecker: Checker {
    static let name = "downgrade"

    private var isReading = [false, false]
    private var hasOpened = [false, false]
    private var mayHoldEarly = [false, false]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .arrival(let isOver):
            (isReading[side], hasOpened[side]) = (!isOver, false)
        case .opened:
            (hasOpened[side], mayHoldEarly[side]) = (true, false)
        case .openedEarly:
            (hasOpened[side], mayHoldEarly[side]) = (true, true)
        case .greeted where mayHoldEarly[side]:
            hasOpened[side] = true
        case .linkOpened:
            mayHoldEarly[side] = false
        case .delivered(let record, _) where isReading[side] && !hasOpened[side]:
            return "\(record.id) was taken of a packet that does not authenticate"
        case .crashed:
            (isReading[side], hasOpened[side]) = (false, false)
            mayHoldEarly[side] = false
        default:
            break
        }
        return nil
    }
}
