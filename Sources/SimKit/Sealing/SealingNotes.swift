import WatchProto

/// What one side's peer sealed and opened since it was last asked, for the checkers.
///
/// A world runs on one thread at a time, and nothing else holds its notes.
final class SealingNotes: @unchecked Sendable {
    private var sights: [Sight] = []

    /// Bytes of a key stream, and of a packet's end, by which one is told from all others.
    static let nameBytes = 16

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

    /// What was noted since the last time.
    func take() -> [Sight] {
        guard !sights.isEmpty else { return [] }
        defer { sights.removeAll(keepingCapacity: true) }
        return sights
    }
}
