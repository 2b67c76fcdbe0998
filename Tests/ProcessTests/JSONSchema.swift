import CommandLine
import ControlProtocol
import Foundation

/// As much of JSON Schema (draft 2020-12) as the schemas of this package use. A keyword it does not
/// know is a complaint of its own: a schema that is not understood checks nothing.
struct JSONSchema {
    let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    /// The one that stands in `share/schema` under `name`.
    init(published name: String) {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = "share/schema"
        let path = package.appending(path: "\(folder)/\(name).json").path()
        self.init((try? JSONParser.parse(Files.read(path)))?.value ?? .null)
    }

    /// The faults of `value`, each with its place; empty when there are none.
    func complaints(about value: JSONValue) -> [String] { check(value, root, at: "$") }

    /// The faults of `value` as one of the definitions.
    func complaints(about value: JSONValue, as definition: String) -> [String] {
        check(value, ["$ref": .string("#/$defs/\(definition)")], at: "$")
    }

    /// The names of the definitions that begin with `start`, without it.
    func definitions(_ start: String) -> Set<String> {
        let names = (root["$defs"]?.object?.members ?? []).map(\.name)
        return Set(names.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) })
    }

    /// The comment of a definition, such as which programs it is about.
    func comment(_ definition: String) -> String? {
        root["$defs"]?[definition]?["$comment"]?.string
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        guard let keywords = schema.object?.members else { return ["\(place): no schema"] }
        return keywords.flatMap { keyword in
            check(value, keyword.name, keyword.value, schema, at: place)
        }
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONValue,
        at place: String
    ) -> [String] {
        func unless(_ holds: Bool) -> [String] {
            let found = JSONWriter.text(value).prefix(60)
            return holds ? [] : ["\(place): \(keyword) \(JSONWriter.text(rule)), found \(found)"]
        }
        switch keyword {
        case "$schema", "$defs", "$comment", "title", "description": return []
        case "anyOf":
            let tries = (rule.array ?? []).map { check(value, $0, at: place) }
            return tries.contains([]) ? [] : ["\(place): none of \(tries.count) forms fits"]
        case "$ref":
            let name = (rule.string ?? "").split(separator: "/").last.map(String.init) ?? ""
            guard rule.string == "#/$defs/\(name)", let meant = root["$defs"]?[name] else {
                return ["\(place): nothing is at \(JSONWriter.text(rule))"]
            }
            return check(value, meant, at: place)
        case "type":
            let names = (rule.array ?? [rule]).compactMap(\.string)
            return unless(names.contains { Self.isOf(value, $0) })
        case "const": return unless(value == rule)
        case "enum": return unless(rule.array?.contains(value) == true)
        case "required":
            return (rule.array ?? []).compactMap(\.string)
                .filter { value.object != nil && value[$0] == nil }
                .map { "\(place): '\($0)' is missing" }
        case "properties":
            return (rule.object?.members ?? []).flatMap { property in
                value[property.name].map {
                    check($0, property.value, at: "\(place).\(property.name)")
                } ?? []
            }
        case "additionalProperties":
            let further = (value.object?.members ?? []).filter {
                schema["properties"]?[$0.name] == nil
            }
            guard rule == false else {
                guard rule.object != nil else {
                    return ["\(place): only false and a schema are known to this checker"]
                }
                return further.flatMap { check($0.value, rule, at: "\(place).\($0.name)") }
            }
            return further.map { "\(place): '\($0.name)' does not belong here" }
        case "prefixItems":
            return zip(value.array ?? [], rule.array ?? []).enumerated().flatMap { index, pair in
                check(pair.0, pair.1, at: "\(place)[\(index)]")
            }
        case "items":
            let first = schema["prefixItems"]?.array?.count ?? 0
            return (value.array ?? []).enumerated().dropFirst(first).flatMap { index, item in
                check(item, rule, at: "\(place)[\(index)]")
            }
        case "minItems": return unless((value.array?.count ?? .max) >= Int(rule.integer ?? 0))
        case "maxItems": return unless((value.array?.count ?? 0) <= Int(rule.integer ?? 0))
        case "minimum": return unless((value.number ?? .infinity) >= (rule.number ?? 0))
        case "maximum": return unless((value.number ?? -.infinity) <= (rule.number ?? 0))
        case "exclusiveMinimum":
            return unless((value.number ?? .infinity) > (rule.number ?? 0))
        case "pattern":
            guard let text = value.string, let pattern = try? Regex(rule.string ?? "") else {
                return value.string == nil ? [] : ["\(place): unreadable pattern"]
            }
            return unless(text.contains(pattern))
        default: return ["\(place): the keyword '\(keyword)' is not known to this checker"]
        }
    }

    private static func isOf(_ value: JSONValue, _ type: String) -> Bool {
        switch type {
        case "null": value.isNull
        case "boolean": value.bool != nil
        case "integer": value.integer != nil || value.unsigned != nil
        case "number": value.number != nil
        case "string": value.string != nil
        case "array": value.array != nil
        case "object": value.object != nil
        default: false
        }
    }
}
