package import WatchProtoCore
import WatchProtoRecords

/// The watch's word on its face. It is the body of an interactive message of the kind
/// `ContentKind.face`, which the watch sends when it becomes reachable and when something
/// changes. It is not answered.
package struct FaceMessage: Hashable, Sendable {
    /// Whether the watch is in the foreground: somebody looks at the app.
    package var isForeground: Bool
    /// The places that the face in use shows; nil for all.
    package var activePlaces: [UInt32]?

    /// Says so. More than 64 places are all places.
    package init(isForeground: Bool, activePlaces: Set<ComplicationID>? = nil) {
        self.isForeground = isForeground
        let named = activePlaces.flatMap { $0.count > Self.placeLimit ? nil : $0 }
        self.activePlaces = named.map { $0.map(\.rawValue).sorted() }
    }

    private static let foreground: UInt8 = 1
    private static let named: UInt8 = 2
    /// The most places in one message.
    static let placeLimit = 64

    /// A byte of marks, then the places in rising order, if the marks say that they are named.
    package var bytes: [UInt8] {
        var writer = WireWriter([
            (isForeground ? Self.foreground : 0) | (activePlaces == nil ? 0 : Self.named)
        ])
        for place in activePlaces ?? [] { writer.fixed(UInt64(place), count: 4) }
        return writer.bytes
    }

    /// Reads the message.
    ///
    /// - Throws: the broken rule; the watch is at fault.
    package init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let marks = try reader.byte("the marks of a face")
        guard marks <= Self.foreground | Self.named else {
            throw WireError(
                .unknownCode, at: 0, expected: "the marks of a face", found: UInt64(marks))
        }
        isForeground = marks & Self.foreground != 0
        var places: [UInt32] = []
        while marks & Self.named != 0, reader.offset < bytes.count {
            let start = reader.offset
            let place = UInt32(try reader.fixed(4, "a place of a face"))
            guard places.last.map({ $0 < place }) ?? true, places.count < Self.placeLimit else {
                throw WireError(
                    .notCanonical, at: start, expected: "places in rising order, at most 64",
                    found: UInt64(place))
            }
            places.append(place)
        }
        activePlaces = marks & Self.named == 0 ? nil : places
        try reader.finish("the end of a face")
    }
}

extension ContentKind {
    /// The watch's word on its face: ``FaceMessage``.
    package static let face = ContentKind(rawValue: 10)
}
