import Glibc
import Testing

@testable import WatchProtoSecurity

/// Bytes from hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
    let nibbles = digits.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: nibbles.count - 1, by: 2).map {
        UInt8(nibbles[$0] * 16 + nibbles[$0 + 1])
    }
}

/// The address of an array's memory, and `count` bytes of it, whatever the array holds now.
///
/// - Precondition: the array has room for as many.
func storage(of bytes: inout [UInt8], count: Int) -> (address: UInt, content: [UInt8]) {
    precondition(bytes.capacity >= count)
    return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        let start = buffer.baseAddress
        return (UInt(bitPattern: start), (0..<count).map { unsafe start?[$0] ?? 1 })
    }
}

extension SecretBytes {
    /// Protected bytes with a published value.
    convenience init(_ values: [UInt8]) throws(AtRestKeyError) {
        unsafe try self.init(count: values.count) { memory throws(AtRestKeyError) in
            for (index, value) in values.enumerated() { unsafe memory[index] = value }
        }
    }

    /// A copy, which only a test may make.
    var exposed: [UInt8] {
        unsafe withBytes { memory in (0..<count).map { unsafe memory[$0] } }
    }
}

extension AtRestKey {
    /// The key 00 01 … 1f.
    static func counting() throws(AtRestKeyError) -> AtRestKey {
        AtRestKey(bytes: try SecretBytes((0..<32).map { UInt8($0) }))
    }
}

/// A directory for one test, removed with what is in it.
final class Directory {
    let path: String

    init() throws {
        var template = Array("\(Self.base)/at-rest-test.XXXXXX".utf8CString)
        path = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe mkdtemp(buffer.baseAddress!).map { unsafe String(cString: $0) } ?? ""
        }
        try #require(!path.isEmpty)
    }

    deinit {
        for name in names { unsafe remove("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    private static var base: String {
        unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }

    /// The names of the directory's entries.
    var names: [String] {
        guard let entries = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(entries) }
        var found: [String] = []
        while let entry = unsafe readdir(entries) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found
    }

    /// Makes a file and gives its path.
    func file(_ name: String, _ content: [UInt8], mode: mode_t = 0o600) throws -> String {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let written = unsafe write(descriptor, content, content.count)
        #expect(written == content.count)
        #expect(fchmod(descriptor, mode) == 0)
        return "\(path)/\(name)"
    }

    /// Makes a symbolic link.
    func link(_ name: String, to target: String) {
        let result = unsafe symlink(target, "\(path)/\(name)")
        #expect(result == 0)
    }

    func content(_ name: String) -> [UInt8] {
        let descriptor = unsafe open("\(path)/\(name)", O_RDONLY)
        defer { close(descriptor) }
        var content = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &content, content.count)
        return Array(content[..<max(0, count)])
    }
}
