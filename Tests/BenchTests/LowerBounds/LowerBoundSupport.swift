import Foundation
import WatchProtoCore
import WatchProtoTransport

/// A folder of its own, gone with the value.
final class TemporaryDirectory: Sendable {
    let path = "/tmp/wp-\(UInt32.random(in: 0...UInt32.max))"

    init() {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path inside.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names inside.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["?"] }
}

/// Waits until something holds, 10 s at most; says whether it does.
func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<10_000 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return await condition()
}

/// A security that seals nothing, for one device of the pairing of these tests.
func testSecurity(_ role: DeviceRole) -> NullSecurity {
    NullSecurity(
        PeerLabel(role: role, pairing: PairingID(rawValue: 7)),
        seed: SystemRandomness.epoch().rawValue)
}
