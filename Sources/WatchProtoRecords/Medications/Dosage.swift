/// The strength of a medication, its dose form, and the amount of one dose.
public struct Dosage: Hashable, Sendable {
    /// The strength as the source wrote it (`12.5 mg/5 mL`). It is never cut: a wrong strength can
    /// kill.
    public var strength: String
    /// The dose form of the medication.
    public var form: DoseForm
    /// The amount of one dose, if the source states it exactly.
    public var amount: Amount?

    /// Makes a dosage of these parts.
    @inlinable
    public init(strength: String, form: DoseForm = .unknown, amount: Amount? = nil) {
        self.strength = strength
        self.form = form
        self.amount = amount
    }

    /// Splits a one-line dosage. If its last words name a known form, the form becomes a code and
    /// the rest is the strength. Otherwise all of it is the strength. ``text`` returns exactly
    /// `text`.
    public init(text: String) {
        for (code, name) in DoseForm.names.enumerated() where code > 0 {
            guard text.utf8.count > name.utf8.count + 1, text.hasSuffix(name) else { continue }
            let rest = text.utf8.dropLast(name.utf8.count + 1)
            guard let strength = String(rest), !strength.isEmpty else { continue }
            let parsed = Dosage(strength: strength, form: DoseForm(rawValue: UInt8(code)))
            if parsed.text.utf8.elementsEqual(text.utf8) {
                self = parsed
                return
            }
        }
        self.init(strength: text)
    }

    /// The strength and the form on one line, as `50 mg tablet`.
    public var text: String {
        let name = form.name
        if name.isEmpty { return strength }
        return strength.isEmpty ? name : strength + " " + name
    }
}

/// The dose form of a medication. An unknown code is kept unchanged.
public struct DoseForm: RawRepresentable, Hashable, Sendable {
    /// The code in the encoding.
    public var rawValue: UInt8
    /// Makes the form of this code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Not stated, or only in the strength's text.
    public static let unknown = DoseForm(rawValue: 0)
    /// A tablet.
    public static let tablet = DoseForm(rawValue: 1)
    /// A capsule.
    public static let capsule = DoseForm(rawValue: 2)
    /// A soft capsule, filled with a liquid.
    public static let softgel = DoseForm(rawValue: 3)
    /// A tablet to be chewed.
    public static let chewable = DoseForm(rawValue: 4)
    /// A liquid with the substance dissolved in it.
    public static let solution = DoseForm(rawValue: 5)
    /// A liquid with the substance suspended in it, to be shaken.
    public static let suspension = DoseForm(rawValue: 6)
    /// A syrup.
    public static let syrup = DoseForm(rawValue: 7)
    /// Drops.
    public static let drops = DoseForm(rawValue: 8)
    /// An injection.
    public static let injection = DoseForm(rawValue: 9)
    /// A pen that injects.
    public static let pen = DoseForm(rawValue: 10)
    /// A patch for the skin.
    public static let patch = DoseForm(rawValue: 11)
    /// A cream.
    public static let cream = DoseForm(rawValue: 12)
    /// An ointment.
    public static let ointment = DoseForm(rawValue: 13)
    /// A gel.
    public static let gel = DoseForm(rawValue: 14)
    /// An inhaler.
    public static let inhaler = DoseForm(rawValue: 15)
    /// A spray.
    public static let spray = DoseForm(rawValue: 16)
    /// A powder.
    public static let powder = DoseForm(rawValue: 17)
    /// A suppository.
    public static let suppository = DoseForm(rawValue: 18)
    /// A film that dissolves in the mouth.
    public static let film = DoseForm(rawValue: 19)
    /// A lozenge.
    public static let lozenge = DoseForm(rawValue: 20)
    /// A gummy.
    public static let gummy = DoseForm(rawValue: 21)
    /// A lotion.
    public static let lotion = DoseForm(rawValue: 22)
    /// A shampoo.
    public static let shampoo = DoseForm(rawValue: 23)
    /// A foam.
    public static let foam = DoseForm(rawValue: 24)
    /// Granules.
    public static let granules = DoseForm(rawValue: 25)
    /// An implant.
    public static let implant = DoseForm(rawValue: 26)
    /// A tablet shaped like a capsule.
    public static let caplet = DoseForm(rawValue: 27)

    /// The form in English, in the singular if it can be counted; empty if it is unknown.
    public var name: String {
        Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : ""
    }

    /// The names by code.
    static let names = [
        "", "tablet", "capsule", "softgel", "chewable", "solution", "suspension", "syrup", "drops",
        "injection", "pen", "patch", "cream", "ointment", "gel", "inhaler", "spray", "powder",
        "suppository", "film", "lozenge", "gummy", "lotion", "shampoo", "foam", "granules",
        "implant", "caplet",
    ]
}
