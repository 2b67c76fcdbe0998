/// Makes a picture smaller, row by row: each pixel is the mean of the area that it covers.
package struct AreaScaler: Sendable {
    private let from: (width: Int, height: Int)
    private let to: (width: Int, height: Int)
    /// The row that was added last, with the pixels of the smaller width: sums of parts of pixels,
    /// `from.width` parts each.
    private var across: [UInt32]
    /// The same of the rows that the next row covers.
    private var sums: [UInt64]
    private var rowCount = 0
    private var rgb: [UInt8] = []

    /// A scaler from a size to another one that is no larger; both have pixels.
    package init(
        from: (width: Int, height: Int), to: (width: Int, height: Int)
    ) {
        precondition(
            to.width > 0 && to.height > 0 && to.width <= from.width && to.height <= from.height,
            "a picture can only be made smaller")
        self.from = from
        self.to = to
        across = [UInt32](repeating: 0, count: 3 * to.width)
        sums = [UInt64](repeating: 0, count: 3 * to.width)
        rgb.reserveCapacity(3 * to.width * to.height)
    }

    /// Adds the next row, from the top; rows beyond the last one are ignored.
    package mutating func add(_ row: Span<UInt8>) {
        guard rowCount < from.height else { return }
        defer { rowCount += 1 }
        if from == to {
            for index in 0..<(3 * to.width) { rgb.append(row[index]) }
            return
        }
        narrow(row)
        // In units in which a row has `to.height` parts and one of the smaller rows `from.height`.
        let begin = rowCount * to.height
        let end = begin + to.height
        let boundary = (begin / from.height + 1) * from.height
        let here = min(end, boundary) - begin
        add(across, parts: here)
        guard end >= boundary else { return }
        finishRow()
        if end > boundary { add(across, parts: end - boundary) }
    }

    /// The smaller picture, when all rows were added.
    package consuming func finish() -> Bitmap {
        Bitmap(width: to.width, height: to.height, rgb: rgb)
    }

    private mutating func narrow(_ row: Span<UInt8>) {
        var target = 0
        var room = from.width
        var (red, green, blue): (UInt32, UInt32, UInt32) = (0, 0, 0)
        for x in 0..<from.width {
            let pixel = (UInt32(row[3 * x]), UInt32(row[3 * x + 1]), UInt32(row[3 * x + 2]))
            let first = UInt32(min(to.width, room))
            red += pixel.0 * first
            green += pixel.1 * first
            blue += pixel.2 * first
            room -= to.width
            guard room <= 0 else { continue }
            (across[target], across[target + 1], across[target + 2]) = (red, green, blue)
            target += 3
            let rest = UInt32(-room)
            (red, green, blue) = (pixel.0 * rest, pixel.1 * rest, pixel.2 * rest)
            room += from.width
        }
    }

    private mutating func add(_ row: [UInt32], parts: Int) {
        let parts = UInt64(parts)
        for index in sums.indices { sums[index] += UInt64(row[index]) * parts }
    }

    private mutating func finishRow() {
        let whole = UInt64(from.width) * UInt64(from.height)
        for index in sums.indices {
            rgb.append(UInt8((sums[index] + whole / 2) / whole))
            sums[index] = 0
        }
    }
}
