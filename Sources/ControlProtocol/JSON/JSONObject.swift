/// The members of a JSON object, in the order they were written or set; names are unique.
package struct JSONObject: Hashable, Sendable {
    /// A name with its value.
    package struct Member: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The value of the name.
        package var value: JSONValue

        /// Makes the member.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order.
    package private(set) var members: [Member] = []

    /// Makes an object without members.
    package init() {}

    init(unchecked members: [Member]) { self.members = members }

    /// The value of `name`, compared byte for byte. Setting a new name appends it; setting nil
    /// removes it.
    ///
    /// - Complexity: O(n) in the number of members, which is small here.
    package subscript(name: String) -> JSONValue? {
        get { index(of: name).map { members[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
