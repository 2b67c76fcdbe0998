internal import Glibc

/// A directory of our own for the files of one campaign, gone with everything in it at the end.
@safe final class ScratchDirectory {
    let path: String

    /// Makes it in `parent`.
    init(in parent: String) throws(CrashFailure) {
        var template = Array("\(parent)/crash-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe mkdtemp(buffer.baseAddress!) != nil
        }
        guard made else {
            throw CrashFailure("mkdtemp in '\(parent)': \(Self.text(errno))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes these the only files in it.
    func hold(_ files: [(name: String, bytes: [UInt8])]) throws(CrashFailure) {
        for name in names where !files.contains(where: { $0.name == name }) { remove(name) }
        for file in files { try write(file.bytes, to: file.name) }
    }

    /// Everything in it, by name.
    func contents() throws(CrashFailure) -> [(name: String, bytes: [UInt8])] {
        var contents: [(String, [UInt8])] = []
        for name in names { contents.append((name, try read(name))) }
        return contents
    }

    /// Removes one file.
    func remove(_ name: String) { _ = unsafe unlink(file(name)) }

    private func write(_ bytes: [UInt8], to name: String) throws(CrashFailure) {
        let descriptor = unsafe open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CrashFailure("open '\(file(name))': \(Self.text(errno))")
        }
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            }
            guard count > 0 else {
                throw CrashFailure("write '\(file(name))': \(Self.text(errno))")
            }
            done += count
        }
    }

    private func read(_ name: String) throws(CrashFailure) -> [UInt8] {
        let descriptor = unsafe open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CrashFailure("open '\(file(name))': \(Self.text(errno))")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { chunk in
                unsafe Glibc.read(descriptor, chunk.baseAddress, chunk.count)
            }
            guard count >= 0 else {
                throw CrashFailure("read '\(file(name))': \(Self.text(errno))")
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// The names in it.
    var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func text(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    deinit {
        for name in names { remove(name) }
        _ = unsafe rmdir(path)
    }
}

/// A campaign could not be run, or its own work failed; nothing was found out about the journal.
package struct CrashFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure and its place.
    package var description: String

    init(_ description: String) { self.description = description }
}
