import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// An app on a phone and a watch. A script is written against it, and runs on the calls of a
/// platform and on the sessions of the library alike.
protocol PlatformApp: Sendable {
    /// The wearer takes a dose on a device.
    func record(_ dose: Int, on role: DeviceRole) async throws
    /// The phone sends the whole list.
    func sendList(_ list: [UInt8]) throws
    /// The phone shows the next dose on the watch's face.
    func show(_ dose: UInt8) throws
    /// A device asks the other one, which answers.
    func ask(_ question: UInt8, from role: DeviceRole)
    /// Turns a trait of the platform on, or off with 0.
    func turn(_ trait: String, _ value: Int?) throws
    func setConnected(_ isConnected: Bool) async
    func restart(_ role: DeviceRole) async throws
    func run(for duration: Duration) async throws
    func result() async throws -> AppResult
    func close() async
}

/// The state of an app's two devices.
struct AppResult: Equatable {
    /// The doses that each device counts.
    var phoneDoses: [Int] = []
    var watchDoses: [Int] = []
    /// The watch's list, and how often one was given to its app.
    var list: [UInt8] = []
    var listArrivals = 0
    /// The dose on the watch's face.
    var face: UInt8?
    /// The outcomes that the askers got.
    var answers: [MessageOutcome] = []
    /// Whether the phone says that the watch is reachable.
    var isReachable = true
}

/// Runs a script on the calls of a platform, and on the sessions of the library over it. The fault
/// is on for both, and must have had an effect on the packets of the sessions.
func onBoth(
    _ profile: PlatformProfile, _ fault: String? = nil, sendsWholeState: Bool = false,
    _ script: (any PlatformApp) async throws -> Void
) async throws -> (platform: AppResult, library: AppResult) {
    let faulty = if let fault { try profile.with(fault) } else { profile }
    let plain = PlainApp(faulty, sendsWholeState: sendsWholeState)
    try await script(plain)
    let library = try await LibraryApp(faulty)
    try await script(library)
    if let fault { #expect(library.pair.link.effects(of: fault) > 0, "\(fault)") }
    let results = (plain.result(), try await library.result())
    await library.close()
    return results
}

/// The app on the platform's own calls, as the platform's examples have it.
final class PlainApp: PlatformApp {
    let pair: PlatformPair
    private let sendsWholeState: Bool
    private let state = Mutex(AppResult())

    /// - Parameter sendsWholeState: a device sends all its doses as its newest state, and takes
    ///   those of the other in place of its own.
    init(_ profile: PlatformProfile, sendsWholeState: Bool = false) {
        pair = PlatformPair(profile)
        self.sendsWholeState = sendsWholeState
        for role in DeviceRole.allCases { listen(role) }
    }

    private func listen(_ role: DeviceRole) {
        pair.onReceive(at: role) { [weak self] _, bytes in self?.receive(bytes, at: role) }
    }

    private func receive(_ bytes: [UInt8], at role: DeviceRole) -> [UInt8]? {
        guard let kind = bytes.first else { return nil }
        let rest = Array(bytes.dropFirst())
        state.withLock { state in
            let doses = rest.map { Int($0) }
            switch (kind, role) {
            case (1, .phone): state.phoneDoses += doses
            case (1, .watch): state.watchDoses += doses
            case (2, _):
                state.list = rest
                state.listArrivals += 1
            case (3, _): state.face = rest[0]
            case (5, .phone): state.phoneDoses = doses
            case (5, .watch): state.watchDoses = doses
            default: break
            }
        }
        return kind == 4 ? rest : []
    }

    func record(_ dose: Int, on role: DeviceRole) {
        let all = state.withLock { state in
            if role == .phone {
                state.phoneDoses.append(dose)
            } else {
                state.watchDoses.append(dose)
            }
            return role == .phone ? state.phoneDoses : state.watchDoses
        }
        if sendsWholeState {
            try? pair.send([5] + all.map { UInt8($0) }, as: .context, from: role)
        } else {
            send([1, UInt8(dose)], from: role, retries: 1)
        }
    }

    /// A message now, or user info later. The wearer retries once after an error.
    private func send(_ bytes: [UInt8], from role: DeviceRole, retries: Int) {
        do {
            try pair.send(
                bytes, as: .interactive, from: role,
                error: { [weak self] _ in
                    if retries > 0 { self?.send(bytes, from: role, retries: retries - 1) }
                })
        } catch {
            try? pair.send(bytes, as: .background, from: role)
        }
    }

    func sendList(_ list: [UInt8]) { try? pair.send([2] + list, as: .context, from: .phone) }
    func show(_ dose: UInt8) { try? pair.send([3, dose], as: .complication, from: .phone) }

    func ask(_ question: UInt8, from role: DeviceRole) {
        let add: @Sendable (MessageOutcome) -> Void = { [weak self] outcome in
            self?.state.withLock { $0.answers.append(outcome) }
        }
        do {
            try pair.send(
                [4, question], as: .interactive, from: role, reply: { add(.reply($0)) },
                error: { add(.notDelivered($0)) })
        } catch {
            add(.notDelivered("\(error)"))
        }
    }

    func turn(_ trait: String, _ value: Int?) throws {
        pair.profile = try pair.profile.with(trait, value)
    }
    func setConnected(_ isConnected: Bool) { pair.isConnected = isConnected }
    func restart(_ role: DeviceRole) {
        pair.restart(role)
        listen(role)
    }
    func run(for duration: Duration) { pair.run(for: duration) }
    func result() -> AppResult {
        var result = state.withLock { $0 }
        result.isReachable = pair.isReachable
        return result
    }
    func close() {}
}
