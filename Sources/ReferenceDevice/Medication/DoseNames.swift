package import WatchProto

extension DoseForm {
    /// The form that `text` names in English or in a register's shorthand (`Film-coated tablet`,
    /// `TABLET, EXTENDED RELEASE`, `Oral Suspension`); nil when it names none that is known.
    package init?(named text: String) {
        let words = Set(
            text.lowercased().split { !$0.isLetter }.map { word in
                word.hasSuffix("s") && word != "drops" ? String(word.dropLast()) : String(word)
            })
        for (word, form) in Self.words where words.contains(word) {
            self = form
            return
        }
        return nil
    }

    /// The first that occurs decides, so the special stand before the general.
    private static let words: [(String, DoseForm)] = [
        ("chewable", .chewable), ("caplet", .caplet), ("softgel", .softgel), ("gummy", .gummy),
        ("gummie", .gummy), ("tablet", .tablet), ("tab", .tablet), ("capsule", .capsule),
        ("cap", .capsule), ("lozenge", .lozenge), ("troche", .lozenge),
        ("suppository", .suppository),
        ("suppositorie", .suppository), ("shampoo", .shampoo), ("inhaler", .inhaler),
        ("inhalant", .inhaler), ("inhalation", .inhaler), ("syrup", .syrup), ("pen", .pen),
        ("injector", .pen), ("injection", .injection), ("injectable", .injection),
        ("syringe", .injection), ("vial", .injection), ("patch", .patch), ("transdermal", .patch),
        ("cream", .cream), ("ointment", .ointment), ("lotion", .lotion), ("gel", .gel),
        ("jelly", .gel), ("foam", .foam), ("spray", .spray), ("drops", .drops), ("drop", .drops),
        ("suspension", .suspension), ("granule", .granules), ("powder", .powder),
        ("implant", .implant), ("film", .film), ("solution", .solution), ("elixir", .solution),
    ]
}

extension DoseUnit {
    /// The unit that `text` names: an English word, a UCUM code or a code of HL7's orderable drug
    /// forms; nil when it is none that is known.
    package init?(named text: String) {
        guard let unit = Self.names.first(where: { $0.0 == text.lowercased() })?.1 else {
            return nil
        }
        self = unit
    }

    /// Counted in pieces of whatever the medication is given as: the form has to say which.
    package static func isPiece(_ text: String) -> Bool {
        ["ea", "each", "1", "{dose}", "dose", "{each}"].contains(text.lowercased())
    }

    /// The unit in which a form is counted; nil where it is measured instead.
    package init?(countedAs form: DoseForm) {
        switch form {
        case .tablet, .chewable, .caplet: self = .tablet
        case .capsule, .softgel: self = .capsule
        case .patch: self = .patch
        case .suppository: self = .suppository
        case .spray: self = .spray
        case .inhaler: self = .puff
        case .cream, .ointment, .gel, .lotion, .shampoo, .foam: self = .application
        case .drops: self = .drop
        case .injection, .pen: self = .injection
        case .powder, .granules: self = .sachet
        default: return nil
        }
    }

    private static let names: [(String, DoseUnit)] = [
        ("tablet", .tablet), ("tablets", .tablet), ("tab", .tablet), ("tabs", .tablet),
        ("{tablet}", .tablet), ("{tbl}", .tablet), ("[tablet]", .tablet), ("ectab", .tablet),
        ("ertab", .tablet), ("chewtab", .tablet), ("vagtab", .tablet), ("caplet", .tablet),
        ("capsule", .capsule), ("capsules", .capsule), ("cap", .capsule), ("caps", .capsule),
        ("{capsule}", .capsule), ("ercap", .capsule), ("mg", .milligram), ("mcg", .microgram),
        ("ug", .microgram), ("µg", .microgram), ("μg", .microgram), ("g", .gram), ("gm", .gram),
        ("ml", .milliliter), ("milliliter", .milliliter), ("drop", .drop), ("drops", .drop),
        ("[drp]", .drop), ("{drop}", .drop), ("gtt", .drop), ("opdrop", .drop), ("otdrop", .drop),
        ("puff", .puff), ("puffs", .puff), ("{puff}", .puff), ("actuat", .puff),
        ("{actuat}", .puff), ("actuation", .puff), ("iu", .internationalUnit),
        ("[iu]", .internationalUnit), ("u", .unit), ("[u]", .unit), ("unit", .unit),
        ("units", .unit), ("{unit}", .unit), ("unt", .unit), ("patch", .patch),
        ("patches", .patch), ("{patch}", .patch), ("application", .application),
        ("applications", .application), ("{application}", .application), ("applic", .application),
        ("spray", .spray), ("sprays", .spray), ("{spray}", .spray), ("spry", .spray),
        ("suppository", .suppository), ("suppositories", .suppository),
        ("{suppository}", .suppository), ("supp", .suppository),
        ("rectsupp", .suppository), ("vagsupp", .suppository), ("injection", .injection),
        ("injections", .injection), ("{injection}", .injection), ("inj", .injection),
        ("sachet", .sachet), ("{sachet}", .sachet),
        ("sachets", .sachet), ("packet", .sachet), ("meq", .milliequivalent),
        ("tsp", .teaspoon), ("[tsp_us]", .teaspoon), ("teaspoon", .teaspoon),
        ("mmol", .millimole),
    ]
}
