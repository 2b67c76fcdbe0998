import ReferenceDevice
import WatchProtoCore

extension FuzzTarget {
    /// A medication of the phone's store is read to the end or refused; a medication that was read
    /// is written and read again as the same, and every question about its schedule has an answer.
    static let storedMedication = FuzzTarget("stored-medication") { bytes in
        do throws(WireError) {
            let medication = try Medication(storedBody: bytes)
            let clock = WallClock(time: WallTime(milliseconds: 1_771_079_400_000))
            _ = medication.stored(at: clock)
            _ = medication.schedule.doses(on: clock)
            guard try Medication(storedBody: medication.storedBody()) == medication else {
                return "read back as another"
            }
            return nil
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }
}
