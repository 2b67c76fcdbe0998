/// Decodes a baseline JPEG (ITU-T T.81) of one or three components in one scan, in memory that
/// follows the size that is wanted and the width of the picture, never its height.
///
/// A watch decodes only what its phone prepared. Everything else is an error.
package enum BaselineDecoder {
    /// The most pixels of a picture that is decoded. A hostile one of so many takes a second or
    /// two.
    package static let mostPixels = 1 << 24
    /// The longest side of a picture that is decoded, in pixels.
    package static let longestSide = 8192
    /// The most bytes of a picture that was decoded.
    package static let mostBytes = 5_000_000

    /// The size of a picture in pixels, without decoding it.
    ///
    /// - Throws: what is wrong with its head; its maker is at fault.
    package static func size(
        of bytes: [UInt8]
    ) throws(PictureError) -> (width: Int, height: Int) {
        let header = try JPEGHeader(bytes.span)
        return (header.width, header.height)
    }

    /// Decodes a picture to the size of at most `side` pixels that its shape has.
    ///
    /// - Parameters:
    ///   - bytes: the JPEG.
    ///   - side: the longest side of the result, in pixels. A smaller picture keeps its size.
    ///   - mostPixels: the most pixels of the JPEG.
    ///   - mostBytes: the most bytes of the result: a larger one gets a smaller `side`.
    /// - Returns: the picture.
    /// - Throws: what is wrong with the bytes.
    package static func decode(
        _ bytes: [UInt8], fitting side: Int, mostPixels: Int = mostPixels,
        mostBytes: Int = mostBytes
    ) throws(PictureError) -> Bitmap {
        let header = try JPEGHeader(bytes.span)
        let (width, height) = (header.width, header.height)
        guard width <= longestSide, height <= longestSide, width * height <= mostPixels else {
            throw .tooLarge(width: width, height: height)
        }
        var side = max(1, side)
        var size = Bitmap.size(of: width, height, fitting: side)
        while 3 * size.width * size.height > mostBytes {
            side = max(size.width, size.height) * 15 / 16
            size = Bitmap.size(of: width, height, fitting: side)
        }
        var scan = Scan(header, for: size)
        return try scan.decode(bytes.span)
    }
}

/// A scan that is decoded, a line of its units at a time.
private struct Scan {
    /// A component's samples of one line of units.
    private struct Plane {
        let component: JPEGHeader.Component
        /// The step of each coefficient, in the order of the scan.
        let steps: [Int32]
        let direct: HuffmanTable
        let alternating: HuffmanTable
        let transform: InverseTransform
        let stride: Int
        /// The repetitions of a sample, as a power of two.
        let repeatedAcross: Int
        let repeatedDown: Int
        var samples: [UInt8]
        var last: Int32 = 0
    }

    private let header: JPEGHeader
    private var planes: [Plane] = []
    private let unitsAcross: Int
    private let unitsDown: Int
    /// Samples of the halved picture.
    private let width: Int
    private let height: Int
    private let unitHeight: Int
    private var scaler: AreaScaler

    init(_ header: JPEGHeader, for size: (width: Int, height: Int)) {
        self.header = header
        var halvings = 0
        func halved(_ length: Int, _ times: Int) -> Int { (length + (1 << times) - 1) >> times }
        while halvings < 3, halved(header.width, halvings + 1) >= size.width,
            halved(header.height, halvings + 1) >= size.height
        {
            halvings += 1
        }
        width = halved(header.width, halvings)
        height = halved(header.height, halvings)
        let across = header.components.map(\.across).max() ?? 1
        let down = header.components.map(\.down).max() ?? 1
        unitsAcross = (header.width + 8 * across - 1) / (8 * across)
        unitsDown = (header.height + 8 * down - 1) / (8 * down)
        unitHeight = (8 >> halvings) * down
        scaler = AreaScaler(from: (width, height), to: size)
        for component in header.components {
            // The header has given the tables of every component of a scan.
            guard let steps = header.quantization[component.quantization],
                let direct = header.direct[component.direct],
                let alternating = header.alternating[component.alternating]
            else { continue }
            var repeated = (across: across - component.across, down: down - component.down)
            // A colour that the picture has halved needs no halving here.
            let isHalved = halvings > 0 && repeated == (1, 1)
            if isHalved { repeated = (0, 0) }
            let transform = InverseTransform(halvings: isHalved ? halvings - 1 : halvings)
            let stride = unitsAcross * component.across * transform.side
            planes.append(
                Plane(
                    component: component, steps: steps.map(Int32.init), direct: direct,
                    alternating: alternating, transform: transform, stride: stride,
                    repeatedAcross: repeated.across, repeatedDown: repeated.down,
                    samples: [UInt8](
                        repeating: 0, count: stride * component.down * transform.side)))
        }
    }

