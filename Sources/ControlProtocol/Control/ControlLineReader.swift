/// Cuts the bytes of a control channel into lines. It holds at most one line of the longest length.
/// A longer one is dropped up to its line feed and reported as ``Piece/tooLong(id:)``.
package struct ControlLineReader: Sendable {
    /// A result of the bytes.
    package enum Piece: Hashable, Sendable {
        /// A whole line, without its line feed (and without a carriage return before it).
        case line([UInt8])
        /// A line of too many bytes; it was skipped. The id is that of the command if it was
        /// complete within the limit, else `null`.
        case tooLong(id: JSONValue)
    }

    /// The longest line, in bytes, without its line feed.
    package let limitBytes: Int

    private var partial: [UInt8] = []
    private var isSkipping = false

    /// Makes a reader of lines of at most `limitBytes` bytes: 1 MiB by the protocol.
    package init(limitBytes: Int = JSONLimits.line.bytes) { self.limitBytes = limitBytes }

    /// Adds `bytes` and returns the complete lines; blank lines are skipped.
    package mutating func append(_ bytes: some Collection<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], into: &pieces)
            if !isSkipping { finishLine(into: &pieces) }
            isSkipping = false
            partial.removeAll(keepingCapacity: true)
            rest = rest[rest.index(after: end)...]
        }
        take(rest, into: &pieces)
        return pieces
    }

    /// Handles the end of the input: returns a last line without its line feed.
    package mutating func finish() -> Piece? {
        var pieces: [Piece] = []
        if !isSkipping { finishLine(into: &pieces) }
        partial = []
        isSkipping = false
        return pieces.first
    }

    private mutating func take(_ part: some Collection<UInt8>, into pieces: inout [Piece]) {
        guard !isSkipping else { return }
        // One byte more is let in for a carriage return, which does not count.
        guard partial.count + part.count <= limitBytes + 1 else {
            pieces.append(.tooLong(id: id(behind: part)))
            isSkipping = true
            partial = []
            return
        }
        partial += part
    }

    private func id(behind part: some Collection<UInt8>) -> JSONValue {
        ControlRequest.id(in: Array((partial + part.prefix(limitBytes)).prefix(limitBytes)))
    }

    private func finishLine(into pieces: inout [Piece]) {
        var line = partial
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.count > limitBytes {
            pieces.append(.tooLong(id: id(behind: [])))
        } else if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            pieces.append(.line(line))
        }
    }
}
