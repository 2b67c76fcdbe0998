import Locks
import WatchProtoCore
import WatchProtoTransport

/// An open link of the application's carrier, as the driver uses it: two queues, and two tasks that
/// move bytes between them and the link.
final class AppCarrier: Carrier {
    private struct State {
        var arrived: [ArraySlice<UInt8>] = []
        var arrivedBytes = 0
        /// How the link ended, behind everything that arrived.
        var end: CarrierRead?
        var leaving: [[UInt8]] = []
        /// Those that the link has not taken yet.
        var leavingBytes = 0
        var failure: CarrierFailure?
        var isSuspended = false
        var isClosing = false
        var isClosed = false
        /// The receiving task, which waits for room; and the sending one, which waits for bytes.
        var receiver: CheckedContinuation<Void, Never>?
        var sender: CheckedContinuation<Void, Never>?
    }

    private enum Limit {
        static let arrivedBytes = 1 << 18
        static let leavingBytes = 1 << 16
        static let farewell = Duration.seconds(1)
    }

    let traits: CarrierTraits
    private let link: any CarrierLink
    private let reports: LinkReports
    private let arrival: WakeDescriptor
    private let room: WritabilityDescriptor
    private let state = Mutex(State())

    /// Begins to receive.
    init(
        _ link: any CarrierLink, _ traits: CarrierTraits, _ reports: LinkReports
    ) throws(SystemErrorNumber) {
        self.link = link
        self.traits = traits
        self.reports = reports
        arrival = try WakeDescriptor()
        room = try WritabilityDescriptor()
        Task.detached { await self.receiveAll() }
        let sending = Task.detached { await self.sendAll() }
        self.sending.withLock { $0 = sending }
    }

    private let sending = Mutex<Task<Void, Never>?>(nil)

    /// The counterpart's, where packets can be lost: the peer sends them to an address.
    var address: PathAddress? { traits.isLossy ? .onlyCounterpart : nil }
    private var isStream: Bool { traits.framing == .stream }
    var readDescriptor: Int32? { state.withLock { $0.isSuspended } ? nil : arrival.number }
    var writeDescriptor: Int32? { room.number }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        let (result, receiver) = state.withLock {
            state -> (CarrierRead, CheckedContinuation<Void, Never>?) in
            let result = Self.take(&state, into: &buffer, self.traits)
            if state.arrived.isEmpty, state.end == nil { self.arrival.clear() }
            guard state.arrivedBytes < Limit.arrivedBytes else { return (result, nil) }
            defer { state.receiver = nil }
            return (result, state.receiver)
        }
        receiver?.resume()
        return result
    }

    private static func take(
        _ state: inout State, into buffer: inout MutableSpan<UInt8>, _ traits: CarrierTraits
    ) -> CarrierRead {
        guard let first = state.arrived.first else { return state.end ?? .nothingYet }
        let count = min(first.count, buffer.count)
        if traits.framing != .stream, count < first.count {
            state.arrived.removeFirst()
            state.arrivedBytes -= first.count
            return traits.isLossy ? .ignored(.tooLarge) : .failed(.appCarrier)
        }
        for (place, byte) in first.prefix(count).enumerated() { buffer[place] = byte }
        state.arrivedBytes -= count
        if count < first.count {
            state.arrived[0] = first.dropFirst(count)
        } else {
            state.arrived.removeFirst()
        }
        return traits.isLossy
            ? .datagram(count, from: .onlyCounterpart) : .bytes(count)
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        let count = bytes.count
        let (result, sender) = state.withLock {
            state -> (CarrierWrite, CheckedContinuation<Void, Never>?) in
            if let failure = state.failure { return (.failed(failure), nil) }
            let free = max(0, Limit.leavingBytes - state.leavingBytes)
            let taken = self.isStream ? min(free, count) : free > 0 ? count : 0
            if taken < count { self.room.fill() }
            guard taken > 0 else { return (.took(0), nil) }
            state.leaving.append(
                unsafe bytes.extracting(first: taken).withUnsafeBufferPointer { unsafe Array($0) })
            state.leavingBytes += taken
            defer { state.sender = nil }
            return (.took(taken), state.sender)
        }
        sender?.resume()
        return result
    }

    func suspend() { state.withLock { $0.isSuspended = true } }
    func resume() { state.withLock { $0.isSuspended = false } }

    /// Lets what was written leave, for a moment at most.
    func close() {
        let waiting = state.withLock { state in
            state.isClosing = true
            defer { (state.receiver, state.sender) = (nil, nil) }
            return [state.receiver, state.sender]
        }
        for waiter in waiting { waiter?.resume() }
        Task.detached { [self] in
            try? await Task.sleep(for: Limit.farewell)
            sending.withLock { $0 }?.cancel()
            await closeLink()
        }
    }

    private func closeLink() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { await link.close() }
    }

    // MARK: The two tasks

    private func receiveAll() async {
        while await hasRoom() {
            do {
                guard let bytes = try await link.receive() else { return ended(.ended) }
                if !bytes.isEmpty { arrived(bytes[...]) }
            } catch {
                reports.failed("\(error)")
                return ended(.failed(.appCarrier))
            }
        }
    }

    /// Waits until there is room for what arrives. Returns false once closing.
    private func hasRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard !state.isClosing, state.arrivedBytes >= Limit.arrivedBytes else {
                    return false
                }
                state.receiver = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
        return state.withLock { !$0.isClosing }
    }

    private func arrived(_ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            state.arrived.append(bytes)
            state.arrivedBytes += bytes.count
            self.arrival.signal()
        }
    }

    private func ended(_ end: CarrierRead) {
        state.withLock { state in
            state.end = state.end ?? end
            self.arrival.signal()
        }
    }

    private func sendAll() async {
        while let bytes = await nextLeaving() {
            do {
                try await link.send(bytes)
                state.withLock { state in
                    state.leavingBytes -= bytes.count
                    self.room.free()
                }
            } catch {
                reports.failed("\(error)")
                state.withLock { state in
                    state.failure = .appCarrier
                    state.end = state.end ?? .failed(.appCarrier)
                    self.room.free()
                    self.arrival.signal()
                }
                break
            }
        }
        // Without an end from this side the driver still has to learn of a failure first.
        if state.withLock({ $0.isClosing }) { await closeLink() }
    }

    /// The next bytes to send: of a stream all there are. Nil once closing, behind the last ones.
    private func nextLeaving() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.leaving.isEmpty, !state.isClosing else { return false }
                state.sender = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
        return state.withLock { state in
            guard !state.leaving.isEmpty else { return nil }
            guard self.isStream else { return state.leaving.removeFirst() }
            defer { state.leaving = [] }
            return Array(state.leaving.joined())
        }
    }
}

extension CarrierFailure {
    /// The application's carrier threw an error, or broke its promise.
    static let appCarrier = CarrierFailure(call: "the application's carrier", errorNumber: 0)
}
