import Glibc

/// The memory, time and wake-ups of a process, as `/proc/PID` has it (proc(5)).
package struct ProcessFigures: Hashable, Sendable {
    /// The program's name.
    package var name: String
    /// Its number.
    package var pid: Int32
    /// Its resident set, in bytes.
    package var residentBytes: UInt64
    /// The largest that its resident set was, in bytes.
    package var peakBytes: UInt64
    /// The processor time of all its threads, in seconds.
    package var processorSeconds: Double
    /// The processor time of the threads that it has now, in nanoseconds: the first field of their
    /// `schedstat` (proc(5)); 0 if the kernel does not say.
    package var threadNanoseconds: UInt64
    /// How often a thread of it gave its processor away to wait, and was woken: the voluntary
    /// context switches of the threads that it has now.
    package var wakeUps: UInt64

    /// The figures of the process `pid`; nil where there is none.
    package init?(pid: Int32) {
        guard let status = Self.text("/proc/\(pid)/status"),
            let stat = Self.text("/proc/\(pid)/stat")
        else { return nil }
        self.pid = pid
        name = Self.member("Name:", of: status).map { String($0) } ?? "unknown"
        residentBytes = Self.number("VmRSS:", of: status) * 1024
        peakBytes = Self.number("VmHWM:", of: status) * 1024
        // The name may hold blanks and brackets: the fields count from the last bracket on.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let ticks = [12, 13].map { $0 < fields.count ? Double(fields[$0]) ?? 0 : 0 }
        processorSeconds = ticks.reduce(0, +) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let threads = Files.names(in: "/proc/\(pid)/task")
        threadNanoseconds = threads.reduce(0) { sum, thread in
            let times = Self.text("/proc/\(pid)/task/\(thread)/schedstat") ?? ""
            return sum + (UInt64(times.prefix(while: \.isNumber)) ?? 0)
        }
        wakeUps = threads.reduce(0) { sum, thread in
            let status = Self.text("/proc/\(pid)/task/\(thread)/status") ?? ""
            return sum + Self.number("voluntary_ctxt_switches:", of: status)
        }
    }

    /// The figures of all children of this process that run.
    package static var ofChildren: [ProcessFigures] {
        ChildRegistry.pids.compactMap { ProcessFigures(pid: $0) }
    }

    private static func text(_ path: String) -> String? {
        (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func member(_ name: String, of status: String) -> Substring? {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
    }

    private static func number(_ name: String, of status: String) -> UInt64 {
        member(name, of: status).flatMap { UInt64($0.prefix(while: \.isNumber)) } ?? 0
    }
}
