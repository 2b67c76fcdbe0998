import ControlProtocol
import Glibc

struct ReadFailure: Error {}

extension ScriptedSimulator {
    func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func note(_ text: String) { put(Array("\(text)\n".utf8), on: 2) }

    func write(_ value: JSONValue) { put(JSONWriter.line(value)) }

    func put(_ bytes: [UInt8], on stream: Int32 = 1) {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(stream, buffer.baseAddress! + offset, buffer.count - offset)
            }
            guard count > 0 else { return }
            offset += count
        }
    }

    func readFile(_ path: String) throws -> [UInt8] {
        let number = unsafe open(path, O_RDONLY)
        guard number >= 0 else { throw ReadFailure() }
        defer { close(number) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(number, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    func append(_ bytes: [UInt8], to path: String) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard number >= 0 else { return }
        put(bytes, on: number)
        close(number)
    }
}
