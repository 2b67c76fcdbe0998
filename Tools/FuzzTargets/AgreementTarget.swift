import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// The three ways to read a medication take the same bytes, refuse the same bytes with the
    /// same word, and read the same fields.
    static let agreement = FuzzTarget("agreement") { bytes in
        let owned = result(bytes) { bytes throws(WireError) in
            try LightweightMedication(decoding: bytes)
        }
        // The lazy record reads from the middle of a buffer, as from a receive buffer.
        let lazy = result(bytes) { bytes throws(WireError) in
            try LazyMedication([0xFF, 0xFF] + bytes + [0xFF], 2..<(2 + bytes.count))
        }
        switch (owned, lazy) {
        case (.success(let owned), .success(let lazy)):
            if lazy.medication != owned { return "the lazy record is another value" }
            if lazy.encoded != bytes { return "the lazy record has other bytes" }
            guard lazy.id == owned.id, lazy.name == owned.name, lazy.dosage == owned.dosage,
                lazy.instructions == owned.instructions, lazy.schedule == owned.schedule,
                lazy.nextDose == owned.nextDose, lazy.color == owned.color,
                lazy.flags == owned.flags, lazy.revision == owned.revision,
                lazy.updatedAt == owned.updatedAt, lazy.extensions == owned.extensions
            else { return "a field of the lazy record differs" }
            return viewComplaint(bytes, owned)
        case (.failure(let owned), .failure(let lazy)):
            if owned != lazy { return "the lazy record says \(lazy), the owned one \(owned)" }
            do throws(WireError) {
                _ = try MedicationView(bytes.span)
                return "the view takes what the owned record refuses"
            } catch {
                return error == owned ? nil : "the view says \(error), the owned one \(owned)"
            }
        default:
            return "the lazy and the owned record do not agree"
        }
    }

    private static func viewComplaint(
        _ bytes: [UInt8], _ owned: LightweightMedication
    ) -> String? {
        do throws(WireError) {
            let view = try MedicationView(bytes.span)
            guard String(copying: view.name) == owned.name,
                String(copying: view.strength) == owned.dosage.strength,
                String(copying: view.instructions) == owned.instructions,
                view.nameBytes.count == owned.name.utf8.count,
                view.strengthBytes.count == owned.dosage.strength.utf8.count,
                view.instructionsBytes.count == owned.instructions.utf8.count
            else { return "a text of the view differs" }
            guard view.id == owned.id, view.form == owned.dosage.form,
                view.amount == owned.dosage.amount, view.schedule == owned.schedule,
                view.nextDose == owned.nextDose, view.color == owned.color,
                view.flags == owned.flags, view.revision == owned.revision,
                view.updatedAt == owned.updatedAt, view.extensions == owned.extensions
            else { return "a field of the view differs" }
            return nil
        } catch {
            return "the view refuses what the owned record takes: \(error)"
        }
    }

    private static func result<Value>(
        _ bytes: [UInt8], _ make: ([UInt8]) throws(WireError) -> Value
    ) -> Result<Value, WireError> {
        do throws(WireError) {
            return .success(try make(bytes))
        } catch {
            return .failure(error)
        }
    }
}
