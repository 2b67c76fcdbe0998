import CommandLine
import ControlProtocol
import ReferenceDevice
import Reports
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The faces that a command line asks for.
struct FaceInput {
    private let command: FaceCommand
    private let invocation: Invocation
    private let now: WallMinute
    private let zone: ZoneTimeline

    init(_ command: FaceCommand, _ invocation: Invocation) throws(RigFailure) {
        self.command = command
        self.invocation = invocation
        let fixed = invocation[command.zone]?.offset
        func offset(_ minute: WallMinute) -> ZoneOffset {
            fixed ?? ZoneOffset(clamping: Int(SystemClock.zoneOffset(at: minute.wallTime)))
        }
        let present = WallMinute(SystemClock.wall.time)
        let isInvented = invocation[command.state] != nil
        let time = invocation[command.at] ?? (isInvented ? LocalMinute.ofInvented : nil)
        now = time.map { $0.moment(now: present, offset) } ?? present
        zone = fixed.map { ZoneTimeline($0) } ?? LocalZone.offsets(around: now)
        if isInvented {
            for other in [command.doses.name, command.checked.name]
            where invocation.given.contains(other) {
                throw RigFailure(.usage, "--state is invented; it takes no --\(other).")
            }
            guard invocation[command.file] == nil else {
                throw RigFailure(.usage, "--state is invented; it takes no file.")
            }
        }
    }

    /// The faces with their names.
    func rows() throws(RigFailure) -> [FacePage.Row] {
        var rows = try scenes()
        for place in rows.indices where invocation[command.locked] {
            rows[place].scene.isPrivate = true
        }
        return rows
    }

    private func scenes() throws(RigFailure) -> [FacePage.Row] {
        if let choice = invocation[command.state] {
            return choice.states.map { FacePage.Row($0.rawValue, $0.scene(at: now, zone: zone)) }
        }
        let path: String
        let name: String
        if let given = invocation[command.file] {
            (path, name) = (given, given)
        } else {
            (path, name) = (try DemoOptions.givenBuiltInList(), "the built-in list")
        }
        let bytes = try DemoList.bytes(of: path, "the face's list")
        guard !bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw RigFailure(
                .badInput, "'\(name)' is the journal of a device.",
                details: [
                    "Try: ask the device, {\"id\":1,\"cmd\":\"face\"}, and give the reply as a "
                        + "file."
                ])
        }
        if let node = JSONParser.examine(bytes).nodes.first, let reply = FaceReply(node) {
            let faults = reply.faults
            guard faults.isEmpty else {
                let refusal = ImportRefusal(file: name, errors: faults)
                throw RigFailure(.badInput, text: refusal.description(source: bytes))
            }
            guard invocation[command.doses] == nil, invocation[command.checked] == nil else {
                throw RigFailure(
                    .usage, "'\(name)' is the reply to 'face': it takes no doses and no check.")
            }
            return [FacePage.Row(name, try reply.scene(name, at: now, zone))]
        }
        return [FacePage.Row(name, try scene(of: DemoList(path: path, name: name)))]
    }

    // MARK: A list

    private func scene(of list: DemoList) throws(RigFailure) -> FaceScene {
        let checked: WallMinute?
        if let given = invocation[command.checked] {
            checked = given.time?.moment(now: now) { zone.offset(at: $0) }
        } else {
            checked = now
        }
        let events = try events()
        let records = list.medications.compactMap { try? MedicationProjection.project($0) }
        let timeline = FaceTimeline(
            records.map { FaceDosing($0) }, FaceTimeline.states(events), at: now, zone: zone,
            checked: checked)
        let shown = timeline.shown(at: now)
        let medication = shown.entry.headline.flatMap { dose in
            records.first { $0.id == dose.slot.medication }
        }
        return FaceScene(
            shown, drug: medication.map { FaceDrug($0, among: records.map(\.name)) },
            checked: timeline.checked, now: now, zone: zone)
    }

    private func events() throws(RigFailure) -> [DoseEvent] {
        guard let path = invocation[command.doses] else { return [] }
        let bytes = try DemoList.bytes(of: path, "the doses")
        do throws(ImportRefusal) {
            return Array(try DoseImporter.read(bytes, file: path).doses)
        } catch {
            throw RigFailure(.badInput, text: error.description(source: bytes))
        }
    }
}
