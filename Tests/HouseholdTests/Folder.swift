import Foundation

/// A folder of its own, gone with the value.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "wp-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
