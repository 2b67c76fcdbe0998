internal import CSodium
internal import Glibc

extension AtRestKey {
    /// Reads a key file: 32 raw bytes, or 64 hexadecimal digits with or without a line feed.
    ///
    /// - Throws: every fault of ``AtRestKeyError`` that is about a file. The owner of the file is
    ///   at fault; it is not changed.
    package convenience init(keyFile path: String) throws(AtRestKeyError) {
        let file = KeyFile(path: path)
        let descriptor = try file.open()
        defer { close(descriptor) }
        try file.checkKind(of: descriptor)
        // Read to protected memory at once, so that no other ever holds it.
        var length = 0
        let content = unsafe try SecretBytes(
            count: KeyFile.capacity
        ) { bytes throws(AtRestKeyError) in
            length = unsafe try file.read(descriptor, into: bytes)
        }
        self.init(bytes: try file.key(in: content, length: length))
    }

    /// Makes a key from the system's randomness and keeps it in a new file that only its owner can
    /// read. It is durable on return.
    ///
    /// - Throws: ``AtRestKeyError/Fault/alreadyThere`` if there is a file at `path`, which is left
    ///   alone; ``AtRestKeyError/Fault/systemRefused`` otherwise, and no file stays behind.
    package static func createKeyFile(_ path: String) throws(AtRestKeyError) -> AtRestKey {
        let key = try random()
        try KeyFile(path: path).create(with: key.bytes)
        return key
    }
}

/// A key file and its possible faults.
struct KeyFile {
    let path: String
    /// Its name in messages.
    var noun = "key file"
    var form = "a file of \(Self.forms)"

    init(path: String) { self.path = path }

    /// More bytes than the longest key file has. A file that fills them is too long.
    static let capacity = 128
    private static let digitCount = 2 * AtRestKey.byteCount
    private static let forms =
        "\(AtRestKey.byteCount) raw bytes or \(digitCount) hexadecimal digits"

    private func fault(
        _ fault: AtRestKeyError.Fault, seen: String, expected: String, try remedy: String
    ) -> AtRestKeyError {
        AtRestKeyError(
            fault, "\(noun) '\(path)'", seen: seen, expected: expected, remedy: remedy)
    }

    func refusal(of call: String) -> AtRestKeyError {
        let number = errno
        let text = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
        return fault(
            .systemRefused, seen: "\(call): \(text) (error \(number))",
            expected: "a file that this user can use", try: "mend that, or name another path")
    }

    // MARK: Reading

    func open() throws(AtRestKeyError) -> Int32 {
        // Without waiting: a pipe that nobody writes to would hold us up for ever.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw refusal(of: "open") }
        throw fault(
            .missing, seen: "nothing there", expected: form,
            try: "bring the \(noun) back from where it is kept safe; without the key that sealed "
                + "it a journal cannot be read; for a new journal "
                + (noun == "key file" ? "make one ('rig key PATH')" : "make a new one"))
    }

    func checkKind(of descriptor: Int32) throws(AtRestKeyError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw refusal(of: "fstat") }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw fault(
                .notAFile, seen: kind == S_IFDIR ? "a directory" : "a pipe, socket or device",
                expected: form, try: "name the \(noun) itself")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw fault(
                .openToOthers, seen: "mode 0\(mode), open to group or others",
                expected: "mode 0600 or 0400: for its owner alone",
                try: "chmod 600 on it, and think about who may have read it")
        }
    }

    /// Reads up to ``capacity`` bytes.
    ///
    /// - Returns: the number of bytes read.
    func read(
        _ descriptor: Int32, into bytes: UnsafeMutablePointer<UInt8>
    ) throws(AtRestKeyError) -> Int {
        var length = 0
        while length < Self.capacity {
            let count = unsafe Glibc.read(descriptor, bytes + length, Self.capacity - length)
            if count == 0 { break }
            if count > 0 {
                length += count
            } else if errno != EINTR {
                throw refusal(of: "read")
            }
        }
        return length
    }

    func key(in content: SecretBytes, length: Int) throws(AtRestKeyError) -> SecretBytes {
        let digits = Self.digitCount
        let isRaw = length == AtRestKey.byteCount
        let endsLine = unsafe content.withBytes { unsafe $0[digits] == UInt8(ascii: "\n") }
        guard isRaw || length == digits || (length == digits + 1 && endsLine) else {
            throw fault(
                .wrongLength,
                seen: length < Self.capacity ? "\(length) bytes" : "\(length) bytes or more",
                expected: Self.forms,
                try: "check that it is the key file and that it was copied whole")
        }
        let key = unsafe try SecretBytes(count: AtRestKey.byteCount) { key throws(AtRestKeyError) in
            let isTaken = unsafe content.withBytes { content in
                if isRaw {
                    unsafe key.update(from: content, count: AtRestKey.byteCount)
                    return true
                }
                var count = 0
                let status = unsafe content.withMemoryRebound(to: CChar.self, capacity: digits) {
                    unsafe sodium_hex2bin(
                        key, AtRestKey.byteCount, $0, digits, nil, &count, nil)
                }
                return status == 0 && count == AtRestKey.byteCount
            }
            guard isTaken else {
                throw fault(
                    .notHexadecimal, seen: "\(length) bytes that are not all digits 0-9, a-f",
                    expected: Self.forms, try: "check that it is the key file")
            }
        }
        guard unsafe key.withBytes({ unsafe sodium_is_zero($0, AtRestKey.byteCount) }) == 0 else {
            throw fault(
                .blank, seen: "zeros only", expected: "random bytes",
                try: "bring the key file back from where it is kept safe; this one was never "
                    + "written")
        }
        return key
    }

    // MARK: Making

    func create(with key: SecretBytes) throws(AtRestKeyError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw refusal(of: "open") }
            throw fault(
                .alreadyThere, seen: "something there already", expected: "nothing",
                try: "use that file if it is the key, or name another path; a key file is never "
                    + "overwritten, for what it sealed would be lost")
        }
        defer { close(descriptor) }
        do throws(AtRestKeyError) {
            // The process's umask may have taken rights away.
            guard fchmod(descriptor, 0o600) == 0 else { throw refusal(of: "fchmod") }
            try write(key, to: descriptor)
            guard fsync(descriptor) == 0 else { throw refusal(of: "fsync") }
            try syncDirectory()
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    private func write(_ key: SecretBytes, to descriptor: Int32) throws(AtRestKeyError) {
        var written = 0
        while written < key.count {
            let count = unsafe key.withBytes {
                unsafe Glibc.write(descriptor, $0 + written, key.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw refusal(of: "write")
            }
        }
    }

    /// Makes the file's name durable. If a power cut removed the key, the data would be lost.
    private func syncDirectory() throws(AtRestKeyError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(of: "open of its directory") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal(of: "fsync of its directory") }
    }
}
