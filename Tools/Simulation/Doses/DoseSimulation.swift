import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// A finding of the checker of doses.
package struct DoseFinding: Hashable, Sendable, CustomStringConvertible {
    /// The promise that was broken.
    package var promise: DosePromise
    /// The step at which it was.
    package var step: Int
    /// 0 for the phone, 1 and 2 for the watches.
    package var device: Int
    /// The details.
    package var message: String

    package var description: String {
        "\(promise.rawValue) at step \(step) on \(DoseSimulation.name(device)): \(message)"
    }
}

/// The promises that the checker of doses holds.
package enum DosePromise: String, Sendable, CaseIterable {
    /// No slot is shown open with a closing event that nobody undid.
    case closed
    /// Each state is that of the rules.
    case state
    /// No event that a device was told is lost.
    case lost
    /// Nothing counts twice.
    case twice
    /// A device that checked its ledger with another one has the events that this one had, and
    /// shows no later minute of it than that of the comparison.
    case checked
    /// A tap counts if its slot is open on its device, and only then.
    case tapped
    /// No dose is refused.
    case refused
    /// An exchange that calls itself settled has equal ledgers on both sides.
    case quiet
    /// Each device hears of each event in its ledger.
    case reported
    /// Without a comparison, no event goes back to the device it came from.
    case echo
    /// Other bytes under the identity of a known event are refused.
    case identity
    /// The reminder of a dose comes once, and a closed or snoozed dose has none.
    case reminded
    /// All devices agree soon after the last fault.
    case settled
}

/// The outcome of one run.
package struct DoseRun: Sendable {
    /// The first broken promise; nil if all were kept.
    package var finding: DoseFinding?
    /// A fingerprint of all that happened.
    package var digest: UInt64
    /// The number of events in the ledgers at the end.
    package var events: Int
    /// The number of steps, those until all devices had settled included.
    package var steps: Int
}

/// A phone and two watches with a ledger each, run step by step from a seed.
///
/// The phone has a session with each watch, and each of them connects and fails by itself. A run
/// has a part with faults, and a part without any, at whose end all ledgers must be equal.
package final class DoseSimulation {
    let mutant: DoseMutant?
    let view: DoseView
    var random: SeededGenerator
    /// Decides about forgeries, so that a run without them has the same other steps.
    var forger: SeededGenerator
    let devices: [DoseDevice]
    let plan: DosePlan
    /// The watches between which and the phone packets travel.
    var connected: Set<Int> = []
    var step = 0 { didSet { for device in devices { device.clock.set(step: step) } } }
    var finding: DoseFinding?
    private var digest: UInt64
    let trace: ((String) -> Void)?
    /// Every event that an act gave to a device.
    var known: [UInt128: DoseEvent] = [:]
    /// Those of taps on slots that were shown open.
    var tapped: Set<UInt128> = []

    /// Makes the run of `seed`. `trace` gets a line for each step.
    package init(
        seed: UInt64, mutant: DoseMutant? = nil, trace: ((String) -> Void)? = nil
    ) {
        self.mutant = mutant
        self.trace = trace
        view = DoseView(mutant: mutant)
        random = SeededGenerator(seed: seed ^ 0xD05E_5EED)
        forger = SeededGenerator(seed: seed ^ 0xF0F6_ED00)
        digest = ContentHash.continued(0, with: seed)
        devices = (0..<3).map { DoseDevice($0, mutant) }
        // Two of five runs have an application.
        plan = DosePlan(&random, hasApplication: [1, 4].contains(seed % 5))
    }

    static func name(_ device: Int) -> String { device == 0 ? "phone" : "watch \(device)" }

    /// Runs until the end, or until a promise is broken.
    package func run() -> DoseRun {
        for device in devices { for other in device.others { device.begin(with: other) } }
        while finding == nil, step < plan.steps {
            step += 1
            performStep()
            if forger.chance(0.02) { forge() }
            check()
        }
        if finding == nil { settle() }
        let events = devices[0].disk.state.withLock { $0.contents.events }
        for device in devices {
            let text = (try? device.disk.digest().text) ?? ""
            digest = ContentHash.continued(digest, with: ContentHash.of(Array(text.utf8)))
        }
        for device in devices { device.finish() }
        return DoseRun(finding: finding, digest: digest, events: events.count, steps: step)
    }

    /// Notes what happened, for the digest and for the trace.
    func note(_ what: DoseStep, _ device: Int, _ detail: @autoclosure () -> String = "") {
        digest = ContentHash.continued(digest, with: UInt64(what.place << 8 | device))
        guard let trace else { return }
        let detail = detail()
        trace(
            "\(step) \(Self.name(device)): \(what.rawValue)" + (detail.isEmpty ? "" : " \(detail)"))
    }

    func report(_ promise: DosePromise, _ device: Int, _ message: String) {
        guard finding == nil else { return }
        finding = DoseFinding(promise: promise, step: step, device: device, message: message)
        trace?("FINDING \(finding!)")
    }

    static func hex(_ identity: UInt128) -> String { String(identity >> 96, radix: 16) }
}
