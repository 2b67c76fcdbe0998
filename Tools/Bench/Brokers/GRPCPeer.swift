internal import CommandLine
internal import Glibc
internal import WatchProtoCore

/// A bidirectional stream of gRPC over a Unix socket, between two processes of Python: its packaged
/// library that needs no compiler. Python is part of what is measured, and the name says so.
package enum GRPCPeer {
    /// The package it needs.
    package static let package = PeerPackage(
        "python3-grpcio", file: "/usr/lib/python3/dist-packages/grpc/__init__.py")

    /// As the report calls it.
    static let name = "gRPC stream (Python)"
    /// The promise of a call.
    static let guarantee = "at most once, while the call lasts; a retry may be a second time"

    /// Both ends of one turn: the client measures, and leaves its figures in a file.
    ///
    /// - Returns: each measured round trip in nanoseconds, in order.
    /// - Throws: when a process does not start, or has not come to its end within 30 seconds.
    static func run(
        rounds: Int, warmUp: Int, payloadBytes: Int, at placement: EchoRounds.Placement
    ) throws(PeerFailure) -> [UInt64] {
        let program = try PeerProgram("gRPC", "/usr/bin/python3")
        defer { program.end() }
        let numbers = [
            rounds, warmUp, payloadBytes, placement.phoneCPU ?? -1, placement.watchCPU ?? -1,
        ]
        try program.start(["-c", script, program.directory] + numbers.map { "\($0)" })
        guard program.awaitEnd(within: 30) else {
            throw PeerFailure("gRPC did not bounce \(rounds + warmUp) messages in 30 s")
        }
        let text: [UInt8]
        do throws(SystemError) {
            text = try Files.read("\(program.directory)/figures")
        } catch {
            throw PeerFailure("gRPC ended without figures: \(program.lastWords)")
        }
        let samples = String(decoding: text, as: UTF8.self)
            .split(separator: "\n").compactMap { UInt64($0) }
        guard samples.count == rounds else {
            throw PeerFailure("gRPC brought \(samples.count) of \(rounds) messages back")
        }
        return samples
    }

    /// The library is loaded after the fork: its threads do not survive one.
    private static let script = """
        import os, sys, time

        place = sys.argv[1]
        rounds, warm_up, size, near, far = map(int, sys.argv[2:])
        address = "unix:" + place + "/socket"

        def pin(cpu):
            if cpu >= 0:
                os.sched_setaffinity(0, {cpu})

        def serve(ready):
            import ctypes, signal
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            import grpc
            from concurrent import futures
            def bounce(messages, context):
                yield from messages
            server = grpc.server(
                futures.ThreadPoolExecutor(1),
                handlers=[grpc.method_handlers_generic_handler(
                    "Echo", {"Bounce": grpc.stream_stream_rpc_method_handler(bounce)})])
            server.add_insecure_port(address)
            server.start()
            os.write(ready, b"1")
            server.wait_for_termination()

        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                pin(far)
                serve(writing)
            finally:
                os._exit(1)
        try:
            os.close(writing)
            pin(near)
            if os.read(reading, 1) != b"1":
                sys.exit("the server did not start")
            import grpc, queue
            waiting = queue.SimpleQueue()
            channel = grpc.insecure_channel(address)
            call = channel.stream_stream("/Echo/Bounce")(iter(waiting.get, None))
            payload = b"Z" * size
            figures = []
            for number in range(warm_up + rounds):
                start = time.monotonic_ns()
                waiting.put(payload)
                echo = next(call)
                end = time.monotonic_ns()
                if echo != payload:
                    sys.exit("another message came")
                if number >= warm_up:
                    figures.append(end - start)
            with open(place + "/figures", "w") as file:
                file.writelines("%d\\n" % figure for figure in figures)
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
        os._exit(0)

        """
}
