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

    /// Bytes of a key stream in front of those: a first flight seals a number there that nobody
    /// outside the handshake knows.
    static let skippedBytes = 8

    /// Bytes at the beginning of a flight: an ephemeral key, in clear.
    private static let ephemeralBytes = 32

    /// Keeps pieces of what is about to be sealed: not of its first bytes, which are much alike.
    func notePlaintext(_ plaintext: ArraySlice<UInt8>) {
        for start in stride(from: 20, to: plaintext.count - 7, by: 32) {
            var word: UInt64 = 0
            for place in start..<start + 8 {
                word = word << 8 | UInt64(plaintext[plaintext.startIndex + place])
            }
            // Zeros and other runs stand anywhere by chance.
            guard Self.differentBytes(of: word) >= 7 else { continue }
            pieces.insert(word)
            lowBits[Int(word & 0xFFF)] = true
        }
    }

    /// How many of a word's eight bytes are different from all those before them.
    private static func differentBytes(of word: UInt64) -> Int {
        (0..<8).reduce(0) { count, place in
            let byte = word >> (8 * UInt64(place)) & 0xFF
            let isNew = !(0..<place).contains { word >> (8 * UInt64($0)) & 0xFF == byte }
            return count + (isNew ? 1 : 0)
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

    /// Notes a packet by a piece of its key stream, plaintext against sealed: it names its key and
    /// its number.
    func noteSealed(_ plaintext: [UInt8], as sealed: ArraySlice<UInt8>) {
        guard plaintext.count == Self.skippedBytes + Self.nameBytes else { return }
        sights.append(
            .sealed(
                Self.keyStream(
                    plaintext.dropFirst(Self.skippedBytes), sealed.dropFirst(Self.skippedBytes))))
    }

    /// Notes a flight by the same piece of the key stream that sealed its payload, which stands
    /// between the handshake's own and the tag.
    ///
    /// - Precondition: the payload reaches as far as that piece; a greeting is longer.
    func noteFlight(_ payload: [UInt8], as flight: [UInt8]) {
        // The number is sealed with the payload, and in front of it.
        let start = flight.count - payload.count - Self.nameBytes
        let skipped = Self.skippedBytes - (start - Self.ephemeralBytes)
        precondition(
            skipped >= 0 && skipped <= Self.skippedBytes
                && payload.count >= skipped + Self.nameBytes,
            "a flight that cannot be told from others")
        sights.append(
            .sealedFlight(
                Self.keyStream(payload.dropFirst(skipped), flight.dropFirst(start + skipped)),
                tag: flight.suffix(Self.nameBytes).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }))
    }

    private static func keyStream(
        _ plaintext: ArraySlice<UInt8>, _ sealed: ArraySlice<UInt8>
    ) -> UInt128 {
        zip(plaintext, sealed).prefix(nameBytes).reduce(UInt128(0)) {
            $0 << 8 | UInt128($1.0 ^ $1.1)
        }
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
