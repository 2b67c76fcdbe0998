/// States how a value ended at its receiver without being applied.
///
/// ```text
/// 0x39 · 0 superseded, 1 rejected · version · [code: 2 bytes]
/// ```
public struct ValueOutcomeFrame: Hashable, Sendable {
    /// The version of the value.
    public var version: UInt64
    /// The application's code, or ``Outcome/noRoomCode``; nil where a newer value is held.
    public var rejection: UInt16?

    /// States that the value of `version` was rejected, or superseded.
    public init(version: UInt64, rejection: UInt16?) {
        self.version = version
        self.rejection = rejection
    }

    /// Bytes a frame takes at most.
    static let largestBytes = 13

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ValueOutcomeFrame {
        let start = reader.offset
        let form = try reader.byte("outcome of a value")
        guard form < 2 else {
            throw WireError(
                .unknownCode, at: start, expected: "outcome of a value", found: UInt64(form))
        }
        let version = try RecordNumber.read(&reader)
        let code = form == 1 ? try reader.uint16("rejection code") : nil
        return ValueOutcomeFrame(version: version, rejection: code)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.valueOutcome.rawValue)
        writer.byte(rejection == nil ? 0 : 1)
        writer.varint(version)
        if let rejection { writer.uint16(rejection) }
    }
}

extension Outcome {
    /// The code of a rejection by the protocol itself: the receiver holds as much of the channel as
    /// it can. No application uses it.
    public static let noRoomCode: UInt16 = .max
}
