import WatchProtoRecords

/// The measures of a family in a drawing.
struct FaceDrawing {
    /// A place for a line of text.
    struct Place {
        /// The place of the beginning of the text, or of its middle.
        var x: Int
        /// The base line.
        var y: Int
        /// The size of the type.
        var size: Int
        /// How wide the text may be.
        var room: Int
        /// Whether `x` is the middle, the begin or the end.
        var anchor = "start"
        var isBold = false
        /// Whether it is of the second rank.
        var isQuiet = false
    }

    let width: Int
    let height: Int
    /// The middle and the size of the sign.
    let sign: (x: Int, y: Int, size: Int)
    private let places: [FacePlace: Place]
    /// The place of the picture beside the second line, and its sides.
    static let picture = (x: 12, y: 42, side: 40)

    /// The measures of a family.
    ///
    /// - Parameter hasPicture: whether a picture takes room from the second line.
    init(_ family: FaceFamily, hasPicture: Bool = false) {
        switch family {
        case .circular:
            (width, height, sign) = (120, 120, (60, 33, 20))
            places = [
                .label: Place(x: 60, y: 63, size: 13, room: 92, anchor: "middle", isQuiet: true),
                .value: Place(x: 60, y: 89, size: 23, room: 86, anchor: "middle", isBold: true),
            ]
        case .rectangular:
            (width, height, sign) = (340, 140, (23, 26, 24))
            places = [
                .headline: Place(x: 44, y: 33, size: 20, room: 286, isBold: true),
                .body: hasPicture
                    ? Place(x: 60, y: 68, size: 21, room: 270)
                    : Place(x: 24, y: 66, size: 21, room: 306),
                .detail: Place(x: 12, y: hasPicture ? 103 : 96, size: 16, room: 318, isQuiet: true),
            ]
        case .inline:
            (width, height, sign) = (340, 36, (18, 18, 18))
            places = [.headline: Place(x: 36, y: 24, size: 16, room: 298)]
        case .corner:
            (width, height, sign) = (150, 150, (100, 92, 22))
            places = [
                .value: Place(x: 141, y: 136, size: 25, room: 92, anchor: "end", isBold: true),
                .label: Place(x: 150, y: 150, size: 14, room: 198, anchor: "middle"),
            ]
        }
    }

    /// The place of a line; nil for one that the family does not have.
    func place(_ place: FacePlace) -> Place? { places[place] }

    /// The radius of the line of text along a corner.
    static let edge = 130

    /// Whether a text has room at a place.
    func fits(_ place: FacePlace, _ text: String) -> Bool {
        guard let place = places[place] else { return false }
        return TextWidth.thousandths(text, isBold: place.isBold) * place.size <= place.room * 1000
    }
}
