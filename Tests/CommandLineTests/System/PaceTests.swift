import CommandLine
import Testing

@Suite struct PaceTests {
    @Test func a_turn_comes_once_in_each_interval() {
        let pace = Pace(.seconds(10), from: 1_000_000_000)
        let turns = (1...35 as ClosedRange<UInt64>).filter { pace.isDue(at: $0 * 1_000_000_000) }
        #expect(turns == [11, 21, 31])
    }
}
