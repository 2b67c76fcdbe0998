import WatchProto

/// What one side's peer sealed and opened since it was last asked, for the checkers.
///
/// A world runs on one thread at a time, and nothing else holds its notes.
final class SealingNotes: @unchecked Sendable {
    private var sights: [Sight] = []
    /// How often a sealer went on with the next key, since the last time.
    private var agedKeys = 0
    /// Pieces of what was to be sealed, and which low bits they have: most bytes on a wire are told
    /// apart by those.
    private var pieces: Set<UInt64> = []
    private var lowBits = [Bool](repeating: false, count: 1 << 12)

    /// Bytes of a key stream, and of a packet's end, by which one is told from all others.
    static let nameBytes = 16

    /// Keeps pieces of what is about to be sealed: not of its first bytes, which are much alike.
    func notePlaintext(_ plaintext: ArraySlice<UInt8>) {
        for start in stride(from: 20, to: plaintext.count - 7, by: 32) {
            let piece = plaintext.dropFirst(start).prefix(8)
            // Zeros and other runs stand anywhere by chance.
            guard Set(piece).count >= 7 else { continue }
            let word = piece.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            pieces.insert(word)
            lowBits[Int(word & 0xFFF)] = true
        }
    }

    /// Looks for such a piece in what leaves.
    func noteSent(_ bytes: [UInt8]) {
        var window: UInt64 = 0
        for (place, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            if place >= 7, lowBits[Int(window & 0xFFF)], pieces.contains(window) {
                sights.append(.readable)
                return
            }
        }
    }

    /// Notes a packet by the first bytes of its key stream, plaintext against sealed: they name its
    /// key and its number.
    func noteSealed(_ plaintext: [UInt8], as sealed: ArraySlice<UInt8>) {
        guard plaintext.count == Self.nameBytes else { return }
        sights.append(
            .sealed(
                zip(plaintext, sealed).reduce(UInt128(0)) { $0 << 8 | UInt128($1.0 ^ $1.1) }))
    }

    /// Notes a packet that was authentic, by its tag; where it came early, with the number of its
    /// flight.
    func noteOpened(_ tag: [UInt8], flight: UInt64?) {
        guard tag.count == Self.nameBytes else { return }
        let name = tag.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        sights.append(flight.map { .openedEarly(name, flight: $0) } ?? .opened(name))
    }

    /// Notes that the answer to a first flight was authentic.
    func noteGreeted() { sights.append(.greeted) }

    func noteAgedKey() { agedKeys += 1 }

    /// How many keys were left since the last time.
    func takeAgedKeys() -> Int {
        defer { agedKeys = 0 }
        return agedKeys
    }

    /// What was noted since the last time.
    func take() -> [Sight] {
        guard !sights.isEmpty else { return [] }
        defer { sights.removeAll(keepingCapacity: true) }
        return sights
    }
}
