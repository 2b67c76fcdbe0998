/// The code in a close frame or an advisory packet.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire; in a close frame a code without a name here is no violation.
    package var rawValue: UInt8
    /// Makes the close code of a byte on the wire.
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
    /// The sender is pairing and has stored no keys yet: open again later.
    package static let pairing = CloseCode(rawValue: 8)

    /// The last code with a name.
    static let largest = pairing
}
