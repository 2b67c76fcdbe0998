import ControlProtocol
import Testing

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("link.sett", "link.set", 1), ("form", "from", 1),
        ("kitten", "sitting", 3), ("strenght", "strength", 1),
    ])
    func `Distances count edits and swaps`(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(left, right) == distance)
        #expect(EditDistance.between(right, left) == distance)
    }

    @Test func `The nearest word is offered only when near`() {
        let words = ["link.set", "link.up", "send", "wait"]
        #expect(EditDistance.nearest(to: "link.sett", in: words) == "link.set")
        #expect(EditDistance.nearest(to: "SEND", in: words) == "send")
        #expect(EditDistance.nearest(to: "import", in: words) == nil)
        #expect(EditDistance.nearest(to: String(repeating: "x", count: 999), in: words) == nil)
    }
}
