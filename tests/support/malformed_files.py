"""A table of malformed case files: everything but the checks."""

from __future__ import annotations

from typing import NamedTuple

C = "assertions: [{type: code-grader, command: [make, test]}]\n"


class Mistake(NamedTuple):
    """A file, and what must be said of it: `place` is line:column, `says` and `hint` are parts of the sentences."""

    name: str
    text: str | bytes
    place: str
    says: str
    hint: str = ""


def of_type(name: str, check: str, column: int, says: str, hint: str = "") -> Mistake:
    """Return the mistake of a case with one check, whose type and fields these are."""
    return Mistake(name, f"assertions: [{{type: {check}}}]\n", f"1:{column}", says, hint)


FILES = [
    # The file
    Mistake("empty file", "", "1:1", "the file is empty", "Write a case"),
    Mistake("comments only", "# nothing\n", "1:1", "the file is empty"),
    Mistake("empty document", "---\n", "1:1", "the file is empty"),
    Mistake("not UTF-8", b"id: a\ncriteria: \xff\n", "2:11", "not UTF-8", "UTF-8"),
    Mistake("UTF-16", "id: a".encode("utf-16"), "1:1", "not UTF-8"),
    Mistake("NUL character", b"id: a\ncriteria: a\0b\n", "2:12", "not YAML", "control character"),
    Mistake("control character", b"id: a\x07\n", "1:6", "not YAML", "control character"),
    Mistake("control character after others", "id: a\n# \xfc\xfc\n\x07\n", "3:1", "not YAML", "control character"),
    Mistake("two documents", f"{C}---\n{C}", "2:1", "second YAML document", "one document per file"),
    Mistake("a list", "- 1\n", "1:1", "a case must be a mapping"),
    Mistake("a number", "12\n", "1:1", "a case must be a mapping"),
    Mistake("text", "hello\n", "1:1", "a case must be a mapping"),
    # YAML syntax
    Mistake("unclosed bracket", "assertions: [\n", "2:1", "not YAML", "Check"),
    Mistake("unclosed quote", 'id: "abc\n', "2:1", "scalar that begins in line 1, found unexpected end"),
    Mistake("tab as indentation", "limits:\n\tmemory: 1g\n", "2:1", "not YAML", "tab cannot indent"),
    Mistake(
        "mapping in a plain scalar", "criteria: must do: this\n", "1:18", "not YAML", "Quote text that contains `: `"
    ),
    Mistake("bad indentation", "limits:\n  memory: 1g\n cpus: 1\n", "3:2", "not YAML", "indentation"),
    Mistake("special character", "criteria: @me\n", "1:11", "not YAML", "Quote text"),
    Mistake("backtick", "criteria: `x`\n", "1:11", "not YAML", "Quote text"),
    Mistake("list item where a key is wanted", "id: a\n- b\n", "2:1", "not YAML"),
    Mistake("bad escape", 'criteria: "\\q"\n', "1:12", "not YAML", "Check quotes"),
    Mistake("directive", "%YAML 1.1\n---\nid: a\n", "1:1", "directives are not accepted", "Remove"),
    Mistake("tag directive", "%TAG ! tag:example.com,2000:\n---\nid: a\n", "1:1", "directives are not accepted"),
    # YAML that is not accepted
    Mistake("duplicate key", f"id: a\nid: b\n{C}", "2:1", "the key `id` is written twice, first in line 1", "Keep one"),
    Mistake(
        "nested duplicate", f"{C}limits:\n  cpus: 1\n  cpus: 2\n", "4:3", "`cpus` is written twice, first in line 3"
    ),
    Mistake(
        "duplicate in a list", "assertions:\n- type: code-grader\n  type: x\n  command: a\n", "3:3", "`type` is written"
    ),
    Mistake("python tag", f"{C}criteria: !!python/object/apply:os.system [x]\n", "2:11", "tag", "Remove the tag"),
    Mistake("own tag", f"{C}criteria: !mine x\n", "2:11", "the YAML tag `!mine` is not accepted"),
    Mistake("standard tag", f"{C}criteria: !!str no\n", "2:11", "is not accepted", "quote the value"),
    Mistake("unknown alias", f"{C}criteria: *nobody\n", "2:11", "alias `*nobody` has no anchor", "&nobody"),
    Mistake("an alias to itself", "metadata: &a [*a]\n", "1:15", "has no anchor before it"),
    Mistake("complex key", f"{C}? [a, b]\n: c\n", "2:3", "a key must be text"),
    Mistake("mapping as key", f"{C}{{a: b}}: c\n", "2:1", "a key must be text", "quote"),
    Mistake("mapping as key in a flow", "metadata: {{a: b}: c}\n", "1:12", "a key must be text", "quote"),
    Mistake("missing key", "metadata: {? : x}\n", "1:14", "a key is missing before `:`", "Write the key"),
    Mistake("merge of text", f"{C}limits: {{<<: text}}\n", "2:10", "`<<` takes a mapping", "<<: *name"),
    Mistake("two merges", f"x: &x {{a: 1}}\nlimits:\n  <<: *x\n  <<: *x\n{C}", "4:3", "`<<` is written twice"),
    Mistake("too deep", "metadata: " + "[" * 200 + "]" * 200, "1:110", "nested deeper than 100", "Flatten"),
    # Keys
    Mistake("unknown key", f"{C}criterai: x\n", "2:1", "unknown key `criterai`", "Did you mean `criteria`?"),
    Mistake("key with a dash", f"{C}expected-output: x\n", "2:1", "unknown key `expected-output`", "`expected_output`"),
    Mistake("key in upper case", f"{C}Criteria: x\n", "2:1", "unknown key `Criteria`", "Did you mean `criteria`?"),
    Mistake("nothing like it", f"{C}zzz: x\n", "2:1", "unknown key `zzz`", "Known here: `aggregation`"),
    Mistake("misspelt old name", f"{C}expectd_outcome: x\n", "2:1", "unknown key", "`expected_outcome`"),
    Mistake("unknown limit", f"{C}limits: {{memroy: 1g}}\n", "2:10", "unknown key `memroy`", "Did you mean `memory`?"),
    Mistake("unknown in execution", f"{C}execution: {{treshold: 1}}\n", "2:13", "`treshold`", "`threshold`"),
    Mistake("unknown in docker", f"{C}workspace: {{docker: {{imgae: x}}}}\n", "2:22", "`imgae`", "`image`"),
    Mistake("unknown in workspace", f"{C}workspace: {{templat: x}}\n", "2:13", "`templat`", "`template`"),
    Mistake(
        "old name beside the new", f"{C}assert: []\nevaluators: [x]\n", "2:1", "two names of one field", "Keep one"
    ),
    Mistake(
        "old name of a message",
        f"input: a\n{C}input_messages: b\n",
        "3:1",
        "`input_messages` and `input` (line 1, column 1) are two names of one field",
    ),
    Mistake(
        "a name elsewhere",
        f"{C}image: a\nworkspace: {{docker: {{image: b}}}}\n",
        "3:22",
        "`workspace.docker.image` and `image` (line 2, column 1)",
    ),
    Mistake(
        "evaluators in execution",
        f"execution: {{evaluators: []}}\n{C}",
        "2:1",
        "`assertions` and `execution.evaluators` (line 1, column 13)",
    ),
    # YAML 1.1 traps
    Mistake("no", f"criteria: no\n{C}", "1:11", "must be text, not `no`", 'Quote it: "no".'),
    Mistake("yes", f"input: yes\n{C}", "1:8", "must be text, not `yes`", 'Quote it: "yes".'),
    Mistake("on", f"description: on\n{C}", "1:14", "also reads as a truth value", '"on"'),
    Mistake("OFF", f"note: OFF\n{C}", "1:7", "must be text, not `OFF`", '"OFF"'),
    Mistake("true", f"criteria: true\n{C}", "1:11", "must be text, not `true`", 'Quote it: "true".'),
    Mistake("octal", f"input: 010\n{C}", "1:8", "must be text, not `010`", '"010"'),
    Mistake("hexadecimal", f"input: 0x1F\n{C}", "1:8", "must be text, not `0x1F`", '"0x1F"'),
    Mistake("sexagesimal", f"input: 12:30\n{C}", "1:8", "also reads as a number", '"12:30"'),
    Mistake("underscores", f"input: 1_000\n{C}", "1:8", "must be text, not `1_000`", '"1_000"'),
    Mistake("date", f"input: 2024-01-01\n{C}", "1:8", "also reads as a date", '"2024-01-01"'),
    Mistake("infinity", f"input: .inf\n{C}", "1:8", "must be text, not `.inf`"),
    Mistake("a number", f"input: 5\n{C}", "1:8", "must be text, not the number 5", 'Quote it: "5".'),
    Mistake("a float", f"criteria: 1.50\n{C}", "1:11", "not the number 1.50", ""),
    Mistake("a tag that is a number", f"tags: [a, 5]\n{C}", "1:11", "`tags[1]` must be text", '"5"'),
    Mistake(
        "a word of a command", "assertions: [{type: code-grader, command: [sleep, 5]}]", "1:51", "must be text", '"5"'
    ),
    Mistake("octal id", f"id: 010\n{C}", "1:5", "`id` must be text, not `010`", 'Quote it: "010".'),
    Mistake("truth as id", f"id: no\n{C}", "1:5", "must be text, not `no`", '"no"'),
    Mistake("octal limit", f"{C}limits: {{pids: 010}}\n", "2:16", "must be a whole number, not `010`", "in decimal"),
    # Empty values
    Mistake("key without value", f"criteria:\n{C}", "1:1", "`criteria` has no value", "Write one, or remove the key."),
    Mistake("empty assertions", "assertions:\ninput: x\n", "1:1", "`assertions` has no value", "remove the key"),
    Mistake("empty limits", f"{C}limits:\n", "2:1", "`limits` has no value"),
    Mistake("empty command", "assertions:\n- type: code-grader\n  command:\n", "3:3", "`command` has no value"),
    # Ids
    Mistake("id with a path", f"id: ../x\n{C}", "1:5", "cannot be `../x`", "letters, digits"),
    Mistake("id with a separator", f"id: a/b\n{C}", "1:5", "cannot be `a/b`"),
    Mistake("id of dots", f"id: ..\n{C}", "1:5", "cannot be `..`"),
    Mistake("hidden id", f"id: .a\n{C}", "1:5", "cannot be `.a`"),
    Mistake("id with a space", f"id: a b\n{C}", "1:5", "cannot be `a b`"),
    Mistake("id with a line break", f'id: "a\\nb"\n{C}', "1:5", "cannot be"),
    Mistake("long id", f"id: {'a' * 129}\n{C}", "1:5", "longer than 128"),
    Mistake("empty id", f'id: ""\n{C}', "1:5", "cannot be"),
    Mistake("id of a list", f"id: [a]\n{C}", "1:5", "must be text, not a list"),
    # Shapes and bounds
    Mistake("input of a number", f"input: [5]\n{C}", "1:9", "must be a mapping, not the number 5"),
    Mistake(
        "unknown role", f"input: [{{role: robot, content: x}}]\n{C}", "1:16", "cannot be the text `robot`", "Known"
    ),
    Mistake("missing role", f"input: [{{content: x}}]\n{C}", "1:9", "`role` is missing"),
    Mistake("unknown block", f"input: [{{role: user, content: [{{type: vid}}]}}]\n{C}", "1:32", "block of `type` text"),
    Mistake(
        "block without value", f"input: [{{role: user, content: [{{type: text}}]}}]\n{C}", "1:32", "`value` is missing"
    ),
    Mistake(
        "missing file of a block",
        f"input:\n- role: user\n  content:\n  - {{type: file, value: ./gone.md}}\n{C}",
        "4:25",
        "the file `./gone.md` does not exist",
        "looked up from",
    ),
    Mistake("language", f"language: pyton\n{C}", "1:11", "cannot be the text `pyton`", "Did you mean `python`?"),
    Mistake("memory", f"{C}limits: {{memory: lots}}\n", "2:18", "must be a size, not `lots`", "`512m`"),
    Mistake("endless memory", f"{C}limits: {{memory: {'9' * 400}g}}\n", "2:18", "must be a size, not `999", "`512m`"),
    Mistake("too little memory", f"{C}limits: {{memory: 1k}}\n", "2:18", "must be at least"),
    Mistake("negative cpus", f"{C}limits: {{cpus: -1}}\n", "2:16", "must be greater than 0, not the number -1"),
    Mistake("no pids", f"{C}limits: {{pids: 0}}\n", "2:16", "must be at least 1"),
    Mistake("half a pid", f"{C}limits: {{pids: 1.5}}\n", "2:16", "must be a whole number"),
    Mistake("quoted number", f"{C}limits: {{pids: '5'}}\n", "2:16", "must be a whole number", "without quotes: 5"),
    Mistake("network", f"{C}limits: {{network: host}}\n", "2:19", "cannot be the text `host`", "`bridge`, `none`"),
    Mistake("network off", f"{C}limits: {{network: off}}\n", "2:19", "cannot be `off`", "`none`"),
    Mistake("threshold", f"{C}execution: {{threshold: 2}}\n", "2:24", "must be at most 1, not the number 2"),
    Mistake("long timeout", f"{C}execution: {{timeout_seconds: 3601}}\n", "2:30", "must be at most 3600"),
    Mistake("zero timeout", f"{C}execution: {{timeout_seconds: 0}}\n", "2:30", "must be greater than 0"),
    Mistake("duration", f"{C}execution: {{timeout_seconds: soon}}\n", "2:30", "number of seconds", "`30s`"),
    Mistake("not a number", f"{C}execution: {{threshold: .nan}}\n", "2:24", "must be a number, not `.nan`"),
    Mistake("env is a list", f"{C}env: [A=b]\n", "2:6", "must be a mapping, not a list"),
    Mistake("env with a truth value", f"{C}env: {{A: true}}\n", "2:10", "must be text, not `true`", '"true"'),
    Mistake("env with a bad name", f"{C}env: {{A-B: x}}\n", "2:6", "cannot contain the variable name `A-B`"),
    Mistake("image with a space", f"{C}image: a b\n", "2:8", "must be a Docker image's reference"),
    Mistake("image that is an option", f"{C}image: --privileged\n", "2:8", "must be a Docker image's reference"),
    Mistake("glob above the workspace", f"{C}protect: ['../x']\n", "2:11", "must lie in the workspace"),
    Mistake("absolute glob", f"{C}allow: [/etc/passwd]\n", "2:9", "must lie in the workspace", "relative"),
    Mistake("missing workspace", f"{C}workspace: ./nowhere\n", "2:12", "the directory `./nowhere` does not exist"),
    Mistake("missing template", f"{C}workspace: {{template: ./nowhere}}\n", "2:23", "does not exist", "looked up from"),
    Mistake("workspace is a case", f"{C}workspace: case.yaml\n", "1:1", "unknown key `assertions` of a workspace"),
    Mistake("repos", f"{C}workspace: {{repos: [{{repo: x}}]}}\n", "2:20", "repositories are not fetched", "template"),
    Mistake("missing reference", f"{C}reference_solution: ./gone.jl\n", "2:21", "which does not exist"),
    Mistake("very long workspace", f"{C}workspace: {'a/' * 3000}\n", "2:12", "does not exist"),
    Mistake("very long reference", f"{C}reference_solution: ./{'a' * 3000}\n", "2:21", "does not exist"),
    Mistake(
        "very long file name",
        f"input: [{{role: user, content: [{{type: file, value: {'a' * 3000}}}]}}]\n{C}",
        "1:52",
        "does not exist",
    ),
    Mistake("workspace with a NUL", f'{C}workspace: "a\\0b"\n', "2:12", "does not exist"),
    Mistake(
        "misspelt and required",
        "assertions: [{type: code-grader, comand: a}]\n",
        "1:34",
        "unknown key `comand`",
        "Did you mean `command`?",
    ),
    Mistake("key of another mapping", f"{C}skip_defaults: true\n", "2:1", "`skip_defaults`", "a key of `execution`"),
    Mistake("percent", f"{C}execution: {{threshold: 80}}\n", "2:24", "must be at most 1", "Write 0.8"),
    Mistake("MiB", f"{C}limits: {{memory: 512}}\n", "2:18", "must be at least 6291456", "Write `512m`"),
    Mistake(
        "text after a quote",
        'language: bash\nexamples:\n  - "a" b\n',
        "3:9",
        "this is not YAML",
        "quotes of the other kind",
    ),
    Mistake(
        "colon in source",
        'examples:\n  - f(1, { a: "2", b: 0 });\n',
        "2:18",
        "this is not YAML",
        "Quote text that contains",
    ),
    Mistake("dependency on itself", f"id: a\ndepends_on: [a]\n{C}", "1:1", "depend on each other", "Remove"),
    Mistake("dependency policy", f"{C}on_dependency_failure: stop\n", "2:24", "cannot be the text `stop`", "`skip`"),
    # Commands
    Mistake("no words", "assertions: [{type: code-grader, command: []}]", "1:43", "must not be empty"),
    Mistake("no text", "assertions: [{type: code-grader, command: ' '}]", "1:43", "must not be empty"),
    Mistake("NUL in a word", 'assertions: [{type: code-grader, command: ["a\\0"]}]', "1:44", "NUL"),
    Mistake("command of a number", "assertions: [{type: code-grader, command: 5}]", "1:43", "must be text", "Quote it"),
    Mistake("no command", "assertions: [{type: code-grader}]", "1:14", "`command` is missing"),
    Mistake(
        "cwd above", "assertions: [{type: code-grader, command: a, cwd: ../..}]", "1:51", "must lie in the workspace"
    ),
    Mistake(
        "setup in two readings", f'{C}setup: ["./a.sh", "python b.py"]\n', "2:8", "one command or as several", "[["
    ),
    Mistake("setup of numbers", f"{C}setup: [1, 2]\n", "2:9", "must be text"),
    Mistake("half gradable", f"{C}setup: [{{command: a, gradable: true}}, {{command: b}}]\n", "2:8", "gradable"),
    Mistake(
        "a shell gets no environment",
        "assertions: [{type: code-grader, command: 'echo ${{ NAME }}'}]",
        "1:43",
        "is a line for a shell",
        '"$NAME"',
    ),
    # Interpolation
    Mistake("unset variable", f"criteria: ${{{{ GONE }}}}\n{C}", "1:11", "GONE, which is not set", "${{ GONE:- }}"),
    Mistake("unset deep down", f"{C}metadata: {{a: [x, '${{{{ GONE }}}}']}}\n", "2:19", "GONE, which is not set"),
]
