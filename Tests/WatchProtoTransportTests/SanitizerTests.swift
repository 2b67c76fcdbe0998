import Foundation
import Locks
import Testing

@testable import WatchProtoTransport

private let planted = ProcessInfo.processInfo.environment["WATCHPROTO_PLANT"]

/// Faults that a sanitizer has to find. `scripts/sanitize` plants one before it runs the tests.
@Suite(.enabled(if: planted != nil)) struct SanitizerTests {
    /// A number that two threads may change.
    private final class Number: @unchecked Sendable {
        nonisolated(unsafe) var plain = 0
        let locked = Mutex(0)
    }

    @Test(.enabled(if: planted == "thread"))
    func two_threads_change_a_number_that_no_lock_orders() throws {
        let number = Number()
        let threads = try (0..<2).map { _ in
            try SystemThread {
                for _ in 0..<1000 {
                    unsafe number.plain += 1
                    number.locked.withLock { $0 += 1 }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(number.locked.withLock { $0 } == 2000)
    }

    /// Reads a byte behind the end of an allocation of eight.
    @inline(never) private static func read(_ place: Int) -> UInt8 {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
        defer { unsafe bytes.deallocate() }
        unsafe bytes.initialize(repeating: 1, count: 8)
        return unsafe bytes[place]
    }

    @Test(.enabled(if: planted == "address")) func a_byte_behind_the_end_is_read() {
        let byte = Self.read(8 + Int.random(in: 0...0))
        print("read \(byte)")
    }
}
