import CPosix
import CommandLine
import Glibc

/// How much memory a piece of work adds to this process: its resident set, sampled, beside what it
/// was when the work began.
struct OwnMemory {
    private let base: UInt64
    private let isReset: Bool
    private var samples: [UInt64] = []

    /// Gives freed memory back to the system, so that the work cannot hide in it, and begins.
    ///
    /// The kernel's peak of the process starts anew by a 5 in `/proc/self/clear_refs` (proc(5)).
    init() {
        watchproto_return_freed_memory()
        base = Self.resident ?? 0
        isReset = Self.resetPeak()
    }

    /// Notes the resident set of this moment.
    mutating func sample() {
        if let resident = Self.resident { samples.append(resident - min(base, resident)) }
    }

    /// How many samples there are.
    var count: Int { samples.count }

    /// The mean of the samples, in bytes; nil without one.
    var mean: Double? {
        samples.isEmpty ? nil : Double(samples.reduce(0, +)) / Double(samples.count)
    }

    /// The most, in bytes: as the kernel has it, or of the samples if it kept no peak of its own.
    var peak: UInt64? {
        let ofSamples = samples.max()
        guard isReset, let most = Self.status("VmHWM:") else { return ofSamples }
        return max(most - min(base, most), ofSamples ?? 0)
    }

    private static var resident: UInt64? { status("VmRSS:") }

    private static func status(_ name: String) -> UInt64? {
        guard let bytes = try? Files.read("/proc/self/status") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix(name) }
        return line.flatMap { UInt64($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }

    private static func resetPeak() -> Bool {
        let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe Glibc.write(descriptor, "5", 1) == 1
    }
}
