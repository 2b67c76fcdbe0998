package import ControlProtocol
package import Pictures
internal import WatchProto
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
        /// A picture, with the versions of its sizes that the watch holds; 0 for none.
        case fetch(PictureName, held: UInt64, heldThumbnail: UInt64)
        /// The page of the list behind the first `after` medications.
        case list(after: Int)
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
        case .fetch(let name, let held, let heldThumbnail):
            writer.byte(1)
            writer.uint128(name.medication)
            writer.byte(name.size.rawValue)
            writer.uint64(held)
            writer.uint64(heldThumbnail)
        case .list(let after):
            writer.byte(2)
            writer.varint(UInt64(after))
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
                    heldThumbnail: try reader.uint64("a version"))
            case 2:
                let after = try reader.varint("a place")
                guard after <= UInt32.max else { return nil }
                self = .list(after: Int(after))
            default: return nil
            }
            try reader.finish("a request for pictures")
        } catch {
            return nil
        }
    }
}

extension PictureMessage.Reply {
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

/// The metadata of a picture that is sent as a file.
package struct PictureHead: Equatable, Sendable {
    /// The picture.
    package var name: PictureName
    /// The first eight bytes of the hash of the picture that the phone was given.
    package var version: UInt64
    /// Pixels of a row.
    package var width: Int
    /// Rows.
    package var height: Int
    /// 1 to 100, as libjpeg counts.
    package var qualityPercent: Int

    /// The first bytes of such metadata.
    private static let mark = Array("wp.picture.1".utf8)
    /// A picture that was removed: in the place of a file, as user info.
    private static let removalMark = Array("wp.picture.0".utf8)

    /// Makes the metadata of a picture.
    package init(
        _ name: PictureName, version: UInt64, width: Int, height: Int, qualityPercent: Int
    ) {
        self.name = name
        self.version = version
        self.width = width
        self.height = height
        self.qualityPercent = qualityPercent
    }

    /// The metadata of the file.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        writer.append(Self.mark)
        writer.uint128(name.medication)
        writer.byte(name.size.rawValue)
        writer.uint64(version)
        writer.uint16(UInt16(clamping: width))
        writer.uint16(UInt16(clamping: height))
        writer.byte(UInt8(clamping: qualityPercent))
        return writer.bytes
    }

    /// Reads metadata; nil for that of another file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.mark) else { return nil }
        let rest = Array(bytes.dropFirst(Self.mark.count))
        var reader = WireReader(rest.span)
        do throws(WireError) {
            let medication = try reader.uint128("a medication")
            guard let size = PictureSize(rawValue: try reader.byte("a size")) else { return nil }
            name = PictureName(medication, size)
            version = try reader.uint64("a version")
            width = Int(try reader.uint16("a width"))
            height = Int(try reader.uint16("a height"))
            qualityPercent = Int(try reader.byte("a quality"))
            try reader.finish("the metadata of a picture")
        } catch {
            return nil
        }
    }

    /// The members of a reply or an event.
    package var controlMembers: JSONObject {
        JSONValue.members([
            "key": .string(Hex.text(name.medication, digits: 32)),
            "size": .string(name.size.controlName),
            "version": .string(Hex.text(UInt128(version), digits: 16)),
            "width": .whole(width), "height": .whole(height), "quality": .whole(qualityPercent),
        ])
    }

    /// The user info that tells of a removal.
    package static func removal(of medication: UInt128) -> [UInt8] {
        var writer = WireWriter()
        writer.append(removalMark)
        writer.uint128(medication)
        return writer.bytes
    }

    /// The medication whose pictures were removed; nil for other user info.
    package static func removed(_ payload: [UInt8]) -> UInt128? {
        guard payload.starts(with: removalMark), payload.count == removalMark.count + 16 else {
            return nil
        }
        let rest = Array(payload.dropFirst(removalMark.count))
        var reader = WireReader(rest.span)
        return try? reader.uint128("a medication")
    }
}

extension PictureSize {
    /// The name in commands and events.
    package var controlName: String {
        switch self {
        case .thumbnail: "thumbnail"
        case .whole: "whole"
        }
    }

    /// The size of this name; nil for another word.
    package init?(controlName: String) {
        guard let size = Self.allCases.first(where: { $0.controlName == controlName }) else {
            return nil
        }
        self = size
    }
}
