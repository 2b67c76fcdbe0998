import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// A wearer's day with a phone and two watches, in all modes.
final class DayOfModes: Sendable {
    typealias Way = DayAccount.Way

    let household: Household
    let account = DayAccount()
    private let draws: Mutex<DayDraws>

    static let tables = [
        "CREATE TABLE taken(place INTEGER PRIMARY KEY, kind INTEGER, number INTEGER)",
        "CREATE TABLE held(id INTEGER PRIMARY KEY, revision INTEGER)",
    ]

    /// The kinds of rows in `taken`.
    enum Kind: Int64 {
        case info = 1
        case context, file, face
    }

    init(in directory: String, seed: UInt64) async throws {
        household = try await Household(
            watches: 2, in: directory, tables: Self.tables, seed: seed)
        draws = Mutex(DayDraws(seed))
        for device in 0...2 { equip(device) }
    }

    private func oneOf(_ count: Int) -> Bool { draws.withLock { $0.oneOf(count) } }

    private func number(below limit: Int) -> Int {
        draws.withLock { Int.random(in: 0..<limit, using: &$0) }
    }

    // MARK: The applications

    /// Makes the handlers of a device that has just started.
    private func equip(_ device: Int) {
        let (session, account) = (household[device], account)
        session.apply(UserInfo.self) { info, rows in
            rows.take(.info, info.value.bytes)
        }
        session.apply(ApplicationContext.self) { context, rows in
            rows.take(.context, context.value.bytes)
        }
        session.apply(FileContent.self) { file, rows in rows.take(.file, file.value.bytes) }
        session.apply(LightweightMedication.self) { medication, rows in
            rows.run(
                "INSERT OR REPLACE INTO held VALUES(?, ?)",
                .integer(Int64(medication.value.id.rawValue)),
                .integer(Int64(medication.value.revision)))
        }
        session.apply(MedicationRemoval.self) { removal, rows in
            rows.run("DELETE FROM held WHERE id = ?", .integer(Int64(removal.value.id.rawValue)))
        }
        session.apply(ShownState.self) { shown, rows in
            let number = Int64(shown.value.state.name.dropFirst(6)) ?? -1
            rows.take(.face, DayAccount.bytes(number))
        }
        let messages = session.messages()
        Task {
            for await message in messages {
                account.note { state in
                    state.handled[DayAccount.number(message.body), default: 0] += 1
                }
                try? message.reply(message.body)
            }
        }
        try? session.report(AppStatus(capabilities: device == 1 ? ["first"] : ["other"]))
    }

    /// An hour of the day.
    func live(_ hour: Int) async throws {
        let conditions = DayConditions.hours[hour % DayConditions.hours.count]
        for link in household.links { link.conditions = conditions }
        for minute in 0..<60 {
            try await act(minute)
            try await household.run(for: .seconds(60))
        }
    }

    private func act(_ minute: Int) async throws {
        let watch = household.activeWatch
        for way in [Way(sender: 0, receiver: watch), Way(sender: watch, receiver: 0)] {
            if !oneOf(3) { send(UserInfo.self, way) { $0.infos[way, default: []].append($1) } }
            if oneOf(4) { updateContext(way) }
            if oneOf(3) { ask(way) }
            if oneOf(30) { send(FileContent.self, way) { $0.files[way, default: []].append($1) } }
        }
        if oneOf(10) { synchronize(watch) }
        if oneOf(5) { showFace(watch) }
        if oneOf(3) { try await recordDose(number(below: 3)) }
        if oneOf(12) { try await takeAway(watch) }
        if oneOf(25) { try await crash(number(below: 3)) }
        if oneOf(30) { try await change() }
        if oneOf(15), let session = Optional(household[number(below: 3)]) {
            let isForeground = oneOf(2)
            try? session.report(AppStatus(isForeground: isForeground, capabilities: ["other"]))
        }
    }

