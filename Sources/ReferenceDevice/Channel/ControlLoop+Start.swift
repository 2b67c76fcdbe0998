internal import CPosix
internal import CommandLine
internal import ControlProtocol
internal import Glibc
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The beginning and the end of a simulator.
extension ControlLoop {
    /// Runs the simulator to its end.
    ///
    /// With a journal, `ready` does not wait for what the file holds: the check of the file, the
    /// store and the session follow on a thread of their own. Commands that need them wait.
    func run(_ simulator: Simulator) -> SimulatorExit {
        if let path = options.link.path, !ProcessFacts.hasDirectory(of: path) {
            StandardError.write(
                "Error: cannot open the link: the directory of '\(options.link)' does not exist\n"
                    + "  Try: make it first, or another '--link' address.")
            return .missing
        }
        if let refusal = openChannel() { return refusal }
        let loadsLater = simulator.file != nil && options.control != .none
        if !loadsLater {
            simulator.loading.begin(apart: false) { () throws(StartRefusal) in
                try simulator.loadStore()
            }
            completeStart(simulator)
            if let refusal {
                closeChannel()
                return refusal
            }
        }
        if case .standardIO = options.control { output.connect(to: 1) }
        if loadsLater { simulator.showKeptFace() }
        simulator.hub.open(simulator.ready())
        if simulator.isLoaded { watchproto_map_used_code_only() }
        if loadsLater {
            // A dose that waits in the channel needs the file alone: the load would only delay it.
            if hasInput { turn(simulator) }
            beginLoading(simulator)
        }
        while endReason == nil { turn(simulator) }
        return finish(simulator)
    }

    /// Begins the rest of the start on a thread of its own, unless it has begun.
    private func beginLoading(_ simulator: Simulator) {
        guard !simulator.loading.hasBegun else { return }
        let changed = simulator.output.changed
        simulator.loading.begin(
            ended: { changed.signal() },
            { () throws(StartRefusal) in try simulator.loadStore() })
    }

    /// Waits for the rest of the start, and activates the session unless the process ends.
    func completeStart(_ simulator: Simulator) {
        guard !simulator.isLoaded, refusal == nil else { return }
        beginLoading(simulator)
        do throws(StartRefusal) {
            try simulator.loading.wait()
            if endReason == nil { try activate(simulator) }
            // Nothing of the start waits for it.
            if simulator.hub.isOpen { watchproto_map_used_code_only() }
        } catch {
            StandardError.write("Error: \(error.text)")
            let isOfLink = [.missing, .unavailable].contains(error.exit)
            let code = isOfLink ? "link_unavailable" : "store_failed"
            simulator.hub.post(
                "error", ["error": ["code": .string(code), "detail": .string(error.text)]])
            refusal = error.exit
            endReason = endReason ?? "not_started"
        }
    }

    private func activate(_ simulator: Simulator) throws(StartRefusal) {
        do throws(LinkError) {
            try simulator.activateSession()
        } catch {
            throw StartRefusal(
                error.isMissing ? .missing : .unavailable,
                "cannot open the link: \(error)\n"
                    + "  Try: another '--link' address; see '\(CommandLine.arguments[0]) --help'.")
        }
        if let words = simulator.plainWords {
            StandardError.write("\(name): \(words): for development only")
        }
    }

    private func finish(_ simulator: Simulator) -> SimulatorExit {
        // The rest of the start must end before the file is closed.
        completeStart(simulator)
        simulator.load.stop()
        tellDropped(simulator, isLast: true)
        simulator.closePairing()
        // Messages that wait for their end learn none in this process.
        try? simulator.file?.write(simulator.observer.messageTable.closing())
        simulator.closeFurther()
        if simulator.isLoaded { simulator.application.ends(in: simulator) }
        simulator.session.close()
        simulator.file?.close()
        simulator.refuseWaits(reason: endReason ?? "")
        let lost = simulator.unsettledCount
        if lost > 0 {
            StandardError.write(
                "\(name): \(lost) records were not settled and are lost with this process")
        }
        simulator.hub.post("bye", ["reason": .string(endReason ?? ""), "lost": .whole(lost)])
        output.drain(milliseconds: 1000)
        closeChannel()
        return refusal ?? .done
    }
}

extension LinkError {
    /// Whether what is named does not exist.
    fileprivate var isMissing: Bool {
        switch self {
        case .system(let failure, _): [ENOENT, ENOTDIR].contains(failure.errorNumber)
        case .unusableDescriptor: true
        default: false
        }
    }
}
