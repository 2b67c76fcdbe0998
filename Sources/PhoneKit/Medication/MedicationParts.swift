import WatchProto
public import WatchProtoRecords

/// One substance of a medication.
public struct Ingredient: Hashable, Sendable {
    /// The substance, as the source names it.
    public var name: String
    /// How much of it there is, as the source wrote it; empty where it does not say.
    public var strength: String

    /// Makes the ingredient.
    public init(name: String, strength: String = "") {
        self.name = name
        self.strength = strength
    }
}

/// What is taken at a time.
public enum DosePerTime: Hashable, Sendable {
    /// Nowhere but, perhaps, in the instructions.
    case unstated
    /// So much, exactly.
    case exact(Amount)
    /// From the one to the other, in the same unit.
    case range(Amount, Amount)
    /// Something only words can say, as two amounts in turn. Carried whole or not at all.
    case text(String)

    /// The amount, where it is exact.
    public var amount: Amount? { if case .exact(let amount) = self { amount } else { nil } }

    /// In words: `2 tablet`, `1–2 tablet`; empty where nothing is stated.
    public var description: String {
        switch self {
        case .unstated: ""
        case .exact(let amount): amount.description
        case .range(let low, let high): "\(low.digits)–\(high.description)"
        case .text(let text): text
        }
    }
}

/// Someone to call.
public struct Contact: Hashable, Sendable {
    /// Who it is.
    public var name: String
    /// As the source wrote it; empty where it does not say.
    public var phone: String
    /// As the source wrote it; empty where it does not say.
    public var address: String

    /// Makes the contact.
    public init(name: String, phone: String = "", address: String = "") {
        self.name = name
        self.phone = phone
        self.address = address
    }
}

/// What is left of a medication.
public struct Stock: Hashable, Sendable {
    /// Doses left.
    public var dosesLeft: Int
    /// At this many doses or fewer it is time to get more.
    public var refillAt: Int
    /// How often it may still be handed out.
    public var refillsLeft: Int

    /// Makes the stock.
    public init(dosesLeft: Int, refillAt: Int = 0, refillsLeft: Int = 0) {
        self.dosesLeft = dosesLeft
        self.refillAt = refillAt
        self.refillsLeft = refillsLeft
    }

    /// Whether it is time to get more.
    public var needsRefill: Bool { dosesLeft <= refillAt }
}

/// What a register calls a medication.
public struct Code: Hashable, Sendable {
    /// The register, as a URI.
    public var system: String
    /// The code within the register.
    public var code: String
    /// The register's own words.
    public var display: String

    /// Makes the code.
    public init(system: String, code: String, display: String = "") {
        self.system = system
        self.code = code
        self.display = display
    }
}
