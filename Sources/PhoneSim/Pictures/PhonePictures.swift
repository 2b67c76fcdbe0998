import ControlProtocol
import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoSecurity
import WatchProtoTransport

/// The pictures of a phone: prepared on a thread of their own, and sent as files.
///
/// That thread does one thing after the other, so what it offers is always of the version that
/// counts.
final class PhonePictures: Sendable {
    /// The version of each medication with a picture, and where the files are; nil without a
    /// directory, or where the disk failed.
    struct Index {
        var versions: [UInt128: UInt64]
        let shelf: PictureShelf
        /// The questions of watches that nobody has answered with a file yet.
        var wanted: Set<Wanted> = []
    }

    /// A picture that a watch waits for.
    struct Wanted: Hashable {
        var name: PictureName
        var pairing: PairingID?
        var needsThumbnail: Bool
    }

    /// Changed by the work alone but for `wanted`, and never held while the disk is waited for.
    let index = Mutex<Index?>(nil)
    let work = SerialWork()

    /// The device begins. Its pictures are known before a watch asks.
    func begin(in simulator: Simulator) {
        guard let directory = simulator.pictureDirectory,
            let shelf = try? PictureShelf(directory)
        else { return }
        let versions = shelf.versions
        index.withLock { $0 = Index(versions: versions, shelf: shelf) }
    }

    func shelf() throws(ControlError) -> PictureShelf {
        guard let shelf = index.withLock({ $0?.shelf }) else { throw .noPictureDirectory }
        return shelf
    }

    func version(of medication: UInt128) -> UInt64? {
        index.withLock { $0?.versions[medication] }
    }

    // MARK: Commands

    /// Gives a medication a picture, and sends its thumbnail. The reply follows.
    func set(
        _ request: ControlRequest, of medication: UInt128, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        let path = try request.string("path", expected: "the path of a JPEG or a PNG")
        let shelf = try shelf()
        perform(request, in: simulator) { [self] () throws(ControlError) in
            try set(path, of: medication, shelf, in: simulator)
        }
        return nil
    }

    /// Removes the picture of a medication, and tells the watch. The reply follows.
    func remove(
        _ request: ControlRequest, of medication: UInt128, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        let shelf = try shelf()
        perform(request, in: simulator) { [self] () throws(ControlError) in
            guard version(of: medication) != nil else { throw Self.noPicture(medication) }
            let payload = PictureHead.removal(of: medication)
            let draft = RecordDraft(channel: .background, kind: .userInfo, payload: payload)
            let id: RecordID
            do throws(SendRefusal) {
                id = try simulator.send(draft, SendOrigin(.userInfo, payload: payload))
            } catch {
                throw error.controlError
            }
            try forget(medication, shelf, in: simulator)
            try simulator.keep()
            return id.controlMembers
        }
        return nil
    }

    /// The medication is gone, and so is its picture. The watch removes its pictures with it.
    func medicationIsGone(_ medication: UInt128, in simulator: Simulator) {
        guard let shelf = try? shelf() else { return }
        work.add { [self] in
            guard version(of: medication) != nil else { return }
            do throws(ControlError) {
                try forget(medication, shelf, in: simulator)
            } catch {
                simulator.note("a picture may come back: \(error)")
            }
        }
    }

    private func perform(
        _ request: ControlRequest, in simulator: Simulator,
        _ body: @escaping @Sendable () throws(ControlError) -> JSONObject
    ) {
        let id = request.id
        simulator.begin(request)
        work.add {
            do throws(ControlError) {
                let members = try body()
                simulator.reply(to: id, .success(members))
            } catch {
                simulator.reply(to: id, .failure(error))
            }
        }
    }

    // MARK: The watch asks

    /// The reply to a question of a watch. A picture that follows is prepared after it.
    func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?, in simulator: Simulator
    ) -> PictureMessage.Reply? {
        switch request {
        case .list(let after):
            return index.withLock { index in
                guard let versions = index?.versions else { return nil }
                let sorted = versions.keys.sorted()
                let page = sorted.dropFirst(after).prefix(PictureMessage.page)
                return .list(
                    page.map { PictureMessage.Listed($0, versions[$0] ?? 0) },
                    hasMore: after + page.count < sorted.count)
            }
        case .fetch(let name, let held, let heldThumbnail):
            guard let shelf = index.withLock({ $0?.shelf }) else { return nil }
            guard let version = version(of: name.medication) else {
                return PictureMessage.Reply.none
            }
            guard held != version else { return .notModified }
            let wanted = Wanted(
                name: name, pairing: pairing,
                needsThumbnail: name.size == .whole && heldThumbnail != version)
            let isNew = index.withLock { $0?.wanted.insert(wanted).inserted ?? false }
            if isNew { work.add { [self] in give(wanted, shelf, simulator) } }
            return .follows(version: version)
        }
    }

    func give(_ wanted: Wanted, _ shelf: PictureShelf, _ simulator: Simulator) {
        index.withLock { _ = $0?.wanted.remove(wanted) }
        if wanted.needsThumbnail {
            let small = PictureName(wanted.name.medication, .thumbnail)
            _ = give(small, to: wanted.pairing, shelf, simulator)
        }
        _ = give(wanted.name, to: wanted.pairing, shelf, simulator)
    }

    /// Prepares a picture for the link of a watch, and offers it.
    ///
    /// - Returns: whether it is on its way. If not, the watch asks again.
    func give(
        _ name: PictureName, to pairing: PairingID?, _ shelf: PictureShelf, _ simulator: Simulator
    ) -> Bool {
        guard let version = version(of: name.medication) else { return false }
        let quality = simulator.linkQuality(of: pairing) ?? .good
        let link = name.size == .thumbnail ? Self.anyLink : "\(quality)"
        do {
            if let known = shelf.prepared(name, version: version, for: link) {
                let size = try BaselineDecoder.size(of: known.jpeg)
                let head = PictureHead(
                    name, version: version, width: size.width, height: size.height,
                    qualityPercent: known.qualityPercent)
                try simulator.offer(picture: head, at: known.path, to: pairing)
                return true
            }
            guard let source = shelf.source(of: name.medication, version: version) else {
                throw ControlError("file_missing")
            }
            let made =
                try name.size == .thumbnail
                ? PreparedPicture.thumbnail(of: source)
                : PreparedPicture.whole(of: source, over: quality)
            let path = try shelf.keep(made, name, version: version, for: link)
            let head = PictureHead(
                name, version: version, width: made.width, height: made.height,
                qualityPercent: made.qualityPercent)
            try simulator.offer(picture: head, at: path, to: pairing)
            return true
        } catch {
            simulator.note("a picture cannot be sent: \(error)")
            return false
        }
    }
}
