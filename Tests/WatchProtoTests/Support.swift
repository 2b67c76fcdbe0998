import Foundation
import WatchProto

/// A folder of its own, gone with the value.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "wp-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func options(
        _ role: DeviceRole, _ journal: JournalPlace? = nil, tables: [String] = []
    ) -> SessionOptions {
        SessionOptions(
            role: role, link: "unix:\(file("s"))",
            journal: journal ?? .file(file("\(role)"), key: .unsealed),
            tables: tables)
    }

    func open(_ role: DeviceRole, tables: [String] = []) async throws -> CompanionSession {
        try await CompanionSession(options(role, tables: tables))
    }
}

/// Pairs the two; both users confirm.
///
/// - Returns: whether the watch was asked for its doses.
@discardableResult
func pair(
    _ phone: CompanionSession, _ watch: CompanionSession, over link: SessionLink? = nil,
    keepingDoses: Bool = false
) async throws -> Bool {
    var erasesDoses = false
    var code: String?
    var steps = watch.pair(.showCode).makeAsyncIterator()
    if case .code(let shown) = try await steps.next() { code = shown }
    async let phoneIsPaired = confirmed(phone.pair(.enterCode(code ?? ""), over: link))
    while let step = try await steps.next() {
        guard case .confirm(let request) = step else { continue }
        erasesDoses = request.erasesDoses
        request.confirm(keepingDoses: keepingDoses)
        // The first answer counts.
        request.confirm(keepingDoses: !keepingDoses)
    }
    guard try await phoneIsPaired, watch.state.pairing == phone.state.pairing else {
        throw PairingError.cancelled
    }
    return erasesDoses
}

/// Confirms, and says whether the devices are paired then.
func confirmed(_ steps: PairingSteps) async throws -> Bool {
    var isPaired = false
    for try await step in steps {
        switch step {
        case .confirm(let request): request.confirm()
        case .paired: isPaired = true
        default: break
        }
    }
    return isPaired
}

/// A phone and a watch that are paired and want a link.
func pairOfSessions(
    _ folder: Folder, tables: [String] = []
) async throws -> (phone: CompanionSession, watch: CompanionSession) {
    let phone = try await folder.open(.phone)
    let watch = try await folder.open(.watch, tables: tables)
    try await pair(phone, watch)
    try watch.activate()
    try phone.activate()
    return (phone, watch)
}

extension LightweightMedication {
    static func example(_ number: UInt32, name: String = "Aspirin") -> LightweightMedication {
        LightweightMedication(
            id: MedicationID(rawValue: UInt128(number)), name: name,
            dosage: Dosage(strength: "100 mg"), color: 0xFF0000, revision: 1,
            updatedAt: WallTime(milliseconds: 1_700_000_000_000))
    }
}
