import CommandLine
import Foundation
import Testing

/// `./run` in a copy of its own, with a stand-in for the toolchain.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RunScriptTests {
    private let root: String

    init() throws {
        root = try Files.makeTemporaryDirectory("run-test")
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let files = FileManager.default
        for folder in ["scripts", "Sources", "Tools", "bin"] {
            try files.createDirectory(
                atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
        }
        for name in ["run", "scripts/prepare.bash"] {
            try files.copyItem(
                atPath: package.appending(path: name).path(), toPath: "\(root)/\(name)")
        }
        for name in ["Package.swift", "Sources/a.swift", "Tools/a.swift"] {
            try Files.write([], to: "\(root)/\(name)")
        }
        let swift = """
            #!/bin/bash
            [[ $1 == --version ]] && { echo 'Swift version 6.3'; exit; }
            echo built >>'\(root)/builds'
            mkdir -p '\(root)/.build/release'
            for product in rig PhoneSim WatchSim; do
                printf '#!/bin/sh\\necho ran "$@"\\n' >"\(root)/.build/release/$product"
                chmod +x "\(root)/.build/release/$product"
            done
            """
        try Files.write(Array(swift.utf8), to: "\(root)/bin/swift")
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(root)/bin/swift")
    }

    private func run(toolchain: Bool) throws -> (code: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["\(root)/run", "doctor"]
        process.environment = ["PATH": toolchain ? "\(root)/bin:/usr/bin:/bin" : "/usr/bin:/bin"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private var builds: Int {
        ((try? Files.read("\(root)/builds")) ?? []).count { $0 == UInt8(ascii: "\n") }
    }

    @Test(.enabled(if: !Files.exists("/usr/bin/swift"), "needs a PATH without a toolchain"))
    func what_is_up_to_date_runs_without_a_toolchain() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let missing = try run(toolchain: false)
        #expect(missing.code == 69, "\(missing.output)")
        #expect(missing.output.contains("there is no 'swift' in PATH"))
        let first = try run(toolchain: true)
        #expect(first.code == 0, "\(first.output)")
        #expect(first.output.hasSuffix("ran doctor\n"))
        #expect(builds == 1)
        for toolchain in [true, false] {
            let again = try run(toolchain: toolchain)
            #expect((again.code, again.output) == (0, "ran doctor\n"))
        }
        #expect(builds == 1)
        // A file more is another build, and that needs the toolchain.
        for (place, name) in ["Sources/b.swift", "Tools/b.swift"].enumerated() {
            try Files.write([], to: "\(root)/\(name)")
            #expect(try run(toolchain: false).code == 69)
            #expect(try run(toolchain: true).code == 0)
            #expect(builds == 2 + place)
        }
    }
}
