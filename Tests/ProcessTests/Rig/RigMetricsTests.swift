import CPosix
import CommandLine
import ControlProtocol
import Glibc
import Testing

@testable import Rig

@Suite(.serialized, .timeLimit(.minutes(2))) struct RigMetricsTests {
    /// The answer of a server at `port` to `request`; empty where nobody answers.
    private static func ask(_ port: UInt16, _ request: String) -> String {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(made) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(made, $0, size) == 0
            }
        }
        guard isOpen else { return "" }
        _ = unsafe send(made, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(made, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += chunk[..<count]
        }
    }

    private static let get = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func a_run_gives_its_figures_while_it_goes_on_and_leaves_nothing() throws {
        let rig = try RigProgram(isScripted: false)
        var port: UInt16 = 0
        var answer = ""
        let run = try rig.run([
            "bench", "--simulators", rig.directory, "--duration", "3s", "--warm-up", "0s",
            "--rate", "50/s", "--mix", "message", "--metrics", "127.0.0.1:0",
        ]) { _, line in
            if let place = line.firstRange(of: "metrics at http://127.0.0.1:") {
                port = UInt16(line[place.upperBound...].prefix(while: \.isNumber)) ?? 0
            }
            guard line.contains("round 1 of 1") else { return }
            // The load is asked once a second.
            for _ in 0..<40 where !answer.contains("live_sent_total{") {
                usleep(100_000)
                answer = Self.ask(port, Self.get)
            }
        }
        #expect([0, 2].contains(run.exitCode) && port >= 1024, "\(run.stderr)")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        #expect(answer.contains("Content-Type: text/plain; version=0.0.4"))
        for process in ["PhoneSim", "WatchSim"] {
            let name = "watchproto_process_resident_bytes{verb=\"bench\",process=\"\(process)\""
            #expect(answer.contains(name), "\(answer)")
        }
        #expect(answer.contains("watchproto_live_step{verb=\"bench\",step=\"round 1 of 1\"} 1"))
        #expect(Self.ask(port, Self.get) == "")
        #expect(run.leftovers == [])
    }

    @Test func only_a_wellformed_question_gets_figures() throws {
        let server = try MetricsServer(try MetricsAddress(argument: "localhost:0")) { "figures\n" }
        defer { server.stop() }
        func first(_ request: String) -> Substring {
            Self.ask(server.port, request + "\r\n\r\n").prefix { $0 != "\r\n" }
        }
        #expect(Self.ask(server.port, Self.get).hasSuffix("\r\n\r\nfigures\n"))
        #expect(first("GET /metrics?a=b HTTP/1.1") == "HTTP/1.1 200 OK")
        #expect(first("GET / HTTP/1.1") == "HTTP/1.1 404 Not Found")
        #expect(first("POST /metrics HTTP/1.1") == "HTTP/1.1 405 Method Not Allowed")
        #expect(first("GET /metrics HTTP/1.1") == "HTTP/1.1 200 OK")
    }

    @Test func a_silent_client_keeps_nobody_waiting_for_ever() throws {
        let server = try MetricsServer(try MetricsAddress(argument: "127.0.0.1:0")) { "figures\n" }
        defer { server.stop() }
        #expect(Self.ask(server.port, "GET /met") == "")
        #expect(Self.ask(server.port, Self.get).hasSuffix("figures\n"))
    }

    @Test func a_port_that_is_taken_ends_the_run_before_it_begins() throws {
        let server = try MetricsServer(try MetricsAddress(argument: "127.0.0.1:0")) { "" }
        defer { server.stop() }
        let rig = try RigProgram()
        let run = try rig.demo(["--metrics", "127.0.0.1:\(server.port)"])
        #expect(run.exitCode == 69)
        #expect(
            run.stderr == """
                Error: Cannot give metrics at 127.0.0.1:\(server.port): Address already in use.
                  Try: another port, or 127.0.0.1:0 for any that is free.

                """)
        #expect(run.leftovers == [])
    }
}
