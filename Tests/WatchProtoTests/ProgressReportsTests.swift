import Locks
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

    @Test func `of a fast file its first and its last bytes are told`() throws {
        let folder = try Folder()
        let device = try FileDevice(.watch, directory: folder.file("in"))
        let content = [UInt8](repeating: 3, count: 1_000_000)
        device.offer(1, content)
        device.work.run()
        var looked = 0
        while looked < device.sent().count {
            let message = device.sent()[looked].message
            looked += 1
            guard case .wanted(let offset, let count, let blockBytes, _) = message else { continue }
            let (begin, end) = (Int(offset), Int(offset) + count)
            for start in stride(from: begin, to: end, by: blockBytes) {
                let block = content[start..<min(start + blockBytes, end)]
                device.say(.block(offset: UInt64(start), block), of: 1)
                device.work.run()
            }
        }
        func done() -> [UInt64] { device.surroundings.reports.withLock { $0.map(\.done) } }
        #expect(done().count == 1 && device.surroundings.paths.withLock { $0.count } == 1)
        #expect(device.exchange.nextDeadline == Self.moment(100))
        device.pass(.milliseconds(100))
        #expect(done().count == 2 && done().last == 1_000_000)
        #expect(device.exchange.nextDeadline == nil)
    }
}
