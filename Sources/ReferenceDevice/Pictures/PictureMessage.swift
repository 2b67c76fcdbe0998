package import Pictures
internal import WatchProtoCore

/// The messages of the two devices about pictures: requests of the watch and their replies, sent
/// as messages to a capability.
package enum PictureMessage {
    /// The capability of the phone.
    package static let capability = "pictures"
    /// The pictures of one page of a list.
    package static let page = 20

    /// A question of the watch.
    package enum Request: Equatable, Sendable {
        /// A picture, with the versions of its sizes that the watch holds, and the offer that
        /// brought it last; 0 for none. That offer, which may be under way still, is no answer.
        case fetch(PictureName, held: UInt64, heldThumbnail: UInt64, arrived: UInt64)
        /// The page of the list behind the medication `after`; the first page for nil.
        case list(after: UInt128?)
    }

    /// A reply of the phone.
    package enum Reply: Equatable, Sendable {
        /// It has no such picture.
        case none
        /// The watch holds it already.
        case notModified
        /// The picture follows as a file.
        case follows(version: UInt64)
        /// Medications with pictures, and the versions of these; whether there are more.
        case list([Listed], hasMore: Bool)
    }

    /// A picture of a list.
    package struct Listed: Equatable, Sendable {
        /// The number of the medication.
        package var medication: UInt128
        /// The version of its picture.
        package var version: UInt64

        /// Makes the entry of a medication.
        package init(_ medication: UInt128, _ version: UInt64) {
            self.medication = medication
            self.version = version
        }
    }
}

extension PictureMessage.Request {
    /// The body of the message.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .fetch(let name, let held, let heldThumbnail, let arrived):
            writer.byte(1)
            writer.uint128(name.medication)
            writer.byte(name.size.rawValue)
            writer.uint64(held)
            writer.uint64(heldThumbnail)
            writer.uint64(arrived)
        case .list(let after):
            writer.byte(after == nil ? 2 : 3)
            if let after { writer.uint128(after) }
        }
        return writer.bytes
    }

    /// Reads a request; nil for other bytes, whose sender is at fault.
    package init?(_ bytes: [UInt8]) {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            switch try reader.byte("a request") {
            case 1:
                let medication = try reader.uint128("a medication")
                guard let size = PictureSize(rawValue: try reader.byte("a size")) else {
                    return nil
                }
                self = .fetch(
                    PictureName(medication, size), held: try reader.uint64("a version"),
                    heldThumbnail: try reader.uint64("a version"),
                    arrived: try reader.uint64("an offer"))
            case 2: self = .list(after: nil)
            case 3: self = .list(after: try reader.uint128("a medication"))
            default: return nil
            }
            try reader.finish("a request for pictures")
        } catch {
            return nil
        }
    }
}

extension PictureMessage.Reply {
    /// The page of a list behind a medication, in the order of their numbers: a change of others
    /// leaves none out.
    package static func page(of versions: [UInt128: UInt64], after: UInt128?) -> Self {
        let rest = versions.keys.filter { key in after.map { key > $0 } ?? true }.sorted()
        return .list(
            rest.prefix(PictureMessage.page).map { key in
                PictureMessage.Listed(key, versions[key] ?? 0)
            }, hasMore: rest.count > PictureMessage.page)
    }

    /// The body of the reply.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .none: writer.byte(0)
        case .notModified: writer.byte(1)
        case .follows(let version):
            writer.byte(2)
            writer.uint64(version)
        case .list(let pictures, let hasMore):
            writer.byte(hasMore ? 4 : 3)
            for picture in pictures {
                writer.uint128(picture.medication)
                writer.uint64(picture.version)
            }
        }
        return writer.bytes
    }

    /// Reads a reply; nil for other bytes, whose sender is at fault.
    package init?(_ bytes: [UInt8]) {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            switch try reader.byte("a reply") {
            case 0: self = .none
            case 1: self = .notModified
            case 2: self = .follows(version: try reader.uint64("a version"))
            case let kind where kind == 3 || kind == 4:
                var pictures: [PictureMessage.Listed] = []
                while reader.offset < bytes.count, pictures.count < PictureMessage.page {
                    pictures.append(
                        PictureMessage.Listed(
                            try reader.uint128("a medication"), try reader.uint64("a version")))
                }
                self = .list(pictures, hasMore: kind == 4)
            default: return nil
            }
            try reader.finish("a reply about pictures")
        } catch {
            return nil
        }
    }
}
