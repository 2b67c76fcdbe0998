/// The way in which a camera was held (Exif 2.32, tag 0x0112), by the change after which its
/// picture stands upright.
package enum ExifOrientation: UInt16, CaseIterable, Sendable {
    case upright = 1
    case mirrored = 2
    case turnedAround = 3
    case mirroredAndTurnedAround = 4
    /// Mirrored along the diagonal from the top left.
    case transposed = 5
    /// Its top is at the right: it is turned a quarter clockwise.
    case turnedRight = 6
    /// Mirrored along the other diagonal.
    case transversed = 7
    /// Its top is at the left: it is turned a quarter counter-clockwise.
    case turnedLeft = 8

    /// Whether width and height change places.
    package var swapsSides: Bool { rawValue >= 5 }

    /// The orientation in the metadata of a JPEG; upright where it has none that can be read.
    package init(of bytes: [UInt8]) {
        self = Self.read(from: bytes.span) ?? .upright
    }

    private static func read(from bytes: Span<UInt8>) -> ExifOrientation? {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xDA {
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            let end = place + 2 + length
            guard length >= 2, end <= bytes.count else { return nil }
            if bytes[place + 1] == 0xE1, length >= 8,
                (0..<6).allSatisfy({ bytes[place + 4 + $0] == Self.name[$0] })
            {
                return Self.tag(in: bytes.extracting((place + 10)..<end))
            }
            place = end
        }
        return nil
    }

    private static let name: [UInt8] = Array("Exif".utf8) + [0, 0]

    /// Reads the first directory of a TIFF (TIFF 6.0, section 2).
    private static func tag(in tiff: Span<UInt8>) -> ExifOrientation? {
        guard tiff.count >= 8 else { return nil }
        let isLittle = tiff[0] == 0x49
        func number(_ place: Int, _ bytes: Int) -> Int? {
            guard place >= 0, place + bytes <= tiff.count else { return nil }
            return (0..<bytes).reduce(0) { sum, index in
                sum << 8 | Int(tiff[place + (isLittle ? bytes - 1 - index : index)])
            }
        }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        for entry in 0..<count {
            let place = directory + 2 + 12 * entry
            guard let tag = number(place, 2) else { return nil }
            guard tag == 0x0112 else { continue }
            return number(place + 8, 2).flatMap { ExifOrientation(rawValue: UInt16($0)) }
        }
        return nil
    }
}

extension ExifOrientation {
    /// The pixel of a picture of `width` x `height` that stands at (x, y) of the upright one.
    func source(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
        switch self {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .turnedAround: (width - 1 - x, height - 1 - y)
        case .mirroredAndTurnedAround: (x, height - 1 - y)
        case .transposed: (y, x)
        case .turnedRight: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .turnedLeft: (width - 1 - y, x)
        }
    }
}
