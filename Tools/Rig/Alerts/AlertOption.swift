import CommandLine
import Reports

/// `--alerts` of the verbs that send a load.
enum AlertOption {
    static let file = CommandOption<String>(
        "alerts", value: "file",
        help:
            "Add a row for each alert of this file of JSON, and end with exit code 2 where one is "
            + "raised: a p95 of a load, launch, crash-free, wake-ups. Each has a default; "
            + "share/alerts.json has them all.")

    /// The alerts that were asked for; nil for none.
    ///
    /// - Parameter series: the names of the measured latencies.
    /// - Throws: exit codes 65 and 66 for the file.
    static func alerts(
        _ invocation: Invocation, measuring series: [String]
    ) throws(RigFailure) -> Alerts? {
        guard let file = invocation[file] else { return nil }
        return try Alerts.read(file: file, measuring: series)
    }
}
