import WatchProto

// `readLine` waits on the main actor, so what is to be heard meanwhile is heard elsewhere.

/// The phone: pairs with the watch, sends a medication for each line, and hears of doses.
@main struct Phone {
    static func main() async throws {
        let session = try await CompanionSession(
            SessionOptions(
                role: .phone, link: "unix:doses.sock",
                journal: .file("phone.journal", key: .file("phone.key"))))
        while session.state.pairing == nil {
            print("the code that the watch shows:")
            for try await step in session.pair(.enterCode(readLine() ?? "")) {
                if case .confirm(let request) = step { request.confirm() }
                if case .failed = step { break }  // The watch shows another code.
            }
        }
        let doses = session.doses.changes()
        Task.detached {
            for await dose in doses {
                print("dose \(dose.id.rawValue) of \(dose.medication.rawValue)")
            }
        }
        try session.activate()
        print("medications, one a line:")
        var number: UInt128 = 0
        while let name = readLine() {
            number += 1
            let medication = LightweightMedication(
                id: MedicationID(rawValue: number), name: name,
                dosage: Dosage(strength: "100 mg"), updatedAt: .now)
            let transfer = try session.send(medication)
            Task.detached { print("\(name): \(try await transfer.outcome())") }
        }
        await session.close()
    }
}
