import WatchProtoCore

/// Records everything that one side's peer sealed and opened since the last call of ``take()``, for
/// the checkers.
///
/// A world runs on one thread at a time, and nothing else holds its notes.
final class SealingNotes: @unchecked Sendable {
    private var observations: [RunObservation] = []
    /// How often a sealer went on with the next key, since the last time.
    private var agedKeys = 0
    /// Pieces of what was to be sealed, and which low bits they have: most bytes on a wire are told
    /// apart by those.
    private var pieces: Set<UInt64> = []
    private var lowBits = [Bool](repeating: false, count: 1 << 16)

    /// Bytes of a key stream, and of a packet's end, by which one is told from all others.
    static let nameBytes = 16

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
            lowBits[Int(word & 0xFFFF)] = true
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
        guard !pieces.isEmpty else { return }
        var window: UInt64 = 0
        for place in bytes.indices {
            window = window << 8 | UInt64(bytes[place])
            if place >= 7, lowBits[Int(window & 0xFFFF)], pieces.contains(window) {
                observations.append(.readable)
                return
            }
        }
    }

    /// Notes a packet by a piece of its key stream, plaintext against sealed: it names its key and
    /// its number.
    func noteSealed(_ plaintext: [UInt8], as sealed: ArraySlice<UInt8>) {
        guard plaintext.count == Self.nameBytes else { return }
        observations.append(.sealed(Self.name(zip(plaintext, sealed).map { $0 ^ $1 })))
    }

    /// Notes a handshake message by its ephemeral key, which it begins with, and its tag: one key
    /// seals one message.
    func noteMessage(_ body: [UInt8]) {
        observations.append(
            .sealedMessage(
                Self.name(body.prefix(Self.nameBytes)), tag: Self.name(body.suffix(Self.nameBytes)))
        )
    }

    private static func name(_ bytes: some Sequence<UInt8>) -> UInt128 {
        bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    }

    /// Notes a packet that was authentic, by its tag; an early one with the counter of its message
    /// 1.
    func noteOpened(_ tag: [UInt8], earlyCounter: UInt64?) {
        guard tag.count == Self.nameBytes else { return }
        let name = Self.name(tag)
        observations.append(earlyCounter.map { .openedEarly(name, counter: $0) } ?? .opened(name))
    }

    /// Notes that message 2 was authentic.
    func noteResponse() { observations.append(.messageOpened) }

    func noteAgedKey() { agedKeys += 1 }

    /// How many keys were left since the last time.
    func takeAgedKeys() -> Int {
        defer { agedKeys = 0 }
        return agedKeys
    }

    /// The observations since the last call.
    func take() -> [RunObservation] {
        guard !observations.isEmpty else { return [] }
        defer { observations.removeAll(keepingCapacity: true) }
        return observations
    }
}
