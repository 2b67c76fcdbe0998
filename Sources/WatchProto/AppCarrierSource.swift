import Locks
import WatchProtoCore
import WatchProtoTransport

/// Opens links of the application's carrier, one after the other, for the driver.
final class AppCarrierSource: CarrierSource {
    private enum State {
        case idle
        case opening(Task<Void, Never>, attempt: Int)
        case opened(any CarrierLink)
        case failed
    }

    private let carrier: any CompanionCarrier
    private let reports: LinkReports
    /// Nil where the system has no descriptor left: nothing can be opened then.
    private let sign = try? WakeDescriptor()
    private let state = Mutex((state: State.idle, attempt: 0))

    init(_ carrier: any CompanionCarrier, _ reports: LinkReports) {
        self.carrier = carrier
        self.reports = reports
    }

    var waitsForCounterpart: Bool { false }
    var readinessDescriptor: Int32? { sign?.number }

    func prepare() throws(LinkError) {}

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        sign?.clear()
        let link = state.withLock { known -> Result<any CarrierLink, AppCarrierRefusal>? in
            switch known.state {
            case .idle:
                if occasion == .asked { self.begin(&known) }
                return nil
            case .opening: return nil
            case .opened(let link):
                known.state = .idle
                return .success(link)
            case .failed:
                known.state = .idle
                return .failure(AppCarrierRefusal())
            }
        }
        switch link {
        case nil: return .nobodyYet
        case .failure: return .failed(.appCarrier)
        case .success(let link):
            do throws(SystemErrorNumber) {
                return .opened(try AppCarrier(link, carrier.delivery.traits, reports))
            } catch {
                Task.detached { await link.close() }
                return .failed(error.failure(of: "eventfd"))
            }
        }
    }

    private func begin(_ known: inout sending (state: State, attempt: Int)) {
        known.attempt += 1
        let attempt = known.attempt
        let task = Task.detached { [self] in
            do {
                let link = try await carrier.open()
                if !end(attempt, .opened(link)) { await link.close() }
            } catch {
                reports.failed("\(error)")
                _ = end(attempt, .failed)
            }
        }
        known.state = .opening(task, attempt: attempt)
    }

    /// Ends an attempt. Returns false where nobody wants its result any more.
    private func end(_ attempt: Int, _ result: sending State) -> Bool {
        state.withLock { known in
            guard case .opening(_, attempt) = known.state else { return false }
            known.state = result
            self.sign?.signal()
            return true
        }
    }

    /// Wants no link for now.
    func rest() -> Bool {
        giveUp()
        return false
    }

    func close(leavingFiles: Bool) { giveUp() }

    private func giveUp() {
        state.withLock { known in
            switch known.state {
            case .opening(let task, _): task.cancel()
            case .opened(let link): Task.detached { await link.close() }
            case .idle, .failed: break
            }
            known.state = .idle
        }
    }
}

/// The carrier did not open a link; the reports have the reason.
private struct AppCarrierRefusal: Error {}
