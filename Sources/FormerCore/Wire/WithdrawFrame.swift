/// The sender takes a record back that may have arrived. It counts as withdrawn only when the
/// receiver says so; if it was delivered before, the receiver's receipt says that instead.
public struct WithdrawFrame: Hashable, Sendable {
    /// The lane of the record.
    public var lane: Lane
    /// The record taken back, one of the frame's sender.
    public var address: RecordAddress
    /// Whether its time ran out; otherwise the application cancelled it.
    public var isExpired: Bool

    static func read(_ reader: inout WireReader) throws(WireError) -> WithdrawFrame {
        let lane = try Lane.read(&reader)
        let address = try RecordAddress.read(&reader)
        let start = reader.offset
        let code = try reader.byte("withdrawal reason")
        guard code <= 1 else {
            throw WireError(
                .unknownCode, at: start, expected: "withdrawal reason 0 or 1", found: UInt64(code))
        }
        return WithdrawFrame(lane: lane, address: address, isExpired: code == 1)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.withdraw.rawValue)
        writer.byte(lane.rawValue)
        address.write(to: &writer)
        writer.byte(isExpired ? 1 : 0)
    }
}
