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

/// A packet is taken once, however often it arrives.
struct ReplayChecker: Checker {
    static let name = "replay"

    private var opened = [Set<UInt128>(), Set<UInt128>()]

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        guard case .opened(let tag) = sight, !opened[side].insert(tag).inserted else { return nil }
        return "a packet that had been opened was opened again"
    }
}
