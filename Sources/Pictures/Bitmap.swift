/// A picture as bytes, from the top: three a pixel, red, green and blue.
package struct Bitmap: Equatable, Sendable {
    /// Pixels of a row.
    package let width: Int
    /// Rows.
    package let height: Int
    /// `3 * width * height` bytes.
    package var rgb: [UInt8]

    /// A picture of these bytes; the caller gives as many as the size asks for.
    package init(width: Int, height: Int, rgb: [UInt8]) {
        precondition(rgb.count == 3 * width * height, "a picture needs three bytes a pixel")
        self.width = width
        self.height = height
        self.rgb = rgb
    }

    /// The largest size of the same shape whose longest side is at most `side` pixels; never larger
    /// than the picture.
    package static func size(
        of width: Int, _ height: Int, fitting side: Int
    ) -> (width: Int, height: Int) {
        let longest = max(width, height)
        guard longest > side else { return (width, height) }
        func scaled(_ length: Int) -> Int { max(1, (length * side + longest / 2) / longest) }
        return (scaled(width), scaled(height))
    }

    /// The picture with at most `side` pixels on its longest side.
    package func smaller(side: Int) -> Bitmap {
        let size = Self.size(of: width, height, fitting: side)
        guard size != (width, height) else { return self }
        var scaler = AreaScaler(from: (width, height), to: size)
        for y in 0..<height {
            scaler.add(rgb.span.extracting((3 * width * y)..<(3 * width * (y + 1))))
        }
        return scaler.finish()
    }
}
