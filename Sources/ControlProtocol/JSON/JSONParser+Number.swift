extension JSONParser {
    /// Reads a number whose first byte, a digit or a minus, is next.
    mutating func parseNumber() -> JSONNode? {
        let start = position
        var place = offset
        func isDigit(_ index: Int) -> Bool {
            index < end && bytes[index] >= UInt8(ascii: "0") && bytes[index] <= UInt8(ascii: "9")
        }
        func skipDigits() -> Bool {
            guard isDigit(place) else { return false }
            while isDigit(place) { place += 1 }
            return true
        }
        var isWhole = true
        var fault: String?
        if bytes[place] == UInt8(ascii: "-") { place += 1 }
        if place < end, bytes[place] == UInt8(ascii: "0"), isDigit(place + 1) {
            fault = "a number without leading zeros"
            _ = skipDigits()
        } else if !skipDigits() {
            fault = "a digit after '-'"
        }
        if place < end, bytes[place] == UInt8(ascii: ".") {
            isWhole = false
            place += 1
            if !skipDigits() { fault = fault ?? "a digit after '.'" }
        }
        if place < end, bytes[place] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            place += 1
            if place < end, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") {
                place += 1
            }
            if !skipDigits() { fault = fault ?? "a digit in the exponent" }
        }
        while place < end, isWordByte(bytes[place]) {
            // 12mg, 0x1F: a number that runs into letters is one fault, not two.
            fault = fault ?? "a number"
            place += 1
        }
        let text = String(decoding: bytes[offset..<place], as: UTF8.self)
        offset = place
        if let fault {
            report(
                .invalidNumber, at: start, byteCount: place - start.byteOffset, expected: fault,
                found: quoted(text))
            return node(.null, from: start)
        }
        return number(text, isWhole: isWhole, from: start)
    }

    private mutating func number(
        _ text: String, isWhole: Bool, from start: JSONPosition
    ) -> JSONNode {
        // Minus zero is a double: an integer has no such value.
        if isWhole, text != "-0" {
            if let value = Int64(text) { return node(.integer(value), from: start) }
            if let value = UInt64(text) { return node(.unsigned(value), from: start) }
        }
        guard let value = Double(text), value.isFinite else {
            report(
                .numberOutOfRange, at: start, byteCount: text.utf8.count,
                expected: "a number of at most 1.797e308", found: quoted(text))
            return node(.null, from: start)
        }
        return node(.number(value), from: start)
    }
}
