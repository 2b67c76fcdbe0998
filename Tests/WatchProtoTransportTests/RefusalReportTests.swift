import Glibc
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// Reports that anybody can cause fill no log.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RefusalReportTests {
    @Test("refused newcomers are reported at intervals that double")
    func reports() async throws {
        let directory = TemporaryDirectory()
        let watch = try Side(.watch, at: ListenerTests.address(.stream, directory))
        try watch.session.activate()
        let begin = SystemClock.now
        for count in 1...100 {
            let vandal = try await ListenerTests.connect(.stream, directory)
            _ = vandal.write([0xFF, 0xFF, 0xFF, 0xFF, 0xFF].span)
            #expect(
                await eventually {
                    watch.session.counters.refusedConnections == UInt64(count)
                })
            vandal.close()
        }
        let reports = watch.recorder.transport.filter {
            if case .connectionRefused = $0 { true } else { false }
        }
        #expect(reports.first == .connectionRefused(count: 1))
        // At once, and then at intervals that double from a second on.
        let seconds = begin.duration(to: SystemClock.now) / .seconds(1)
        #expect(Double(reports.count) <= 2 + log2(1 + seconds), "\(reports)")
        watch.session.close()
    }

    @Test("intervals double up to an hour, and begin anew after a pause")
    func intervals() {
        var report = DoublingReport()
        var now = Instant.zero
        var times: [Int] = []
        var counted = 0
        for tenth in 0..<1000 {
            now = Instant.zero.advanced(by: .milliseconds(100 * tenth))
            if let count = report.add(at: now) {
                times.append(tenth / 10)
                counted += count
            }
        }
        #expect(times == [0, 1, 3, 7, 15, 31, 63])
        #expect(counted == 631)
        let late = [1000, 1001].map { report.add(at: now.advanced(by: .seconds($0))) }
        #expect(late == [370, 1])
    }
}
