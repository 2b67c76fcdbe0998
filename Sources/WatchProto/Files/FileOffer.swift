package import WatchProtoCore

/// A file that a device offers: the payload of a record of the kind `ContentKind.file`. The
/// receiver fetches the content block by block (rules T-1 to T-13), and the record counts as
/// applied when the file is there as a whole.
package struct FileOffer: Hashable, Sendable {
    /// The size of the content in bytes.
    package var size: UInt64
    /// BLAKE2b of the content, 32 bytes.
    package var hash: [UInt8]
    /// The name without a directory, 1 to 255 bytes of UTF-8.
    package var name: String
    /// Bytes of the application.
    package var metadata: [UInt8]

    /// The most bytes of a file.
    package static let largestSize: UInt64 = 1 << 40
    /// The most bytes of the application's metadata.
    package static let largestMetadata = 4096
    static let hashBytes = 32

    /// Whether `name` is no path and nothing hidden.
    package static func isName(_ name: String) -> Bool {
        let others: [UInt8] = [UInt8(ascii: "/"), UInt8(ascii: "\\"), 0x7F]
        return (1...255).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && !name.utf8.contains { $0 < 0x20 || others.contains($0) }
    }

    /// The size as a varint, the hash, the bytes of the name as one byte, the name, the metadata.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        writer.varint(size)
        writer.append(hash)
        writer.byte(UInt8(name.utf8.count))
        writer.append(Array(name.utf8))
        writer.append(metadata)
        return writer.bytes
    }

    init(size: UInt64, hash: [UInt8], name: String, metadata: [UInt8]) {
        self.size = size
        self.hash = hash
        self.name = name
        self.metadata = metadata
    }

    /// Reads an offer.
    ///
    /// - Throws: `WireError` for bytes that are none; the other device is at fault.
    package init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        size = try reader.varint("the size of a file")
        hash = Array(copying: try reader.bytes(Self.hashBytes, "the hash of a file"))
        let start = reader.offset
        let count = Int(try reader.byte("the bytes of a file's name"))
        let text = Array(copying: try reader.bytes(count, "the name of a file"))
        // A record may have megabytes more.
        let rest = bytes.dropFirst(reader.offset)
        guard let name = String(validating: text, as: UTF8.self), Self.isName(name),
            size <= Self.largestSize, rest.count <= Self.largestMetadata
        else {
            throw WireError(
                .outOfRange, at: start, expected: "a file with a name, of at most 2^40 bytes",
                found: size)
        }
        self.name = name
        metadata = Array(rest)
    }
}

/// A message about the blocks of one file, of the kind `ContentKind.filePart`. The file has the
/// idempotency key of its offer.
package enum FileMessage: Hashable, Sendable {
    /// The receiver wants these bytes, in blocks of this size, and has made so many durable.
    case wanted(offset: UInt64, count: Int, blockBytes: Int, durable: UInt64)
    /// The sender gives bytes.
    case block(offset: UInt64, ArraySlice<UInt8>)
    /// The sender gives none for now, or never.
    case stopped(Reason)
    /// The sender gives blocks again: the receiver asks.
    case resumed

    /// The reason why a sender gives no block.
    package enum Reason: UInt8, Sendable {
        /// Its application paused the transfer.
        case paused = 1
        /// Its application cancelled the transfer.
        case cancelled = 2
        /// The file cannot be opened, or is not the one that was offered.
        case changed = 3
        /// The sender's disk fails. The receiver asks again later.
        case unreadable = 4
    }

    /// The most bytes that a receiver may want at once.
    package static let largestCount = 1 << 19
    /// The sizes of a block.
    package static let blockSizes = 8_192...61_440

    /// The bytes of the message: the file, a code, the fields.
    package func bytes(of file: UInt128) -> [UInt8] {
        var writer = WireWriter()
        writer.uint128(file)
        switch self {
        case .wanted(let offset, let count, let blockBytes, let durable):
            writer.byte(1)
            writer.varint(offset)
            writer.varint(UInt64(count))
            writer.varint(UInt64(blockBytes))
            writer.varint(durable)
        case .block(let offset, let bytes):
            return Self.head(ofBlockAt: offset, of: file) + bytes
        case .stopped(let reason):
            writer.byte(3)
            writer.byte(reason.rawValue)
        case .resumed: writer.byte(4)
        }
        return writer.bytes
    }

    /// The bytes of a block's message in front of its content.
    static func head(ofBlockAt offset: UInt64, of file: UInt128) -> [UInt8] {
        var writer = WireWriter()
        writer.uint128(file)
        writer.byte(2)
        writer.varint(offset)
        return writer.bytes
    }

    /// Reads a message. The content of a block is a part of `bytes`, and no copy.
    ///
    /// - Returns: the file, and the message.
    /// - Throws: `WireError` for bytes that are none; the other device is at fault.
    package static func read(
        _ bytes: [UInt8]
    ) throws(WireError) -> (file: UInt128, message: FileMessage) {
        var reader = WireReader(bytes.span)
        let file = try reader.uint128("a file")
        let code = try reader.byte("a message about a file")
        switch code {
        case 1:
            let offset = try reader.varint("an offset", atMost: FileOffer.largestSize)
            let count = try reader.varint("a count of bytes", atMost: UInt64(largestCount))
            let size = try reader.varint("a block", atMost: UInt64(blockSizes.upperBound))
            let durable = try reader.varint("durable bytes", atMost: FileOffer.largestSize)
            try reader.finish("the end of a message about a file")
            return (
                file,
                .wanted(
                    offset: offset, count: Int(count),
                    blockBytes: max(Int(size), blockSizes.lowerBound), durable: durable)
            )
        case 2:
            let offset = try reader.varint("an offset", atMost: FileOffer.largestSize)
            return (file, .block(offset: offset, bytes[reader.offset...]))
        case 3:
            let code = try reader.byte("why no block comes")
            guard let reason = Reason(rawValue: code) else {
                throw WireError.unknown("why no block comes", code)
            }
            try reader.finish("the end of a message about a file")
            return (file, .stopped(reason))
        case 4:
            try reader.finish("the end of a message about a file")
            return (file, .resumed)
        default: throw WireError.unknown("a message about a file", code)
        }
    }
}

extension FileExchange {
    /// The codes of rejected offers, beside those of the application.
    package enum Refused {
        /// The receiver keeps no more offers without an answer.
        static let tooManyOffers: UInt16 = 65_526
        /// The content is not the one that was offered.
        static let differs: UInt16 = 65_527
        /// The sender cancelled the transfer.
        package static let cancelled: UInt16 = 65_528
        /// The sender's file is gone, or was changed.
        static let changed: UInt16 = 65_529
        /// The receiver has no directory for files.
        static let noDirectory: UInt16 = 65_530
    }
}

extension ContentKind {
    /// A message about the blocks of a file.
    package static let filePart = ContentKind(rawValue: 13)
}
