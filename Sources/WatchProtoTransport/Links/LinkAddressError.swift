/// Text that is not a ``LinkAddress``, with the text found and the text expected.
package enum LinkAddressError: Error, Hashable, Sendable {
    /// There is no scheme such as `unix:` at the front.
    case missingScheme(found: String)
    /// The scheme is unknown; the nearest known one, if there is one.
    case unknownScheme(String, didYouMean: String?)
    /// Nothing follows the scheme.
    case missingValue(scheme: String)
    /// A socket path of more bytes than the system takes.
    case pathTooLong(path: String, bytes: Int, limitBytes: Int)
    /// There is a NUL byte inside a path or an argument.
    case embeddedNUL(scheme: String)
    /// The value of `fd:` must be two descriptor numbers, the one to read from first.
    case badDescriptors(found: String)
    /// The text after `exec:` has a quote without an end.
    case unfinishedQuote(found: String)
    /// Text follows `stdio`, which takes none.
    case unexpectedValue(scheme: String, found: String)
    /// The text after `udp:` is no address with a port.
    case badEndpoint(found: String)
    /// The address after `udp:` is not a loopback address.
    case notLoopback(found: String)
    /// The port does not exist, or belongs to root.
    case badPort(found: String)
    /// After the port is an unknown option, or an invalid value.
    case badOption(found: String, expected: String)
}
