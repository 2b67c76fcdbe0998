import Foundation

@testable import WatchProtoSecurity

/// Published vectors beside the package; they are not part of it and may be absent.
enum SharedVectors {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/vectors")

    /// Whether a file is there; says so where it is not.
    static func has(_ path: String) -> Bool {
        let isThere = FileManager.default.fileExists(atPath: folder.appending(path: path).path())
        if !isThere { print("skipped: no ../shared/vectors/\(path) beside the package") }
        return isThere
    }

    static func load<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: folder.appending(path: path)))
    }
}

extension SharedVectors {
    /// A file whose keys are no names of Swift.
    static func object(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: folder.appending(path: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}

extension Secret {
    /// A secret with a published value.
    convenience init(_ values: [UInt8], in arena: KeyArena = .shared) throws(SecurityFailure) {
        var bytes = values.map { $0 }
        try self.init(taking: &bytes, in: arena)
    }

    /// A copy, which only a test may make.
    var exposed: [UInt8] { unsafe withBytes { unsafe Array($0) } }
}

/// Randomness with published values, one after the other; then it gives zeros.
final class Script: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [[UInt8]]

    init(_ values: [[UInt8]]) { self.values = values }

    var source: RandomSource {
        RandomSource { count in
            self.lock.withLock {
                guard !self.values.isEmpty else { return [UInt8](repeating: 0, count: count) }
                let next = self.values.removeFirst()
                return next + [UInt8](repeating: 0, count: count - next.count)
            }
        }
    }
}

extension [UInt8] {
    /// The bytes with one changed.
    func flipping(_ index: Int, _ mask: UInt8 = 1) -> [UInt8] {
        var changed = self
        changed[index] ^= mask
        return changed
    }
}
