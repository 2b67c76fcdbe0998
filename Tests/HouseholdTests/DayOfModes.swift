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
    private let hours: [DayConditions.Hour]

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
        hours = try DayConditions.hours()
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
        session.apply(Attachment.self) { file, rows in rows.take(.file, file.value.bytes) }
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
        let conditions = hours[hour % hours.count]
        await setConditions(conditions.link)
        // Until the phone crashes, both watches are connected.
        if hour % 4 == 1 {
            let household = household
            try await household.run { for watch in 1...2 { try await household.connect(watch) } }
        }
        for minute in 0..<60 {
            try await act(minute)
            try await household.run(for: .seconds(60))
        }
        for fault in conditions.faults {
            let hasActed = household.links.contains { $0.effects(of: fault) > 0 }
            #expect(hasActed, "\(fault)")
        }
        noteEnds()
    }

    /// Opens the links anew: a platform, and the form of a link, take effect with the next one.
    func setConditions(_ conditions: LinkConditions) async {
        for link in household.links {
            await link.cut()
            link.conditions = conditions
            link.restore()
        }
    }

    /// Asks for the ends of the records that may have another one than to be applied. A device
    /// knows the newest ends alone.
    func noteEnds() {
        let open = account.note { state in
            state.sent.indices.filter { place in
                let sent = state.sent[place]
                return sent.mayEnd != nil && sent.mayEnd != .unknown && sent.end == nil
            }
        }
        for place in open {
            let sent = account.note { $0.sent[place] }
            let outcome = household[sent.way.sender].outcome(of: sent.id)
            guard let outcome, outcome.isEnd else { continue }
            account.note { $0.sent[place].end = outcome }
        }
    }

    private func act(_ minute: Int) async throws {
        let watch = household.activeWatch
        for way in [Way(sender: 0, receiver: watch), Way(sender: watch, receiver: 0)] {
            if !oneOf(3) { send(oneOf(5) ? .lowInfo : .info, way) }
            if oneOf(8) { send(oneOf(3) ? .lowInfo : .info, way, mayEnd: .notApplied(.expired)) }
            if oneOf(12) { try await sendAndCancel(way) }
            if oneOf(8) { sendAgain(way) }
            if oneOf(4) { updateContext(way) }
            if oneOf(3) { ask(way) }
            if oneOf(30) { send(.file, way) }
        }
        if oneOf(10) { synchronize(watch) }
        if oneOf(5) { showFace(watch) }
        if oneOf(3) { try await recordDose(number(below: 3)) }
        if oneOf(12) { try await takeAway(watch) }
        if oneOf(20) { try await drain(oneOf(2) ? 0 : watch, watch) }
        if oneOf(25) { try await crash(oneOf(3) ? [0, watch] : [number(below: 3)]) }
        if oneOf(30) { try await change() }
        if oneOf(15), let session = Optional(household[number(below: 3)]) {
            let isForeground = oneOf(2)
            try? session.report(AppStatus(isForeground: isForeground, capabilities: ["other"]))
        }
    }

    /// Sends a record. `mayEnd` is the end that the caller brings about, instead of being applied;
    /// it is unknown for a record that a crash may lose.
    @discardableResult
    private func send(
        _ line: DayAccount.Line, _ way: Way, mayEnd: TransferOutcome? = nil
    ) -> Transfer? {
        let number = nextNumber(way)
        var options = SendOptions()
        if line == .lowInfo { options.priority = .low }
        if line == .info, oneOf(4) { options.priority = .high }
        if mayEnd == .notApplied(.expired) {
            let now = household.wallClock(of: way.sender).milliseconds
            let seconds = 1 + self.number(below: 120)
            options.expiresAt = WallTime(milliseconds: now + Int64(seconds) * 1_000)
        }
        if mayEnd == nil, oneOf(6) { options.idempotencyKey = UInt128(number) }
        guard let transfer = submit(line, way, number, options) else { return nil }
        let sent = DayAccount.Sent(
            way: way, line: line, number: number, id: transfer.id, options: options,
            mayEnd: mayEnd)
        account.note { $0.sent.append(sent) }
        return transfer
    }

    private func submit(
        _ line: DayAccount.Line, _ way: Way, _ number: Int64, _ options: SendOptions
    ) -> Transfer? {
        let (session, bytes) = (household[way.sender], DayAccount.bytes(number))
        if line == .file {
            let file = Attachment(bytes: bytes + [UInt8](repeating: 7, count: 40_000))
            var options = options
            options.priority = .low
            return try? session.send(file, options)
        }
        return try? session.send(UserInfo(bytes + [UInt8](repeating: 7, count: 120)), options)
    }

    /// Sends a record under its key again, as a caller does that lost the first answer.
    private func sendAgain(_ way: Way) {
        let former = account.note { state in
            state.sent.last { $0.way == way && $0.options.idempotencyKey != nil }
        }
        guard let former, let transfer = submit(former.line, way, former.number, former.options)
        else { return }
        let id = transfer.id
        account.note { $0.repeated.append((way.sender, id)) }
    }

    /// Sends a record and takes it back, before it left or soon after that.
    private func sendAndCancel(_ way: Way) async throws {
        let line: DayAccount.Line = oneOf(3) ? .lowInfo : .info
        let transfer = send(line, way, mayEnd: .notApplied(.cancelled))
        if oneOf(2) { try await household.run(for: .milliseconds(1 + number(below: 300))) }
        transfer?.cancel()
    }

    /// Waits as a background task does. If it completes, the application has every record that the
    /// other device has sent.
    private func drain(_ device: Int, _ watch: Int) async throws {
        let session = household[device]
        guard try await household.run({ try await session.drain() }) else { return }
        try await household.run(for: .zero)
        let way = Way(sender: device == 0 ? watch : 0, receiver: device)
        let due = account.note { state in
            state.drains += 1
            return state.sent.filter { $0.way == way && $0.mayEnd == nil }.map(\.number)
        }
        let arrived = try await Set(numbers(.info, way) + numbers(.file, way))
        let missing = Set(due).subtracting(arrived)
        #expect(missing.isEmpty, "device \(device) completed, and \(missing.count) were missing")
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
        let (crashes, openings) = account.note { state in
            state.outcomes[number] = []
            return (state.crashes[way.sender, default: 0], state.openings(of: way.receiver))
        }
        Task { [account] in
            let outcome = try await session.sendMessage(
                DayAccount.bytes(number), to: capability, priority: priority)
            account.note { state in
                state.outcomes[number, default: []].append(outcome)
                // A process that crashed meanwhile was told nothing.
                guard case .unknown(let id, _) = outcome,
                    state.crashes[way.sender, default: 0] == crashes
                else { return }
                state.unknown.append(
                    DayAccount.UnknownMessage(
                        way: way, number: number, id: id, openings: openings))
            }
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
        let way =
            oneOf(2) ? Way(sender: 0, receiver: watch) : Way(sender: watch, receiver: 0)
        send(.info, way, mayEnd: .notApplied(.expired))
        send(.info, way, mayEnd: .notApplied(.cancelled))?.cancel()
        try await household.run(for: .seconds(1 + number(below: 200)))
        link.restore()
    }

    /// Crashes devices at once, right after each has sent. A record counts once if its sender
    /// waited until it was durable; one that is accepted and not durable yet may be lost.
    private func crash(_ devices: [Int]) async throws {
        try await household.run(for: .zero)
        let ways = devices.map { device in
            Way(sender: device, receiver: device == 0 ? household.activeWatch : 0)
        }
        for way in ways {
            guard let transfer = send(.info, way) else { continue }
            _ = try await household.run { try await transfer.outcome(reaching: .queued) }
        }
        for _ in 0..<3 { for way in ways { send(.info, way, mayEnd: .unknown) } }
        account.note { state in
            for device in devices { state.crashes[device, default: 0] += 1 }
        }
        try await household.restart(devices)
        for device in devices { equip(device) }
    }

    /// Makes the other watch the active one.
    func change() async throws {
        account.note { $0.changes += 1 }
        let other = 3 - household.activeWatch
        let household = household
        try await household.run { try await household.activate(other) }
    }
}

extension TransferOutcome {
    /// Whether nothing follows.
    fileprivate var isEnd: Bool {
        switch self {
        case .reached(let stage): stage == .applied
        case .notApplied: true
        case .unknown: false
        }
    }
}

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

/// A large record of the application's own, of low priority.
struct Attachment: CompanionRecord, Hashable {
    static let kind = ContentKind(rawValue: 64)
    static let delivery = RecordDelivery.inOrder
    var bytes: [UInt8]
    var valueKey: RecordKey? { nil }

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(decoding bytes: [UInt8], key: RecordKey?) { self.bytes = bytes }
    func encoded() -> [UInt8] { bytes }
}
