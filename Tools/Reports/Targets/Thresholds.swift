package import CommandLine
package import ControlProtocol

/// A run's own bounds, from a file of JSON: what to measure, the goal, and the hard limit.
///
///     {
///       "format": "watchproto.targets/1",
///       "targets": {
///         "sync p99": {"target": "500ms", "max": "1s"},
///         "delivery": {"target": "100%"}
///       }
///     }
package struct Thresholds: Hashable, Sendable {
    /// The value that `format` must have.
    package static let format = "watchproto.targets/1"

    /// One bound.
    package struct Row: Hashable, Sendable {
        /// The evaluated figure: the name of a series, or `delivery`.
        package var series: String
        /// How; goal and limit in the units of the target.
        package var target: Target

        /// Whether what arrived is evaluated, rather than how soon.
        package var isDelivery: Bool { series == Self.delivery }

        static let delivery = "delivery"
    }

    /// In the order of the file; never empty.
    package var rows: [Row]

    /// A file that holds no thresholds, with all its faults. Its author is at fault.
    package struct Refusal: Error, Hashable, Sendable {
        /// One fault: where it stands, how many bytes it takes, and what it is.
        package struct Fault: Hashable, Sendable {
            /// Where the faulty part begins.
            package var position: JSONPosition
            /// How many bytes it takes.
            package var byteCount: Int
            /// The observation, and what must stand there.
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
    /// - Parameters:
    ///   - file: its path.
    ///   - series: the names of what is measured, beside `delivery`.
    /// - Throws: exit code 66 where it cannot be read, 65 for what is wrong in it.
    package static func read(
        file: String, measuring series: [String]
    ) throws(RigFailure) -> Thresholds {
        let bytes = try bytes(
            of: file, noun: "targets", hint: "'rig bench --help' says what such a file holds.")
        do throws(Refusal) {
            return try Thresholds(bytes, measuring: series)
        } catch {
            throw RigFailure(.badInput, text: error.description(file: file, source: bytes))
        }
    }

    /// The bytes of `file`, which holds `noun`.
    static func bytes(
        of file: String, noun: String, hint: String
    ) throws(RigFailure) -> [UInt8] {
        if let kind = Files.kindUnlessRegular(file) {
            throw RigFailure(
                .missingInput, "Cannot read the \(noun) '\(file)': it is \(kind), not a file.",
                details: ["Try: \(hint)"])
        }
        do throws(SystemError) {
            return try Files.read(file, limit: 1 << 20).withoutByteOrderMark
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read the \(noun) '\(file)': \(error.reason).",
                details: [
                    error.advice(
                        isWriting: false,
                        otherwise: noun == "targets"
                            ? "see 'rig bench --help' for what such a file holds." : hint)
                ])
        }
    }

    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - series: the names of what is measured, beside `delivery`; nil where any may be.
    /// - Throws: all that is wrong with them.
    package init(_ bytes: [UInt8], measuring series: [String]? = nil) throws(Refusal) {
        var reader = ThresholdReader(measuring: series)
        try reader.read(bytes)
        rows = reader.rows
    }
}
