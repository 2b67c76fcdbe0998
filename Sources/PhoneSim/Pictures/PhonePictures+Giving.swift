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
        case .fetch(let name, let held, let heldThumbnail):
            guard let version = versions[name.medication] else {
                return PictureMessage.Reply.none
            }
            guard held != version else { return .notModified }
            let wanted = Wanted(
                name: name, pairing: pairing,
                needsThumbnail: name.size == .whole && heldThumbnail != version)
            add(wanted, in: place)
            return .follows(version: version)
        }
    }

    /// Gives a watch a picture when the work comes to it.
    func add(_ wanted: Wanted, in place: Place) {
        let isNew = state.withLock { $0.wanted.insert(wanted).inserted }
        if isNew { work.add { [self] in give(wanted, in: place) } }
    }

    /// An offer has ended. A watch that asked after its last byte gets another one.
    func offerHasEnded() {
        let (place, repeated) = state.withLock { state in
            defer { state.repeated = [] }
            return (state.place, state.repeated)
        }
        guard let place else { return }
        for wanted in repeated { add(wanted, in: place) }
    }

    /// Gives a watch the picture that it waits for. If it cannot be sent, the watch is told.
    private func give(_ wanted: Wanted, in place: Place) {
        let (name, pairing) = (wanted.name, wanted.pairing)
        // Noted before the look at the former offer, which may end meanwhile.
        let again = Wanted(name: name, pairing: pairing, needsThumbnail: false)
        let isWanted = state.withLock { state in
            guard state.wanted.remove(wanted) != nil else { return false }
            state.repeated.insert(again)
            return true
        }
        guard isWanted else { return }
        if wanted.needsThumbnail {
            let small = PictureName(name.medication, .thumbnail)
            _ = give(small, to: pairing, in: place)
        }
        // Another former offer answers the question: its last byte leaves after it.
        if let former = offer(of: name, to: pairing, in: place),
            place.simulator.isGiven(former, to: pairing)
        {
            return
        }
        state.withLock { _ = $0.repeated.remove(again) }
        guard !give(name, to: pairing, in: place) else { return }
        place.simulator.tell(PictureHead.failure(of: name), to: pairing)
    }

    /// Prepares a picture for the link of a watch, and offers it, unless that is under way.
    ///
    /// - Returns: whether it is on its way.
    func give(_ name: PictureName, to pairing: PairingID?, in place: Place) -> Bool {
        guard let version = version(of: name.medication) else { return false }
        if offer(of: name, to: pairing, in: place) != nil { return true }
        let simulator = place.simulator
        do {
            let link = simulator.linkQuality(of: pairing) ?? .good
            let (head, path) = try place.shelf.picture(name, version: version, over: link)
            try simulator.offer(path, metadata: head.bytes, to: pairing)
            // It answers a question that came before it.
            let wanted = Wanted(name: name, pairing: pairing, needsThumbnail: false)
            state.withLock { _ = $0.wanted.remove(wanted) }
            return true
        } catch {
            simulator.note("a picture cannot be sent: \(error)")
            return false
        }
    }

    /// The key of the file with which a picture is offered to a watch, in the version that counts;
    /// nil if it is not offered.
    private func offer(
        of name: PictureName, to pairing: PairingID?, in place: Place
    ) -> UInt128? {
        let version = version(of: name.medication)
        return offers(to: pairing, in: place).first { _, head in
            head.name == name && head.version == version
        }?.file
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
                awaited.insert(Wanted(name: head.name, pairing: pairing, needsThumbnail: false))
            }
        }
        return awaited
    }
}
