/// Frames that carry their length: those that a peer may skip without knowing them.
extension WireReader {
    /// Reads the length of a frame, and gives the offset at which the frame ends. Throws
    /// `truncated` for more than there is, `outOfRange` for more than a packet.
    mutating func frameEnd(_ limits: Limits) throws(WireError) -> Int {
        let length = try count("frame length", atMost: limits.streamPacketBytes)
        return offset + length
    }

    /// Checks that the frame ends here. Throws `notCanonical` where it does not.
    func check(_ end: Int) throws(WireError) {
        guard offset == end else {
            throw WireError(
                .notCanonical, at: offset, expected: "end of the frame", found: UInt64(end))
        }
    }
}
