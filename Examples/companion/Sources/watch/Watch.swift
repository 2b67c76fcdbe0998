import WatchProto

/// The watch: keeps each medication in a table of its own, and records a dose for each line.
@main struct Watch {
    static func main() async throws {
        let session = try await CompanionSession(
            SessionOptions(
                role: .watch, link: "unix:doses.sock",
                journal: .file("watch.journal", key: .file("watch.key")),
                tables: ["CREATE TABLE applied(id TEXT NOT NULL, name TEXT NOT NULL)"]))
        if session.state.pairing == nil {
            for try await step in session.pair(.showCode) {
                if case .code(let code) = step { print("code \(code)") }
                guard case .confirm(let request) = step else { continue }
                if request.erasesDoses { print("keep the doses for this phone? yes or no") }
                request.confirm(keepingDoses: request.erasesDoses && readLine() == "yes")
            }
        }
        session.apply(LightweightMedication.self) { medication, transaction in
            transaction.run(
                "INSERT INTO applied(id, name) VALUES(?, ?)",
                .text("\(medication.value.id.rawValue)"), .text(medication.value.name))
        }
        try session.activate()
        print("'list', or the number of a medication whose dose was taken:")
        while let line = readLine() {
            if line == "list" {
                print("applied \(try await session.rows("SELECT name FROM applied").count)")
            } else if let number = UInt128(line) {
                let dose = DoseEvent(
                    id: DoseEventID(rawValue: .random(in: 0 ... .max)),
                    medication: MedicationID(rawValue: number), planned: nil, status: .taken,
                    time: session.doses.now)
                try await session.doses.record(dose)
                print("dose \(dose.id.rawValue): recorded")
            }
        }
        await session.close()
    }
}
