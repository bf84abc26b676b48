"""A table of malformed case files: checks of most types."""

from __future__ import annotations

from malformed_files import Mistake, of_type

CHECKS = [
    # Checks
    Mistake("no checks", "input: x\n", "1:1", "the case has no checks", "Write `assertions`"),
    Mistake("empty list of checks", "assertions: []\n", "1:1", "the case has no checks"),
    Mistake(
        "weights of zero", "assertions: [{type: code-grader, command: a, weight: 0}]", "1:13", "weights of all checks"
    ),
    Mistake(
        "assertions is a mapping",
        "assertions: {type: code-grader}\n",
        "1:13",
        "must be a list, not a mapping",
        "Begin each of its entries with `- `.",
    ),
    Mistake(
        "type of a command",
        "assertions: [{type: shell, command: a}]\n",
        "1:21",
        "unknown type of check",
        "A command is a `code-grader`.",
    ),
    Mistake("shortened key", "assertions: [{type: code-grader, cmd: a}]\n", "1:34", "unknown key `cmd`", "`command`?"),
    Mistake("check of a number", "assertions: [5]\n", "1:14", "a check must be a mapping"),
    Mistake("type as a key", "assertions: [{contains: a}]\n", "1:14", "`type` is missing", "Write `type: contains`"),
    Mistake("negated type as a key", "assertions: [{not_regex: a}]\n", "1:14", "is missing", "Write `type: not_regex`"),
    Mistake(
        "letters that changed places", "assertions: [{type: regex, vaule: a}]\n", "1:28", "unknown key", "`value`?"
    ),
    Mistake("misspelt type", "assertions: [{tpye: regex}]\n", "1:15", "unknown key `tpye`", "Did you mean `type`?"),
    Mistake("check without type", "assertions: [{command: a}]\n", "1:14", "`type` is missing", "`code-grader`"),
    Mistake(
        "unknown adapter",
        "assertions: [{type: code-grader, command: a, adapter: pytests}]",
        "1:55",
        "`adapter` cannot be the text `pytests`",
        "Did you mean `pytest`?",
    ),
    Mistake(
        "adapter of another command",
        "assertions: [{type: code-grader, command: [make, test], adapter: pytest}]",
        "1:66",
        "the command is not one that `pytest` can run",
        "Write the command as `pytest ...`",
    ),
    Mistake(
        "adapter of a list of commands",
        "assertions: [{type: code-grader, command: make && pytest, adapter: pytest}]",
        "1:68",
        "the command is not one that `pytest` can run",
    ),
    Mistake(
        "adapter of a grader that speaks JSON",
        "assertions: [{type: code-grader, command: [pytest], protocol: json, adapter: pytest}]",
        "1:78",
        "`adapter` goes with the protocol `exit`",
    ),
    Mistake("misspelt type", "assertions: [{type: code-grade, command: a}]\n", "1:21", "unknown type", "`code-grader`"),
    Mistake("type of a number", "assertions: [{type: 5}]\n", "1:21", "`type` must be text"),
    Mistake("negated type", "assertions: [{type: not-code-grader, command: a}]\n", "1:21", "unknown type of check"),
    Mistake(
        "misspelt weight", "assertions: [{type: code-grader, command: a, wieght: 2}]", "1:46", "`wieght`", "`weight`"
    ),
    Mistake("negative weight", "assertions: [{type: code-grader, command: a, weight: -1}]", "1:54", "at least 0"),
    Mistake(
        "infinite weight", "assertions: [{type: code-grader, command: a, weight: .inf}]", "1:54", "must be a number"
    ),
    Mistake("huge weight", "assertions: [{type: code-grader, command: a, weight: 1e999}]", "1:54", "must be a number"),
    Mistake(
        "required of text", "assertions: [{type: code-grader, command: a, required: maybe}]", "1:56", "must be true"
    ),
    Mistake(
        "required above 1", "assertions: [{type: code-grader, command: a, required: 8}]", "1:56", "between 0 and 1"
    ),
    Mistake(
        "two scores",
        "assertions: [{type: code-grader, command: a, required: 0.5, min_score: 0.6}]",
        "1:56",
        "name two scores",
        "one `min_score`",
    ),
    Mistake("min_score", "assertions: [{type: code-grader, command: a, min_score: 80}]", "1:57", "at most 1"),
    Mistake("negate of text", "assertions: [{type: code-grader, command: a, negate: 'true'}]", "1:54", "true or false"),
    Mistake(
        "protocol",
        "assertions: [{type: code-grader, command: a, protocol: xml}]",
        "1:56",
        "cannot be",
        "`exit`, `json`",
    ),
    Mistake(
        "exit code", "assertions: [{type: code-grader, command: a, expect: {exit_code: 256}}]", "1:66", "at most 255"
    ),
    Mistake(
        "regex",
        "assertions: [{type: code-grader, command: a, expect: {stdout_regex: '('}}]",
        "1:69",
        "regular expression",
    ),
    Mistake(
        "expect with json",
        "assertions: [{type: code-grader, command: a, protocol: json, expect: {exit_code: 1}}]",
        "1:70",
        "narrows the protocol `exit`",
    ),
    Mistake(
        "old type expects", "assertions: [{type: script, script: a, expect: {stdout: x}}]", "1:48", "speaks `json`"
    ),
    Mistake(
        "both commands", "assertions: [{type: code-grader, command: a, script: b}]", "1:46", "two names of one field"
    ),
    Mistake(
        "name and metric", "assertions: [{type: code-grader, name: a, metric: b, command: c}]", "1:43", "two names"
    ),
    # Test reports
    of_type("report without path", "code-grader, command: a, report: {format: tap}", 54, "`path` is missing"),
    of_type("report of text", "code-grader, command: a, report: r.xml", 54, "must be a mapping, not the text `r.xml`"),
    of_type("format", "code-grader, command: a, report: {format: xunit, path: r}", 63, "cannot be", "`junit`"),
    of_type("key of a report", "code-grader, command: a, report: {format: tap, path: r, must: [a]}", 77, "`must`"),
    of_type("report elsewhere", "code-grader, command: a, report: {format: tap, path: /tmp/r}", 74, "in the workspace"),
    of_type("report above", "code-grader, command: a, report: {format: tap, path: ../r}", 74, "in the workspace"),
    of_type(
        "report of a directory", "code-grader, command: a, report: {format: tap, path: r/}", 74, "must name a file"
    ),
    of_type(
        "report among the hidden tests",
        "code-grader, command: a, report: {format: tap, path: ./grading/r}",
        74,
        "must not lie in `grading`",
        "to the workspace itself",
    ),
    of_type(
        "test of a number", "code-grader, command: a, report: {format: tap, path: r, must_pass: [1]}", 89, "be text"
    ),
    of_type(
        "test listed twice",
        "code-grader, command: a, report: {format: tap, path: r, must_exist: [a, b, a]}",
        96,
        "`a` is listed twice",
        "Remove one",
    ),
    of_type(
        "report with json",
        "code-grader, command: a, protocol: json, report: {format: tap, path: r}",
        70,
        "speaks `json`",
    ),
    of_type(
        "report of an old type",
        "script, script: a, report: {format: tap, path: r}",
        48,
        "speaks `json`",
        "protocol: exit",
    ),
    of_type(
        "report with an exit status",
        "code-grader, command: a, expect: {exit_code: 1}, report: {format: tap, path: r}",
        66,
        "agree with the exit status",
    ),
    of_type(
        "must pass negated",
        "code-grader, command: a, negate: true, report: {format: tap, path: r, must_pass: a}",
        54,
        "cannot be negated",
        "`must_exist`",
    ),
    # Items
    Mistake("items without language", "unit_tests: [assert 1]\n", "1:13", "`language` of the items is missing"),
    Mistake("item of a number", "language: python\nexamples: [010]\n", "2:12", "must be text, not `010`", '"010"'),
    Mistake("empty item", "language: python\nexamples: ['']\n", "2:12", "must not be empty"),
    Mistake("item without code", "language: python\nexamples: [{name: a}]\n", "2:12", "`code` is missing"),
    Mistake(
        "two items of one name",
        "language: python\nexamples:\n- {name: a, code: x}\n- {name: a, code: y}\n",
        "4:10",
        "the name `a` is taken by the item in line 3",
    ),
    Mistake("weightless items", "language: python\nexamples: [{code: x, weight: 0}]\n", "2:11", "weights of all items"),
    Mistake("check without items", "language: python\nassertions: [{type: examples}]\n", "2:14", "`items` is missing"),
    Mistake(
        "broken items that a check takes",
        "language: python\nunit_tests: [{code: x, weight: 0}]\nassertions: [{type: unit-tests}]\n",
        "2:13",
        "weights of all items",
    ),
    Mistake("no items", "language: python\nassertions: [{type: examples, items: []}]\n", "2:38", "no items"),
    # Any type
    Mistake("empty words", "assertions: ['']\n", "1:14", "must not be empty"),
    Mistake("blank words", "assertions: ['  ']\n", "1:14", "must not be empty"),
    Mistake("words that look like a truth value", "assertions: [no]\n", "1:14", "not `no`", "quote the text"),
    Mistake(
        "words that name a variable", "assertions: ['${{ GONE }}']\n", "1:14", "GONE, which is not set", "${{ GONE:- }}"
    ),
    Mistake("a list among the checks", "assertions: [[a]]\n", "1:14", "a check must be a mapping", "quote the text"),
    Mistake("an empty check", "assertions:\n- \n", "2:2", "a check must be a mapping", "`- type: ...`"),
    of_type("type of nothing", "null", 14, "`type` is missing"),
    of_type("type of a list", "[a]", 21, "`type` must be text"),
    of_type("type of a truth value", "no", 21, "`type` must be text, not `no`"),
    of_type(
        "negated file check",
        "not-file-exists, paths: a",
        21,
        "unknown type of check `not-file-exists`",
        "`file-exists`",
    ),
    of_type("negated twice", "not-not-contains, value: a", 21, "unknown type of check", "`not-contains`"),
    of_type("type in upper case", "Contains, value: a", 21, "unknown type of check `Contains`", "`contains`"),
    of_type("type with a space", "'contains any', value: a", 21, "unknown type of check", "`contains-any`"),
    of_type("a type from elsewhere", "moderation, value: a", 21, "unknown type of check `moderation`"),
    of_type("name of two lines", 'contains, name: "a\\nb", value: x', 37, "one line of printable text", "shorter name"),
    of_type("empty name", "contains, name: '', value: x", 37, "must not be empty"),
    of_type("name of a number", "contains, name: 5, value: x", 37, "must be text", '"5"'),
    of_type("weight of text", "contains, value: a, weight: heavy", 49, "must be a number"),
    of_type("enormous weight", "contains, value: a, weight: 1e10", 49, "at most"),
    of_type("timeout of nothing", "contains, value: a, timeout_seconds: 0", 58, "greater than 0"),
    of_type("cwd above the workspace", "contains, value: a, cwd: ../x", 46, "must lie in the workspace"),
    of_type("required below 0", "contains, value: a, required: -1", 51, "between 0 and 1", "0.8"),
    of_type("unset gate", "contains, value: a, required: '${{ GONE }}'", 51, "GONE, which is not set"),
    of_type("contains without value", "contains", 14, "`value` is missing"),
    of_type("contains nothing", "contains, value: ''", 38, "must not be empty", "Every text holds"),
    of_type("contains no", "contains, value: no", 38, "must be text, not `no`", 'Quote it: "no"'),
    of_type("contains a list", "contains, value: [a]", 38, "must be text, not a list"),
    of_type("negated and empty", "not-contains, value: ''", 42, "must not be empty"),
    of_type("key of another type", "contains, value: a, flags: i", 41, "unknown key `flags`", "Known here"),
    of_type("misspelt value", "contains, valeu: a", 31, "unknown key `valeu`", "Did you mean `value`?"),
    of_type("no values", "contains-any, value: []", 42, "must not be empty"),
    of_type("an empty one of the values", "contains_all, value: [a, '']", 46, "must not be empty"),
    of_type("values in a mapping", "icontains-all, value: {a: b}", 43, "must be a list, not a mapping"),
    of_type(
        "a date among the values",
        "icontains-any, value: [2024-01-01]",
        44,
        "must be text, not `2024-01-01`",
        "Quote it",
    ),
    of_type(
        "file above the workspace", "equals, value: a, file: ../a", 45, "must lie in the workspace", "without `..`"
    ),
    of_type("absolute file", "starts-with, value: a, file: /etc/passwd", 50, "must lie in the workspace"),
    of_type("equals without value", "equals, file: a", 14, "`value` is missing"),
    of_type("open group", "regex, value: '(a'", 35, "`value` is not a regular expression", "brackets"),
    of_type("bad range", "regex, value: '[z-a]'", 35, "`value` is not a regular expression", "brackets"),
    of_type("nothing to repeat", "not-regex, value: '*a'", 39, "`value` is not a regular expression", "brackets"),
    of_type("empty expression", "regex, value: ''", 35, "must not be empty"),
    of_type("unknown flag", "regex, value: a, flags: iq", 45, "`flags` is wrong: the flag 'q'", "`im`"),
    of_type("flags of a list", "regex, value: a, flags: [i]", 45, "must be text, not a list"),
    of_type(
        "stdout_regex that cannot be compiled",
        "code-grader, command: a, expect: {stdout_regex: 'a{2,1}'}",
        69,
        "not a regular expression",
        "brackets",
    ),
    of_type(
        "schema of text",
        "is-json, schema: object",
        38,
        "must be a JSON Schema, not the text `object`",
        "{type: object}",
    ),
    of_type("schema of a list", "is-json, schema: [a]", 38, "must be a JSON Schema, not a list", "mapping"),
    of_type(
        "type that JSON has not",
        "is-json, schema: {type: objekt}",
        45,
        "not a JSON Schema (draft-07)",
        "json-schema.org",
    ),
    of_type(
        "schema that is wrong deep down",
        "is-json, schema: {properties: {a: {minimum: x}}}",
        65,
        "not a JSON Schema (draft-07)",
        "json-schema.org",
    ),
    of_type("schema under its other name", "is-json, value: {required: a}", 48, "not a JSON Schema (draft-07)"),
    of_type("schema of another draft", "is-json, schema: {$schema: draft-04}", 38, "only draft-07 is supported"),
    of_type("two schemas", "is-json, schema: {}, value: {}", 42, "two names of one field", "Keep one"),
    of_type("files without paths", "file-exists", 14, "`paths` is missing"),
    of_type("no paths", "file-exists, paths: []", 41, "must not be empty"),
    of_type("an empty path", "file-exists, paths: ['']", 42, "must not be empty"),
    of_type("path above the workspace", "file_exists, path: ../x", 40, "must lie in the workspace"),
    of_type("two names of paths", "file-exists, paths: a, file: b", 44, "two names of one field", "Keep one"),
    of_type("file that holds nothing", "file-contains, paths: a", 14, "`value` is missing"),
    of_type("file with empty values", "file-contains, paths: a, value: []", 53, "must not be empty"),
    of_type("changes of nothing", "file-changes", 14, "asks for nothing", "`forbidden`"),
    of_type(
        "more than at most",
        "file-changes, min_files: 3, max_files: 2",
        46,
        "more than `max_files: 2`",
        "could meet both",
    ),
    of_type("negative files", "file-changes, max_files: -1", 46, "at least 0"),
    of_type("half a file", "file-changes, max_files: 1.5", 46, "whole number"),
    of_type("absolute forbidden", "file-changes, forbidden: [/etc]", 47, "must lie in the workspace"),
    of_type("no calls", "call, language: python", 14, "`calls` is missing"),
    of_type("call of nothing", "call, language: python, calls: [{args: [1]}]", 53, "the function is missing"),
    of_type("call without language", "call, calls: [{call: f}]", 14, "the `language` of the calls is missing"),
    of_type(
        "call of a statement", "call, language: python, calls: [{call: f(1)}]", 60, "is not the name of a function"
    ),
    of_type(
        "call with two results",
        "call, language: python, calls: [{call: f, returns: 1, raises: E}]",
        53,
        "one of `returns`, `raises` and `approx`",
    ),
    of_type(
        "unknown tag", "call, language: python, calls: [{call: f, returns: {$tupel: []}}]", 53, "is not a kind of value"
    ),
    of_type("call by keywords", "call, language: bash, calls: [{call: f, kwargs: {a: 1}}]", 69, "no keyword arguments"),
    of_type("list for a shell", "call, language: bash, calls: [{call: f, args: [[1]]}]", 51, "must be text"),
    of_type("no fields", "field-accuracy", 14, "`fields` is missing"),
    of_type("empty fields", "field-accuracy, fields: []", 45, "must not be empty"),
    of_type("field of text", "field-accuracy, fields: [amount]", 46, "must be a mapping, not the text"),
    of_type("field without path", "field-accuracy, fields: [{match: exact}]", 46, "`path` is missing"),
    of_type(
        "unknown match",
        "field-accuracy, fields: [{path: a, match: fuzzy}]",
        63,
        "cannot be the text `fuzzy`",
        "`date`, `exact`",
    ),
    of_type(
        "misspelt match",
        "field-accuracy, fields: [{path: a, match: numeric-tolerance}]",
        63,
        "cannot be",
        "`numeric_tolerance`",
    ),
    of_type(
        "negative tolerance",
        "field-accuracy, fields: [{path: a, match: numeric_tolerance, tolerance: -1}]",
        93,
        "at least 0",
    ),
    of_type(
        "unknown aggregation",
        "field-accuracy, fields: [{path: a}], aggregation: mean",
        71,
        "cannot be the text `mean`",
        "`all_or_nothing`",
    ),
    of_type(
        "a field twice",
        "field-accuracy, fields: [{path: a}, {path: a}]",
        64,
        "the field `a` is listed twice",
        "Keep one",
    ),
    of_type("weightless fields", "field-accuracy, fields: [{path: a, weight: 0}]", 45, "weights of all fields are 0"),
    of_type(
        "misspelt in a field",
        "field-accuracy, fields: [{path: a, tolerence: 1}]",
        56,
        "unknown key `tolerence`",
        "`tolerance`",
    ),
    of_type("trajectory of nothing", "tool-trajectory", 14, "neither `expected` nor `minimums`", "mode: exact"),
    of_type(
        "unknown mode",
        "tool-trajectory, mode: sorted, minimums: {a: 1}",
        44,
        "cannot be the text `sorted`",
        "`any_order`",
    ),
    of_type(
        "mode with a hyphen",
        "tool-trajectory, mode: in-order, minimums: {a: 1}",
        44,
        "cannot be",
        "Did you mean `in_order`?",
    ),
    of_type("minimum of text", "tool-trajectory, minimums: {a: many}", 52, "whole number"),
    of_type("negative minimum", "tool-trajectory, minimums: {a: -1}", 52, "at least 0"),
    of_type("minimums in a list", "tool-trajectory, minimums: [a]", 48, "must be a mapping, not a list"),
    of_type("call of text", "tool-trajectory, expected: [read]", 49, "must be a mapping, not the text `read`"),
    of_type("call without tool", "tool-trajectory, expected: [{args: {a: 1}}]", 49, "is missing"),
    of_type(
        "arguments in a list",
        "tool-trajectory, expected: [{tool: a, args: [x]}]",
        65,
        "must be a mapping, or `any`",
        "by their names",
    ),
    of_type(
        "arguments of text", "tool-trajectory, expected: [{tool: a, args: anything}]", 65, "must be a mapping, or `any`"
    ),
    of_type(
        "unknown way to compare",
        "tool-trajectory, expected: [{tool: a}], args_match: fuzzy",
        73,
        "cannot be the text `fuzzy`",
        "`superset`",
    ),
    of_type("no paths to compare", "tool-trajectory, expected: [{tool: a, args_match: []}]", 71, "must not be empty"),
    of_type(
        "compared by a mapping", "tool-trajectory, expected: [{tool: a}], args_match: {a: b}", 73, "or a list of paths"
    ),
    of_type("metrics of nothing", "execution-metrics", 14, "asks for nothing", "`max_tool_calls`"),
    of_type(
        "metrics of nothing but a tolerance",
        "execution-metrics, exploration_tolerance: 0.1",
        14,
        "asks for nothing",
        "`max_tool_calls`",
    ),
    of_type("negative calls", "execution-metrics, max_tool_calls: -1", 56, "at least 0"),
    of_type("calls of text", "execution_metrics, max_tool_calls: few", 56, "must be a number"),
    of_type("ratio above 1", "execution-metrics, target_exploration_ratio: 60", 66, "at most 1"),
    of_type(
        "misspelt metric", "execution-metrics, max_toolcalls: 1", 40, "unknown key `max_toolcalls`", "`max_tool_calls`"
    ),
    of_type("latency without threshold", "latency", 14, "`threshold` is missing"),
    of_type("latency with a unit", "latency, threshold: 2s", 41, "must be a number"),
    of_type("cost without budget", "cost", 14, "`budget` is missing"),
    of_type("cost in words", "cost, budget: $1", 35, "must be a number"),
    of_type("two budgets", "cost, budget: 1, threshold: 2", 38, "two names of one field"),
    of_type("tokens of nothing", "token-usage", 14, "asks for nothing", "`max_total`"),
    of_type("infinite tokens", "token_usage, max_total: .inf", 45, "must be a number"),
]
