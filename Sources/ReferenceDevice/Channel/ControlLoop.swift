internal import CPosix
internal import CommandLine
internal import ControlProtocol
internal import Glibc
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The main thread: sleeps in `poll` until a command, a signal, the end of the parent or of a wait
/// comes.
final class ControlLoop {
    let output: ControlOutput
    let options: SimulatorOptions
    let name: String
    var dropped = DroppedPackets(since: SystemClock.now)
    private let signals: Int32
    private let clockWatch = watchproto_open_clock_watch()
    private var parent: Int32 = -1
    private var listener: Int32 = -1
    private var input: Int32 = -1
    private var reader = ControlLineReader()
    var endReason: String?
    /// The code of a start that failed after `ready`.
    var refusal: SimulatorExit?

    init(_ options: SimulatorOptions, name: String) throws(StartRefusal) {
        self.options = options
        self.name = name
        // Before any other thread is started, which inherit what is blocked.
        signals = watchproto_open_signals()
        do throws(SystemErrorNumber) {
            output = try ControlOutput()
            try output.start()
        } catch {
            let reason = SystemErrorText.of(error.rawValue)
            throw StartRefusal(.unavailable, "no descriptor or thread is left: \(reason)")
        }
        var isGone: Int32 = 0
        parent = unsafe watchproto_open_parent(&isGone)
        if isGone != 0 { endReason = "parent_ended" }
    }

    // MARK: The channel

    func openChannel() -> SimulatorExit? {
        switch options.control {
        case .none: return nil
        case .standardIO:
            input = 0
            return nil
        case .unix(let path):
            let bytes = Array(path.utf8)
            listener = unsafe watchproto_listen_for_control(bytes, bytes.count)
            guard listener < 0 else { return nil }
            let failure = errno
            let text =
                switch failure {
                case EADDRINUSE: "another process listens there"
                case ENOTSOCK: "what stands there is no socket, and was left alone"
                default: SystemErrorText.of(failure)
                }
            StandardError.write(
                "Error: cannot open the control channel 'unix:\(path)': \(text)\n"
                    + "  Try: another path after '--control'.")
            return failure == ENOENT || failure == ENOTDIR ? .missing : .unavailable
        }
    }

    func closeChannel() {
        guard case .unix(let path) = options.control, listener >= 0 else { return }
        close(listener)
        _ = unsafe unlink(path)
    }

    // MARK: One turn

    func turn(_ simulator: Simulator) {
        if simulator.observer.linkHasEnded.load(ordering: .acquiring), options.control == .none {
            endReason = "link_ended"
            return
        }
        let mayRead = input >= 0 && output.hasRoom
        let descriptors = [
            signals, parent, output.changed.number, listener, mayRead ? input : -1, clockWatch,
        ]
        var set = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let deadline = [
            simulator.nextWait, simulator.addressDeadline, simulator.nextLook,
        ].compactMap(\.self).min()
        var wait: Int32 = -1
        if let deadline {
            let left = max(0, SystemClock.now.duration(to: deadline).nanosecondsClamped)
            wait = Int32(clamping: (left + 999_999) / 1_000_000)
        }
        let count = unsafe set.withUnsafeMutableBufferPointer { set in
            unsafe poll(set.baseAddress, nfds_t(set.count), wait)
        }
        if deadline != nil {
            simulator.lookAtWaits(at: SystemClock.now)
            simulator.tryAddressAgain(at: SystemClock.now)
            simulator.lookAtFace(at: SystemClock.now)
        }
        tellDropped(simulator)
        guard count > 0 else { return }
        if set[0].revents != 0 {
            let number = watchproto_take_signal(signals)
            endReason = number == SIGINT ? "interrupted" : "terminated"
            return
        }
        if set[1].revents != 0 {
            endReason = "parent_ended"
            return
        }
        if set[5].revents != 0 { clockWasSet(simulator) }
        if set[2].revents != 0 { outputChanged(simulator) }
        if set[3].revents != 0 { accept(simulator) }
        if set[4].revents != 0 { read(simulator) }
    }

    /// The wall clock was set: everything that is due by that clock is checked again.
    private func clockWasSet(_ simulator: Simulator) {
        watchproto_clear_clock_watch(clockWatch)
        simulator.faceMayChange(.other)
    }

    /// Whether a command waits in the channel.
    var hasInput: Bool {
        guard input >= 0 else { return false }
        var set = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&set, 1, 0) > 0
    }

    private func outputChanged(_ simulator: Simulator) {
        output.changed.clear()
        if simulator.loading.hasEnded { completeStart(simulator) }
        if simulator.isLoaded {
            simulator.pairingChanged()
            simulator.recover()
        }
        if !output.isConnected, input >= 0, case .unix = options.control { dropClient(simulator) }
    }

    private func accept(_ simulator: Simulator) {
        let client = watchproto_accept_blocking(listener)
        guard client >= 0 else { return }
        guard input < 0 else {
            let error = ControlError("busy", ["expected": "one client at a time"])
            let event = ControlMessage.event(
                "error", JSONValue.members(["error": error.value]),
                atNanoseconds: SystemClock.now.nanoseconds)
            _ = Descriptors.write(JSONWriter.line(event), to: client)
            close(client)
            return
        }
        input = client
        reader = ControlLineReader()
        output.connect(to: client)
        output.append(JSONWriter.line(simulator.ready()), droppable: false)
    }

    private func dropClient(_ simulator: Simulator) {
        output.connect(to: nil)
        simulator.forgetWaits()
        close(input)
        input = -1
    }

    private func read(_ simulator: Simulator) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = Descriptors.read(input, into: &chunk) ?? 0
        let pieces =
            count > 0 ? reader.append(chunk[..<count]) : reader.finish().map { [$0] } ?? []
        for piece in pieces where endReason == nil {
            switch piece {
            case .tooLong(let id):
                reply(
                    ControlMessage.refusal(
                        of: id, .lineTooLong(limitBytes: reader.limitBytes)))
            case .line(let line): obey(line, simulator)
            }
        }
        guard count == 0, endReason == nil else { return }
        if case .standardIO = options.control {
            endReason = "stdin_closed"
        } else {
            dropClient(simulator)
        }
    }

    private func obey(_ line: [UInt8], _ simulator: Simulator) {
        let request: ControlRequest
        do throws(ControlRequest.Refusal) {
            request = try ControlRequest(line: line)
        } catch {
            reply(ControlMessage.refusal(of: error.id, error.error))
            return
        }
        if request.command != "wait" { simulator.hub.commandBegins() }
        // Many doses read many rows.
        let count = ((try? request.optionalInteger("count", in: 1...5000)) ?? nil) ?? 1
        if count > 1 || !Simulator.commandsBeforeLoad.contains(request.command) {
            completeStart(simulator)
        }
        guard refusal == nil else {
            let error = ControlError("ending", ["reason": .string(endReason ?? "")])
            return reply(ControlMessage.refusal(of: request.id, error))
        }
        do throws(ControlError) {
            if let members = try simulator.perform(request) {
                reply(ControlMessage.reply(to: request.id, members))
            }
            if request.command == "quit" { endReason = "quit" }
        } catch {
            reply(ControlMessage.refusal(of: request.id, simulator.explained(error)))
        }
        if simulator.session is NoSession { simulator.observer.lookAtJournal() }
    }

    private func reply(_ value: JSONValue) {
        output.append(JSONWriter.line(value), droppable: false)
    }
}
