/// A JSON value with its place in the text, for callers that report faults in it.
package struct JSONNode: Hashable, Sendable {
    /// The value; containers have nodes again.
    package enum Content: Hashable, Sendable {
        /// Nothing.
        case null
        /// A truth value.
        case bool(Bool)
        /// A whole number that fits 64 bits, signed.
        case integer(Int64)
        /// A whole number above `Int64.max`.
        case unsigned(UInt64)
        /// Any other number.
        case number(Double)
        /// A text, escapes resolved.
        case string(String)
        /// Values in order.
        case array([JSONNode])
        /// Members in order; no name is repeated.
        case object([Member])
    }

    /// A name with its place, and its value.
    package struct Member: Hashable, Sendable {
        /// The name, escapes resolved.
        package var name: String
        /// The place of the opening quote of the name.
        package var namePosition: JSONPosition
        /// The bytes of the name in the text, with its quotes.
        package var nameByteCount: Int
        /// The value of the name.
        package var value: JSONNode
    }

    /// The place of the first byte of the value.
    package var position: JSONPosition
    /// The bytes of the value in the text.
    package var byteCount: Int
    /// The value.
    package var content: Content

    /// Makes the node.
    package init(position: JSONPosition, byteCount: Int, content: Content) {
        self.position = position
        self.byteCount = byteCount
        self.content = content
    }
}

extension JSONNode {
    /// The same value without positions.
    package var value: JSONValue {
        switch content {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let members):
            .object(
                JSONObject(
                    unchecked: members.map {
                        JSONObject.Member(name: $0.name, value: $0.value.value)
                    }))
        }
    }

    /// Whether this is `null`.
    package var isNull: Bool { content == .null }
    /// The truth value, if it is one.
    package var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
    /// The whole number, if it is one that fits 64 bits, signed.
    package var integer: Int64? { if case .integer(let value) = content { value } else { nil } }
    /// The number, if it is one; whole numbers above 2⁵³ are rounded.
    package var number: Double? {
        switch content {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    /// The string, if it is one.
    package var string: String? { if case .string(let value) = content { value } else { nil } }
    /// The elements, if it is an array.
    package var array: [JSONNode]? { if case .array(let nodes) = content { nodes } else { nil } }
    /// The members, if it is an object.
    package var members: [Member]? { if case .object(let list) = content { list } else { nil } }

    /// The member `name`, compared byte for byte, if it is an object that has it.
    package subscript(name: String) -> JSONNode? {
        members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The kind of this value, with its article: `a string`.
    package var kindName: String {
        switch content {
        case .array: JSONValue.array([]).kindName
        case .object: JSONValue.object(JSONObject()).kindName
        default: value.kindName
        }
    }
}
