package import WatchProtoCore

/// The picture of a watch's face: the one that it is to show, and the one that it shows.
///
/// The face waits for no picture: it takes one that is decoded. The others are read, or asked for,
/// and follow.
package struct FacePicture: Sendable {
    /// A picture that the face shows.
    package struct Shown: Sendable {
        package var name: PictureName
        package var version: UInt64
        package var bitmap: Bitmap
        /// When the face was updated.
        package var updated: Instant
        /// The time from then until the face showed the picture; nil before that.
        package var wait: Duration?

        package init(name: PictureName, version: UInt64, bitmap: Bitmap, updated: Instant) {
            self.name = name
            self.version = version
            self.bitmap = bitmap
            self.updated = updated
        }
    }

    /// The work that the face needs for its picture.
    package enum Need: Sendable {
        /// To read and decode a file.
        case read(PictureCache.File, side: Int)
        /// To ask the phone.
        case ask(PictureName)
    }

    /// The medication that the face names; nil for none.
    package private(set) var medication: UInt128?
    /// Whether the wearer has opened that medication: the face shows the whole picture then.
    package private(set) var isOpen = false
    /// The picture; nil while the face shows the colour and the amount alone.
    package private(set) var shown: Shown?
    /// Whether another picture is shown than the one that was taken last.
    package private(set) var isNew = false
    /// When the face was updated.
    private var updated = Instant(nanoseconds: 0)
    /// The questions about pictures of the medication, and when each was asked last, in
    /// milliseconds of the wall clock.
    private var asked: [PictureName: UInt64] = [:]

    package init() {}

    /// The face names a medication, or none. The picture of another one is not shown any more, and
    /// another one is not open.
    package mutating func name(_ medication: UInt128?, at now: Instant) {
        guard medication != self.medication else { return }
        self.medication = medication
        if let medication { asked = asked.filter { $0.key.medication == medication } }
        isOpen = false
        updated = now
        show(nil)
    }

    /// The wearer opens the medication, or closes it.
    package mutating func open(_ isOpen: Bool, at now: Instant) {
        guard isOpen != self.isOpen, medication != nil else { return }
        self.isOpen = isOpen
        updated = now
    }

    /// A picture of a medication came, and is kept: one of its sizes may be asked for again. If
    /// nobody waited for it, it updates the face.
    package mutating func came(of medication: UInt128, isAwaited: Bool, at now: Instant) {
        guard medication == self.medication else { return }
        asked = [:]
        if !isAwaited { updated = now }
    }

    /// Takes the picture for the face.
    package mutating func take() -> Shown? {
        isNew = false
        return shown
    }

    /// The question about a picture has failed: the next choice asks again.
    package mutating func notAsked(_ name: PictureName) {
        asked[name] = nil
    }

    /// Chooses the picture. The one that is shown stays until there is one of the wanted size,
    /// unless the cache does not have it any more.
    ///
    /// - Parameters:
    ///   - cache: the pictures of the watch's phone; nil for none.
    ///   - now: the present moment.
    ///   - wall: milliseconds of the wall clock.
    /// - Returns: the work after which there may be another one.
    package mutating func choose(
        from cache: inout PictureCache?, at now: Instant, wall: UInt64
    ) -> [Need] {
        if let old = shown, cache?.version(of: old.name) != old.version {
            updated = now
            show(nil)
        }
        // Another phone may have a picture of it.
        if cache == nil { asked = [:] }
        guard let medication, cache != nil else { return [] }
        var needs: [Need] = []
        let sizes: [PictureSize] = isOpen ? [.whole, .thumbnail] : [.thumbnail]
        for (place, size) in sizes.enumerated() {
            let name = PictureName(medication, size)
            if shown?.name == name || shown != nil && place > 0 { break }
            let look = cache?.look(name, fitting: size.shownSide, now: wall)
            var isFresh = false
            if case .decoded(let found)? = look {
                show(
                    Shown(
                        name: name, version: found.version, bitmap: found.bitmap, updated: updated))
                isFresh = cache?.isFresh(found) ?? false
            }
            if case .file(let file)? = look {
                needs.append(.read(file, side: size.shownSide))
            } else if !isFresh, mayAsk(name, cache?.limits.freshness ?? .zero, wall) {
                asked[name] = wall
                needs.append(.ask(name))
            }
        }
        return needs
    }

    /// Whether the phone has not been asked for this picture of late.
    private func mayAsk(_ name: PictureName, _ freshness: Duration, _ wall: UInt64) -> Bool {
        guard let at = asked[name], at <= wall else { return true }
        return .milliseconds(wall - at) >= freshness
    }

    private mutating func show(_ picture: Shown?) {
        guard picture?.name != shown?.name || picture?.version != shown?.version else { return }
        shown = picture
        isNew = true
    }
}
