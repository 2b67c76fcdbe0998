import CommandLine
package import ControlProtocol
internal import Glibc

/// The facts beside the program on which a figure depends: processor, kernel, compiler, and the
/// sources that were built. No name of a machine and no path is among them.
package enum HostFacts {
    /// The members that every result has in `host`.
    ///
    /// - Parameters:
    ///   - build: how the programs that are measured were built: `release` or `debug`.
    ///   - executable: one of them, by which the sources are found.
    package static func members(build: String, executable: String?) -> JSONObject {
        var object = JSONObject()
        object["cpus"] = .whole(Files.processorCount)
        object["cpu_model"] = processorModel.map { .string($0) } ?? .null
        object["architecture"] = .string(system.architecture)
        object["kernel"] = .string(system.kernel)
        object["swift"] = .string(compiler)
        object["build"] = .string(build)
        object["commit"] = executable.flatMap(commit).map { .string($0) } ?? .null
        return object
    }

    /// The compiler's version, as far as a program can ask for its own.
    #if compiler(>=6.4)
        static let compiler = "6.4 or later"
    #elseif compiler(>=6.3)
        static let compiler = "6.3"
    #else
        static let compiler = "6.2"
    #endif

    /// As `/proc/cpuinfo` calls the first processor (proc(5)); nil where it does not.
    static var processorModel: String? {
        guard let bytes = try? Files.read("/proc/cpuinfo") else { return nil }
        return processorModel(in: String(decoding: bytes, as: UTF8.self))
    }

    static func processorModel(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let sides = line.split(separator: ":", maxSplits: 1)
            let name = sides[0].split(separator: "\t").first
            guard sides.count == 2, name == "model name" || name == "Model" else { continue }
            return Excerpt.of(sides[1].drop { $0 == " " }, limit: 100)
        }
        return nil
    }

    /// uname(2): `x86_64`, and `Linux 6.1.0`.
    private static var system: (architecture: String, kernel: String) {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return ("unknown", "unknown") }
        func text<Field>(_ field: Field) -> String {
            unsafe withUnsafeBytes(of: field) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
        return (text(name.machine), "\(text(name.sysname)) \(text(name.release))")
    }

    /// The commit of the sources that `executable` was built of: its 40 digits, and `+changes`
    /// where they differ from it, or have changed since the build. Nil where it does not stand in a
    /// checkout of its package, and without git.
    package static func commit(of executable: String) -> String? {
        guard let built = buildNanoseconds(executable), let root = root(above: executable)
        else { return nil }
        let parts = ["Package.swift", "Sources"]
        let status = ProgramOutput.of(
            "/usr/bin/env",
            [
                "git", "--no-optional-locks", "-C", root, "status", "--porcelain=v2", "--branch",
                "--",
            ]
                + parts + [":(exclude,glob)Sources/**/*.docc/**"])
        let isStale = parts.contains { isNewer("\(root)/\($0)", than: built) }
        return status.flatMap { commit(inStatus: $0, isStale: isStale) }
    }

    /// Reads what `git status --porcelain=v2 --branch` says.
    static func commit(inStatus text: String, isStale: Bool) -> String? {
        let lines = text.split(separator: "\n")
        let mark = "# branch.oid "
        guard let head = lines.first(where: { $0.hasPrefix(mark) })?.dropFirst(mark.count),
            head.count == 40, head.allSatisfy(\.isHexDigit)
        else { return nil }
        let hasChanges = isStale || lines.contains { !$0.hasPrefix("#") }
        return head + (hasChanges ? "+changes" : "")
    }

    /// When the programs of a build were last linked: one that a change does not touch keeps its
    /// time, the others beside it do not.
    private static func buildNanoseconds(_ executable: String) -> Int64? {
        guard let own = Files.changeNanoseconds(executable) else { return nil }
        let directory = executable.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        let others = ["rig", "PhoneSim", "WatchSim"].compactMap {
            Files.changeNanoseconds("\(directory)/\($0)")
        }
        return (others + [own]).max()
    }

    /// The package in which a program stands, behind all links to it.
    private static func root(above executable: String) -> String? {
        guard let real = unsafe realpath(executable, nil) else { return nil }
        defer { unsafe free(real) }
        var parts = unsafe String(cString: real).split(
            separator: "/", omittingEmptySubsequences: false)
        while !parts.isEmpty {
            parts.removeLast()
            let root = parts.joined(separator: "/")
            if Files.exists("\(root)/Package.swift"), Files.isDirectory("\(root)/Sources") {
                return root
            }
        }
        return nil
    }

    private static func isNewer(_ path: String, than moment: Int64) -> Bool {
        // Articles are in no program.
        guard !path.hasSuffix(".docc") else { return false }
        if Files.isDirectory(path) {
            return Files.names(in: path).contains { isNewer("\(path)/\($0)", than: moment) }
        }
        return (Files.changeNanoseconds(path) ?? 0) > moment
    }
}
