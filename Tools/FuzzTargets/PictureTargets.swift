import PictureCoding
import Pictures
import ReferenceDevice
import WatchProtoCore

extension FuzzTarget {
    /// A picture that a watch received: whatever the bytes, the picture keeps to its bounds, and a
    /// smaller one of the same bytes has the same fate.
    static let picture = FuzzTarget("picture") { bytes in
        pictureProblem(bytes) { bytes, side throws(PictureError) in
            try BaselineDecoder.decode(
                bytes, fitting: side, mostPixels: mostPixels, mostBytes: mostBytes)
        }
    }

    /// Bounds that are smaller than those of a watch. The pictures of the fixtures keep them by 80
    /// bytes, so that a change of their size exceeds them.
    static let (mostPixels, mostBytes) = (1 << 16, 3_200)

    /// Describes the bound that `decode` exceeds; nil if it keeps all of them.
    static func pictureProblem(
        _ bytes: [UInt8],
        _ decode: (_ bytes: [UInt8], _ side: Int) throws(PictureError) -> Bitmap
    ) -> String? {
        guard let size = try? BaselineDecoder.size(of: bytes) else { return nil }
        let whole = try? decode(bytes, BaselineDecoder.longestSide)
        let small = try? decode(bytes, 17)
        if (whole == nil) != (small == nil) { return "a size decides whether it is a picture" }
        guard let whole, let small else { return nil }
        if size.width * size.height > mostPixels { return "the picture has too many pixels" }
        if whole.rgb.count > mostBytes { return "the picture is too large" }
        let isWhole = (whole.width, whole.height) == size
        if isWhole != (3 * size.width * size.height <= mostBytes) {
            return "the picture has another size"
        }
        // A step of a sixteenth leaves more than three quarters of the bytes, unless a side has
        // few pixels.
        if !isWhole, min(whole.width, whole.height) > 16, whole.rgb.count < mostBytes * 3 / 4 {
            return "the picture is too small"
        }
        return max(small.width, small.height) <= 17 ? nil : "the small picture is too large"
    }

    /// A file that a phone was given: whatever the bytes, the thumbnail made of it is a picture
    /// that a watch can decode.
    static let pictureFile = FuzzTarget("picture-file") { bytes in
        guard let prepared = try? PreparedPicture.thumbnail(of: bytes) else { return nil }
        if prepared.jpeg.count > PictureSize.thumbnail.mostBytes {
            return "the thumbnail is too long"
        }
        if !canDecode(prepared, fitting: 96) { return "a watch cannot decode the thumbnail" }
        guard let pixels = pixels(of: bytes), pixels <= 1 << 18 else { return nil }
        for link in LinkQuality.allCases {
            guard let whole = try? PreparedPicture.whole(of: bytes, over: link) else {
                return "the picture has a thumbnail, and is none over a link that is \(link)"
            }
            if whole.jpeg.count > PictureSize.whole.mostBytes { return "the picture is too long" }
            if !canDecode(whole, fitting: BaselineDecoder.longestSide) {
                return "a watch cannot decode the picture"
            }
        }
        return nil
    }

    private static func canDecode(_ prepared: PreparedPicture, fitting side: Int) -> Bool {
        let picture = try? BaselineDecoder.decode(prepared.jpeg, fitting: side)
        return picture.map { ($0.width, $0.height) == (prepared.width, prepared.height) } == true
    }

    /// The pixels of a baseline JPEG or of a PNG; nil for another file.
    private static func pixels(of bytes: [UInt8]) -> Int? {
        if let size = try? BaselineDecoder.size(of: bytes) { return size.width * size.height }
        guard bytes.count >= 24, bytes[0] == 0x89 else { return nil }
        func side(at place: Int) -> Int {
            bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        return side(at: 16) &* side(at: 20)
    }

    /// A message about pictures. The first byte chooses among a question, its reply, the metadata
    /// of a file, and the two kinds of user info: no other bytes have the meaning that was read.
    static let pictureMessage = FuzzTarget("picture-message") { bytes in
        guard let first = bytes.first else { return nil }
        let (rest, small) = (Array(bytes.dropFirst()), PictureName(0, .thumbnail))
        // These begin with a mark, which no fuzzer finds.
        let marked = [
            PictureHead(small, version: 0, width: 0, height: 0, qualityPercent: 0).bytes,
            PictureHead.removal(of: 0), PictureHead.failure(of: small),
        ].map { Array($0.prefix(12)) + rest }
        let (again, given): ([UInt8]?, [UInt8]) =
            switch first % 5 {
            case 0: (PictureMessage.Request(rest)?.bytes, rest)
            case 1: (PictureMessage.Reply(rest)?.bytes, rest)
            case 2: (PictureHead(marked[0])?.bytes, marked[0])
            case 3: (PictureHead.removed(marked[1]).map(PictureHead.removal), marked[1])
            default: (PictureHead.failed(marked[2]).map(PictureHead.failure), marked[2])
            }
        return again == nil || again == given ? nil : "other bytes have the same meaning"
    }
}
