internal import WatchProtoCore
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// One way to bounce a message that takes part in a run: the product, the lower bound, or a peer.
package struct Broker: Sendable {
    /// As the report calls it.
    package var name: String
    /// The promise for a message that it has accepted.
    package var guarantee: String
    /// Bounces rounds after a warm-up, at a placement; each round trip in nanoseconds.
    package var run:
        @Sendable (_ rounds: Int, _ warmUp: Int, _ placement: EchoRounds.Placement)
            throws(PeerFailure) -> [UInt64]
    /// Has it acknowledge so many messages, ends it by SIGKILL, starts it again as it was set up
    /// here and counts what it kept; nil for what acknowledges nothing.
    package var kill: (@Sendable (_ count: Int) throws(PeerFailure) -> KillOutcome)?
    /// Ends what it holds.
    package var end: @Sendable () -> Void

    /// Bytes of a message, and of its echo.
    package static let payloadBytes = 64

    /// Bytes over a Unix socket, by blocking calls, with nothing in between.
    package static let baseline = Broker(
        name: "raw Unix socket", guarantee: "none: lost with either program",
        run: { rounds, warmUp, placement throws(PeerFailure) in
            var options = RawPingPong.Options()
            options.rounds = rounds
            options.warmUpRounds = warmUp
            options.payloadBytes = payloadBytes
            options.measuringCPU = placement.phoneCPU
            options.echoingCPU = placement.watchCPU
            do throws(LinkError) {
                return try RawPingPong.run(options)
            } catch {
                throw PeerFailure("\(error)")
            }
        }, end: {})

    /// Interactive messages of the product, between two drivers over a sealed link.
    package static let product = product(named: "WatchProto, sealed", busyPollDuration: nil)

    /// The same where a driver's thread always sleeps at once.
    package static let sleepingProduct = product(
        named: "WatchProto, sealed, no busy polling", busyPollDuration: .zero)

    private static func product(named name: String, busyPollDuration: Duration?) -> Broker {
        Broker(
            name: name, guarantee: "once, while the link stands (interactive channel)",
            run: { rounds, warmUp, placement throws(PeerFailure) in
                var options = LoopbackEcho.Options()
                options.rounds = rounds
                options.warmUpRounds = warmUp
                options.payloadBytes = payloadBytes
                options.phoneCPU = placement.phoneCPU
                options.watchCPU = placement.watchCPU
                options.busyPollDuration = busyPollDuration
                do {
                    let pair = try SimulatedPair(seed: 1)
                    let result = try LoopbackEcho.run(options) { role in
                        pair.security(of: role, life: 1)
                    }
                    guard result.isComplete else {
                        throw PeerFailure("the echo was not complete")
                    }
                    return result.roundTripNanoseconds
                } catch let failure as PeerFailure {
                    throw failure
                } catch {
                    throw PeerFailure("\(error)")
                }
            }, end: {})
    }

    /// A stream of gRPC, where its package is installed.
    package static let grpc = Broker(
        name: GRPCPeer.name, guarantee: GRPCPeer.guarantee,
        run: { rounds, warmUp, placement throws(PeerFailure) in
            try GRPCPeer.run(
                rounds: rounds, warmUp: warmUp, payloadBytes: payloadBytes, at: placement)
        }, end: {})

    /// A peer.
    ///
    /// - Parameters:
    ///   - peer: the peer itself.
    ///   - kill: how what it kept is found out.
    package init(
        _ peer: some EchoPeer,
        kill: (@Sendable (_ count: Int) throws(PeerFailure) -> KillOutcome)? = nil
    ) {
        let payload = [UInt8](repeating: 0x5A, count: Self.payloadBytes)
        self.init(
            name: peer.name, guarantee: peer.guarantee,
            run: { rounds, warmUp, placement throws(PeerFailure) in
                try EchoRounds.run(
                    peer, rounds: rounds, warmUp: warmUp, payload: payload, at: placement)
            }, end: { peer.end() })
        self.kill = kill
    }

    private init(
        name: String, guarantee: String,
        run:
            @escaping @Sendable (Int, Int, EchoRounds.Placement) throws(PeerFailure)
            -> [UInt64],
        end: @escaping @Sendable () -> Void
    ) {
        self.name = name
        self.guarantee = guarantee
        self.run = run
        self.end = end
    }
}
