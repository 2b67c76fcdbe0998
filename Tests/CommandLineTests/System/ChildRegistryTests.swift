import Foundation
import Glibc
import Locks
import Testing

@testable import CommandLine

@Suite struct ChildRegistryTests {
    /// Beyond the largest pid of the system: no process has it.
    private static let pid: pid_t = 1 << 23

    /// A second Ctrl-C ends all children. It must not miss one that has just started.
    @Test func nobody_looks_between_the_start_of_a_child_and_its_entry() throws {
        let seen = Mutex<[pid_t]>([])
        let looker = Thread { seen.withLock { $0 = ChildRegistry.pids } }
        let started = try ChildRegistry.add {
            looker.start()
            usleep(100_000)
            return Self.pid
        }
        while !looker.isFinished { usleep(1000) }
        #expect(started == Self.pid && seen.withLock { $0 }.contains(Self.pid))
        #expect(ChildRegistry.reap(Self.pid) == 0 && !ChildRegistry.pids.contains(Self.pid))
    }
}
