/// Completion for bash and zsh. Both walk the words before the cursor with the same `case`
/// statements, made of the tree, to find which verb they are in, whether an option lacks its value,
/// and how many arguments stand already; then both look up what may come.
extension Verb {
    var bashCompletion: String {
        """
        # bash completion of \(name), made by '\(name) completions bash'
        _\(name)() {
            local cur=${COMP_WORDS[COMP_CWORD]} at='' option='' count=0 offer='' kind='' word i
            COMPREPLY=()
            [[ $cur == = ]] && cur=''
            for ((i = 1; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                # Bash makes three words of --option=value.
                [[ $word == = ]] && continue
        \(walk(indent: 8))
            done
        \(lookUp(indent: 4))
            # Behind a comma the list goes on.
            if [[ -n $option && $cur == *,* ]]; then
                local list=''
                for word in $offer; do list+="${cur%,*},$word "; done
                offer=$list
            fi
            [[ -z $offer ]] || mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$cur")
            [[ -z $kind ]] || compopt -o filenames 2>/dev/null
            case $kind in
                file) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
                directory) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur") ;;
            esac
        }
        complete -F _\(name) \(name)
        """ + "\n"
    }

    var zshCompletion: String {
        """
        #compdef \(name)
        # zsh completion of \(name), made by '\(name) completions zsh'
        _\(name)() {
            local cur=${words[CURRENT]} at='' option='' count=0 offer='' kind='' word i
            for ((i = 2; i < CURRENT; i++)); do
                word=${words[i]}
        \(walk(indent: 8))
            done
            if [[ -z $option && $cur == --*=* ]]; then
                option=${cur%%=*}
                compset -P '*='
            fi
        \(lookUp(indent: 4))
            # Behind a comma the list goes on.
            [[ -n $option && -n $offer && $cur == *,* ]] && compset -P '*,'
            [[ -z $offer ]] || compadd -- ${=offer}
            case $kind in
                file) _files ;;
                directory) _files -/ ;;
            esac
        }
        if [[ ${funcstack[1]} == _\(name) ]]; then
            _\(name) "$@"
        else
            (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
            compdef _\(name) \(name)
        fi
        """ + "\n"
    }

    /// The effect of `word` on `at` (the verb), `option` (the one whose value comes next) and
    /// `count` (the arguments so far).
    private func walk(indent: Int) -> String {
        let nested = nodes.filter { !$0.path.isEmpty }
        var lines = [
            "if [[ -n $option ]]; then", "    option=''", "    continue", "fi",
            "case \"$at $word\" in",
            "    \(ShellText.patterns(nested.map(\.reached)))) at=\"${at:+$at }$word\" ;;",
        ]
        let valued = nodes.flatMap { node in
            node.verb.options.filter { $0.kind == .option }
                .map { "\(node.place) --\($0.name)" }
        }
        if !valued.isEmpty {
            lines.append("    \(ShellText.patterns(valued))) option=$word ;;")
        }
        lines += ["    *' -'*) ;;", "    *) count=$((count + 1)) ;;", "esac"]
        return Self.indented(lines, by: indent)
    }

    /// Sets `offer` and `kind` to what may stand at the cursor.
    private func lookUp(indent: Int) -> String {
        var values: [String] = []
        var others: [String] = []
        var options: [String] = []
        for node in nodes {
            for option in node.verb.options where option.kind == .option {
                let found = Self.assignments(option.completion)
                if !found.isEmpty {
                    values.append("'\(node.place) --\(option.name)') \(found) ;;")
                }
            }
            if !node.verb.verbs.isEmpty {
                let names = node.verb.verbs.map(\.name).joined(separator: " ")
                others.append("'\(node.place) 0') offer=\(ShellText.quoted(names)) ;;")
            }
            for (number, argument) in node.verb.arguments.enumerated() {
                let found = Self.assignments(argument.completion)
                if !found.isEmpty { others.append("'\(node.place) \(number)') \(found) ;;") }
            }
            let words = node.optionWords.joined(separator: " ")
            options.append("'\(node.place)') offer=\(ShellText.quoted(words)) ;;")
        }
        let lines =
            ["if [[ -n $option ]]; then", "    case \"$at $option\" in"]
            + values.map { "        \($0)" } + ["    esac", "elif [[ $cur != -* ]]; then"]
            + ["    case \"$at $count\" in"] + others.map { "        \($0)" } + ["    esac", "fi"]
            + ["if [[ -z $option$offer$kind ]]; then", "    case $at in"]
            + options.map { "        \($0)" } + ["    esac", "fi"]
        return Self.indented(lines, by: indent)
    }

    private static func assignments(_ completion: ArgumentCompletion) -> String {
        let words = completion.words.joined(separator: " ")
        return switch completion {
        case .nothing: ""
        case .words: "offer=\(ShellText.quoted(words))"
        case .file: "kind=file"
        case .directory: "kind=directory"
        case .wordsOrFile: "offer=\(ShellText.quoted(words)) kind=file"
        }
    }

    private static func indented(_ lines: [String], by count: Int) -> String {
        let margin = String(repeating: " ", count: count)
        return lines.map { margin + $0 }.joined(separator: "\n")
    }
}

extension VerbNode {
    /// The value of `at` in this verb.
    fileprivate var place: String { path.joined(separator: " ") }

    /// The value of `"$at $word"` when a word has just led here.
    fileprivate var reached: String {
        "\(path.dropLast().joined(separator: " ")) \(path.last ?? "")"
    }
}
