import PictureCoding
import Pictures

extension FuzzTarget {
    /// A picture that a watch received: whatever the bytes, the picture keeps to its bounds, and a
    /// smaller one of the same bytes has the same fate.
    static let picture = FuzzTarget("picture") { bytes in
        guard let size = try? BaselineDecoder.size(of: bytes),
            // Small ones are where the decoder turns; large ones cost time alone.
            size.width * size.height <= 1 << 18
        else { return nil }
        let whole = try? BaselineDecoder.decode(bytes, fitting: BaselineDecoder.longestSide)
        let small = try? BaselineDecoder.decode(bytes, fitting: 17)
        if (whole == nil) != (small == nil) { return "a size decides whether it is a picture" }
        guard let whole, let small else { return nil }
        if whole.rgb.count > BaselineDecoder.mostBytes { return "the picture is too large" }
        if (whole.width, whole.height) != size { return "the picture has another size" }
        return max(small.width, small.height) <= 17 ? nil : "the small picture is too large"
    }

    /// A file that a phone was given: whatever the bytes, the thumbnail made of it is a picture
    /// that a watch can decode.
    static let pictureFile = FuzzTarget("picture-file") { bytes in
        guard let prepared = try? PreparedPicture.thumbnail(of: bytes) else { return nil }
        if prepared.jpeg.count > PictureSize.thumbnail.mostBytes {
            return "the thumbnail is too long"
        }
        let picture = try? BaselineDecoder.decode(prepared.jpeg, fitting: 96)
        return picture.map { ($0.width, $0.height) == (prepared.width, prepared.height) } == true
            ? nil : "a watch cannot decode the thumbnail"
    }
}
