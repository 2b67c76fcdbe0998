/// The size of a picture.
package enum PictureSize: UInt8, CaseIterable, Hashable, Sendable {
    /// The small one, which is sent first.
    case thumbnail = 1
    /// The one that fills a screen.
    case whole = 2

    /// The most bytes of a picture that is sent.
    package var mostBytes: Int { self == .thumbnail ? 8_000 : 500_000 }

    /// The longest side with which a watch shows it, in pixels.
    package var shownSide: Int { self == .thumbnail ? 96 : 400 }
}

/// A picture of a medication.
package struct PictureName: Hashable, Sendable {
    package var medication: UInt128
    package var size: PictureSize

    package init(_ medication: UInt128, _ size: PictureSize) {
        self.medication = medication
        self.size = size
    }
}
