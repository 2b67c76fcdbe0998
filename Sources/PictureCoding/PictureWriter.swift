internal import CPictures
package import Pictures

/// Writes a picture as a baseline JPEG without metadata: no place, no camera, no date.
package enum PictureWriter {
    /// The JPEG of a picture.
    ///
    /// - Parameters:
    ///   - picture: the pixels.
    ///   - quality: 1 to 100, as libjpeg counts.
    /// - Throws: what the library says, for want of memory for example.
    package static func jpeg(
        of picture: Bitmap, quality: Int
    ) throws(PictureError) -> [UInt8] {
        let rows = Rows(picture)
        var message = [CChar](repeating: 0, count: Int(PICTURES_MESSAGE))
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let result = withExtendedLifetime(rows) {
            unsafe pictures_write_jpeg(
                UInt32(picture.width), UInt32(picture.height), Int32(quality),
                Unmanaged.passUnretained(rows).toOpaque(),
                { context, y, row in
                    guard let context = unsafe context, let row = unsafe row else { return }
                    unsafe Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue()
                        .fill(row, Int(y))
                }, &bytes, &count, &message)
        }
        guard Int(result) == PICTURES_READ, let made = unsafe bytes else {
            throw .library(PictureReader.text(message))
        }
        defer { unsafe pictures_free(made) }
        return unsafe Array(UnsafeBufferPointer(start: made, count: count))
    }

    private final class Rows {
        private let picture: Bitmap

        init(_ picture: Bitmap) { self.picture = picture }

        func fill(_ row: UnsafeMutablePointer<UInt8>, _ y: Int) {
            let count = 3 * picture.width
            unsafe picture.rgb.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                unsafe row.update(from: base + y * count, count: count)
            }
        }
    }
}
