import WatchProtoCore
import WatchProtoRecords

/// A question of one device about the ledger of the other. It is the body of an interactive message
/// of the kind ``ContentKind/ledger``.
enum LedgerRequest: Hashable, Sendable {
    /// Whether the other ledger has this digest. The asker's wall clock showed the time.
    case compare(LedgerDigest, at: WallTime)
    /// The asker has exactly these events among the identities from `first` to `last`.
    case range(first: UInt128, last: UInt128, [UInt128])
    /// The phone is asked to compare again. Only a watch sends it.
    case call

    /// The most identities in one question.
    static let identityLimit = 2_000
}

/// The answer to a ``LedgerRequest``.
enum LedgerReply: Hashable, Sendable {
    /// The ledgers are equal.
    case equal
    /// The ledgers differ: the digests of all buckets of the answering one.
    case buckets([LedgerDigest])
    /// The events of the range that the answering device lacks. It sends by itself what the asker
    /// lacks.
    case lacks([UInt128])
    /// A call arrived.
    case acknowledged
}

// An identity stands with the highest byte first, and a number with the lowest byte first.
extension LedgerRequest {
    /// The bytes of the question.
    var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .compare(let digest, let time):
            writer.byte(1)
            digest.write(to: &writer)
            writer.uint64(UInt64(bitPattern: time.milliseconds))
        case .range(let first, let last, let identities):
            writer.byte(2)
            writer.uint128(first)
            writer.uint128(last)
            for identity in identities { writer.uint128(identity) }
        case .call: writer.byte(3)
        }
        return writer.bytes
    }

    /// Reads a question. Throws for bytes that are none; the other device is at fault.
    init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let code = try reader.byte("a question about a ledger")
        switch code {
        case 1:
            let digest = try LedgerDigest(&reader)
            let time = try reader.uint64("the asker's wall clock")
            self = .compare(digest, at: WallTime(milliseconds: Int64(bitPattern: time)))
        case 2:
            let first = try reader.uint128("the first identity of a range")
            let last = try reader.uint128("the last identity of a range")
            self = .range(first: first, last: last, try reader.identities(bytes.count))
        case 3: self = .call
        default: throw WireError.unknown("a question about a ledger", code)
        }
        try reader.finish("the end of a question about a ledger")
    }
}

extension LedgerReply {
    /// The bytes of the answer.
    var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .equal: writer.byte(1)
        case .buckets(let digests):
            writer.byte(2)
            for digest in digests { digest.write(to: &writer) }
        case .lacks(let identities):
            writer.byte(3)
            for identity in identities { writer.uint128(identity) }
        case .acknowledged: writer.byte(4)
        }
        return writer.bytes
    }

    /// Reads an answer. Throws for bytes that are none; the other device is at fault.
    init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let code = try reader.byte("an answer about a ledger")
        switch code {
        case 1: self = .equal
        case 2:
            var digests: [LedgerDigest] = []
            for _ in 0..<LedgerDigest.bucketCount { digests.append(try LedgerDigest(&reader)) }
            self = .buckets(digests)
        case 3: self = .lacks(try reader.identities(bytes.count))
        case 4: self = .acknowledged
        default: throw WireError.unknown("an answer about a ledger", code)
        }
        try reader.finish("the end of an answer about a ledger")
    }
}

extension WireReader {
    /// Identities in rising order, up to the end at `end`.
    fileprivate mutating func identities(_ end: Int) throws(WireError) -> [UInt128] {
        var found: [UInt128] = []
        while offset < end {
            let start = offset
            let identity = try uint128("the identity of a dose event")
            guard found.last.map({ $0 < identity }) ?? true,
                found.count < LedgerRequest.identityLimit
            else {
                throw WireError(
                    .notCanonical, at: start,
                    expected: "identities in rising order, at most 2,000",
                    found: UInt64(truncatingIfNeeded: identity))
            }
            found.append(identity)
        }
        return found
    }
}

extension WireError {
    static func unknown(_ what: StaticString, _ code: UInt8) -> WireError {
        WireError(.unknownCode, at: 0, expected: what, found: UInt64(code))
    }
}

extension ContentKind {
    /// A question about a ledger, or the answer to one: ``LedgerRequest``, ``LedgerReply``.
    package static let ledger = ContentKind(rawValue: 9)
}
