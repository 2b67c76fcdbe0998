/// In which order brokers have their turns.
package enum TurnOrder {
    /// The places of turn `turn`, from 0, among `count`: each turn begins one further, and every
    /// other goes backwards, so that each follows now one neighbour, now the other. What one leaves
    /// behind, a warm cache or a busy broker, then burdens no single one of the others.
    package static func places(inTurn turn: Int, of count: Int) -> [Int] {
        let order = (0..<count).map { ($0 + turn) % count }
        return turn.isMultiple(of: 2) ? order : order.reversed()
    }
}
