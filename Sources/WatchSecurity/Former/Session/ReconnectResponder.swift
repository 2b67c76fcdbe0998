internal import Synchronization
public import WatchProto

/// The side of a reconnection that is opened to: one for a pairing, for as long as its host lives.
///
/// All links of the pairing share it, since what one has taken the others must refuse. An identical
/// first message is given the same answer, so that a lost one costs nothing and a replayed one
/// makes no second session. Safe to use from any thread.
public final class ReconnectResponder: Sendable {
    /// First messages that are remembered, with their answers.
    public static let cacheLimit = 8

    /// What a first message is.
    public enum Arrival: Sendable {
        /// A new one, authentic.
        case fresh(ReconnectRequest)
        /// One that came before: send its answer again if it has one, and do nothing else.
        case repeated(answer: [UInt8]?)
    }

    private struct Answer: Sendable {
        var digest: [UInt8]
        var message: [UInt8]?
        /// Its number shows that it is old.
        var isStale = false
    }

    private struct Memory: Sendable {
        var gate: HandshakeGate
        var answers: [Answer] = []

        /// Remembers a first message. What somebody recorded and sends again takes the place of
        /// its like first. (What is old alone may be of a side restored from a backup: it is
        /// remembered like any other, or each repetition would be answered anew.)
        mutating func keep(_ digest: [UInt8], _ verdict: EarlyVerdict) {
            var isStale = false
            if case .stale = verdict { isStale = true }
            if answers.count == ReconnectResponder.cacheLimit {
                answers.remove(at: answers.firstIndex(where: \.isStale) ?? 0)
            }
            answers.append(Answer(digest: digest, isStale: isStale))
        }
    }

    private let device: PairedDevice
    private let random: RandomSource
    private let memory: Mutex<Memory>

    /// Which counters were taken; its highest is to be made durable.
    public var gate: HandshakeGate { memory.withLock { $0.gate } }

    /// Begins with what is durable of the gate.
    public init(
        _ device: PairedDevice, gate: HandshakeGate = HandshakeGate(),
        random: RandomSource = .system
    ) {
        (self.device, self.random) = (device, random)
        memory = Mutex(Memory(gate: gate))
    }

    /// Takes a first message. Its counter is judged, and counts as taken from now on.
    ///
    /// - Throws: `HandshakeFailure` where it does not authenticate: whoever sent it is not the
    ///   counterpart; `noMemory` without memory for keys. Nothing has changed.
    public func receive(
        _ message: [UInt8], prologue: [UInt8]
    ) throws(HandshakeFailure) -> Arrival {
        if let arrival = repetition(of: message, prologue: prologue) { return arrival }
        let digest = Self.digest(message, prologue)
        do throws(SecurityFailure) {
            var noise = try Reconnection.handshake(
                .responder, device, prologue: prologue, random: random)
            let content = try noise.read(message)
            guard content.count >= Reconnection.counterByteCount else { throw .malformed }
            let early = try Reconnection.earlySealer(noise)
            let counter: UInt64 = LittleEndian.value(content.prefix(Reconnection.counterByteCount))
            let judged: EarlyVerdict? = memory.withLock { memory in
                // Another link may have taken it meanwhile.
                guard !memory.answers.contains(where: { $0.digest == digest }) else { return nil }
                let verdict = memory.gate.judge(counter)
                memory.keep(digest, verdict)
                return verdict
            }
            guard let verdict = judged else { return .repeated(answer: nil) }
            return .fresh(
                ReconnectRequest(
                    payload: Array(content.dropFirst(Reconnection.counterByteCount)),
                    counter: counter, verdict: verdict,
                    earlySealer: verdict == .accepted ? early : nil, noise: noise, digest: digest))
        } catch {
            throw error.asHandshakeFailure
        }
    }

    /// Answers a first message: the second message and the sealers of the session. Not for one that
    /// is taken for its early data alone.
    ///
    /// - Throws: `HandshakeFailure.noMemory` without memory for keys, `authenticationFailure` for
    ///   a request that was answered before: this host is at fault.
    public func answer(
        _ request: ReconnectRequest, payload: [UInt8]
    ) throws(HandshakeFailure) -> (
        message: [UInt8], sealers: (sending: SessionSealer, receiving: SessionSealer)
    ) {
        do throws(SecurityFailure) {
            var noise = request.noise
            let message = try noise.write(payload: payload)
            let sealers = try Reconnection.sealers(noise)
            memory.withLock { memory in
                let place = memory.answers.firstIndex { $0.digest == request.digest }
                if let place { memory.answers[place].message = message }
            }
            return (message, sealers)
        } catch {
            throw error.asHandshakeFailure
        }
    }
}

extension ReconnectResponder {
    /// The arrival of a first message that came before; nil for every other, of which nothing is
    /// remembered by this.
    func repetition(of message: [UInt8], prologue: [UInt8]) -> Arrival? {
        let digest = Self.digest(message, prologue)
        return memory.withLock { memory in
            memory.answers.first { $0.digest == digest }.map { .repeated(answer: $0.message) }
        }
    }

    private static func digest(_ message: [UInt8], _ prologue: [UInt8]) -> [UInt8] {
        BLAKE2b.hash(CPace.withLength(prologue), message)
    }
}

/// A first message that has authenticated.
public struct ReconnectRequest: Sendable {
    /// What the counterpart put into it.
    public let payload: [UInt8]
    /// Its counter; 0 for none.
    public let counter: UInt64
    /// What becomes of the early data behind it: tell the counterpart in the first transport
    /// packet.
    public let verdict: EarlyVerdict
    /// Opens the early data; nil unless it is accepted.
    public let earlySealer: SessionSealer?

    let noise: NoiseHandshake
    let digest: [UInt8]
}
