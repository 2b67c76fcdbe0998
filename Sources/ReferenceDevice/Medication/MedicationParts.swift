package import WatchProto

/// One substance of a medication.
package struct Ingredient: Hashable, Sendable {
    /// The substance, as the source names it.
    package var name: String
    /// How much of it there is, as the source wrote it; empty where it does not say.
    package var strength: String

    /// Makes the ingredient.
    package init(name: String, strength: String = "") {
        self.name = name
        self.strength = strength
    }
}

/// The amount that is taken at a time.
package enum DosePerTime: Hashable, Sendable {
    /// Nowhere but, perhaps, in the instructions.
    case unstated
    /// So much, exactly.
    case exact(Amount)
    /// From the one to the other, in the same unit.
    case range(Amount, Amount)
    /// Something only words can say, as two amounts in turn. Carried whole or not at all.
    case text(String)

    /// The amount, where it is exact.
    package var amount: Amount? { if case .exact(let amount) = self { amount } else { nil } }

    /// In words: `2 tablet`, `1–2 tablet`; empty where nothing is stated.
    package var description: String {
        switch self {
        case .unstated: ""
        case .exact(let amount): amount.description
        case .range(let low, let high): "\(low.digits)–\(high.description)"
        case .text(let text): text
        }
    }
}

/// Someone to call.
package struct Contact: Hashable, Sendable {
    /// The name of the person or place.
    package var name: String
    /// As the source wrote it; empty where it does not say.
    package var phone: String
    /// As the source wrote it; empty where it does not say.
    package var address: String

    /// Makes the contact.
    package init(name: String, phone: String = "", address: String = "") {
        self.name = name
        self.phone = phone
        self.address = address
    }
}

/// The doses and refills that remain of a medication.
package struct Stock: Hashable, Sendable {
    /// Doses left.
    package var dosesLeft: Int
    /// At this many doses or fewer it is time to get more.
    package var refillAt: Int
    /// How often it may still be handed out.
    package var refillsLeft: Int

    /// Makes the stock.
    package init(dosesLeft: Int, refillAt: Int = 0, refillsLeft: Int = 0) {
        self.dosesLeft = dosesLeft
        self.refillAt = refillAt
        self.refillsLeft = refillsLeft
    }

    /// Whether it is time to get more.
    package var needsRefill: Bool { dosesLeft <= refillAt }
}

/// The code of a medication in a register.
package struct Code: Hashable, Sendable {
    /// The register, as a URI.
    package var system: String
    /// The code within the register.
    package var code: String
    /// The register's own words.
    package var display: String

    /// Makes the code.
    package init(system: String, code: String, display: String = "") {
        self.system = system
        self.code = code
        self.display = display
    }
}