    mutating func decode(_ bytes: Span<UInt8>) throws(PictureError) -> Bitmap {
        var reader = ScanReader(bytes, at: header.scan)
        var block = [SIMD8<Int32>](repeating: .zero, count: 8)
        var rows = block
        var row = [UInt8](repeating: 0, count: 3 * width)
        var unit = 0
        for line in 0..<unitsDown {
            for place in 0..<unitsAcross {
                let interval = header.restartInterval
                if interval > 0, unit > 0, unit % interval == 0 {
                    try reader.restart((unit / interval - 1) % 8)
                    for index in planes.indices { planes[index].last = 0 }
                }
                for index in planes.indices {
                    try decodeUnit(of: &planes[index], at: place, &reader, &block, &rows)
                }
                unit += 1
            }
            for y in 0..<min(unitHeight, height - line * unitHeight) {
                color(y, &row)
                scaler.add(row.span)
            }
        }
        return scaler.finish()
    }

    /// The blocks that a component has in one unit.
    private func decodeUnit(
        of plane: inout Plane, at unit: Int, _ reader: inout ScanReader,
        _ block: inout [SIMD8<Int32>], _ rows: inout [SIMD8<Int32>]
    ) throws(PictureError) {
        let component = plane.component
        let side = plane.transform.side
        for down in 0..<component.down {
            for across in 0..<component.across {
                try Self.read(&block, &reader, &plane)
                plane.transform.apply(
                    block, &rows, to: &plane.samples,
                    at: down * side * plane.stride + (unit * component.across + across) * side,
                    stride: plane.stride)
            }
        }
    }

    /// The coefficients of the next block (T.81, annex F.2.2), times their steps.
    private static func read(
        _ block: inout [SIMD8<Int32>], _ reader: inout ScanReader, _ plane: inout Plane
    ) throws(PictureError) {
        for index in 0..<8 { block[index] = .zero }
        let difference = try reader.value(try reader.code(of: plane.direct))
        plane.last = Int32(truncatingIfNeeded: Int16(truncatingIfNeeded: plane.last &+ difference))
        block[0][0] = clamped(plane.last &* plane.steps[0])
        var index = 1
        while index < 64 {
            let code = try reader.code(of: plane.alternating)
            let length = code & 15
            if length == 0 {
                guard code == 0xF0 else { return }
                index += 16
                continue
            }
            index += code >> 4
            guard index < 64 else {
                throw .malformed("a block of more than 64 coefficients", at: reader.place)
            }
            let place = Int(order[index])
            block[place >> 3][place & 7] = clamped(try reader.value(length) &* plane.steps[index])
            index += 1
        }
    }

    /// A coefficient of 16 bits. No picture has a larger one, and no sum of the transform
    /// overflows.
    private static func clamped(_ coefficient: Int32) -> Int32 {
        max(-32_768, min(32_767, coefficient))
    }

    /// Row `y` of the line of units, in colour (T.871, section 7).
    private func color(_ y: Int, _ row: inout [UInt8]) {
        let light = planes[0]
        let start = (y >> light.repeatedDown) * light.stride
        guard planes.count == 3 else {
            for x in 0..<width {
                let value = light.samples[start + x]
                (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (value, value, value)
            }
            return
        }
        let (blue, red) = (planes[1], planes[2])
        let blueStart = (y >> blue.repeatedDown) * blue.stride
        let redStart = (y >> red.repeatedDown) * red.stride
        for x in 0..<width {
            let lightness =
                Int32(light.samples[start + (x >> light.repeatedAcross)]) << 16 + (1 << 15)
            let blueness = Int32(blue.samples[blueStart + (x >> blue.repeatedAcross)]) - 128
            let redness = Int32(red.samples[redStart + (x >> red.repeatedAcross)]) - 128
            row[3 * x] = UInt8(clamping: (lightness + 91_881 * redness) >> 16)
            row[3 * x + 1] = UInt8(
                clamping: (lightness - 22_554 * blueness - 46_802 * redness) >> 16)
            row[3 * x + 2] = UInt8(clamping: (lightness + 116_130 * blueness) >> 16)
        }
    }

    /// The place in its block of each coefficient, in the order of the scan (T.81, figure A.6).
    private static let order: [UInt8] = {
        var order: [UInt8] = []
        for diagonal in 0..<15 {
            let rows = (0..<8).filter { (0..<8).contains(diagonal - $0) }
            for row in diagonal.isMultiple(of: 2) ? rows.reversed() : rows {
                order.append(UInt8(8 * row + diagonal - row))
            }
        }
        return order
    }()
}
