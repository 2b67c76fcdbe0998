package import WatchProto

extension FaceDrug {
    /// The medication of a watch's record.
    ///
    /// - Parameters:
    ///   - medication: the record.
    ///   - others: the names of the list's medications.
    package init(_ medication: LightweightMedication, among others: [String]) {
        let amount = AmountText.of(medication.dosage)
        let strength = medication.dosage.strength
        // An amount in pieces of the strength says both.
        let isBoth = amount == strength || amount.hasSuffix("× " + strength)
        self.init(
            name: medication.name, strength: isBoth ? amount : strength,
            amount: isBoth ? "" : amount, color: medication.color, among: others)
    }
}
