internal import CZstd

/// Zstandard (RFC 8878), by the system's library.
package enum Zstandard {
    /// The level of compression: a list of medications takes about a millisecond.
    private static let level: Int32 = 3
    /// The first bytes of a frame (RFC 8878, section 3.1.1). The library also reads frames of older
    /// formats, and skippable ones.
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    /// The frame of a content, which tells the size of it; nil if that is not shorter by an eighth
    /// at least, or if there is no memory for it.
    package static func compress(_ content: [UInt8]) -> [UInt8]? {
        let room = content.count - content.count / 8
        var size = 0
        let frame = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            size = unsafe content.withUnsafeBytes { bytes in
                unsafe ZSTD_compress(
                    buffer.baseAddress, room, bytes.baseAddress, bytes.count, level)
            }
            // Without the room it gives an error.
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        return ZSTD_isError(size) == 0 ? frame : nil
    }

    /// The content of a frame; nil for bytes that are not one frame, whose maker is at fault, for
    /// one that does not tell its size, and for a larger content.
    ///
    /// - Parameters:
    ///   - frame: the bytes of the frame.
    ///   - limit: the largest content, in bytes. No more memory is taken for it.
    package static func decompress(_ frame: [UInt8], atMost limit: Int) -> [UInt8]? {
        guard frame.starts(with: magic) else { return nil }
        let told = unsafe frame.withUnsafeBytes { bytes in
            unsafe watchproto_zstd_content(bytes.baseAddress, bytes.count)
        }
        guard told >= 0, told <= limit else { return nil }
        var size = 0
        let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(told)) { buffer, count in
            size = unsafe frame.withUnsafeBytes { bytes in
                unsafe ZSTD_decompress(
                    buffer.baseAddress, Int(told), bytes.baseAddress, bytes.count)
            }
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        return content.count == Int(told) ? content : nil
    }
}
