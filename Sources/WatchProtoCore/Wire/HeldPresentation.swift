/// The summary of its values that a receiver presents when a session begins. A hint.
///
/// ```text
/// top's epoch: 8 bytes (0 for no top) · [top's version] · digest: 8 bytes
/// ```
public struct HeldPresentation: Hashable, Sendable {
    /// The epoch and version of the highest version that it ever took; nil for none.
    public var top: VersionMark?
    /// The ``VersionDigest`` of what it holds.
    public var digest: UInt64

    /// Presents `top` and `digest`.
    public init(top: VersionMark?, digest: UInt64) {
        self.top = top
        self.digest = digest
    }

    /// The summary of a receiver that never took a value.
    public static let nothing = HeldPresentation(top: nil, digest: 0)

    static func read(_ reader: inout WireReader) throws(WireError) -> HeldPresentation {
        let epoch = try reader.uint64("top's epoch")
        var held = HeldPresentation.nothing
        if epoch != 0 {
            let version = try RecordNumber.read(&reader)
            held.top = VersionMark(epoch: EpochID(rawValue: epoch), version: version)
        }
        held.digest = try reader.uint64("digest")
        return held
    }

    func write(to writer: inout WireWriter) {
        writer.uint64(top?.epoch.rawValue ?? 0)
        if let top { writer.varint(top.version) }
        writer.uint64(digest)
    }
}
