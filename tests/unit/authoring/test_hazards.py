"""What in a case lets an answer decide about itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.hazards import Hazard, hazards
from gradebox.graders.cases import load

CASE = "image: image\nassertions: [{type: code-grader, command: [%s], required: true}]\n"


def found(root: Path, name: str, text: str) -> list[Hazard]:
    write(root, {"case.yaml": CASE % f"sh, grading/{name}", "workspace/a": "", f"grading/{name}": text})
    (case,) = load(root).cases
    return list(hazards(case))


@pytest.mark.parametrize(
    ("name", "line", "named"),
    [
        ("t.py", "score = eval(answer)", "eval"),
        ("t.py", "exec(compile(text, 'it', 'exec'))", "exec"),
        ("t.py", "import pickle; x = pickle.load(open('out.pkl', 'rb'))", "pickle.load"),
        ("t.py", "x = yaml.load(text)", "yaml.load"),
        ("t.py", "os.system('cat ' + name)", "os.system"),
        ("t.py", "subprocess.run(f'cat {name}', shell=True)", "subprocess.run"),
        ("t.py", "solve.letter(1).format(user=USER)", "solve.letter(1).format"),
        ("t.py", "ok = abs(float(answer) - 1) < 0.1", "float"),
        ("t.py", "score = max(0, min(1, json.loads(done.stdout)))", "json.loads"),
        ("t.js", "const x = eval(answer);", "eval"),
        ("t.mjs", "new Function('a', body)(1);", "new Function"),
        ("t.ts", "execSync(`cat ${name}`);", "execSync"),
        ("t.sh", 'eval "$(cat answer)"', "eval"),
        ("t.sh", ". ./answer.sh", "."),
        ("t.sh", 'awk "BEGIN { exit !($got < 1) }"', "awk"),
    ],
)
def test_a_grader_that_runs_or_loads_text_is_named_with_its_line(
    tmp_path: Path, name: str, line: str, named: str
) -> None:
    sign = "#" if name.endswith((".py", ".sh")) else "//"
    (hazard,) = found(tmp_path, name, f"{sign} first\n{line}\n")
    assert (hazard.place.file, hazard.place.line) == (tmp_path / "grading" / name, 2)
    assert hazard.message.startswith(f"`{named}` in a grader: ")
    assert found(tmp_path, name, f"{sign} first\n{line}  {sign} gradebox: trusted\n") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.py", "x = eval('1 + 1')\nast.literal_eval(answer)\nmodel.eval(answer)\nre.compile(answer)\n"),
        ("t.py", "x = yaml.load(text, Loader=yaml.SafeLoader)\njson.load(stream)\nsubprocess.run(['gcc', name])\n"),
        ("t.py", "x = float(answer) < 1 if math.isfinite(float(answer)) else False\n"),
        ("t.py", "x = float(answer) == 1\njson.loads(done.stdout)\n"),
        ("t.py", "x = float(open(answer).read()) < float('inf')\n"),
        ("t.py", "this is not Python: eval(answer)\n"),
        ("t.py", "TEXT.format(answer)\n"),
        ("t.py", "from gradebox_candidate import run\nrun(['python3', name])\n"),
        ("t.js", "// eval(answer)\nconst found = /a/.exec(answer);\nexecSync('ls');\nmedieval(answer);\n"),
        ("t.sh", '# eval "$x"\n. grading/lib.sh\nsource "$(dirname "$0")/lib.sh"\n./answer\n'),
        ("t.txt", "eval(answer)\n"),
        ("t.sh", "candidate tar xf app.tar\ntar -cf x.tar out\ngit diff\nstar xf x\n# tar xf y\n"),
        ("t.py", "import tarfile; tarfile.open(a).extractall(b, filter='data')\n"),
        ("t.py", "import zipfile; zipfile.ZipFile(a).extractall(b)\n"),
    ],
)
def test_what_reads_data_or_runs_its_own_is_not(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, name, text) == []


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
@pytest.mark.parametrize(
    ("name", "line", "safe"),
    [
        ("t.py", "subprocess.run(['diff', 'grading/golden', str(path)])", "subprocess.run(['diff', 'golden', 'out'])"),
        ("t.py", "subprocess.run(['cmp', golden, path])", "subprocess.run(['gcc', source])"),
        ("t.sh", "cat x | while read -r a; do candidate b; done", "cat x | while read -r a; do candidate b < c; done"),
        ("t.sh", "{ candidate a; } | sort", "{ candidate a > b; } | sort"),
        ("t.sh", 'candidate a | grep "$1"', 'got=$(candidate a); grep "$1" <<< "$got"'),
        ("t.py", "shutil.copytree(DATA / name, tmp_path)", "shutil.copytree(DATA, tmp_path, ignore=golden)"),
        ("t.py", "run(['candidate', 'a']); getrusage(RUSAGE_CHILDREN)", "getrusage(RUSAGE_CHILDREN)"),
        ("t.py", "open('/tmp/x', 'w'); run(['candidate', 'a'])", "open('/tmp/x'); run(['candidate', 'a'])"),
        ("t.py", "Path('/tmp/x').write_text(a); run(['candidate'])", "(tmp / 'x').write_text(a); run(['candidate'])"),
        (
            "t.py",
            "subprocess.run([sys.executable, 'a.py'])",
            "A = Path(__file__)\nsubprocess.run([sys.executable, str(A)])",
        ),
    ],
)
def test_what_leads_a_grader_astray_is_named_where_it_is_another_user(
    tmp_path: Path, isolation: str, name: str, line: str, safe: str
) -> None:
    counts = []
    for text in (line, safe):
        head = f"isolation: {isolation}\n" + CASE % f"sh, grading/{name}"
        write(tmp_path, {"case.yaml": head, "workspace/a": "", f"grading/{name}": text})
        (case,) = load(tmp_path).cases
        counts.append(len(list(hazards(case))))
    assert counts == [isolation == "apart", 0]


@pytest.mark.parametrize(
    ("head", "line", "count"),
    [
        ("isolation: apart", "json.load(open('prices.json'))", 1),
        ("isolation: apart", "Path('prices.json').read_text()", 1),
        ("isolation: apart", "open('prices.json', 'w'); open('app.py'); open('other')", 0),
        ("isolation: apart", "open('prices.json')  # gradebox: trusted", 0),
        ("isolation: apart\nprotect: prices.json", "open('prices.json')", 0),
        ("isolation: in-process", "open('prices.json')", 0),
    ],
)
def test_a_file_that_grader_and_submission_read_must_be_protected(
    tmp_path: Path, head: str, line: str, count: int
) -> None:
    write(tmp_path, {
        "case.yaml": f"{head}\n" + CASE % "sh, grading/t.py",
        "workspace/prices.json": "{}",
        "workspace/app.py": "",
        "reference/app.py": "",
        "grading/t.py": line,
    })  # fmt: skip
    (case,) = load(tmp_path).cases
    assert [each.hint for each in hazards(case)] == ["Add it to `protect`."] * count


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("t.py", "subprocess.run([sys.executable, 'app.py'], stdout=PIPE)"),
        ("t.py", "from subprocess import run; run([sys.executable, 'app.py'])"),
        ("t.py", "spec = importlib.util.spec_from_file_location('app', 'app.py')"),
        ("t.js", "const done = spawnSync(process.execPath, ['app.mjs']);"),
        ("t.js", "execFile('node', ['app.mjs'], (error, out) => check(out));"),
    ],
)
def test_what_brings_the_submission_to_the_grader_is_named_where_it_is_apart(
    tmp_path: Path, isolation: str, name: str, line: str
) -> None:
    write(tmp_path, {
        "case.yaml": f"isolation: {isolation}\n" + CASE % f"sh, grading/{name}",
        "workspace/a": "",
        f"grading/{name}": line,
    })  # fmt: skip
    (case,) = load(tmp_path).cases
    hints = [each.hint for each in hazards(case)]
    assert hints == ["Call its functions, or start it with `candidate` in front."] * (isolation == "apart")
    if name == "t.py":
        started = line.replace("[sys.executable", "['candidate', sys.executable").replace("spec_from_file", "other")
        assert found(tmp_path, name, started) == []


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("t.py", "import tarfile; tarfile.open('app.tar').extractall(place)"),
        ("t.py", "shutil.unpack_archive('app.tar', place)"),
        ("t.py", "subprocess.run(['tar', 'xf', 'app.tar'])"),
        ("t.sh", "mkdir out && tar -C out -xzf app.tar.gz"),
        ("t.sh", "git apply answer.diff"),
    ],
)
def test_what_unpacks_an_archive_is_named_where_it_is_apart(
    tmp_path: Path, isolation: str, name: str, line: str
) -> None:
    case = f"isolation: {isolation}\n" + CASE % f"sh, grading/{name}"
    write(tmp_path, {"case.yaml": case, "workspace/a": "", f"grading/{name}": line})
    assert [each.hint[:9] for each in hazards(load(tmp_path).cases[0])] == ["Use `filt"] * (isolation == "apart")


@pytest.mark.parametrize(
    ("checks", "count"),
    [
        ("[{type: contains, value: a, required: true}, {type: regex, value: b, required: true}]", 1),
        ("[{type: contains, value: a, required: true}, {type: equals, value: a, required: true}]", 0),
        ("[{type: contains, value: a, negate: true, required: true}]", 0),
        ("[{type: contains, value: a}]", 0),
        ("[{type: regex, value: ^a$, required: true}]", 0),
        ("[{type: regex, value: ^a$, flags: m, required: true}]", 1),
    ],
)
def test_required_checks_that_only_look_for_words_are_named(tmp_path: Path, checks: str, count: int) -> None:
    write(tmp_path, {"case.yaml": f"input: Say a.\nassertions: {checks}\n"})
    (case,) = load(tmp_path).cases
    messages = [each.message for each in hazards(case)]
    assert [message.partition(" passes")[0] for message in messages] == [
        "an answer that lists every possibility"
    ] * count


@pytest.mark.parametrize(
    ("others", "files", "named"),
    [
        ("{type: code-grader, command: [look], required: true}", {"workspace/a": ""}, True),
        ("{type: file-exists, path: a, required: true}", {"workspace/a": ""}, True),
        # It reads the answer: there is nothing else to read.
        ("{type: code-grader, command: [look], required: true}", {}, False),
        (
            "{type: code-grader, command: [look], required: true}, {type: equals, value: a, required: true}",
            {"workspace/a": ""},
            False,
        ),
    ],
)
def test_one_among_checks_of_something_else_is_named(
    tmp_path: Path, others: str, files: dict[str, str], named: bool
) -> None:
    checks = f"[{{name: says, type: contains, value: a, required: true}}, {others}]"
    write(tmp_path, {"case.yaml": f"image: image\ninput: Say a.\nassertions: {checks}\n", **files})
    (case,) = load(tmp_path).cases
    message = "an answer that lists every possibility passes says, whatever the other required checks say"
    assert [each.message for each in hazards(case)] == [message] * named


def test_a_network_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"case.yaml": CASE % "look" + "limits: {network: bridge}\n", "workspace/a": ""})
    (case,) = load(tmp_path).cases
    assert [each.message.partition(",")[0] for each in hazards(case)] == ["with a network"]


@pytest.mark.parametrize(
    ("calls", "are_hazards"),
    [
        ("{call: coded, args: [ab], returns: ba}, {call: plain, args: [ba], returns: ab}", True),
        ("{call: coded, args: [ab], returns: ba}, {call: plain, args: [dc], returns: cd}", False),
        ("{call: turned, args: [ab], returns: ba}, {call: turned, args: [ba], returns: ab}", False),
        ("{call: coded, args: [''], returns: ''}, {call: plain, args: [''], returns: ''}", False),
    ],
)
def test_calls_whose_arguments_answer_each_other_are_a_hazard(tmp_path: Path, calls: str, are_hazards: bool) -> None:
    text = f"input: x\nlanguage: python\nassertions: [{{type: call, calls: [{calls}]}}]\n"
    write(tmp_path, {"case.yaml": text})
    (case,) = load(tmp_path).cases
    found = [each.message for each in hazards(case)]
    said = "what one of `coded('ab')` and `plain('ba')` takes is what the other must return"
    assert found == [f"{said}, so a submission can remember it"] * are_hazards
