/// The length classes to which packets are padded before they are sealed. A length reveals content:
/// names of medications have a median of 10 bytes and a 99th percentile of 81.
///
/// | Plaintext, bytes | Padded to | Hides | Cost at most |
/// | --- | --- | --- | --- |
/// | 0–255 | the next multiple of 64 | a dose taken or skipped, most medications | 64 |
/// | 256–2,047 | the next multiple of 256 | which of several records are in it | 256 |
/// | 2,048–8,191 | the next multiple of 1,024 | the same, for whole lists | 1,024 |
/// | 8,192 and more | the next multiple of 4,096 | the size of files, roughly | 4,096 |
///
/// `rig lab codec` weighs other classes: multiples of 64 tell as much as 64 and 256, for over a
/// fifth fewer bytes. Multiples of 128 hide more, for half as many bytes again.
///
/// Padding is a byte 0x80 and zeros (ISO/IEC 7816-4), so it adds at least one byte. The number and
/// the times of packets stay visible.
package struct PaddingClasses: Hashable, Sendable {
    /// One row: its lengths up to `limit` are a multiple of `step` above the row before.
    package struct Row: Hashable, Sendable {
        /// The largest length of the row, with padding, in bytes.
        package var limit: Int
        /// The distance between its lengths, in bytes.
        package var step: Int

        /// Makes a row of lengths up to `limit`, each `step` above the one before.
        package init(limit: Int, step: Int) {
            self.limit = limit
            self.step = step
        }
    }

    /// The rows, lowest first. Beyond the last row, its step continues.
    package let rows: [Row]

    /// The default classes.
    package static let standard = PaddingClasses(rows: [
        Row(limit: 256, step: 64), Row(limit: 2048, step: 256), Row(limit: 8192, step: 1024),
        Row(limit: 1 << 16, step: 4096),
    ])
    /// Only the one byte that marks the padding.
    package static let off = PaddingClasses(rows: [Row(limit: 1, step: 1)])

    /// Makes classes.
    ///
    /// - Precondition: there is a row, steps are positive and limits ascend.
    package init(rows: [Row]) {
        precondition(!rows.isEmpty && rows.allSatisfy { $0.step > 0 })
        precondition(zip(rows, rows.dropFirst()).allSatisfy { $0.limit < $1.limit })
        self.rows = rows
    }

    /// The length to which a plaintext of `count` bytes is padded.
    ///
    /// `limit` is the room, such as that of a datagram; a class above it is cut to it.
    ///
    /// - Precondition: `count` is below `limit`: one byte is always added.
    package func paddedLength(of count: Int, atMost limit: Int = .max) -> Int {
        precondition(count >= 0 && count < limit, "\(count) bytes and one more exceed \(limit)")
        let wanted = count + 1
        var lower = 0
        for (place, row) in rows.enumerated() {
            if wanted <= row.limit || place == rows.count - 1 {
                let steps = (wanted - lower + row.step - 1) / row.step
                return min(lower + steps * row.step, limit)
            }
            lower = row.limit
        }
        return wanted
    }

    /// The most bytes that are padded to `limit` bytes or less by their own class; 0 if there are
    /// none.
    package func capacity(within limit: Int) -> Int {
        var lower = 0
        var best = 0
        for (place, row) in rows.enumerated() {
            let end = place == rows.count - 1 ? limit : min(limit, row.limit)
            if end > lower { best = max(best, lower + (end - lower) / row.step * row.step) }
            lower = row.limit
        }
        return max(0, best - 1)
    }

    /// Pads `packet[start...]` to its class, up to `limit`.
    package func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int = .max) {
        let length = paddedLength(of: packet.count - start, atMost: limit)
        packet.reserveCapacity(start + length + SessionSealer.overheadBytes)
        packet.append(0x80)
        packet.append(contentsOf: repeatElement(0, count: start + length - packet.count))
    }

    /// Removes the padding of `packet[start...]`; false if there is none, which only a counterpart
    /// without padding can have sent. Call it after opening, not before.
    package static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        var end = packet.count
        while end > start, packet[end - 1] == 0 { end -= 1 }
        guard end > start, packet[end - 1] == 0x80 else { return false }
        packet.removeLast(packet.count - end + 1)
        return true
    }
}
