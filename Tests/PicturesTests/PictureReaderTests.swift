import Testing
import WatchProtoCore

@testable import PictureCoding
@testable import Pictures

/// A phone reads what people have, and prepares it.
@Suite struct PictureReaderTests {
    @Test(arguments: ["rgb.png", "palette.png", "interlaced.png", "alpha.png"])
    func every_form_of_png_is_read(name: String) throws {
        let rgb = try PictureReader.read(try PictureFiles.bytes("rgb.png"), fitting: 1000)
        let picture = try PictureReader.read(try PictureFiles.bytes(name), fitting: 1000)
        // A transparent pixel shows white, and the ground of the picture is nearly that.
        #expect(picture.difference(from: rgb).most <= (name == "alpha.png" ? 20 : 1))
    }

    @Test func grey_of_eight_and_sixteen_bits_is_the_same() throws {
        let eight = try PictureReader.read(try PictureFiles.bytes("grey.png"), fitting: 1000)
        let sixteen = try PictureReader.read(try PictureFiles.bytes("grey16.png"), fitting: 1000)
        #expect(eight == sixteen)
        #expect(eight.rgb[0] == eight.rgb[2])
    }

    @Test(arguments: ["420.jpg", "422.jpg", "444-restarts.jpg", "progressive.jpg", "inks.jpg"])
    func every_form_of_jpeg_is_read(name: String) throws {
        let rgb = try PictureReader.read(try PictureFiles.bytes("rgb.png"), fitting: 1000)
        let picture = try PictureReader.read(try PictureFiles.bytes(name), fitting: 1000)
        // Its edges ring. Another picture, or this one turned, is 40 away.
        #expect(picture.difference(from: rgb).mean < 8)
    }

    /// A camera writes how it was held (Exif 2.32, tag 0x0112).
    @Test(arguments: 1...8)
    func a_picture_stands_upright(held: Int) throws {
        let bytes = try PictureFiles.bytes("held-\(held).jpg")
        #expect(ExifOrientation(of: bytes).rawValue == UInt16(held))
        let picture = try PictureReader.read(bytes, fitting: 1000)
        #expect((picture.width, picture.height) == (40, 26))
        let upright = try PictureReader.read(try PictureFiles.bytes("held-1.jpg"), fitting: 1000)
        // The blocks of the picture lie elsewhere in it.
        #expect(picture.difference(from: upright).mean < 6)
        for other in ExifOrientation.allCases where other != .upright && !other.swapsSides {
            #expect(upright.upright(from: other).difference(from: upright).mean > 7)
        }
    }

    @Test func what_goes_to_a_watch_tells_nothing_of_its_camera() throws {
        let bytes = try PictureFiles.bytes("held-6.jpg")
        let prepared = try PreparedPicture.whole(of: bytes, over: .excellent)
        for marker in 0xE1...0xEF {
            let head: [UInt8] = [0xFF, UInt8(marker)]
            #expect(
                !prepared.jpeg.indices.dropLast().contains { place in
                    Array(prepared.jpeg[place...(place + 1)]) == head
                })
        }
    }

    @Test func a_file_that_is_cut_off_is_refused() throws {
        for name in try PictureFiles.names(ending: "g") {
            let bytes = try PictureFiles.bytes(name)
            let end = name.hasSuffix(".png") ? 20 : 40
            for count in stride(from: 0, to: bytes.count - end, by: 7) {
                #expect(throws: PictureError.self, "\(name), \(count) bytes") {
                    try PictureReader.read(Array(bytes.prefix(count)), fitting: 100)
                }
            }
        }
        #expect(throws: PictureError.unknownFormat) {
            try PictureReader.read(Array("GIF89a".utf8), fitting: 100)
        }
    }

    /// Only these two are read as a whole.
    @Test(arguments: [
        ("progressive-tall.jpg", "progressive"), ("interlaced.png", "interlaced"), ("420.jpg", nil),
        ("rgb.png", nil),
    ])
    func a_picture_that_is_read_as_a_whole_has_a_bound(name: String, word: String?) throws {
        let bytes = try PictureFiles.bytes(name)
        guard let word else {
            let picture = try PictureReader.read(bytes, fitting: 100, inAtMost: 2000)
            #expect(picture.width == 40)
            return
        }
        #expect(throws: PictureError.library("\(word), and too large for that")) {
            try PictureReader.read(bytes, fitting: 100, inAtMost: 2000)
        }
    }

    @Test func the_form_follows_the_link() throws {
        let photograph = try PictureWriter.jpeg(
            of: PictureFiles.made(2400, 1800, grain: 4), quality: 95)
        let table: [(LinkQuality, side: Int, percent: Int)] = [
            (.poor, 1280, 30), (.moderate, 1280, 50), (.good, 1920, 70), (.excellent, 1920, 100),
        ]
        for (link, side, percent) in table {
            let prepared = try PreparedPicture.whole(of: photograph, over: link)
            #expect(prepared.width == side && prepared.height == side * 3 / 4)
            #expect(prepared.jpeg.count <= 500_000)
            #expect(prepared.qualityPercent <= percent)
            if link == .poor { #expect(prepared.qualityPercent == percent) }
            let size = try BaselineDecoder.size(of: prepared.jpeg)
            #expect(size == (prepared.width, prepared.height))
        }
    }

    /// Grain is what a JPEG cannot make small.
    @Test func a_picture_that_stays_too_long_gets_fewer_pixels() throws {
        let grain = try PictureWriter.jpeg(
            of: PictureFiles.made(1920, 1920, grain: 255), quality: 60)
        let prepared = try PreparedPicture.whole(of: grain, over: .excellent)
        #expect(prepared.jpeg.count <= 500_000)
        #expect(prepared.qualityPercent < 100)
        let thumbnail = try PreparedPicture.thumbnail(of: grain)
        #expect(thumbnail.width == 96 && thumbnail.jpeg.count <= 8_000)
    }

    @Test func an_upright_picture_keeps_every_pixel() {
        let picture = PictureFiles.made(7, 3)
        for orientation in [ExifOrientation.turnedRight, .turnedLeft, .transposed] {
            let turned = picture.upright(from: orientation)
            #expect((turned.width, turned.height) == (3, 7))
            let back: ExifOrientation =
                switch orientation {
                case .turnedRight: .turnedLeft
                case .turnedLeft: .turnedRight
                default: .transposed
                }
            #expect(turned.upright(from: back) == picture)
        }
    }
}
