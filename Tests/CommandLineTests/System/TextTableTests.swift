import CommandLine
import Testing

/// Tables for people, on wide and on narrow terminals.
@Suite struct TextTableTests {
    private let table = TextTable(
        [["3g", "300 ms", "of medium quality"], ["offline", "-", ""]],
        heads: ["Profile", "Latency", "Note"], numbers: 1..<2)

    private func whole(_ columns: Int?) -> String { table.text(columns) }

    @Test(arguments: [nil, 35, 80]) func a_table_that_fits_stands_in_columns(columns: Int?) {
        #expect(
            whole(columns) == """
                Profile  Latency  Note
                3g        300 ms  of medium quality
                offline        -

                """)
    }

    @Test func one_column_less_makes_blocks_without_empty_cells() {
        #expect(
            whole(34) == """
                3g
                  Latency 300 ms;
                  Note of medium quality
                offline
                  Latency -

                """)
    }

    @Test func the_last_cell_continues_below_itself_where_there_is_room() {
        let table = TextTable([["a", "words that need more than one line"], ["bb", "few"]])
        #expect(
            table.text(26) == """
                a   words that need more
                    than one line
                bb  few

                """)
        #expect(
            table.text(23) == """
                a
                  words that need more
                  than one line
                bb
                  few

                """)
    }

    @Test(arguments: 10...40) func no_line_is_longer_than_the_terminal(columns: Int) {
        let lines = table.lines(columns)
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        // Nothing of the table is left out.
        for word in ["3g", "300", "medium", "quality", "offline"] {
            #expect(lines.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test func an_empty_table_has_no_lines() {
        #expect(TextTable([]).lines(80) == [])
    }

    @Test func an_indented_line_stays_indented() {
        #expect("  one two".wrapped(6, after: "") == ["  one", "  two"])
        #expect("a  b".wrapped(4, after: "") == ["a  b"])
    }
}
