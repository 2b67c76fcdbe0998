import Foundation
import Pictures

/// The pictures of `Fixtures/pictures`: the same pill of two colours, 40 x 26 pixels, in every form
/// that a phone reads; and a tall one, `progressive-tall.jpg`.
enum PictureFiles {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/pictures")

    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func names(ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(ending) }.sorted()
    }

    /// A photograph of a kind: colours that change slowly, discs with sharp edges, and grain.
    static func made(_ width: Int, _ height: Int, grain: Int = 0, seed: UInt64 = 1) -> Bitmap {
        var state = seed
        func random() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        var rgb: [UInt8] = []
        rgb.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let isDisc =
                    (x * 7 / width - 3) * (x * 7 / width - 3) + (y * 7 / height - 3)
                    * (y * 7 / height - 3) < 5
                let noise = grain == 0 ? 0 : random() % (2 * grain + 1) - grain
                rgb.append(UInt8(clamping: x * 255 / width + noise))
                rgb.append(UInt8(clamping: y * 255 / height + noise))
                rgb.append(UInt8(clamping: (isDisc ? 200 : 60) + noise))
            }
        }
        return Bitmap(width: width, height: height, rgb: rgb)
    }
}

extension PictureCache {
    /// Writes a picture and keeps it.
    mutating func keep(
        _ jpeg: [UInt8], as name: PictureName, version: UInt64, now: UInt64
    ) throws {
        try Self.write(jpeg, in: directory)
        try keep(count: jpeg.count, as: name, version: version, now: now)
    }
}

extension Bitmap {
    /// The mean and the largest difference of a byte from another picture of this size.
    func difference(from other: Bitmap) -> (mean: Double, most: Int) {
        guard (width, height) == (other.width, other.height) else { return (.infinity, .max) }
        var (sum, most) = (0, 0)
        for (one, two) in zip(rgb, other.rgb) {
            let difference = abs(Int(one) - Int(two))
            sum += difference
            most = max(most, difference)
        }
        return (Double(sum) / Double(rgb.count), most)
    }
}
