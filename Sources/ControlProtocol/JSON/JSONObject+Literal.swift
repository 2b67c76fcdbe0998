extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes the members in the order of the literal; of two equal names the later counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}
