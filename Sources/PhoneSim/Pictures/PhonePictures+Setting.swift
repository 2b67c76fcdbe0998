import CommandLine
import ControlProtocol
import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The work of `picture.set` and `picture.remove`.
extension PhonePictures {
    func set(
        _ path: String, of medication: UInt128, in place: Place
    ) throws(ControlError) -> JSONObject {
        let bytes = try Self.content(of: path)
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
        let version = PictureShelf.hash(of: bytes)
        let name = PictureName(medication, .thumbnail)
        let former = self.version(of: medication)
        let isKept =
            former == version && place.shelf.holds(bytes, of: medication, version: version)
        do throws(SystemErrorNumber) {
            if !isKept {
                try place.shelf.keep(bytes, thumbnail, of: medication, version: version)
            }
        } catch {
            try? place.shelf.remove(medication, except: former)
            throw .pictureNotKept(error)
        }
        state.withLock { $0.versions[medication] = version }
        // The offers of files that were written again would find them changed.
        let current = isKept ? version : nil
        let awaited = cancelOffers(of: medication, except: current, in: place)
        // The younger one counts if this fails.
        try? place.shelf.remove(medication, except: version)
        var members = PictureHead(name, version: version, thumbnail).controlMembers
        members["bytes"] = .whole(thumbnail.jpeg.count)
        // A watch without a session asks for it later.
        let sent = place.simulator.pairings.map { give(name, to: $0, in: place) }
        members["sent"] = .bool(sent[0])
        // Prepared after the reply.
        for wanted in awaited { add(wanted, in: place) }
        return members
    }

    /// The content of a file, if it is no larger than a picture may be.
    private static func content(of path: String) throws(ControlError) -> [UInt8] {
        let limit = PictureReader.mostFileBytes
        let tooLarge = ControlError(
            "file_too_large", ["path": .string(path), "limit_bytes": .whole(limit)])
        if let size = Files.size(path), size > UInt64(limit) { throw tooLarge }
        let bytes = try InputFile(path: path).bytes
        if bytes.count > limit { throw tooLarge }
        return bytes
    }

    func remove(_ medication: UInt128, in place: Place) throws(ControlError) -> JSONObject {
        guard version(of: medication) != nil else {
            throw ControlError(
                "no_picture",
                [
                    "key": .string(Hex.text(medication, digits: 32)),
                    "expected": "a medication with a picture: 'picture.set' comes first",
                ])
        }
        let payload = PictureHead.removal(of: medication)
        let draft = RecordDraft(channel: .background, kind: .userInfo, payload: payload)
        let origin = SendOrigin(.userInfo, payload: payload)
        let id: RecordID
        do throws(SendRefusal) {
            id = try place.simulator.send(draft, origin)
        } catch {
            throw error.controlError
        }
        place.simulator.sendToFurther(draft, origin)
        try forget(medication, in: place)
        try place.simulator.keep()
        return id.controlMembers
    }

    func forget(_ medication: UInt128, in place: Place) throws(ControlError) {
        state.withLock { _ = $0.versions.removeValue(forKey: medication) }
        _ = cancelOffers(of: medication, except: nil, in: place)
        do throws(SystemErrorNumber) {
            try place.shelf.remove(medication, except: nil)
        } catch {
            throw .pictureNotKept(error)
        }
    }

    /// Cancels the offers of the pictures of a medication, but for those of a version.
    ///
    /// - Returns: the whole pictures that watches still wait for.
    private func cancelOffers(
        of medication: UInt128, except version: UInt64?, in place: Place
    ) -> Set<Wanted> {
        cancelOffers(to: place.simulator.pairings, in: place) { head in
            head.name.medication == medication && head.version != version
        }
    }
}

extension PictureHead {
    /// The metadata of a picture that was prepared.
    init(_ name: PictureName, version: UInt64, _ picture: PreparedPicture) {
        self.init(
            name, version: version, width: picture.width, height: picture.height,
            qualityPercent: picture.qualityPercent)
    }
}
