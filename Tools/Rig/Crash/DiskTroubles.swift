import CommandLine
import ControlProtocol
import WatchProtoCore

/// A trouble of a simulator's disk.
enum DiskTrouble {
    /// A call fails, planted by the simulator's own `--disk-fault`.
    case planted(String, isFull: Bool)
    /// Its files may not grow longer than they are, but for some bytes.
    case limited(UInt64)
    /// Its file system is full, but for some bytes; it may be so from the start.
    case filled(UInt64, fromStart: Bool)

    /// Whether the want of room is the trouble, and must be named.
    var isFull: Bool {
        switch self {
        case .planted(_, let isFull): isFull
        case .limited, .filled: true
        }
    }
}

/// The troubles of a run and what became of them.
struct DiskTroubles {
    private(set) var disks: [MemoryDisk] = []
    /// Why there are no full file systems; nil when there are.
    private var whyNot: String?
    var planted = 0
    var limited = 0
    var filled = 0
    /// How it went: it stopped the journal; it refused the start; it was met and borne, being in
    /// tidying, which was put off; it was never met.
    var stopped = 0
    var refusedStarts = 0
    var borne = 0
    var unmet = 0
    /// The most processor time that a simulator used while it was watched with its journal stopped.
    var mostWork = Duration.zero
    /// Commands refused for the disk.
    var refused = 0
    /// The findings about simulators that did not bear their trouble as they must.
    var findings: [String] = []

    /// Large enough for the longest run.
    private static let bytes = 48 << 20

    /// Mounts a small disk for each side, where this process may.
    mutating func mount(below directory: String) {
        do throws(SystemError) {
            try MemoryDisk.prepare()
            for name in ["PhoneSim", "WatchSim"] {
                disks.append(try MemoryDisk(at: "\(directory)/\(name)", bytes: Self.bytes))
            }
        } catch {
            disks = []
            whyNot = "\(error)"
        }
    }

    /// Takes the disks away; their files are put in their place if they are to be kept.
    mutating func unmount(keepingFiles: Bool) {
        var files: [(path: String, bytes: [UInt8])] = []
        for disk in disks where keepingFiles {
            disk.free()
            for ending in ["", "-wal"] {
                let path = "\(disk.directory)/journal\(ending)"
                if let bytes = try? Files.read(path) { files.append((path, bytes)) }
            }
        }
        disks = []
        for file in files { try? Files.write(file.bytes, to: file.path) }
    }

    /// The disk of a side.
    func disk(_ isPhone: Bool) -> MemoryDisk? { disks.isEmpty ? nil : disks[isPhone ? 0 : 1] }

    /// The actions of the disks, in one line.
    var summary: String {
        let full =
            whyNot.map { "full file systems skipped: \($0)" } ?? "\(filled) full file systems"
        let work = Decimals.fixed(Double(mostWork.nanosecondsClamped) / 1e6, decimals: 1)
        return [
            "\(planted) planted calls, \(limited) limits of the files' length, \(full)",
            "\(stopped) stopped the journal, \(refusedStarts) refused the start, \(borne) were "
                + "borne, \(unmet) not met; \(refused) commands refused",
            "processor time of a simulator whose journal has stopped: at most \(work) of 60 ms",
        ].joined(separator: "\n")
    }

    /// Draws the next trouble.
    mutating func draw(_ random: inout SeededGenerator) -> DiskTrouble {
        let choice = random.uniform(in: 0...9)
        if choice < 6 {
            planted += 1
            return plantedFault(&random)
        }
        let room = random.uniform(in: 0...160) << 10
        if choice < 8 || disks.isEmpty {
            limited += 1
            return .limited(room)
        }
        filled += 1
        return .filled(room, fromStart: random.uniform(in: 0...3) == 0)
    }

    private func plantedFault(_ random: inout SeededGenerator) -> DiskTrouble {
        let isFull = random.uniform(in: 0...1) == 0
        let calls = ["any", "any", "any", "write", "sync", "truncate", "read"]
        // A journal that is full can still be read.
        let call = calls[Int(random.uniform(in: 0...(isFull ? 4 : 6)))]
        // At times in opening, mostly under load.
        let last: UInt64 = random.uniform(in: 0...3) == 0 ? 12 : 250
        let ending = random.uniform(in: 0...1) == 0 ? "" : ":forever"
        let number = random.uniform(in: 1...last)
        return .planted(
            "\(isFull ? "full" : "io"):\(call):\(number)\(ending)", isFull: isFull)
    }
}
