import Testing
import WatchProtoCore

@testable import WatchProto

/// A fast link makes bytes durable hundreds of times a second.
@Suite struct ProgressReportsTests {
    private static func report(_ number: Int, _ done: UInt64, _ problem: String? = nil)
        -> FileReport
    {
        FileReport(
            id: KeepingLink.record(number, .bulk), done: done, total: 9, problem: problem)
    }

    private static func moment(_ milliseconds: Int) -> Instant {
        Instant.zero.advanced(by: .milliseconds(milliseconds))
    }

    @Test func `the newest report of a pause is told at its end`() {
        var reports = ProgressReports()
        let isFirstTold = reports.take(Self.report(1, 1), at: Self.moment(0))
        #expect(isFirstTold)
        #expect(reports.nextDeadline == nil)
        for done in 2...4 as ClosedRange<UInt64> {
            let isTold = reports.take(Self.report(1, done), at: Self.moment(50))
            #expect(!isTold)
        }
        #expect(reports.nextDeadline == Self.moment(100))
        let due = reports.takeDue(at: Self.moment(99))
        #expect(due.isEmpty)
        let later = reports.takeDue(at: Self.moment(103))
        #expect(later.map(\.done) == [4])
        // Its end begins a further pause.
        #expect(reports.nextDeadline == nil)
        let isToldLater = reports.take(Self.report(1, 5), at: Self.moment(202))
        #expect(!isToldLater)
        let last = reports.takeDue(at: Self.moment(203))
        #expect(last.map(\.done) == [5])
        let isNextTold = reports.take(Self.report(1, 9), at: Self.moment(303))
        #expect(isNextTold)
    }

    @Test func `each file has its own pause`() {
        var reports = ProgressReports()
        for number in 1...2 {
            let isFirstTold = reports.take(Self.report(number, 1), at: Self.moment(number))
            #expect(isFirstTold)
        }
        for number in 1...2 {
            let isTold = reports.take(Self.report(number, 2), at: Self.moment(50))
            #expect(!isTold)
        }
        let due = reports.takeDue(at: Self.moment(101))
        #expect(due.map(\.id.number.rawValue) == [1])
        #expect(reports.nextDeadline == Self.moment(102))
    }

    @Test func `a problem is told at once, and its end at the end of the pause`() {
        var reports = ProgressReports()
        let isFirstTold = reports.take(Self.report(1, 1), at: Self.moment(0))
        #expect(isFirstTold)
        let isTold = reports.take(Self.report(1, 2), at: Self.moment(1))
        #expect(!isTold)
        let isNextTold = reports.take(Self.report(1, 2, "full"), at: Self.moment(2))
        #expect(isNextTold)
        #expect(reports.nextDeadline == nil)
        let isToldLater = reports.take(Self.report(1, 3), at: Self.moment(3))
        #expect(!isToldLater)
        let due = reports.takeDue(at: Self.moment(100))
        #expect(due.map(\.done) == [3])
    }
}
