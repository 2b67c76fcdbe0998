@testable import WatchProtoSecurity

/// The relatives of the patterns that are spoken, for published vectors: the one-way, interactive
/// and deferred patterns of Noise, revision 34, sections 7.4, 7.5 and 18.1.
enum Relatives {
    private static func row(
        _ name: String, known: String = "", _ messages: String
    ) -> HandshakePattern {
        HandshakePattern(
            name, initiatorIsKnown: known.contains("i"), responderIsKnown: known.contains("r"),
            messages.split(separator: "|").map { message in
                message.split(separator: " ").map { tokens[String($0)]! }
            })
    }

    private static let tokens: [String: HandshakePattern.Token] = [
        "e": .e, "s": .s, "ee": .ee, "es": .es, "se": .se, "ss": .ss,
    ]

    /// Name, whose static key is known beforehand (initiator, responder), messages.
    static let rows: [HandshakePattern] = [
        row("N", known: "r", "e es"),
        row("K", known: "ir", "e es ss"),
        row("X", known: "r", "e es s ss"),
        row("NN", "e|e ee"),
        row("KN", known: "i", "e|e ee se"),
        row("NK", known: "r", "e es|e ee"),
        row("KK", known: "ir", "e es ss|e ee se"),
        row("NX", "e|e ee s es"),
        row("KX", known: "i", "e|e ee se s es"),
        row("XN", "e|e ee|s se"),
        row("IN", "e s|e ee se"),
        row("XK", known: "r", "e es|e ee|s se"),
        row("IK", known: "r", "e es s ss|e ee se"),
        row("XX", "e|e ee s es|s se"),
        row("IX", "e s|e ee se s es"),
        row("NK1", known: "r", "e|e ee es"),
        row("NX1", "e|e ee s|es"),
        row("X1N", "e|e ee|s|se"),
        row("X1K", known: "r", "e es|e ee|s|se"),
        row("XK1", known: "r", "e|e ee es|s se"),
        row("X1K1", known: "r", "e|e ee es|s|se"),
        row("X1X", "e|e ee s es|s|se"),
        row("XX1", "e|e ee s|es s se"),
        row("X1X1", "e|e ee s|es s|se"),
        row("K1N", known: "i", "e|e ee|se"),
        row("K1K", known: "ir", "e es|e ee|se"),
        row("KK1", known: "ir", "e|e ee se es"),
        row("K1K1", known: "ir", "e|e ee es|se"),
        row("K1X", known: "i", "e|e ee s es|se"),
        row("KX1", known: "i", "e|e ee se s|es"),
        row("K1X1", known: "i", "e|e ee s|se es"),
        row("I1N", "e s|e ee|se"),
        row("I1K", known: "r", "e es s|e ee|se"),
        row("IK1", known: "r", "e s|e ee se es"),
        row("I1K1", known: "r", "e s|e ee es|se"),
        row("I1X", "e s|e ee s es|se"),
        row("IX1", "e s|e ee se s|es"),
        row("I1X1", "e s|e ee s|se es"),
    ]

    /// The pattern of a protocol name, such as `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b`.
    static func pattern(of protocolName: String) -> HandshakePattern? {
        let name = protocolName.split(separator: "_")[1]
        for row in rows {
            if name == row.name { return row }
            guard name.hasPrefix(row.name + "psk"), let place = name.last?.wholeNumberValue,
                name.count == row.name.count + 4
            else { continue }
            return row.withPSK(place)
        }
        return nil
    }
}
