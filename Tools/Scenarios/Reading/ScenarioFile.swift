package import CommandLine
package import ControlProtocol

/// A scenario as a file of JSON.
///
///     {
///       "format": "watchproto.scenario/1",
///       "name": "elevator",
///       "title": "A ride in an elevator",
///       "why": "A link that is gone for a second must not be noticed.",
///       "link": "ble",
///       "steps": [
///         {"at": "1s", "link": "down"},
///         {"at": "1500ms", "take": 1},
///         {"at": "2s", "link": "up"}
///       ],
///       "expect": [{"taps": "once"}, {"taps_within": "1s", "counted_from": "clear"}]
///     }
package enum ScenarioFile {
    /// The value that `format` must have.
    package static let format = "watchproto.scenario/1"

    /// A file that holds no scenario, with all its faults. Its author is at fault.
    package struct Refusal: Error, Hashable, Sendable {
        /// One fault: where it stands, how many bytes it takes, and what it is.
        package struct Fault: Hashable, Sendable {
            /// Where the faulty part begins.
            package var position: JSONPosition
            /// How many bytes it takes.
            package var byteCount: Int
            /// Where it is in the file's structure, what was seen, and what must stand there.
            package var message: String
        }

        /// The faults in the order of their places; never empty.
        package var faults: [Fault]

        /// A line for each fault of `file`, the faulty line of `source` under it, and their number.
        package func description(file: String, source: [UInt8]) -> String {
            let lines = faults.flatMap { fault in
                ["\(file):\(fault.position): error: \(fault.message)"]
                    + SourceExcerpt.lines(
                        of: source, at: fault.position, byteCount: fault.byteCount)
            }
            let count = "\(faults.count) \(faults.count == 1 ? "error" : "errors")"
            return (lines + ["\(count) in 1 file; nothing was run."]).joined(separator: "\n")
        }
    }

    /// Reads the file of the name `file`.
    ///
    /// - Throws: exit code 66 where it cannot be read, 65 for what is wrong in it.
    package static func read(file: String) throws(RigFailure) -> ScenarioPlan {
        let hint = "Try: 'rig run' lists the scenarios that need no file."
        if let kind = Files.kindUnlessRegular(file) {
            throw RigFailure(
                .missingInput, "Cannot read the scenario '\(file)': it is \(kind), not a file.",
                details: [hint])
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(file, limit: 1 << 20).withoutByteOrderMark
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read the scenario '\(file)': \(error.reason).",
                details: [
                    error.advice(
                        isWriting: false,
                        otherwise: "take one that needs no file: 'rig run' lists them.")
                ])
        }
        do throws(Refusal) {
            return try read(bytes)
        } catch {
            throw RigFailure(.badInput, text: error.description(file: file, source: bytes))
        }
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: all that is wrong with them.
    package static func read(_ bytes: [UInt8]) throws(Refusal) -> ScenarioPlan {
        let findings = JSONParser.examine(bytes, limits: JSONLimits(depth: 16, bytes: 1 << 20))
        var reader = ScenarioReader(source: bytes)
        reader.faults = findings.errors.map { error in
            Refusal.Fault(
                position: error.position, byteCount: error.byteCount,
                message: "expected \(error.expected), found \(error.found)")
        }
        // Unreadable lines leave gaps; faults of those would be consequences.
        if let node = findings.nodes.first, reader.faults.isEmpty { reader.read(node) }
        guard reader.faults.isEmpty else {
            throw Refusal(faults: reader.faults.sorted { $0.position < $1.position })
        }
        return reader.plan
    }
}
