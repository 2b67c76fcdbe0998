public import ControlKit
import WatchProto

/// Two simulators that are to become a pair.
extension Simulator {
    /// Whether it knows a device that it speaks with, or speaks unsealed with anybody.
    public var isPaired: Bool {
        ready?["sealed"]?.bool != true || ready?["paired"]?.bool == true
    }

    /// Pairs two simulators through their control channels, where they are not a pair yet: one
    /// shows a code, the other is told it, and both confirm.
    ///
    /// - Parameters:
    ///   - shower: shows the code.
    ///   - enterer: is told it.
    ///   - timeout: how long it may take in all.
    /// - Throws: exit code 69 when it fails, 75 when it takes too long.
    public static func pair(
        _ shower: Simulator, _ enterer: Simulator, timeout: Duration
    ) throws(RigFailure) {
        if shower.isPaired, enterer.isPaired { return }
        let shown = try shower.call("pair.show", ["confirmed": true], timeout: timeout)
        guard let code = shown["code"] else {
            throw RigFailure(
                .software, "\(shower.name) showed no code: \(JSONWriter.text(shown))")
        }
        try enterer.call("pair.enter", ["code": code, "confirmed": true], timeout: timeout)
        for simulator in [enterer, shower] { try simulator.awaitPairing(timeout: timeout) }
    }

    /// Waits for the end of a pairing.
    ///
    /// - Throws: exit code 69 when it failed, 75 when it does not end in time.
    @discardableResult
    public func awaitPairing(timeout: Duration) throws(RigFailure) -> JSONValue {
        let deadline = deadline(timeout)
        while true {
            if let done = takeEvents("pairing.done").first { return done }
            let end = takeEvents("pairing.ended").first ?? takeEvents("pairing.failed").first
            if let end {
                throw RigFailure(
                    .unreachable, "\(name) did not pair: \(JSONWriter.text(end))",
                    details: ["Try: 'rig pair --help' says how two simulators are paired."])
            }
            try pump(until: deadline, or: "pair", timeout)
        }
    }
}
