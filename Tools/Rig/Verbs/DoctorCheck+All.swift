import CPosix
import CommandLine
import Glibc
import Reports

/// All checks, in the order of the report.
extension DoctorCheck {
    static var all: [DoctorCheck] { needed + places + [terminal] + optional }

    private static var needed: [DoctorCheck] {
        let own = DemoOptions.ownDirectory
        func package(_ name: String, _ header: String) -> DoctorCheck {
            DoctorCheck(
                name: name, found: Files.exists(header) ? header : nil,
                fix: "apt-get install \(name)")
        }
        func simulator(_ name: String) -> DoctorCheck {
            let path = "\(own)/\(name)"
            return DoctorCheck(
                name: name, found: Files.isExecutable(path) ? path : nil,
                fix: "build the whole package: ./run, or swift build")
        }
        return [
            DoctorCheck(
                name: "swift", found: inPath(["swift"]),
                fix: "install Swift 6.2 or later from https://www.swift.org/install"),
            package("libargon2-dev", "/usr/include/argon2.h"),
            package("libjpeg62-turbo-dev", "/usr/include/jpeglib.h"),
            package("libpng-dev", "/usr/include/png.h"),
            package("libzstd-dev", "/usr/include/zstd.h"),
            package("libsodium-dev", "/usr/include/sodium.h"),
            package("libsqlite3-dev", "/usr/include/sqlite3.h"),
            simulator("PhoneSim"), simulator("WatchSim"),
            DoctorCheck(
                name: "medication list", found: DemoOptions.builtInList(near: own),
                fix: "keep rig inside the package, or use rig demo --import"),
        ]
    }

    private static var places: [DoctorCheck] {
        let temporary = Files.temporaryBase
        // A socket's path has 107 bytes (unix(7)); the demo's own part takes 27 of them.
        let bytes = temporary.utf8.count + 27
        return [
            DoctorCheck(
                name: "temporary files", found: Files.isWritable(temporary) ? temporary : nil,
                fix: "set TMPDIR to a writable directory"),
            DoctorCheck(
                name: "socket paths", found: bytes <= 107 ? "\(bytes) of 107 bytes" : nil,
                fix: "set TMPDIR to a directory whose path has at most 80 bytes, not "
                    + "\(temporary.utf8.count)"),
            DoctorCheck(
                name: "output", found: Files.isWritable(".") ? "this directory is writable" : nil,
                fix: "go to a writable directory, or give one with --out"),
        ]
    }

    private static var terminal: DoctorCheck {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard unsafe watchproto_terminal_size(1, &columns, &rows) == 0 else {
            return DoctorCheck(
                name: "terminal", found: "none on stdout: no colour, progress in lines", fix: "")
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(Files.environment)
            .first { !$0.isEmpty }
        let isUnicode = ["utf-8", "utf8"].contains {
            locale?.lowercased().hasSuffix($0) == true
        }
        let style = TerminalStyle(.auto, isTerminal: true, environment: Files.environment)
        let size = "\(columns)x\(rows)"
        guard columns >= 80, rows >= 24, isUnicode else {
            return DoctorCheck(
                name: "terminal", found: nil,
                fix: isUnicode
                    ? "make it 80x24 at least, it is \(size)"
                    : "set LANG to a locale of UTF-8, such as C.UTF-8",
                neededBy: "tables that fit and characters that show")
        }
        return DoctorCheck(
            name: "terminal",
            found: "\(size), UTF-8, \(style == .plain ? "no colour" : "colour")", fix: "")
    }

    private static var optional: [DoctorCheck] {
        let count = Files.processorCount
        let clockFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        let clock = (try? Files.read(clockFile)).map { bytes in
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
        // These are registers of a device, a microsecond away.
        let isSlow = clock.map { ["hpet", "acpi_pm", "jiffies"].contains($0) } ?? false
        let device = "/dev/net/tun"
        let mayTunnel = geteuid() == 0 && Files.exists(device)
        let above = DemoOptions.builtInList(near: DemoOptions.ownDirectory).map {
            "\($0.dropLast(DemoOptions.builtInName.count)).build/python/bin/pytest"
        }
        let pytest = above.flatMap { Files.isExecutable($0) ? $0 : nil } ?? inPath(["pytest"])
        return [
            DoctorCheck(
                name: "processors", found: count > 1 ? "\(count)" : nil,
                fix: "use a machine with two; on one, phone and watch take turns",
                neededBy: "latencies that count"),
            DoctorCheck(
                name: "clock source", found: isSlow ? nil : clock ?? "not told here",
                fix: "let the system use tsc; \(clock ?? "") takes a microsecond to read",
                neededBy: "latencies of a few microseconds"),
            DoctorCheck(
                name: "network device", found: mayTunnel ? "\(device), as root" : nil,
                fix: geteuid() == 0 ? "modprobe tun" : "run it as root",
                neededBy: "TCP in rig lab real"
            ),
            DoctorCheck(
                name: "python3", found: inPath(["python3"]), fix: "apt-get install python3",
                neededBy: "Examples/python"),
            DoctorCheck(
                name: "pytest", found: pytest, fix: "./test puts it into .build/python",
                neededBy: "Examples/python/tests"),
            DoctorCheck(
                name: "tshark", found: inPath(["tshark"]), fix: "apt-get install tshark",
                neededBy: "looking into captures"),
            DoctorCheck(
                name: "chromium",
                found: inPath([
                    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
                ]),
                fix: "apt-get install chromium-headless-shell",
                neededBy: "tests of the HTML report"),
        ]
    }

    private static func inPath(_ names: [String]) -> String? {
        let directories = (Files.environment("PATH") ?? "").split(separator: ":")
        return names.lazy.flatMap { name in directories.map { "\($0)/\(name)" } }
            .first(where: Files.isExecutable)
    }
}
