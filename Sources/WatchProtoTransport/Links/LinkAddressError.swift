/// Text that is not a ``LinkAddress``: what was seen, and what should have stood there.
package enum LinkAddressError: Error, Hashable, Sendable {
    /// No scheme such as `unix:` at the front.
    case missingScheme(found: String)
    /// A scheme nobody knows, and the nearest one that exists.
    case unknownScheme(String, didYouMean: String?)
    /// Nothing follows the scheme.
    case missingValue(scheme: String)
    /// A socket path of more bytes than the system takes.
    case pathTooLong(path: String, bytes: Int, limitBytes: Int)
    /// A NUL byte inside a path or an argument.
    case embeddedNUL(scheme: String)
    /// `fd:` wants two descriptor numbers, the one to read from first.
    case badDescriptors(found: String)
    /// `exec:` text with a quote that never ends.
    case unfinishedQuote(found: String)
    /// Something follows `stdio`, which takes nothing.
    case unexpectedValue(scheme: String, found: String)
    /// What follows `udp:` is no address with a port.
    case badEndpoint(found: String)
    /// An address after `udp:` that is not one of this host alone.
    case notLoopback(found: String)
    /// A port that does not exist, or belongs to root.
    case badPort(found: String)
    /// What follows the port: an option nobody knows, or a value it cannot have.
    case badOption(found: String, expected: String)
}
