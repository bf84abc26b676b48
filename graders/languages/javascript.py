"""JavaScript: items are modules that Node.js evaluates."""

from __future__ import annotations

from graders.languages.language import INSIDE, ControlFile, Language

APART = tuple(
    INSIDE / "javascript" / "apart" / f"{name}.js"
    for name in ("codec", "peer", "stand_ins", "candidate", "grader", "loading")
)
"""What items and tests of JavaScript and TypeScript share that are judged apart, for Node.js and Bun."""

LANGUAGE = Language(
    name="javascript",
    image="node",
    programs=("node", "npm", "npx"),
    answer_file="solution.js",
    fences=frozenset({"javascript", "js", "mjs", "cjs", "jsx", "node"}),
    # The warning would be that modules made by programs are experimental.
    command=("node", "--no-warnings", "--experimental-vm-modules", "--input-type=module", "-e"),
    runner=(INSIDE / "javascript" / "shared.js", INSIDE / "javascript" / "item_runner.mjs"),
    apart=(*APART, INSIDE / "javascript" / "apart" / "items.js"),
    interpreter="node",
    tools={"node": "node|npm|npx|yarn|pnpm|mocha", "mocha": "mocha"},
    # Preloads, module resolution, sources rewritten.
    control_files=(
        ControlFile(".npmrc"),
        ControlFile(".mocharc*"),
        ControlFile("babel.config.*"),
        ControlFile(".babelrc*"),
        ControlFile(".env"),
        ControlFile(".env.*"),
    ),
    # Options that load modules, and modules that are found from everywhere.
    home_files=(".npmrc", ".yarnrc", ".yarnrc.yml", ".node_modules/", ".node_libraries/"),
    complaints=(
        (
            r"(?:\w*Error[^\n]*: )?Cannot find (?:module|package) '(?P<module>[^'\n]+)'"
            r"(?: (?:imported )?from '?(?P<source>[^\s']+)|\nRequire stack:\n(?:# )?- (?P<stack>\S+))?"
        ),
        r"Could not find '(?P<file>[^'\n]+)'$",
        r"(?:file://)?(?P<source>/[^\s:]+):\d+\n(?:[^\n]*\n){1,4}?SyntaxError: (?!The requested|Named export)",
        r"(?:file://)?(?P<source>/[^\s:]+):\d+\n(?:[^\n]*\n){1,4}?ReferenceError: (?P<name>[\w$]+) is not defined",
        # vitest
        r"(?:Error: )?Failed to load url (?P<module>\S+) \(resolved id: [^)\n]*\) in (?P<source>\S+?)\. Does",
        r"(?:Error: )?Failed to resolve import \"(?P<module>[^\"\n]+)\" from \"(?P<source>[^\"\n]+)\"",
    ),
)
