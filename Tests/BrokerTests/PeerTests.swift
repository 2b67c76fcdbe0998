import CommandLine
import Testing
import WatchProtoCore

@testable import Bench

/// Each peer that is installed, started, asked and ended; those that are not are skipped.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PeerTests {
    private static func bounce(_ peer: some EchoPeer) throws {
        defer { peer.end() }
        let samples = try EchoRounds.run(
            peer, rounds: 20, warmUp: 2, payload: [1, 2, 3, 10, 13, 0, 255], at: .init())
        #expect(samples.count == 20 && samples.allSatisfy { $0 > 0 })
    }

    private static func has(_ package: PeerPackage) -> Bool { Files.exists(package.file) }

    @Test(.enabled(if: has(MosquittoPeer.package), "apt-get install mosquitto"))
    func mosquitto_bounces_at_every_quality() throws {
        for quality in MosquittoPeer.Quality.allCases {
            try Self.bounce(try MosquittoPeer(quality))
        }
        try Self.bounce(try MosquittoPeer(.one, savesEachChange: true))
    }

    @Test(.enabled(if: has(RedisPeer.package), "apt-get install redis-server"))
    func redis_bounces() throws {
        for sync in RedisPeer.Sync.allCases { try Self.bounce(try RedisPeer(sync)) }
    }

    @Test(.enabled(if: has(NATSPeer.package), "apt-get install nats-server"))
    func nats_bounces() throws { try Self.bounce(try NATSPeer()) }

    @Test(.enabled(if: has(ZeroMQPeer.package), "apt-get install libzmq5"))
    func zeromq_bounces() throws { try Self.bounce(try ZeroMQPeer()) }

    @Test(.enabled(if: has(GRPCPeer.package), "apt-get install python3-grpcio"))
    func grpc_bounces_and_leaves_nothing() throws {
        let samples = try Broker.grpc.run(20, 2, .init(phoneCPU: 0, watchCPU: 0))
        #expect(samples.count == 20 && samples.allSatisfy { $0 > 0 })
    }

    /// A broker that saves behind its acknowledgement may not have saved the last records yet: the
    /// difference is whether it keeps most records, or none.
    @Test(.enabled(if: has(MosquittoPeer.package), "apt-get install mosquitto"))
    func what_mosquitto_acknowledged_is_lost_with_it_unless_it_saves_each_change() throws {
        for quality in [MosquittoPeer.Quality.one, .two] {
            #expect(
                try MosquittoPeer.kill(count: 50, quality)
                    == KillOutcome(acknowledged: 50, kept: 0))
        }
        let careful = try MosquittoPeer.kill(count: 50, .one, savesEachChange: true)
        #expect((25...50).contains(careful.kept), "\(careful)")
    }

    @Test(.enabled(if: has(RedisPeer.package), "apt-get install redis-server"))
    func redis_keeps_what_it_acknowledged() throws {
        #expect(
            try RedisPeer.kill(count: 50, .always) == KillOutcome(acknowledged: 50, kept: 50))
    }

    @Test(.enabled(if: has(NATSPeer.package), "apt-get install nats-server"))
    func nats_keeps_what_it_acknowledged_a_moment_ago() throws {
        // It writes behind its acknowledgements: of what is just acknowledged all may be lost.
        #expect(
            try NATSPeer.kill(count: 50, after: .seconds(1))
                == KillOutcome(acknowledged: 50, kept: 50))
    }

    @Test func the_baseline_and_the_product_take_part() throws {
        for broker in [Broker.baseline, .product, .sleepingProduct] {
            let samples = try broker.run(20, 2, .init())
            #expect(samples.count == 20, "\(broker.name)")
        }
    }

    /// OASIS MQTT 3.1.1, table 2.4: the ends of each number of bytes.
    @Test(arguments: [
        (0, [UInt8(0x00)]), (127, [0x7F]), (128, [0x80, 0x01]), (16_383, [0xFF, 0x7F]),
        (16_384, [0x80, 0x80, 0x01]), (2_097_151, [0xFF, 0xFF, 0x7F]),
        (268_435_455, [0xFF, 0xFF, 0xFF, 0x7F]),
    ])
    func lengths_are_written_as_the_standard_says(count: Int, bytes: [UInt8]) {
        #expect(MQTTConnection.length(count) == bytes)
    }

    @Test func a_peer_that_brings_another_message_is_found_out() {
        struct Liar: EchoPeer {
            let name = "liar"
            let guarantee = "none"
            func roundTrip(_ payload: [UInt8]) throws(PeerFailure) {
                throw PeerFailure("another message")
            }
            func echo() throws(PeerFailure) {}
            func end() {}
        }
        #expect(throws: PeerFailure("another message")) {
            try EchoRounds.run(Liar(), rounds: 1, warmUp: 0, payload: [1], at: .init())
        }
    }
}
