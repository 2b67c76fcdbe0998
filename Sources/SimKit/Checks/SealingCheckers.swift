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
        /// The number of each packet's flight, or a later one's that the journal was given with it,
        /// by the packet's tag.
        var flights: [UInt128: UInt64] = [:]
        /// Opened, and of a flight that the journal was not given yet.
        var unnumbered: [UInt128] = []
        /// The newest flight of which a packet had been opened when the journal was last given a
        /// number, and that number, which is this flight's or above it: they only rise.
        var givenFlight = 0
        var given: UInt64 = 0
        /// The newest flight of which a packet was opened.
        var newest = 0
        /// The number that the journal holds.
        var held: UInt64 = 0
        /// Opened in this life of the process.
        var life = Set<UInt128>()

        mutating func open(_ tag: UInt128, of flight: Int) {
            newest = max(newest, flight)
            if flight <= givenFlight {
                flights[tag] = given
            } else {
                unnumbered.append(tag)
            }
        }

        mutating func give(_ number: UInt64) {
            for tag in unnumbered { flights[tag] = number }
            unnumbered = []
            (givenFlight, given) = (newest, number)
        }
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        let again = "a packet that had been opened was opened again"
        switch sight {
        case .opened(let tag):
            return opened[side].insert(tag).inserted ? nil : again
        case .openedEarly(let tag, let flight):
            let isHeld = early[side].flights[tag].map { $0 <= early[side].held } ?? false
            early[side].open(tag, of: flight)
            return early[side].life.insert(tag).inserted && !isHeld ? nil : again
        case .handshakeTaken(let number, isDurable: false):
            early[side].give(number)
        case .handshakeTaken(let number, isDurable: true):
            early[side].held = max(early[side].held, number)
        case .crashed:
            early[side].life = []
            // The journal was never given their flight: nothing of them was taken, or the process
            // died before it could say so. They may well come again.
            early[side].unnumbered = []
        case .wiped, .restored:
            early[side] = EarlyMemory()
        default:
            break
        }
        return nil
    }
}
