/// To which lengths packets are filled up before they are sealed, since a length betrays what is
/// inside: names of medicines have a median of 10 bytes and a 99th percentile of 81.
///
/// | Plaintext, bytes | Filled up to | What it hides | Cost at most |
/// | --- | --- | --- | --- |
/// | 0–63 | 64 | acknowledgements, receipts, a dose taken or skipped | 64 |
/// | 64–255 | 256 | any one medication: its budget is 200 bytes | 192 |
/// | 256–2,047 | the next multiple of 256 | which of several records are there | 256 |
/// | 2,048–8,191 | the next multiple of 1,024 | the same, for whole lists | 1,024 |
/// | 8,192 and more | the next multiple of 4,096 | the size of files, roughly | 4,096 |
///
/// Filling is a byte 0x80 and zeros (ISO/IEC 7816-4), so even the least costs one byte. How many
/// packets there are, and when, stays visible.
package struct PaddingClasses: Hashable, Sendable {
    /// One row: lengths up to `limit` are a multiple of `step` above the row before.
    package struct Row: Hashable, Sendable {
        /// The largest length of the row, filling included, in bytes.
        package var limit: Int
        /// The distance between its lengths, in bytes.
        package var step: Int

        /// Makes a row of lengths up to `limit`, each `step` above the one before.
        package init(limit: Int, step: Int) {
            self.limit = limit
            self.step = step
        }
    }

    /// The rows, lowest first; beyond the last its step goes on.
    package let rows: [Row]

    /// Classes on by default.
    package static let standard = PaddingClasses(rows: [
        Row(limit: 64, step: 64), Row(limit: 256, step: 192), Row(limit: 2048, step: 256),
        Row(limit: 8192, step: 1024), Row(limit: 1 << 16, step: 4096),
    ])
    /// No filling but the one byte that says so.
    package static let off = PaddingClasses(rows: [Row(limit: 1, step: 1)])

    /// Makes classes.
    ///
    /// - Precondition: there is a row, steps are positive and limits ascend.
    package init(rows: [Row]) {
        precondition(!rows.isEmpty && rows.allSatisfy { $0.step > 0 })
        precondition(zip(rows, rows.dropFirst()).allSatisfy { $0.limit < $1.limit })
        self.rows = rows
    }

    /// The length that a plaintext of `count` bytes is filled up to.
    ///
    /// `limit` is the most that fits, such as a datagram's room; a class above it is cut to it.
    ///
    /// - Precondition: `count` is below `limit`: one byte is always added.
    package func paddedLength(of count: Int, atMost limit: Int = .max) -> Int {
        precondition(count >= 0 && count < limit, "\(count) bytes and one more exceed \(limit)")
        let wanted = count + 1
        var floor = 0
        for (place, row) in rows.enumerated() {
            if wanted <= row.limit || place == rows.count - 1 {
                let steps = (wanted - floor + row.step - 1) / row.step
                return min(floor + steps * row.step, limit)
            }
            floor = row.limit
        }
        return wanted
    }

    /// The most bytes that are filled up to `limit` bytes or less, by a class of their own; 0 where
    /// none are.
    package func capacity(within limit: Int) -> Int {
        var floor = 0
        var best = 0
        for (place, row) in rows.enumerated() {
            let end = place == rows.count - 1 ? limit : min(limit, row.limit)
            if end > floor { best = max(best, floor + (end - floor) / row.step * row.step) }
            floor = row.limit
        }
        return max(0, best - 1)
    }

    /// Fills `packet[start...]` up to its class, of which `limit` says the most.
    package func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int = .max) {
        let length = paddedLength(of: packet.count - start, atMost: limit)
        packet.reserveCapacity(start + length + SessionSealer.overheadBytes)
        packet.append(0x80)
        packet.append(contentsOf: repeatElement(0, count: start + length - packet.count))
    }

    /// Takes the filling off `packet[start...]`; false where there is none, which only a
    /// counterpart that does not fill can have sent: call it after opening, not before.
    package static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        var end = packet.count
        while end > start, packet[end - 1] == 0 { end -= 1 }
        guard end > start, packet[end - 1] == 0x80 else { return false }
        packet.removeLast(packet.count - end + 1)
        return true
    }
}
