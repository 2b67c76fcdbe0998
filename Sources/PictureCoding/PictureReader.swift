internal import CPictures
package import Pictures

/// Reads the picture of a file, JPEG or PNG, and makes it smaller on the way: memory follows the
/// size that is wanted.
package enum PictureReader {
    /// The largest file that is read, in bytes.
    package static let mostFileBytes = 30_000_000
    /// The most pixels of a picture: a camera of a hundred megapixels is refused.
    package static let mostPixels = 64_000_000
    /// The bytes that a progressive picture may take in libjpeg, and an interlaced one in libpng.
    static let mostMemory = 64_000_000

    /// Reads a picture to the size of at most `side` pixels that its shape has, upright.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - side: the longest side of the result, in pixels. A smaller picture keeps its size.
    /// - Throws: what is wrong with the bytes.
    package static func read(
        _ bytes: [UInt8], fitting side: Int
    ) throws(PictureError) -> Bitmap {
        try read(bytes, fitting: side, inAtMost: mostMemory)
    }

    /// The same; a progressive or interlaced picture takes at most `memory` bytes.
    static func read(
        _ bytes: [UInt8], fitting side: Int, inAtMost memory: Int
    ) throws(PictureError) -> Bitmap {
        let isJPEG = bytes.starts(with: [0xFF, 0xD8])
        guard isJPEG || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
            throw .unknownFormat
        }
        let rows = Rows(side)
        var message = [CChar](repeating: 0, count: Int(PICTURES_MESSAGE))
        let result = withExtendedLifetime(rows) {
            let reader = unsafe rows.reader
            return unsafe bytes.withUnsafeBufferPointer { bytes in
                let read = isJPEG ? unsafe pictures_read_jpeg : unsafe pictures_read_png
                return unsafe read(
                    bytes.baseAddress, bytes.count, memory, reader, &message)
            }
        }
        if let error = rows.error { throw error }
        guard Int(result) == PICTURES_READ, let scaler = rows.scaler else {
            throw .library(text(message))
        }
        let picture = scaler.finish()
        return isJPEG ? picture.upright(from: ExifOrientation(of: bytes)) : picture
    }

    /// The text of the library.
    static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Takes the rows.
    private final class Rows {
        let side: Int
        private var size = (width: 1, height: 1)
        var scaler: AreaScaler?
        private var width = 0
        var error: PictureError?

        init(_ side: Int) { self.side = max(1, side) }

        /// The eighths of the picture to read: the smallest size that is no smaller than wanted.
        private func begin(_ width: Int, _ height: Int) -> Int32 {
            guard width * height <= PictureReader.mostPixels else {
                error = .tooLarge(width: width, height: height)
                return 0
            }
            size = Bitmap.size(of: width, height, fitting: side)
            var eighths = 1
            while eighths < 8,
                (width * eighths + 7) / 8 < size.width || (height * eighths + 7) / 8 < size.height
            {
                eighths += 1
            }
            return Int32(eighths)
        }

        private func scaled(_ width: Int, _ height: Int) {
            self.width = width
            scaler = AreaScaler(from: (width, height), to: size)
        }

        private func add(_ row: Span<UInt8>) { scaler?.add(row) }

        private static func of(_ context: UnsafeMutableRawPointer?) -> Rows? {
            unsafe context.map { unsafe Unmanaged<Rows>.fromOpaque($0).takeUnretainedValue() }
        }

        /// For the time that this object is kept.
        var reader: pictures_reader {
            unsafe pictures_reader(
                context: Unmanaged.passUnretained(self).toOpaque(),
                begin: { context, width, height in
                    unsafe Rows.of(context)?.begin(Int(width), Int(height)) ?? 0
                },
                scaled: { context, width, height in
                    unsafe Rows.of(context)?.scaled(Int(width), Int(height))
                },
                row: { context, bytes in
                    guard let rows = unsafe Rows.of(context), let bytes = unsafe bytes else {
                        return
                    }
                    let row = unsafe UnsafeBufferPointer(start: bytes, count: 3 * rows.width)
                    unsafe rows.add(Span(_unsafeElements: row))
                })
        }
    }
}

extension Bitmap {
    /// The picture as it stands when a camera was held in a certain way.
    func upright(from orientation: ExifOrientation) -> Bitmap {
        guard orientation != .upright else { return self }
        let size = orientation.swapsSides ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(rgb.count)
        for y in 0..<size.1 {
            for x in 0..<size.0 {
                let from = orientation.source(x, y, width, height)
                let place = 3 * (from.y * width + from.x)
                turned += rgb[place..<(place + 3)]
            }
        }
        return Bitmap(width: size.0, height: size.1, rgb: turned)
    }
}
