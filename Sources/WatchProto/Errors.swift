public import WatchProtoCore
public import WatchProtoRecords

/// Why a session was not opened. Nothing was changed.
public enum OpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address cannot be read; the caller is at fault. The text says what was expected.
    case badLink(String)
    /// The link cannot be had: another process holds it, or the system refuses.
    case linkUnavailable(String)
    /// The key cannot be read or does not fit; the text says what to do.
    case badKey(String)
    /// The journal cannot be opened; the text says what was found and what to do. The file is as
    /// it was.
    case journal(String)
    /// The session was closed for good; make a new one.
    case closed

    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .badLink(let text), .linkUnavailable(let text), .badKey(let text), .journal(let text):
            text
        case .closed: "the session was closed; make a new one"
        }
    }
}

/// Why a record was not taken. Nothing of it has changed anything; the caller may try again where
/// the reason says so.
public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// This device is paired with none: pair first.
    case notPaired
    /// The device is pairing, or another watch becomes the active one: its session gives the link
    /// up meanwhile.
    case pairing
    /// The session was closed.
    case closed
    /// The journal takes nothing for now; it is opened again by itself.
    case journalFailed
    /// The message has an answer already, expects none, or is of a watch that is not connected any
    /// more.
    case answered
    /// The value has no bytes: a text of it is too long. The caller is at fault.
    case notEncodable(EncodingRefusal)
    /// The file cannot be read, or its name cannot be sent: its path, and the reason.
    case unreadableFile(String)
    /// The peer does not take it: a queue is full, a record too large.
    case notTaken(SendRefusal)

    /// The problem, in words.
    public var description: String {
        switch self {
        case .notPaired: "this device is not paired; call pair(_:over:) first"
        case .pairing:
            "this device is pairing; wait for the end of pair(_:over:) or setActiveWatch(_:over:)"
        case .closed: "the session was closed; make a new one"
        case .journalFailed: "the journal takes nothing for now; see SessionEvent.journalFailed"
        case .answered:
            "the message has an answer already, expects none, or its watch is not connected"
        case .notEncodable(let refusal): "\(refusal)"
        case .unreadableFile(let text): "\(text); give another file"
        case .notTaken(let refusal): "the record was refused: \(refusal)"
        }
    }
}

/// Why the receiving application does not want a record: a code of its own, which the sender is
/// told. Codes from 65,280 on are the library's. 65,535 says that the other device has no room.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// The application's own code.
    public var code: UInt16

    /// Rejects with this code.
    public init(code: UInt16) { self.code = code }

    /// A statement of `apply` failed, or the session is in memory and has no tables. The library
    /// says so; the receiving application is at fault.
    public static let statementFailed = Rejection(code: 65_534)
    /// The bytes are no value of the kind. The library says so; the sender is at fault.
    public static let unreadable = Rejection(code: 65_532)

    /// The code, and the meaning of one of the library's.
    public var description: String {
        let meaning: String? =
            switch code {
            case FileExchange.Refused.tooManyOffers:
                "too many files wait for an answer of the other application; send the file again "
                    + "when some of them have one"
            case FileExchange.Refused.differs: "the file arrived twice with another content"
            case FileExchange.Refused.cancelled: "the transfer of the file was cancelled"
            case FileExchange.Refused.changed: "the file was changed or removed meanwhile"
            case FileExchange.Refused.noDirectory: "the other device has no directory for files"
            case AppRequest.unknownCapability: "the other application has no such capability"
            case Self.unreadable.code: "the other device cannot read the record"
            case LedgerExchange.otherBytes:
                "the other device has another dose event of this identity"
            case Self.statementFailed.code: "a statement of the other application failed"
            case 65_535: "the other device has no room"
            default: nil
            }
        return "rejected with code \(code)" + (meaning.map { ": \($0)" } ?? "")
    }
}
