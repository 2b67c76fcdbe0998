import Glibc

/// The lines that a user types on standard input. They are read as they arrive, while a
/// `Supervisor` also listens to simulators.
package final class TypedLines {
    package let number: Int32
    private var buffer = LineBuffer()
    private var lines: [String] = []
    /// Whether nothing more can come. Lines that came before may still be waiting.
    package private(set) var hasEnded = false

    /// Takes standard input, or the descriptor of a test, which stays its owner's.
    package init(_ number: Int32 = 0) { self.number = number }

    /// The next line, without its end; nil where no whole line has come that was not given yet.
    package func next() -> String? { lines.isEmpty ? nil : lines.removeFirst() }

    /// Takes in what can be read; waits where there is nothing yet.
    package func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(number, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        for line in buffer.append(chunk[..<max(0, count)]) { add(line) }
        guard count <= 0 else { return }
        hasEnded = true
        if let rest = buffer.finish() { add(rest) }
    }

    private func add(_ line: [UInt8]) { lines.append(String(decoding: line, as: UTF8.self)) }
}
