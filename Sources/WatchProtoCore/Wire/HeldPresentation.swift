/// The summary of its values that a receiver presents when a session begins. A hint.
package struct HeldPresentation: WireCoded, Hashable, Sendable {
    /// The epoch and version of the highest version that it ever took; nil for none.
    package var top: VersionMark?
    /// The ``VersionDigest`` of what it holds.
    package var digest: UInt64 = 0

    /// The summary of a receiver that never took a value.
    package static let nothing = HeldPresentation()

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var epoch = top?.epoch.rawValue ?? 0
        var version = top?.version ?? 0
        try c.uint64(&epoch, "top's epoch")
        if epoch != 0 {
            try c.number(&version)
            top = VersionMark(epoch: EpochID(rawValue: epoch), version: version)
        }
        try c.uint64(&digest, "digest")
    }
}
