import CommandLine

/// `rig completions`: what makes a shell complete command lines of rig.
struct CompletionsCommand {
    let shell = CommandArgument<CompletionShell>("shell", help: "bash, zsh or fish.")

    var verb: Verb {
        var verb = Verb(
            "completions", overview: "Prints a script that makes a shell complete rig's words.")
        verb.discussion = [
            "Verbs, options, values that are one of a few words, profiles, files and directories. "
                + "It is made of the same declarations as the help, so it knows what this very "
                + "build knows. 'source <(rig completions bash)' lasts as long as the shell; in "
                + "~/.bashrc it lasts. In bash, ./run of the package is completed, too."
        ]
        verb.add(shell)
        verb.examples = [
            CommandExample("source <(rig completions bash)", "for this shell"),
            CommandExample(
                "rig completions zsh > ~/.zfunc/_rig", "for zsh, in a directory of fpath"),
            CommandExample(
                "rig completions fish > ~/.config/fish/completions/rig.fish", "for fish"),
        ]
        return verb
    }

    func run(_ invocation: Invocation, _ root: Verb) throws(RigFailure) -> ExitCode {
        let shell = invocation[shell] ?? .bash
        try Console.print(root.completionScript(for: shell))
        if shell == .bash { try Console.print(Self.runScript) }
        return .done
    }

    /// `./run` passes on to rig what follows it, and takes options alone for those of `rig demo`.
    private static let runScript = """
        _rig_run() {
            local words=("${COMP_WORDS[@]:1}") place=$COMP_CWORD
            if [[ ${words[0]} == -* ]]; then
                words=(demo "${words[@]}")
                place=$((place + 1))
            fi
            local COMP_WORDS=(rig "${words[@]}") COMP_CWORD=$place
            _rig
        }
        complete -F _rig_run ./run

        """
}
