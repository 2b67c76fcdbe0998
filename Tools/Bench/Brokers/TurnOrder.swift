/// In which order brokers have their turns.
package enum TurnOrder {
    /// The places of turn `turn`, from 0, among `count`. Each turn begins one place further, and
    /// every other turn goes backwards, so that each broker follows now one neighbour, now the
    /// other. The effects that a broker leaves, such as a warm cache, then burden no single one of
    /// the others.
    package static func places(inTurn turn: Int, of count: Int) -> [Int] {
        let order = (0..<count).map { ($0 + turn) % count }
        return turn.isMultiple(of: 2) ? order : order.reversed()
    }
}
