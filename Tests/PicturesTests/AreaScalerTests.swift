import Pictures
import Testing

@Suite struct AreaScalerTests {
    /// The mean over the area of a pixel, computed in floating point.
    private func mean(_ picture: Bitmap, _ x: Int, _ y: Int, _ color: Int, of small: Bitmap)
        -> Double
    {
        func overlap(_ index: Int, _ target: Int, _ from: Int, _ to: Int) -> Double {
            let begin = Double(target) * Double(from) / Double(to)
            let end = Double(target + 1) * Double(from) / Double(to)
            return max(0, min(end, Double(index + 1)) - max(begin, Double(index)))
        }
        var (sum, weight) = (0.0, 0.0)
        for row in 0..<picture.height {
            let down = overlap(row, y, picture.height, small.height)
            guard down > 0 else { continue }
            for column in 0..<picture.width {
                let part = down * overlap(column, x, picture.width, small.width)
                sum += part * Double(picture.rgb[3 * (row * picture.width + column) + color])
                weight += part
            }
        }
        return sum / weight
    }

    @Test(arguments: [(40, 30, 40), (41, 29, 13), (7, 50, 20), (33, 33, 1), (64, 48, 63)])
    func a_pixel_is_the_mean_of_its_area(width: Int, height: Int, side: Int) {
        let picture = PictureFiles.made(width, height, grain: 90)
        let small = picture.smaller(side: side)
        #expect(max(small.width, small.height) == min(side, max(width, height)))
        for y in 0..<small.height {
            for x in 0..<small.width {
                for color in 0..<3 {
                    let expected = mean(picture, x, y, color, of: small)
                    let found = Double(small.rgb[3 * (y * small.width + x) + color])
                    #expect(abs(found - expected) <= 0.51)
                }
            }
        }
    }

    @Test func a_shape_keeps_a_pixel_of_each_side() {
        #expect(Bitmap.size(of: 1000, 3, fitting: 10) == (10, 1))
        #expect(Bitmap.size(of: 3, 1000, fitting: 10) == (1, 10))
        #expect(Bitmap.size(of: 5, 4, fitting: 10) == (5, 4))
        #expect(Bitmap.size(of: 4000, 3000, fitting: 1920) == (1920, 1440))
    }
}
