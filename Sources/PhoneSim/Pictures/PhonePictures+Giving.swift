import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The questions of watches, and the files that answer them.
extension PhonePictures {
    /// The reply to a question of a watch. A picture that follows is prepared after it.
    func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?
    ) -> PictureMessage.Reply? {
        let (open, versions) = state.withLock { ($0.place, $0.versions) }
        guard let place = open else { return nil }
        switch request {
        case .list(let after): return .page(of: versions, after: after)
        case .fetch(let name, let held, let heldThumbnail, let arrived):
            guard let version = versions[name.medication] else {
                return PictureMessage.Reply.none
            }
            guard held != version else { return .notModified }
            let wanted = Wanted(
                name: name, pairing: pairing,
                needsThumbnail: name.size == .whole && heldThumbnail != version,
                arrived: arrived)
            add(wanted, in: place)
            return .follows(version: version)
        }
    }

    /// Gives a watch a picture when the work comes to it.
    func add(_ wanted: Wanted, in place: Place) {
        let isNew = state.withLock { $0.wanted.insert(wanted).inserted }
        if isNew { work.add { [self] in give(wanted, in: place) } }
    }

    /// Gives a watch the picture that it waits for. If it cannot be sent, the watch is told.
    private func give(_ wanted: Wanted, in place: Place) {
        guard state.withLock({ $0.wanted.remove(wanted) }) != nil else { return }
        let (name, pairing) = (wanted.name, wanted.pairing)
        if wanted.needsThumbnail {
            let small = PictureName(name.medication, .thumbnail)
            _ = give(small, to: pairing, in: place)
        }
        guard !give(name, to: pairing, after: wanted.arrived, in: place) else { return }
        place.simulator.sendUserInfo(PictureHead.failure(of: name), to: pairing)
    }

    /// Prepares a picture for the link of a watch, and offers it, unless that is under way.
    ///
    /// - Parameters:
    ///   - name: the picture.
    ///   - pairing: that with the watch.
    ///   - arrived: the offer that brought it last: another one is needed; 0 for none.
    ///   - place: the place of the pictures.
    /// - Returns: whether it is on its way.
    func give(
        _ name: PictureName, to pairing: PairingID?, after arrived: UInt64 = 0, in place: Place
    ) -> Bool {
        guard let version = version(of: name.medication) else { return false }
        let former = offers(to: pairing, in: place).last { _, head in
            head.name == name && head.version == version
        }
        if let former, former.head.offer != arrived { return true }
        let simulator = place.simulator
        do {
            let link = simulator.linkQuality(of: pairing) ?? .good
            var (head, path) = try place.shelf.picture(name, version: version, over: link)
            head.offer = UInt64.random(in: 1 ... .max)
            try simulator.offer(path, metadata: head.bytes, to: pairing)
            // It answers the questions that came before it.
            state.withLock { state in
                state.wanted = state.wanted.filter { wanted in
                    wanted.name != name || wanted.pairing != pairing || wanted.needsThumbnail
                }
            }
            return true
        } catch {
            simulator.log("a picture cannot be sent: \(error)")
            return false
        }
    }

    /// The pictures that are offered to a watch, those of a former process included.
    private func offers(
        to pairing: PairingID?, in place: Place
    ) -> [(file: UInt128, head: PictureHead)] {
        place.simulator.offers(to: pairing).compactMap { file, metadata in
            PictureHead(metadata).map { (file, $0) }
        }
    }

    /// Cancels the offers of those pictures that are not to arrive any more.
    ///
    /// - Parameters:
    ///   - pairings: those with the watches.
    ///   - place: the place of the pictures.
    ///   - isOver: whether a picture is not to arrive.
    /// - Returns: the whole pictures that watches still wait for.
    func cancelOffers(
        to pairings: [PairingID?], in place: Place, where isOver: (PictureHead) -> Bool
    ) -> Set<Wanted> {
        var awaited: Set<Wanted> = []
        for pairing in pairings {
            for (file, head) in offers(to: pairing, in: place) where isOver(head) {
                place.simulator.cancelOffer(file, to: pairing)
                guard head.name.size == .whole else { continue }
                awaited.insert(Wanted(name: head.name, pairing: pairing))
            }
        }
        return awaited
    }
}
