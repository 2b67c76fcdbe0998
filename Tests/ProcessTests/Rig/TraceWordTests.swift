import Testing

@testable import Rig

@Suite struct TraceWordTests {
    @Test(arguments: [
        (
            "send(WatchProtoCore.Channel.bulk, bytes: 5920, key: nil, expiresAfter: nil), waits",
            "send bulk, bytes 5920, waits"
        ),
        (
            "send(WatchProtoCore.Channel.context, bytes: 197, key: Optional(2))",
            "send context, bytes 197, key 2"
        ),
        (
            "send(WatchProtoCore.Channel.background, expiresAfter: Optional(3.364919 seconds))",
            "send background, expires after 3.364919 s"
        ),
        (
            "recoveryCrash(side: 1, times: 2, downFor: 0.5 seconds)",
            "recovery crash watch, times 2, down for 0.5 s"
        ),
        ("partition(side: nil, 4.516362 seconds)", "partition 4.516362 s"),
        ("partition(side: Optional(1), 3.5 seconds)", "partition watch, 3.5 s"),
        (
            "synchronize(numbers: [2, 3, 4], changed: 250)",
            "synchronize numbers 2, 3, 4, changed 250"
        ),
        ("synchronize(numbers: [], changed: 0)", "synchronize numbers none, changed 0"),
        (
            "0.03  phone  event       activation(WatchProtoCore.ActivationState.activated)",
            "0.03  phone  event       activation activated"
        ),
        (
            "reachability(true, A.Evidence(cause: A.Evidence.Cause.sessionActivated, inboundProof: "
                + "Optional(A.Instant(nanoseconds: 30000000)), outboundProof: nil, flapCount: 0))",
            "reachability true, Evidence cause session activated, inbound proof 0.030000000 s, "
                + "flap count 0"
        ),
        (
            "batch 1: counters(reserved: 65, counterpart: 0), opened 5b45 to 1024",
            "batch 1 counters reserved 65, counterpart 0, opened 5b45 to 1024"
        ),
        (
            "stream(Simulation.Chunking.coalesced(window: 0.005 seconds)), 1200 B datagrams",
            "stream coalesced window 0.005 s, 1200 B datagrams"
        ),
    ])
    func a_line_of_swift_values_reads_as_words(line: String, words: String) {
        #expect(TraceWords.plain(line) == words)
    }

    @Test func a_whole_trace_has_no_name_of_a_type_and_no_bracket() throws {
        let rig = try RigProgram()
        let run = try rig.run(["explore", "--seed", "42", "--trace", "--unsealed"])
        #expect(run.exitCode == 0 && run.stdout.split(separator: "\n").count > 100)
        for mark in ["WatchProtoCore", "Optional", "nil", "(", "[", " seconds"] {
            let line = run.stdout.split(separator: "\n").first { $0.contains(mark) }
            #expect(line == nil, "\(mark)")
        }
    }
}
