import Testing
import WatchProtoRecords

@testable import Reports

/// The picture of a medication on a drawn face.
@Suite struct FacePictureDrawingTests {
    @Test func `a picture takes the place of the colour in three lines`() {
        var drug = FaceState.drug
        drug.picture = [255, 216, 255]
        let swatch = FacePalette(.dark).swatch(drug.color).hex
        for family in FaceFamily.allCases {
            for mode in FaceMode.allCases {
                let scene = FaceDrawingTests.scene(.due, drug: drug).seen(in: mode)
                let content = FaceContent(family, scene)
                let svg = FaceSVG.draw(content, FacePalette(mode))
                let hasPicture = family == .rectangular && mode != .tinted
                #expect(svg.contains("href=\"data:image/jpeg;base64,/9j/\"") == hasPicture)
                #expect(svg.contains("opacity=\"0.5\"") == (hasPicture && mode == .alwaysOn))
                if hasPicture {
                    #expect(!svg.contains(swatch) && svg.contains("500 mg"))
                    #expect(content.lines(FaceDrawing(family, hasPicture: true).fits).count == 3)
                }
            }
        }
        // A face that names no medication has none.
        for state in [FaceState.locked, .nothing, .taken] {
            var scene = FaceDrawingTests.scene(state, drug: drug)
            scene.isPrivate = state == .locked
            #expect(FaceContent(.rectangular, scene).picture == nil)
        }
        let page = FacePage.html(
            [FacePage.Row("due", FaceDrawingTests.scene(.due, drug: drug))], [.rectangular],
            [FacePalette(.light)])
        #expect(page.contains("img-src data:;") && page.contains("<image "))
    }
}
