/// The cost of one guess at a passphrase: the parameters of Argon2id (RFC 9106).
///
/// A journal stores them beside its salt, so they may come from a hostile file. A value of this
/// type is always within limits. The upper limits bound the cost for the process. The lower limits
/// keep guessing expensive.
package struct Argon2idParameters: Hashable, Sendable {
    /// The accepted passes over the memory (RFC 9106: t). At the upper ends of this range and of
    /// ``memoryRangeKibibytes``, unlocking takes some twenty times as long as with ``standard``.
    package static let passesRange = 2...16
    /// The accepted memory in KiB (RFC 9106: m): 19 MiB to 256 MiB.
    package static let memoryRangeKibibytes = 19 * 1024...256 * 1024
    /// The accepted number of lanes (RFC 9106: p).
    package static let lanesRange = 1...16

    /// The parameters of a new journal: 3 passes over 64 MiB in 4 lanes (RFC 9106, second
    /// recommendation).
    package static let standard = Argon2idParameters(
        uncheckedPasses: 3, memoryKibibytes: 64 * 1024, lanes: 4)

    /// Passes over the memory.
    package let passes: Int
    /// The memory in KiB, used during the derivation.
    package let memoryKibibytes: Int
    /// The lanes. They change the key, not the number of threads, which is one.
    package let lanes: Int

    /// Makes parameters, as read from a journal.
    ///
    /// - Throws: ``AtRestKeyError/Fault/parametersOutOfRange`` if one is out of its range. The
    ///   journal is damaged or hostile, and nothing was allocated.
    package init(passes: Int, memoryKibibytes: Int, lanes: Int) throws(AtRestKeyError) {
        try Self.check(passes, Self.passesRange, "passes", "")
        try Self.check(memoryKibibytes, Self.memoryRangeKibibytes, "memory", " KiB")
        try Self.check(lanes, Self.lanesRange, "lanes", "")
        self.init(uncheckedPasses: passes, memoryKibibytes: memoryKibibytes, lanes: lanes)
    }

    /// Makes parameters without limits, for published vectors.
    init(uncheckedPasses passes: Int, memoryKibibytes: Int, lanes: Int) {
        self.passes = passes
        self.memoryKibibytes = memoryKibibytes
        self.lanes = lanes
    }

    private static func check(
        _ value: Int, _ range: ClosedRange<Int>, _ name: String, _ unit: String
    ) throws(AtRestKeyError) {
        guard !range.contains(value) else { return }
        throw AtRestKeyError(
            .parametersOutOfRange, "Argon2id \(name)", seen: "\(value)\(unit)",
            expected: "\(range.lowerBound) to \(range.upperBound)\(unit)",
            remedy: "the journal is damaged or was tampered with; restore it from a backup")
    }
}
