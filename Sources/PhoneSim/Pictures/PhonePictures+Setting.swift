import ControlProtocol
import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoSecurity
import WatchProtoTransport

/// The work of `picture.set` and `picture.remove`.
extension PhonePictures {
    func set(
        _ path: String, of medication: UInt128, _ shelf: PictureShelf, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        let bytes = try InputFile(path: path).bytes
        guard bytes.count <= PictureReader.mostFileBytes else {
            throw ControlError(
                "file_too_large",
                [
                    "path": .string(path), "limit_bytes": .whole(PictureReader.mostFileBytes),
                ])
        }
        let thumbnail: PreparedPicture
        do throws(PictureError) {
            thumbnail = try PreparedPicture.thumbnail(of: bytes)
        } catch {
            throw ControlError(
                "not_a_picture",
                [
                    "path": .string(path), "detail": .string(error.text),
                    "expected": "a JPEG or a PNG of at most 64 million pixels",
                ])
        }
        let version = Self.version(of: bytes)
        let name = PictureName(medication, .thumbnail)
        let former = self.version(of: medication)
        do throws(SystemErrorNumber) {
            if former != version {
                _ = try shelf.keep(thumbnail, name, version: version, for: Self.anyLink)
                try shelf.keep(bytes, of: medication, version: version)
            }
        } catch {
            try? shelf.remove(medication, except: former)
            throw Self.disk(error)
        }
        index.withLock { $0?.versions[medication] = version }
        simulator.cancelPictures(of: medication, except: version)
        // The younger one counts if this fails.
        try? shelf.remove(medication, except: version)
        let head = PictureHead(
            name, version: version, width: thumbnail.width, height: thumbnail.height,
            qualityPercent: thumbnail.qualityPercent)
        var members = head.controlMembers
        members["bytes"] = .whole(thumbnail.jpeg.count)
        // A watch without a session asks for it later.
        members["sent"] = .bool(give(name, to: simulator.pairingInUse, shelf, simulator))
        return members
    }

    func forget(
        _ medication: UInt128, _ shelf: PictureShelf, in simulator: Simulator
    ) throws(ControlError) {
        index.withLock { _ = $0?.versions.removeValue(forKey: medication) }
        simulator.cancelPictures(of: medication)
        do throws(SystemErrorNumber) {
            try shelf.remove(medication, except: nil)
        } catch {
            throw Self.disk(error)
        }
    }

    // MARK: Values

    static func disk(_ error: SystemErrorNumber) -> ControlError {
        ControlError(
            "picture_not_kept", ["system": .string(SystemErrorText.of(error.rawValue))])
    }

    static func noPicture(_ medication: UInt128) -> ControlError {
        ControlError(
            "no_picture",
            [
                "key": .string(Hex.text(medication, digits: 32)),
                "expected": "a medication with a picture: 'picture.set' comes first",
            ])
    }

    /// The word for thumbnails, which suit every link.
    static let anyLink = "any"

    /// The first bytes of the hash of a picture.
    static func version(of bytes: [UInt8]) -> UInt64 {
        var digest = FileDigest()
        digest.update(bytes)
        return digest.finish().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
