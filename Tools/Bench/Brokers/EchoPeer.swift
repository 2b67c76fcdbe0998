import CommandLine
package import ControlProtocol

/// Something else that carries messages between two programs of one machine, measured beside the
/// product in the same run: a phone's end sends a payload, a watch's end sends it back.
package protocol EchoPeer: Sendable {
    /// As the report calls it: `mosquitto QoS 1`.
    var name: String { get }
    /// The promise for a message that it has accepted.
    var guarantee: String { get }

    /// Sends `payload` from the phone's end and waits until the watch's end has sent it back.
    ///
    /// - Throws: when it does not come back within five seconds, or another message comes.
    func roundTrip(_ payload: [UInt8]) throws(PeerFailure)

    /// Sends back the next message, at the watch's end.
    ///
    /// - Throws: when none comes within five seconds.
    func echo() throws(PeerFailure)

    /// Ends programs and connections, and removes files.
    func end()
}

/// A peer that could not be had, or did not answer, in words.
package struct PeerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempt and its result.
    package var description: String

    /// Makes the failure.
    package init(_ description: String) { self.description = description }
}

/// A program that a peer needs.
package struct PeerPackage: Hashable, Sendable {
    /// The package of Debian that has it.
    package var package: String
    /// The file that shows it is there.
    package var file: String

    /// Makes it.
    package init(_ package: String, file: String) {
        self.package = package
        self.file = file
    }
}

extension PeerPackage {
    /// All that a run knows of.
    static let all = [
        ZeroMQPeer.package, MosquittoPeer.package, NATSPeer.package, RedisPeer.package,
        GRPCPeer.package,
    ]

    /// The versions of those that are installed, by the names of their packages, as Debian counts
    /// them; `unknown` of one that is not a package's.
    package static var versions: JSONObject {
        var object = JSONObject()
        for package in all where Files.exists(package.file) {
            let version = ProgramOutput.of(
                "/usr/bin/dpkg-query", ["-W", "-f=${Version}", package.package])
            object[package.package] = .string(version ?? "unknown")
        }
        return object
    }
}

/// How many messages that a peer had acknowledged survived the end of its process by SIGKILL.
package struct KillOutcome: Hashable, Sendable {
    /// How many it had acknowledged.
    package var acknowledged: Int
    /// How many of them came to the receiver after it was started again.
    package var kept: Int

    /// Makes the outcome.
    package init(acknowledged: Int, kept: Int) {
        self.acknowledged = acknowledged
        self.kept = kept
    }
}
