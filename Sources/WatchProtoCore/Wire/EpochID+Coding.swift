extension EpochID {
    /// Reads the 8 bytes of an epoch. Throws `outOfRange` for zero, which names none.
    static func read(_ reader: inout WireReader) throws(WireError) -> EpochID {
        let start = reader.offset
        let id = try reader.uint64("epoch")
        guard id != 0 else {
            throw WireError(.outOfRange, at: start, expected: "an epoch other than 0", found: 0)
        }
        return EpochID(rawValue: id)
    }

    /// Epochs in one frame that names some by their ids.
    static let listLimit = 32

    /// Reads a count from 1 to ``listLimit``, then that many epochs.
    static func readList(_ reader: inout WireReader) throws(WireError) -> [EpochID] {
        let start = reader.offset
        let count = try reader.count("epochs", atMost: listLimit, size: 8)
        guard count > 0 else {
            throw WireError(.outOfRange, at: start, expected: "1 to 32 epochs", found: 0)
        }
        var ids: [EpochID] = []
        for _ in 0..<count { ids.append(try EpochID.read(&reader)) }
        return ids
    }

    /// Writes the count and the epochs, of which there are 1 to ``listLimit``.
    static func writeList(_ ids: [EpochID], to writer: inout WireWriter) {
        writer.varint(UInt64(ids.count))
        for id in ids { writer.uint64(id.rawValue) }
    }

    /// The number of epochs for which a frame of `bytes`, its type byte included, has room.
    public static func listCount(in bytes: Int) -> Int {
        max(0, min(listLimit, (bytes - 2) / 8))
    }
}
