/// A medication as a face names it. A face that names it also shows its strength, whole.
package struct FaceDrug: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The strength, or the amount in pieces of it (`2 × 5 mg`); empty if it is not known.
    package var strength: String
    /// The amount to take, if the strength does not say it (`10 mL`); empty for none.
    package var amount: String
    /// Red, green, blue and alpha, red in the highest byte.
    package var color: UInt32
    /// The thumbnail as a JPEG, in place of the colour; nil without a picture.
    package var picture: [UInt8]?
    /// The fewest characters of the name that are shown.
    package var least: Int

    /// Makes the medication.
    ///
    /// - Parameters:
    ///   - name: the name; shortened by the rules of ``FaceText``.
    ///   - strength: the strength; never shortened.
    ///   - amount: the amount to take; never shortened.
    ///   - color: the colour, red in the highest byte and alpha in the lowest.
    ///   - others: the names of the other medications of the list, which a shortened name must not
    ///     be taken for.
    package init(
        name: String, strength: String, amount: String = "", color: UInt32 = 0x8080_80FF,
        among others: some Sequence<String> = [String]()
    ) {
        self.name = name
        self.strength = strength
        self.amount = amount
        self.color = color
        least = FaceCharacters.least(of: name, among: others)
    }

    /// The name and the strength: one is not shown without the other.
    ///
    /// - Parameters:
    ///   - isWhole: whether the name must not be shortened.
    ///   - hasAmount: whether the amount follows.
    func line(isWhole: Bool, hasAmount: Bool = false) -> FaceText {
        let name = FaceText.name(self.name, least: isWhole ? .max : least)
        let line = FaceText.joined([name, .strength(strength)], " ")
        return FaceText.joined([line, .strength(hasAmount ? amount : "")], ", ")
    }

    /// The name, the strength and the amount with ever fewer words.
    var lines: [FaceText] {
        [line(isWhole: true, hasAmount: true), line(isWhole: true), line(isWhole: false)]
    }

    /// The name on a line of its own.
    var nameAlone: FaceText { .name(name, least: least) }

    /// The strength and the amount on a line of their own.
    var quantities: FaceText {
        FaceText.joined([.strength(strength), .strength(amount)], ", ")
    }
}
