/// Cuts a stream of bytes into lines.
package struct LineBuffer {
    /// The longest line that is kept, in bytes; the control protocol allows 1 MiB.
    package static let longestLine = 1 << 20

    private var partial: [UInt8] = []
    private var isSkipping = false
    /// How many lines were too long and are lost.
    package private(set) var overlongCount = 0
    /// How many bytes came in.
    package private(set) var byteCount: UInt64 = 0

    package init() {}

    /// Takes `bytes` in and hands out the lines that are complete now, without their line feeds.
    package mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        byteCount += UInt64(bytes.count)
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            partial += rest[..<end]
            if isSkipping || partial.count > Self.longestLine {
                overlongCount += 1
            } else {
                lines.append(partial)
            }
            isSkipping = false
            partial.removeAll(keepingCapacity: true)
            rest = rest[rest.index(after: end)...]
        }
        partial += rest
        if partial.count > Self.longestLine {
            isSkipping = true
            partial.removeAll()
        }
        return lines
    }

    /// Returns the bytes after the last line feed, as the last line of a stream that ended.
    package mutating func finish() -> [UInt8]? {
        defer { partial = [] }
        return partial.isEmpty || isSkipping ? nil : partial
    }
}