    private func send<Record: DayRecord>(
        _ type: Record.Type, _ way: Way,
        _ note: @Sendable (inout DayAccount.State, Int64) -> Void
    ) {
        let number = nextNumber(way)
        let padding = [UInt8](repeating: 7, count: type == FileContent.self ? 40_000 : 120)
        let record = Record(DayAccount.bytes(number) + padding)
        guard let transfer = try? household[way.sender].send(record) else { return }
        account.note { state in
            note(&state, number)
            state.transfers.append((way.sender, transfer.id))
        }
    }

    /// A number that tells its sender.
    private func nextNumber(_ way: Way) -> Int64 {
        account.note { state in
            state.asked += 1
            return Int64(way.sender) << 32 | Int64(state.asked)
        }
    }

    /// One of three states: many are equal to the one before.
    private func updateContext(_ way: Way) {
        let state = Int64(way.sender) << 32 | Int64(number(below: 3))
        guard (try? household[way.sender].send(ApplicationContext(DayAccount.bytes(state)))) != nil
        else { return }
        account.note { $0.contexts[way] = state }
    }

    private func ask(_ way: Way) {
        let (session, number) = (household[way.sender], nextNumber(way))
        let capability = oneOf(4) ? "first" : nil
        let priority: TransferPriority = oneOf(3) ? .low : .high
        account.note { $0.outcomes[number] = [] }
        Task { [account] in
            let outcome = try await session.sendMessage(
                DayAccount.bytes(number), to: capability, priority: priority)
            account.note { $0.outcomes[number, default: []].append(outcome) }
        }
    }

    private func synchronize(_ watch: Int) {
        let ids = (1...40).filter { _ in !oneOf(4) }.map { UInt32($0) }
        let list = ids.map { LightweightMedication.ofDay($0, revision: 1 + $0 % 3) }
        if (try? household[0].synchronize(list)) != nil {
            account.note { $0.lists[watch] = ids }
        }
    }

    private func showFace(_ watch: Int) {
        let number = nextNumber(Way(sender: 0, receiver: watch))
        let state = ComplicationState(name: "state \(number)", total: 4)
        guard (try? household[0].complications.update(state)) != nil else { return }
        account.note { $0.faces[watch, default: []].append(number) }
    }

    private func recordDose(_ device: Int) async throws {
        let number = account.note { state in
            state.asked += 1
            return state.asked
        }
        let event = DoseEvent.ofDay(number)
        try await household[device].doses.record(event)
        account.note { $0.doses.append(event) }
    }

    // MARK: Faults

    private func takeAway(_ watch: Int) async throws {
        let link = household.links[watch - 1]
        await link.cut()
        try await household.run(for: .seconds(1 + number(below: 200)))
        link.restore()
    }

    private func crash(_ device: Int) async throws {
        // A record that is accepted and not durable yet may be lost.
        try await household.run(for: .zero)
        try await household.restart(device)
        equip(device)
    }

    private func change() async throws {
        let other = 3 - household.activeWatch
        let household = household
        try await household.run { try await household.activate(other) }
    }
}

/// A record of bytes.
protocol DayRecord: CompanionRecord { init(_ bytes: [UInt8]) }

extension UserInfo: DayRecord {}
extension FileContent: DayRecord {}

extension JournalTransaction {
    /// Notes that a record counts.
    fileprivate mutating func take(_ kind: DayOfModes.Kind, _ bytes: [UInt8]) {
        run(
            "INSERT INTO taken(kind, number) VALUES(?, ?)", .integer(kind.rawValue),
            .integer(DayAccount.number(bytes)))
    }
}

extension DoseEvent {
    /// An event of a dose of its own.
    static func ofDay(_ number: Int) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: UInt16(number % 60_000), minute: 480), status: .taken,
            time: DoseTime(WallTime(milliseconds: 1_767_225_600_000 + Int64(number))))
    }
}

extension LightweightMedication {
    static func ofDay(_ number: UInt32, revision: UInt32) -> LightweightMedication {
        LightweightMedication(
            id: MedicationID(rawValue: UInt128(number)), name: "Medicine \(number)",
            dosage: Dosage(strength: "\(number) mg"), color: 0xFF0000, revision: revision,
            updatedAt: WallTime(milliseconds: 1_700_000_000_000))
    }
}
