import WatchProto

/// One key and one number seal one packet, in the whole run: of two, either shows the other.
struct NonceChecker: Checker {
    static let name = "nonce"

    private var seen = Set<UInt128>()

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .sealed(let stream) = sight, !seen.insert(stream).inserted else { return nil }
        return "a packet was sealed with a key and a number that had sealed another"
    }
}

/// A packet is taken once, however often it arrives. One of early data may be taken again by a side
/// whose journal does not hold that its flight was: what it brought is undone there, too.
struct ReplayChecker: Checker {
    static let name = "replay"

    private var opened = [Set<UInt128>(), Set<UInt128>()]
    private var early = [EarlyMemory(), EarlyMemory()]

    /// What one side has taken of early data.
    private struct EarlyMemory {
        /// The flight of each packet, by the packet's tag.
        var flights: [UInt128: UInt64] = [:]
        /// Opened since the journal was last given the number of a flight.
        var unnumbered: [UInt128] = []
        /// The flight that the journal was given last, and the one it holds.
        var given: UInt64 = 0
        var held: UInt64 = 0
        /// Opened in this life of the process.
        var life = Set<UInt128>()

        mutating func number(_ flight: UInt64) {
            for tag in unnumbered { flights[tag] = flight }
            unnumbered = []
        }
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        let again = "a packet that had been opened was opened again"
        switch sight {
        case .opened(let tag):
            return opened[side].insert(tag).inserted ? nil : again
        case .openedEarly(let tag):
            let isHeld = early[side].flights[tag].map { $0 <= early[side].held } ?? false
            early[side].unnumbered.append(tag)
            return early[side].life.insert(tag).inserted && !isHeld ? nil : again
        case .handshakeTaken(let flight, isDurable: false):
            early[side].number(flight)
            early[side].given = flight
        case .handshakeTaken(let flight, isDurable: true):
            // Those that followed in packets of their own are of the flight given last.
            early[side].number(early[side].given)
            early[side].held = max(early[side].held, flight)
        case .crashed:
            early[side].life = []
            // They may be of a flight that the journal was not given yet.
            early[side].unnumbered = []
        case .wiped, .restored:
            early[side] = EarlyMemory()
        default:
            break
        }
        return nil
    }
}
