import ControlProtocol
import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The pictures of a phone: prepared on a thread of their own, and sent as files.
///
/// That thread does one thing after the other, so what it offers is always of the version that
/// counts.
final class PhonePictures: Sendable {
    /// The directory, and the device that sends.
    struct Place: Sendable {
        let shelf: PictureShelf
        let simulator: Simulator
    }

    struct State {
        /// Nil without a directory, or where the disk failed at the start.
        var place: Place?
        /// The version of each medication with a picture.
        var versions: [UInt128: UInt64] = [:]
        /// The questions of watches that nobody has answered with a file yet.
        var wanted: Set<Wanted> = []
        /// The keys of the files that were offered.
        var offers: [Offer: UInt128] = [:]
    }

    /// A picture that a watch waits for.
    struct Wanted: Hashable {
        var name: PictureName
        var pairing: PairingID?
        var needsThumbnail: Bool
    }

    /// A picture that is offered to a watch.
    struct Offer: Hashable {
        var name: PictureName
        var version: UInt64
        var pairing: PairingID?
    }

    /// Changed by the work alone but for `wanted`, and never held while the disk is waited for.
    let state = Mutex(State())
    let work = SerialWork()

    /// The device begins. Its pictures are known before a watch asks.
    func begin(in simulator: Simulator) {
        guard let directory = simulator.pictureDirectory,
            let shelf = try? PictureShelf(directory)
        else { return }
        let versions = shelf.versions
        state.withLock { state in
            state.place = Place(shelf: shelf, simulator: simulator)
            state.versions = versions
        }
    }

    func version(of medication: UInt128) -> UInt64? {
        state.withLock { $0.versions[medication] }
    }

    // MARK: Commands

    /// Gives a medication a picture, and sends its thumbnail. The reply follows.
    func set(
        _ request: ControlRequest, of medication: UInt128
    ) throws(ControlError) -> JSONObject? {
        let path = try request.string("path", expected: "the path of a JPEG or a PNG")
        return try perform(request) { [self] place throws(ControlError) in
            try set(path, of: medication, in: place)
        }
    }

    /// Removes the picture of a medication, and tells the watch. The reply follows.
    func remove(
        _ request: ControlRequest, of medication: UInt128
    ) throws(ControlError) -> JSONObject? {
        try perform(request) { [self] place throws(ControlError) in
            try remove(medication, in: place)
        }
    }

    /// The medication is gone, and so is its picture. The watch removes its pictures with it.
    func medicationIsGone(_ medication: UInt128) {
        guard let place = state.withLock({ $0.place }) else { return }
        work.add { [self] in
            guard version(of: medication) != nil else { return }
            do throws(ControlError) {
                try forget(medication, in: place)
            } catch {
                place.simulator.note("a picture may come back: \(error)")
            }
        }
    }

    private func perform(
        _ request: ControlRequest,
        _ body: @escaping @Sendable (Place) throws(ControlError) -> JSONObject
    ) throws(ControlError) -> JSONObject? {
        guard let place = state.withLock({ $0.place }) else { throw .noPictureDirectory }
        let id = request.id
        place.simulator.begin(request)
        work.add {
            do throws(ControlError) {
                let members = try body(place)
                place.simulator.reply(to: id, .success(members))
            } catch {
                place.simulator.reply(to: id, .failure(error))
            }
        }
        return nil
    }

    // MARK: The watch asks

    /// The reply to a question of a watch. A picture that follows is prepared after it.
    func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?
    ) -> PictureMessage.Reply? {
        let (open, versions) = state.withLock { ($0.place, $0.versions) }
        guard let place = open else { return nil }
        switch request {
        case .list(let after):
            let sorted = versions.keys.sorted()
            let page = sorted.dropFirst(after).prefix(PictureMessage.page)
            return .list(
                page.map { PictureMessage.Listed($0, versions[$0] ?? 0) },
                hasMore: after + page.count < sorted.count)
        case .fetch(let name, let held, let heldThumbnail):
            guard let version = versions[name.medication] else {
                return PictureMessage.Reply.none
            }
            guard held != version else { return .notModified }
            let wanted = Wanted(
                name: name, pairing: pairing,
                needsThumbnail: name.size == .whole && heldThumbnail != version)
            let isNew = state.withLock { $0.wanted.insert(wanted).inserted }
            if isNew { work.add { [self] in give(wanted, in: place) } }
            return .follows(version: version)
        }
    }

    private func give(_ wanted: Wanted, in place: Place) {
        state.withLock { _ = $0.wanted.remove(wanted) }
        if wanted.needsThumbnail {
            let small = PictureName(wanted.name.medication, .thumbnail)
            _ = give(small, to: wanted.pairing, in: place)
        }
        _ = give(wanted.name, to: wanted.pairing, in: place)
    }

    /// Prepares a picture for the link of a watch, and offers it, unless that is under way.
    ///
    /// - Returns: whether it is on its way. If not, the watch asks again.
    func give(_ name: PictureName, to pairing: PairingID?, in place: Place) -> Bool {
        guard let version = version(of: name.medication) else { return false }
        let offer = Offer(name: name, version: version, pairing: pairing)
        let simulator = place.simulator
        let known = state.withLock { $0.offers[offer] }
        if let known, simulator.isUnderWay(known, to: pairing) { return true }
        do {
            let link = simulator.linkQuality(of: pairing) ?? .good
            let (head, path) = try place.shelf.picture(name, version: version, over: link)
            let file = try simulator.offer(path, metadata: head.bytes, to: pairing)
            let ended = state.withLock { $0.offers }.filter { offer, file in
                !simulator.isUnderWay(file, to: offer.pairing)
            }
            state.withLock { state in
                for ended in ended.keys { state.offers[ended] = nil }
                state.offers[offer] = file
            }
            return true
        } catch {
            simulator.note("a picture cannot be sent: \(error)")
            return false
        }
    }
}
