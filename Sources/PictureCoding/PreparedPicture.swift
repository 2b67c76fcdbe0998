package import Pictures
package import WatchProtoCore

/// A picture of a pill as it goes to a watch: a baseline JPEG without metadata.
package struct PreparedPicture: Equatable, Sendable {
    package let jpeg: [UInt8]
    package let width: Int
    package let height: Int
    /// 1 to 100, as libjpeg counts.
    package let qualityPercent: Int

    /// The longest side of a thumbnail, in pixels: it fills a face's place for a picture.
    package static let thumbnailSide = 96

    /// The small picture, which is sent first; the same over every link.
    ///
    /// - Parameter bytes: the content of the file, JPEG or PNG.
    /// - Throws: what is wrong with it.
    package static func thumbnail(of bytes: [UInt8]) throws(PictureError) -> PreparedPicture {
        let picture = try PictureReader.read(bytes, fitting: thumbnailSide)
        return try PreparedPicture(
            picture, qualityPercent: 70, atMost: PictureSize.thumbnail.mostBytes)
    }

    /// The whole picture, in the size and quality that suit a link.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file, JPEG or PNG.
    ///   - link: what the link carries.
    /// - Throws: what is wrong with the content.
    package static func whole(
        of bytes: [UInt8], over link: LinkQuality
    ) throws(PictureError) -> PreparedPicture {
        let (side, percent) = form(over: link)
        let picture = try PictureReader.read(bytes, fitting: side)
        return try PreparedPicture(
            picture, qualityPercent: percent, atMost: PictureSize.whole.mostBytes)
    }

    /// The longest side in pixels, and the first quality that is tried.
    package static func form(over link: LinkQuality) -> (side: Int, qualityPercent: Int) {
        switch link {
        case .poor: (1280, 30)
        case .moderate: (1280, 50)
        case .good: (1920, 70)
        case .excellent: (1920, 100)
        }
    }

    /// Writes the picture with less and less quality until it is no longer than `limit` bytes; if
    /// none is left, with fewer pixels.
    private init(
        _ picture: Bitmap, qualityPercent: Int, atMost limit: Int
    ) throws(PictureError) {
        var picture = picture
        var percent = qualityPercent
        var jpeg = try PictureWriter.jpeg(of: picture, quality: percent)
        while jpeg.count > limit {
            if percent > 10 {
                percent -= 10
            } else {
                picture = picture.smaller(side: max(picture.width, picture.height) * 3 / 4)
            }
            jpeg = try PictureWriter.jpeg(of: picture, quality: percent)
        }
        self.jpeg = jpeg
        (width, height) = (picture.width, picture.height)
        self.qualityPercent = percent
    }
}
