import Testing

@testable import PictureCoding
@testable import Pictures

/// The watch's decoder beside libjpeg-turbo on the same bytes.
@Suite struct BaselineDecoderTests {
    /// Without halved colours the two decoders differ by their rounding alone.
    @Test(arguments: ["444-restarts.jpg", "grey.jpg", "held-1.jpg"])
    func a_picture_is_that_of_libjpeg(name: String) throws {
        let bytes = try PictureFiles.bytes(name)
        let own = try BaselineDecoder.decode(bytes, fitting: 1000)
        let other = try PictureReader.read(bytes, fitting: 1000)
        #expect((own.width, own.height) == (40, 26))
        #expect(own.difference(from: other).most <= 3)
    }

    /// Halved colours are repeated here, and drawn between there.
    @Test(arguments: ["420.jpg", "422.jpg"])
    func halved_colours_are_repeated(name: String) throws {
        let bytes = try PictureFiles.bytes(name)
        let difference = try BaselineDecoder.decode(bytes, fitting: 1000)
            .difference(from: try PictureReader.read(bytes, fitting: 1000))
        #expect(difference.mean < 5)
        let smooth = try PictureWriter.jpeg(of: PictureFiles.made(301, 203), quality: 90)
        let small = try BaselineDecoder.decode(smooth, fitting: 1000)
            .difference(from: try PictureReader.read(smooth, fitting: 1000))
        #expect(small.mean < 2.5)
    }

    /// Every size in which the transform halves, and those between.
    @Test(arguments: [1, 2, 31, 60, 96, 150, 151, 299, 300, 301, 4000])
    func a_smaller_picture_is_the_mean_of_the_large_one(side: Int) throws {
        for (width, height) in [(304, 208), (208, 304), (301, 203), (64, 64)] {
            let jpeg = try PictureWriter.jpeg(
                of: PictureFiles.made(width, height), quality: 95)
            let whole = try BaselineDecoder.decode(jpeg, fitting: 4000)
            #expect((whole.width, whole.height) == (width, height))
            let small = try BaselineDecoder.decode(jpeg, fitting: side)
            #expect(max(small.width, small.height) <= max(side, 1))
            // Halving counts the last column and row as whole ones.
            #expect(small.difference(from: whole.smaller(side: side)).mean < 3)
        }
    }

    @Test func grain_and_full_quality_survive() throws {
        let picture = PictureFiles.made(160, 120, grain: 60)
        for quality in [10, 50, 90, 100] {
            let jpeg = try PictureWriter.jpeg(of: picture, quality: quality)
            let own = try BaselineDecoder.decode(jpeg, fitting: 1000)
            let other = try PictureReader.read(jpeg, fitting: 1000)
            #expect(own.difference(from: other).mean < 3.5, "quality \(quality)")
        }
    }

    @Test func what_a_phone_never_sends_is_refused() throws {
        for (name, text) in [
            ("progressive.jpg", "progressive coding"), ("inks.jpg", "4 components"),
        ] {
            #expect(throws: PictureError.unsupported(text)) {
                try BaselineDecoder.decode(try PictureFiles.bytes(name), fitting: 100)
            }
        }
        #expect(throws: PictureError.unknownFormat) {
            try BaselineDecoder.decode(try PictureFiles.bytes("rgb.png"), fitting: 100)
        }
    }

    /// No prefix is a picture, and none stops the device.
    @Test(arguments: ["420.jpg", "444-restarts.jpg", "grey.jpg"])
    func a_picture_that_is_cut_off_is_refused(name: String) throws {
        let bytes = try PictureFiles.bytes(name)
        // The last bytes are the end marker and the fill bits of the last block.
        for count in 0..<(bytes.count - 3) {
            #expect(throws: PictureError.self, "\(count) bytes") {
                try BaselineDecoder.decode(Array(bytes.prefix(count)), fitting: 100)
            }
        }
    }

    @Test func every_changed_byte_is_survived() throws {
        let bytes = try PictureFiles.bytes("444-restarts.jpg")
        var refused = 0
        for place in bytes.indices {
            for change: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                var hostile = bytes
                hostile[place] ^= change
                do {
                    let picture = try BaselineDecoder.decode(hostile, fitting: 64)
                    #expect(picture.rgb.count <= 3 * 64 * 64)
                } catch { refused += 1 }
            }
        }
        #expect(refused > bytes.count)
    }

    /// The head tells the size; nothing is taken for it before it is found to be allowed.
    @Test func a_picture_of_many_pixels_is_refused_by_its_head() throws {
        var bytes = try PictureFiles.bytes("grey.jpg")
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        (bytes[frame + 5], bytes[frame + 6]) = (0xFF, 0xFF)
        (bytes[frame + 7], bytes[frame + 8]) = (0xFF, 0xFF)
        #expect(throws: PictureError.tooLarge(width: 65_535, height: 65_535)) {
            try BaselineDecoder.decode(bytes, fitting: 100)
        }
        #expect(try BaselineDecoder.size(of: bytes) == (65_535, 65_535))
    }

    @Test func a_decoded_picture_has_a_bound() throws {
        let jpeg = try PictureWriter.jpeg(of: PictureFiles.made(1900, 1500), quality: 30)
        let picture = try BaselineDecoder.decode(jpeg, fitting: 4000)
        #expect(picture.rgb.count <= BaselineDecoder.mostBytes)
        #expect(picture.rgb.count > BaselineDecoder.mostBytes * 8 / 10)
    }
}
