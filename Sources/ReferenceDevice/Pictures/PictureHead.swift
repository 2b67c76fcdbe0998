package import ControlProtocol
package import Pictures
internal import WatchProto
internal import WatchProtoCore

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
    /// Tells the offers of one picture apart; 0 before it is offered.
    package var offer: UInt64 = 0

    /// The first bytes of such metadata.
    private static let mark = Array("wp.picture.1".utf8)
    /// A picture that was removed: in the place of a file, as user info.
    private static let removalMark = Array("wp.picture.0".utf8)
    /// A picture that was asked for and cannot be sent, as user info.
    private static let failureMark = Array("wp.picture.2".utf8)

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
        writer.uint64(offer)
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
            offer = try reader.uint64("an offer")
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

    /// The user info that reports a removal.
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

    /// The user info that reports a picture which cannot be sent: the phone's disk is at fault.
    package static func failure(of name: PictureName) -> [UInt8] {
        var writer = WireWriter()
        writer.append(failureMark)
        writer.uint128(name.medication)
        writer.byte(name.size.rawValue)
        return writer.bytes
    }

    /// The picture that cannot be sent; nil for other user info.
    package static func failed(_ payload: [UInt8]) -> PictureName? {
        guard payload.starts(with: failureMark), payload.count == failureMark.count + 17,
            let size = payload.last.flatMap(PictureSize.init)
        else { return nil }
        let rest = Array(payload.dropFirst(failureMark.count))
        var reader = WireReader(rest.span)
        return (try? reader.uint128("a medication")).map { PictureName($0, size) }
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
