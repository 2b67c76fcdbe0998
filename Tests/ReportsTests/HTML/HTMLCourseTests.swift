import Testing

@testable import Reports

/// The picture of a scenario's course.
@Suite struct HTMLCourseTests {
    private func page(_ rows: [RunCourse.Row], seconds: Double = 8) -> String {
        HTMLCourse(
            course: RunCourse("<gym>", duration: .seconds(seconds), rows: rows)
        ).text
    }

    @Test func spans_and_moments_stand_where_their_time_is() {
        let text = page([
            RunCourse.Row("link", spans: [.init(.seconds(2)..<(.seconds(4)), .away, "down")]),
            RunCourse.Row("taps", moments: [.init(.seconds(8), "tap <1>")]),
        ])
        // 838 units for 8 s behind 150 for the names.
        #expect(text.contains("class=\"course away\" x=\"359.5\""), "\(text)")
        #expect(text.contains("width=\"209.5\""))
        #expect(text.contains("cx=\"988.0\""))
        #expect(text.contains("2.000 s to 4.000 s: down, away"))
        #expect(text.contains("aria-label=\"Course of &lt;gym&gt;\""))
        #expect(text.contains("8.000 s: tap &lt;1&gt;"))
        #expect(text.contains("<summary>1 moment</summary>"))
        #expect(!text.contains("<gym>") && !text.contains("<1>"))
    }

    @Test(arguments: [(0.004, "0.002 s"), (8.0, "8 s"), (9.9, "9 s"), (86_400, "80000 s")])
    func at_most_eleven_ticks_are_drawn(seconds: Double, label: String) {
        let text = page([RunCourse.Row("a", moments: [.init(.zero, "b")])], seconds: seconds)
        let ticks = text.components("class=\"middle\"")
        #expect((4...11).contains(ticks), "\(ticks)")
        #expect(text.contains(">\(label)</text>"), "\(text)")
    }

    @Test func a_long_course_is_cut_and_says_so() {
        let moments = (0..<5000).map { RunCourse.Moment(.milliseconds($0), "moment \($0)") }
        let spans = (0..<5000).map { place in
            RunCourse.Span(.milliseconds(place)..<(.milliseconds(place + 1)), .works)
        }
        let rows = (0..<10).map { RunCourse.Row("\($0)", spans: spans, moments: moments) }
        let text = page(rows)
        #expect(text.utf8.count < 1_000_000 / 8)
        #expect(text.contains("The first 50 marks of each row are drawn."))
        #expect(text.contains("49900 later rows are left out."))
        #expect(!page([]).contains("left out"))
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
