package import ControlProtocol

extension Verb {
    /// The output of `--experimental-dump-help`, for tools. It has the names that Swift Argument
    /// Parser uses, so that its generators read it; beside them `schema` with the version of our
    /// own part, the program's own `version`, and the examples.
    package var toolDescription: JSONValue {
        [
            "serializationVersion": 0, "schema": "rig.help/1",
            "version": version.map { .string($0) } ?? .null, "command": command(above: []),
        ]
    }

    private func command(above: [String]) -> JSONValue {
        var object = JSONObject()
        if !above.isEmpty { object["superCommands"] = .array(above.map { .string($0) }) }
        object["commandName"] = .string(name)
        object["abstract"] = .string(overview)
        if !discussion.isEmpty {
            object["discussion"] = .string(discussion.joined(separator: "\n"))
        }
        object["shouldDisplay"] = true
        object["arguments"] = .array((arguments + options).map(\.toolDescription))
        object["examples"] = .array(
            examples.map { ["command": .string($0.command), "meaning": .string($0.meaning)] })
        if !verbs.isEmpty {
            object["subcommands"] = .array(verbs.map { $0.command(above: above + [name]) })
        }
        return .object(object)
    }
}

extension Declaration {
    fileprivate var toolDescription: JSONValue {
        var object = JSONObject()
        object["kind"] =
            switch kind {
            case .option: "option"
            case .flag: "flag"
            case .argument: "positional"
            }
        object["shouldDisplay"] = true
        object["isOptional"] = .bool(isOptional)
        object["isRepeating"] = false
        if kind != .argument {
            let long: JSONValue = ["kind": "long", "name": .string(name)]
            var names = [long]
            if let shortName { names.append(["kind": "short", "name": .string("\(shortName)")]) }
            object["names"] = .array(names)
            object["preferredName"] = long
        }
        object["valueName"] = .string(valueName ?? name)
        if let defaultText { object["defaultValue"] = .string(defaultText) }
        let words = completion.words
        if !words.isEmpty { object["allValues"] = .array(words.map { .string($0) }) }
        switch completion {
        case .nothing: break
        case .words: object["completionKind"] = ["list": ["values": object["allValues"] ?? []]]
        case .file, .wordsOrFile: object["completionKind"] = ["file": ["extensions": []]]
        case .directory: object["completionKind"] = ["directory": [:]]
        }
        object["abstract"] = .string(help)
        return .object(object)
    }
}
