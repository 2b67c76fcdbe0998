import Locks
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// One end of a link in memory. Its driver owns it.
final class MemoryCarrier: Carrier {
    private struct State {
        weak var other: MemoryCarrier?
        var traits = CarrierTraits.stream
        var arrived: [ArraySlice<UInt8>] = []
        var end: CarrierRead?
        /// When the last byte that this end sent arrives.
        var lastArrival = Instant.zero
        var isSuspended = false
    }

    let role: DeviceRole
    private weak let link: TestLink?
    private let arrival: WakeDescriptor
    private let room: WritabilityDescriptor
    private let state = Mutex(State())

    init(_ link: TestLink, _ role: DeviceRole) throws(SystemErrorNumber) {
        self.link = link
        self.role = role
        arrival = try WakeDescriptor()
        room = try WritabilityDescriptor()
    }

    func connect(to other: MemoryCarrier, _ traits: CarrierTraits) {
        state.withLock { state in
            state.other = other
            state.traits = traits
        }
    }

    var traits: CarrierTraits { state.withLock { $0.traits } }
    var address: PathAddress? { traits.isLossy ? .onlyCounterpart : nil }
    var initiation: InitiationTime { role == .watch ? .whenCalled : .atOnce }
    var readDescriptor: Int32? { state.withLock { $0.isSuspended } ? nil : arrival.number }
    var writeDescriptor: Int32? { room.number }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        state.withLock { state in
            guard let first = state.arrived.first else {
                if let end = state.end { return end }
                arrival.clear()
                return .nothingYet
            }
            let count = min(first.count, buffer.count)
            for (place, byte) in first.prefix(count).enumerated() { buffer[place] = byte }
            if count < first.count {
                state.arrived[0] = first.dropFirst(count)
            } else {
                state.arrived.removeFirst()
            }
            if state.arrived.isEmpty, state.end == nil { arrival.clear() }
            return state.traits.isLossy ? .datagram(count, from: .onlyCounterpart) : .bytes(count)
        }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        if case .failed(let failure) = state.withLock({ $0.end }) { return .failed(failure) }
        let array = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        return link?.send(array, from: self) ?? .took(bytes.count)
    }

    func suspend() { state.withLock { $0.isSuspended = true } }
    func resume() { state.withLock { $0.isSuspended = false } }

    /// The other end learns of it behind everything that was sent.
    func close() {
        link?.close(self)
        let (other, last) = state.withLock { ($0.other, $0.lastArrival) }
        link?.time.at(last) { [weak other] in other?.end(.ended) }
        state.withLock { state in
            state.other = nil
            state.end = .ended
        }
    }

    // MARK: The link

    func deliver(_ arrival: LinkArrival) {
        let other = state.withLock { state in
            state.lastArrival = max(state.lastArrival, arrival.at)
            return state.other
        }
        link?.time.at(arrival.at) { [weak other] in other?.receive(arrival.bytes) }
    }

    func receive(_ bytes: [UInt8]) {
        let isOpen = state.withLock { state in
            guard state.end == nil else { return false }
            state.arrived.append(bytes[...])
            arrival.signal()
            return true
        }
        if isOpen { link?.arrived(bytes.count, at: role) }
    }

    func end(_ end: CarrierRead) {
        state.withLock { state in
            guard state.end == nil else { return }
            state.end = end
            state.other = nil
            arrival.signal()
        }
        room.free()
    }

    /// The link takes no more before that moment.
    func isFull(until moment: Instant?) {
        room.fill()
        guard let moment, moment != .distantFuture else { return }
        link?.time.at(moment) { [weak self] in self?.hasRoom() }
    }

    func hasRoom() { room.free() }
}

/// Opens the links of one device.
final class MemorySource: CarrierSource {
    private let link: TestLink
    private let role: DeviceRole

    init(_ link: TestLink, _ role: DeviceRole) {
        self.link = link
        self.role = role
    }

    var waitsForCounterpart: Bool { role == .watch }
    var readinessDescriptor: Int32? { link.sign(role)?.number }

    func prepare() throws(LinkError) { if role == .watch { link.listen(true) } }

    func rest() -> Bool {
        if role == .watch { link.listen(false) }
        return true
    }

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        let isCalled = link.sign(role)?.clear() ?? false
        if role == .watch { return link.accept().map { .opened($0) } ?? .nobodyYet }
        // The phone tries again when its peer asks: a link that ends at once would be opened for
        // ever.
        guard occasion == .asked || isCalled else { return .nobodyYet }
        do throws(SystemErrorNumber) {
            return try link.connect().map { .opened($0) } ?? .nobodyYet
        } catch {
            return .failed(error.failure(of: "eventfd"))
        }
    }

    func close(leavingFiles: Bool) { if role == .watch { link.listen(false) } }
}
