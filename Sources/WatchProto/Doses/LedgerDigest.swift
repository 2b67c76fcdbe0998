package import WatchProtoCore

/// The digest of a set of dose events: their number, and the sum of their fingerprints. Equal sets
/// have equal digests, whatever the order in which they were made.
package struct LedgerDigest: Hashable, Sendable {
    /// The buckets of a ledger. The highest byte of a fingerprint names its bucket.
    package static let bucketCount = 256

    /// The number of events.
    package private(set) var count: UInt32 = 0
    /// The sum of the fingerprints, modulo 2^64.
    package private(set) var sum: UInt64 = 0

    /// The digest of no events.
    package init() {}

    init(count: UInt32, sum: UInt64) {
        self.count = count
        self.sum = sum
    }

    /// Adds the event of this fingerprint.
    mutating func insert(_ fingerprint: UInt64) {
        count &+= 1
        sum &+= fingerprint
    }

    /// Adds the events of another digest.
    mutating func formUnion(_ other: LedgerDigest) {
        count &+= other.count
        sum &+= other.sum
    }

    /// The fingerprint of an event's canonical bytes.
    static func fingerprint(_ encoding: [UInt8]) -> UInt64 { ContentHash.of(encoding) }

    /// The bucket of a fingerprint.
    static func bucket(of fingerprint: UInt64) -> Int { Int(fingerprint >> 56) }

    /// Twelve bytes: count and sum.
    package func write(to writer: inout WireWriter) {
        writer.fixed(UInt64(count), count: 4)
        writer.uint64(sum)
    }

    /// Reads twelve bytes.
    package init(_ reader: inout WireReader) throws(WireError) {
        count = UInt32(try reader.fixed(4, "the count of a digest"))
        sum = try reader.uint64("the sum of a digest")
    }

    /// The count and the sum in hexadecimal digits, for logs and comparisons.
    package var text: String { "\(count)-\(String(sum, radix: 16))" }
}
