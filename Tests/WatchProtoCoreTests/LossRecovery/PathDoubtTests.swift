import Testing

@testable import WatchProtoCore

/// Sessions in which the counterpart is heard and that are not confirmed.
@Suite struct PathDoubtTests {
    private static func run(_ doubt: inout PathDoubt, wasHeard: Bool, isConfirmed: Bool = false) {
        doubt.beginSession()
        if isConfirmed { doubt.confirm() }
        doubt.endSession(wasHeard: wasHeard)
    }

    @Test("Three sessions that were not confirmed are enough, and one that is ends the doubt")
    func threeSessionsAreEnough() {
        var doubt = PathDoubt()
        for _ in 0..<2 { Self.run(&doubt, wasHeard: true) }
        #expect(!doubt.isDoubted)
        Self.run(&doubt, wasHeard: true)
        #expect(doubt.isDoubted)
        for _ in 0..<20 { Self.run(&doubt, wasHeard: true) }
        Self.run(&doubt, wasHeard: true, isConfirmed: true)
        #expect(!doubt.isDoubted)
        Self.run(&doubt, wasHeard: true)
        #expect(!doubt.isDoubted, "one more is not three in a row")
    }

    @Test("Nobody was there: records may leave at once where somebody comes")
    func nobodyWasThere() {
        var doubt = PathDoubt()
        for _ in 0..<20 { Self.run(&doubt, wasHeard: false) }
        #expect(!doubt.isDoubted)
    }
}
