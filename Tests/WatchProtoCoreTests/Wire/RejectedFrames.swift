@testable import WatchProtoCore

/// Bytes that no reader may take for a frame.
struct RejectedFrame {
    let why: String
    let bytes: [UInt8]
    let rules: String

    init(_ why: String, _ bytes: [UInt8], _ rules: String) {
        self.why = why
        self.bytes = bytes
        self.rules = rules
    }

    private static let epoch: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    private static let key = [UInt8](repeating: 7, count: 16)

    /// A frame of values with these versions, whose first one has this handle.
    private static func values(
        channel: UInt8 = 3, versions: [UInt64], handle: UInt64
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(versions[0])
        let first = writer.bytes
        writer = WireWriter()
        writer.varint(handle)
        let head = [0x13, channel, 0] + first + [12] + writer.bytes + key
        let further = zip(versions, versions.dropFirst()).flatMap { [UInt8($1 - $0 - 1)] + key }
        return head + [UInt8(versions.count - 1)] + further + [2, 1, 2]
    }

    static let all = [
        RejectedFrame("unknown type below 0x40", [0x07], "F-1"),
        RejectedFrame("varint longer than needed", [0x01, 0x80, 0x00], "W-3"),
        RejectedFrame(
            "varint above 64 bits",
            [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], "W-3"),
        RejectedFrame("length beyond the packet", [0x44, 5, 1], "W-4"),
        RejectedFrame("count beyond the packet", [0x33, 4] + epoch, "W-4"),
        RejectedFrame("position 0", [0x08, 0], "F-2"),
        RejectedFrame("ticket answer 16", [0x0A, 16], "F-2"),
        RejectedFrame("answer 3 to early data", [0x05, 1, 3], "F-2 F-9"),
        RejectedFrame("early packet 512", [0x05, 1, 1, 0x80, 0x04, 1, 0], "F-10"),
        RejectedFrame("no ranges in an ack", [0x04, 0, 5, 0], "LR-3"),
        RejectedFrame(
            "33 ranges in an ack", [0x04, 0, 100, 33] + [UInt8](repeating: 0, count: 65),
            "LR-3"),
        RejectedFrame("range below packet 0", [0x04, 0, 5, 1, 6], "LR-3"),
        RejectedFrame("epochs from index 0", [0x09, 0, 1] + epoch + [0], "F-11"),
        RejectedFrame(
            "epochs beyond index 1,023", [0x09, 0xFF, 0x07, 2] + epoch + [0] + epoch + [0],
            "F-11"),
        RejectedFrame("form of an epoch with bit 3", [0x09, 1, 1] + epoch + [0x08], "F-2"),
        RejectedFrame("a channel that was not used", [0x09, 1, 1] + epoch + [0x04, 0, 0], "W-17"),
        RejectedFrame("record in a latest-value channel", [0x10, 0x03, 0, 1, 0, 0], "F-12"),
        RejectedFrame("record in channel 7", [0x10, 0x07, 0, 1, 0, 0], "F-12"),
        RejectedFrame("reply outside the interactive channel", [0x10, 0x12, 0, 1, 0, 0], "F-12"),
        RejectedFrame("record number 0", [0x10, 0x02, 0, 0, 0, 0], "W-6"),
        RejectedFrame("epoch index 1,024", [0x10, 0x02, 0x80, 0x08, 1, 0, 0], "F-13"),
        RejectedFrame("predecessor is the record itself", [0x10, 0x0A, 0, 5, 0, 5, 0, 0], "F-13"),
        RejectedFrame("predecessor in a later epoch", [0x10, 0x0A, 1, 5, 2, 5, 0, 0], "F-13"),
        RejectedFrame("fragment without bytes", [0x12, 4, 0, 1, 10, 0, 0], "F-14"),
        RejectedFrame("fragment beyond its total", [0x12, 4, 0, 1, 2, 1, 2, 1, 1], "F-14"),
        RejectedFrame("total beyond the channel", [0x12, 1, 0, 1, 0xE1, 0x20, 0, 1, 1], "F-14"),
        RejectedFrame("further fragment at offset 0", [0x24, 1, 0, 1], "F-15"),
        RejectedFrame("further fragment with epoch index 0", [0x2C, 0, 1, 5, 1], "F-15"),
        RejectedFrame("further fragment in channel 7", [0x27, 1, 5, 1], "F-15"),
        RejectedFrame("credit of a latest-value channel", [0x14, 3, 1, 1], "F-12"),
        RejectedFrame("cancel with bit 5", [0x17, 0x22, 0, 1], "F-2"),
        RejectedFrame("acknowledgement of values", [0x30, 3, 0, 1, 0, 0], "F-12"),
        RejectedFrame(
            "32 further ranges",
            [0x30, 2, 0, 1, 0, 32] + [UInt8](repeating: 0, count: 64), "F-16"),
        RejectedFrame("outcome 6", [0x31, 2, 0, 1, 0, 6], "F-18"),
        RejectedFrame("no epochs", [0x33, 0], "F-21"),
        RejectedFrame("33 epochs", [0x34, 33] + (0..<33).flatMap { _ in epoch }, "F-21"),
        RejectedFrame("epoch 0", [0x35, 1] + [UInt8](repeating: 0, count: 8), "F-21"),
        RejectedFrame("watermark above through", [0x36] + epoch + [1, 2, 3, 4], "F-20"),
        RejectedFrame("channels out of order", [0x36] + epoch + [2, 4, 3, 3, 2, 3, 3], "F-20"),
        RejectedFrame("a channel that is not durable", [0x36] + epoch + [1, 0, 3, 3], "F-20"),
        RejectedFrame("value without key and handle", [0x11, 0x03, 0, 1, 2, 0], "F-22"),
        RejectedFrame("value in an ordered channel", [0x11, 0x0A, 0, 1, 2] + key + [0], "F-23"),
        RejectedFrame("handle 8,192", [0x11, 0x13, 0, 1, 2, 0x80, 0x40, 0], "F-22"),
        RejectedFrame(
            "delta that names its base by more",
            [0x11, 0xCB, 1, 0, 1, 2] + key + [0, 0, 0, 0], "F-22"),
        RejectedFrame("more of 4", [0x11, 0x8B, 4, 0, 1, 2] + key + [0], "F-22"),
        RejectedFrame("frame of one value", values(versions: [1], handle: 7), "F-30"),
        RejectedFrame("frame of 101 values", values(versions: Array(1...101), handle: 7), "F-30"),
        RejectedFrame("last handle 8,192", values(versions: [1, 2], handle: 8_191), "F-30"),
        RejectedFrame(
            "last version of a frame of values above 2^62 - 1",
            values(versions: [RecordNumber.largest, RecordNumber.largest + 1], handle: 7), "F-30"),
        RejectedFrame(
            "frame of values in an ordered channel",
            values(channel: 2, versions: [1, 2], handle: 7), "F-23"),
        RejectedFrame("base request of form 3", [0x16, 0x33, 0], "F-2"),
        RejectedFrame("base request in an ordered channel", [0x16, 0x02] + key, "F-23"),
        RejectedFrame("query for nothing", [0x19, 0, 0], "F-25"),
        RejectedFrame(
            "17 epochs asked about",
            [0x19, 1, 17] + (0..<17).flatMap { _ in epoch }, "F-25"),
        RejectedFrame("no ranges", [0x19, 2, 1, 0, 0], "F-25"),
        RejectedFrame(
            "65 ranges", [0x19, 2, 1, 65] + [UInt8](repeating: 3, count: 65) + [0], "F-25"),
        RejectedFrame("range 2", [0x19, 2, 1, 1, 4, 0], "F-31"),
        RejectedFrame("range 0", [0x19, 2, 1, 1, 1, 0], "F-31"),
        RejectedFrame(
            "range of seven digits", [0x19, 2, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x02, 0], "F-31"),
        RejectedFrame("value query in an ordered channel", [0x1A, 2] + key + [0], "F-23"),
        RejectedFrame("level 2", [0x38, 2, 1, 1, 0], "F-2"),
        RejectedFrame("version 0", [0x38, 1, 1, 0, 0], "F-24"),
        RejectedFrame("1,025 versions", [0x38, 1, 1, 1, 0x80, 0x08], "F-24"),
        RejectedFrame("outcome 2 of a value", [0x39, 2, 1], "F-2"),
        RejectedFrame("known neither 0 nor 1", [0x3B] + epoch + [1] + epoch + [2], "F-2"),
        RejectedFrame(
            "more keys than the total",
            [0x3C, 0, 0, 1, 0, 0, 1, 0x43] + key + [1] + epoch, "F-26"),
        RejectedFrame(
            "removal without a value", [0x3C, 0, 0, 1, 1, 0, 1, 0x23] + key + [1], "F-26"),
        RejectedFrame("entries of range 32", [0x3C, 0, 0, 32, 0, 0, 0], "F-31"),
        RejectedFrame(
            "piece beyond its value",
            [0x3D, 0x13] + key + [1, 2, 1, 1, 1, 1], "F-27"),
        RejectedFrame(
            "parts of a smallest range",
            [0x3F, 1, 0x80, 0x80, 0x80, 0x08] + [UInt8](repeating: 0, count: 32), "F-31"),
        RejectedFrame("arrival that does not fill its length", [0x42, 3, 1, 1, 0], "F-3"),
        RejectedFrame("repair of no packets", [0x43, 5, 1, 0, 0, 1, 1], "LR-8"),
        RejectedFrame("repair index 32", [0x43, 5, 1, 1, 32, 1, 1], "LR-8"),
        RejectedFrame("combination of one byte", [0x43, 4, 1, 1, 0, 1], "LR-8"),
    ]
}
