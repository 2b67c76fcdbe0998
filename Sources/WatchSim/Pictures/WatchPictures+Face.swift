import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The picture of the face: named by the main thread, read and asked for by the work.
extension WatchPictures {
    /// The face names a medication, or none.
    ///
    /// - Returns: its picture, if it is decoded. Another one follows: see ``isFaceDue``.
    func face(names medication: UInt128?) -> FacePicture.Shown? {
        change { $0.name(medication, at: $1) }
    }

    /// The wearer opens the medication that the face names, or closes it.
    ///
    /// - Returns: the medication; nil if the face names none.
    func open(face isOpen: Bool) -> UInt128? {
        _ = change(takes: false) { $0.open(isOpen, at: $1) }
        return state.withLock { $0.face.medication }
    }

    /// Whether the face is to take another picture.
    var isFaceDue: Bool { state.withLock { $0.face.isNew } }

    /// The picture that the face is to show.
    func takeFace() -> FacePicture.Shown? { state.withLock { $0.face.take() } }

    /// The JPEG of the thumbnail of a picture; nil where it is not here any more.
    func thumbnailJPEG(of picture: FacePicture.Shown) -> [UInt8]? {
        let name = PictureName(picture.name.medication, .thumbnail)
        let file = state.withLock { $0.cache?.file(of: name, now: Self.now) }
        guard let file, file.version == picture.version else { return nil }
        return PictureCache.read(file)
    }

    private func change(
        takes: Bool = true, _ body: (inout FacePicture, Instant) -> Void
    ) -> FacePicture.Shown? {
        typealias Choice = (shown: FacePicture.Shown?, needs: [FacePicture.Need], opens: Bool)
        let choice = state.withLock { state -> Choice in
            guard state.simulator?.pictureDirectory != nil else { return (nil, [], false) }
            body(&state.face, SystemClock.now)
            let needs = state.choosePicture()
            let opens = state.cache == nil && state.face.medication != nil
            return (takes ? state.face.take() : nil, needs, opens)
        }
        if choice.opens || !choice.needs.isEmpty {
            work.add { [self] in fillFace(choice.needs) }
        }
        return choice.shown
    }

    /// Reads the picture of the face, or asks for it.
    ///
    /// - Parameter needs: the work that is known already.
    func fillFace(_ needs: [FacePicture.Need]) {
        let (simulator, isNamed) = state.withLock { ($0.simulator, $0.face.medication != nil) }
        if isNamed { try? open() }
        var (needs, refused) = (needs, [PictureName]())
        // A picture that cannot be read is asked for.
        for _ in 0...PictureSize.allCases.count {
            for need in needs {
                switch need {
                case .read(let file, let side):
                    let found = PictureCache.decode(file, fitting: side)
                    state.withLock { $0.cache?.decoded(file, found, fitting: side) }
                case .ask(let name): if !ask(name, in: simulator) { refused.append(name) }
                }
            }
            needs = state.withLock { $0.choosePicture() }
            if needs.isEmpty { break }
        }
        // Within the loop, the next choice would ask at once.
        for name in refused { notAsked(name) }
        if isFaceDue { simulator?.faceIsDue() }
    }

    /// Asks the phone, unless a load is measured or too many wait already.
    ///
    /// - Returns: whether the question was asked.
    private func ask(_ name: PictureName, in simulator: Simulator?) -> Bool {
        guard let simulator, !simulator.isMeasuring, hasRoom else { return false }
        let waiter = waiter(nil, for: name.size.shownSide, since: SystemClock.now)
        fetch(name, isForced: false, within: Self.facePatience, for: waiter)
        return true
    }

    /// The time in which a picture for the face may come.
    private static let facePatience = Duration.seconds(30)
}

extension WatchPictures.State {
    /// Chooses the picture of the face.
    fileprivate mutating func choosePicture() -> [FacePicture.Need] {
        var none: PictureCache?
        let (now, wall) = (SystemClock.now, WatchPictures.now)
        return endings > 0
            ? face.choose(from: &none, at: now, wall: wall)
            : face.choose(from: &cache, at: now, wall: wall)
    }
}
