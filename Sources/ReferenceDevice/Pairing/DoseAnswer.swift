/// The user's answer whether the doses on a watch stay though it pairs with another phone.
struct DoseAnswer: Sendable {
    /// The answer that came with the confirmation ahead, for every run of this pairing.
    var ahead = false
    /// The answer in this run; nil before it.
    var now: Bool?
    /// Whether they stay.
    var keeps: Bool { now ?? ahead }
}
