/// The end of a session, and why its sender ends it. No packet of the session follows it.
///
/// ```text
/// 0x03 · code
/// ```
package struct CloseFrame: Hashable, Sendable {
    /// The reason. A code without a name here is no violation.
    package var code: CloseCode

    /// Makes a frame that ends the session for the reason `code`.
    package init(code: CloseCode) { self.code = code }

    package static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> CloseFrame {
        CloseFrame(code: CloseCode(rawValue: try reader.byte("close code")))
    }

    package func write(to writer: inout WireWriter) {
        writer.byte(FrameType.close.rawValue)
        writer.byte(code.rawValue)
    }
}

/// The reason in a close frame.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire; a newer version may know codes that have no name here.
    package var rawValue: UInt8
    /// Makes the reason of a code on the wire.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The sender is done; the counterpart may connect again at any time.
    package static let normal = CloseCode(rawValue: 0)
    /// The sender suspends (background, sleep) and does not answer for a while.
    package static let suspending = CloseCode(rawValue: 1)
    /// The receiver of the code broke the rules.
    package static let violation = CloseCode(rawValue: 2)
    /// The receiver of the code speaks a version that the sender does not.
    package static let incompatible = CloseCode(rawValue: 3)
    /// The two are not a pair.
    package static let wrongPeer = CloseCode(rawValue: 4)
    /// The sender heard nothing for too long.
    package static let stalled = CloseCode(rawValue: 5)
    /// The sender has a link to this pairing already.
    package static let busy = CloseCode(rawValue: 6)
    /// The receiver of the code looks like a copy of the device that was paired: pair anew.
    package static let pairAnew = CloseCode(rawValue: 7)
}
