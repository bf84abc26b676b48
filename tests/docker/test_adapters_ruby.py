"""The runner of RSpec's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

GOOD = "def sum(a, b) = a + b\n"
WRONG = "def sum(a, b) = a - b\n"
TESTS = """
require "./lib/sum"
describe "sum" do
  it("adds") { expect(sum(1, 2)).to eq(3) }
  it("adds more") { expect { sum(1, nil) }.to raise_error(TypeError) }
  xit("later") { expect(1).to eq(2) }
end
"""
# Ways to pass without the work, and what is said of each. Honest programs call `exit`, too.
FORGERIES = {
    "exits when loaded": ("exit 0", ""),
    "ends when loaded": ("exit! 0", "token-missing"),
    "ends in a test": ("def sum(a, b) = exit!(0)", "token-missing"),
    "ends at exit": (f"at_exit {{ exit! 0 }}\n{WRONG}exit 1", ""),
    "looks for the token in strings, and reports": (
        """ObjectSpace.each_object(String).select { |one| one.match?(/\\A\\h{32}/) }.each do |found|
  (3..200).each { |to| IO.for_fd(to, "w", autoclose: false).syswrite("#{found[0, 32]} done 2 0\\n") rescue nil }
end
exit! 0""",
        "token-missing",
    ),
    "makes every expectation hold": (
        f"{WRONG}class RSpec::Expectations::ExpectationTarget\n  def to(*) = true\nend",
        "control-passed",
    ),
    "makes every number equal": (f"{WRONG}class Integer\n  def ==(other) = true\nend", "control-passed"),
    "runs no example": (f"{WRONG}RSpec.configure {{ |to| to.dry_run = true }}", "control-passed"),
    "leaves examples out": (
        f"{WRONG}RSpec.configure {{ |to| to.filter_run_excluding(full_description: /adds$/) }}",
        "",
    ),
    "returns what equals everything": (
        "class Any\n  def ==(other) = true\nend\ndef sum(a, b) = b ? Any.new : raise(TypeError)",
        "control-passed",
    ),
    "marks examples as passed": (
        f"""{WRONG}class RSpec::Core::ExampleGroup
  def self.run_examples(reporter)
    examples.each do |one|
      one.execution_result.started_at = RSpec::Core::Time.now
      one.execution_result.record_finished(:passed, RSpec::Core::Time.now)
      reporter.example_passed(one)
    end
    true
  end
end""",
        "control-passed",
    ),
    "makes examples of its own": (
        f"""{WRONG}class RSpec::Core::ExampleGroup
  class << self
    alias was it
    def it(*words, &body) = words == ["must fail"] ? was(*words, &body) : was(*words) {{ expect(1).to eq(1) }}
  end
end""",
        "control-passed",
    ),
    "lays expectations over those of each group": (
        f"""{WRONG}module Easy
  def expect(*all, &body) = all == [1] ? super : Class.new {{ def to(*) = true }}.new
end
RSpec.configure {{ |to| to.prepend Easy }}""",
        "control-passed",
    ),
    "makes expectations hold but for the control": (
        f"{WRONG}module RSpec::Matchers\n  alias was eq\n  def eq(one) = one == 2 ? was(one) : satisfy {{ true }}\nend",
        "control-passed",
    ),
    "replaces functions of the adapter": (
        (
            "def self.equals_all?(*) = false\nclass Any\n  def ==(other) = true\nend\n"
            "def sum(a, b) = b ? Any.new : Kernel.raise(TypeError)"
        ),
        "control-passed",
    ),
    "skips an example": (
        "def sum(a, b) = raise(RSpec::Core::Pending::SkipDeclaredInExample.new('no'))",
        "control-passed",
    ),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("ruby")


def run(yard: Yard, work: str, *words: str) -> Ran:
    return yard.run(
        "rspec",
        *words,
        "grading",
        "-P",
        "**/*_spec.rb",
        work={"lib/sum.rb": work},
        judge={"grading/sum_spec.rb": TESTS},
    )


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    ran = run(yard, GOOD, "-e", "adds more")
    assert (ran.passed, ran.report.done) == (True, (1, 0)), ran.printed


IDIOMS = """
require "./lib/sum"
RSpec.shared_examples("adding") { |a, b, c| it("adds") { expect(sum(a, b)).to eq(c) } }
RSpec::Matchers.define(:be_three) { match { |one| one == 3 } }
RSpec.configure { |to| to.expect_with(:rspec) { |with| with.syntax = %i[should expect] } }
describe "sum" do
  def format(one) = one
  let(:three) { 3 }
  it("has a matcher") { expect(sum(1, 2)).to be_three; sum(1, 2).should eq(format(three)) }
  around { |example| example.run }
  it_behaves_like "adding", 1, 2, 3
  specify(:aggregate_failures) { expect(sum(1, 1)).to eq(2); expect(sum(1, 0)).to be > 0 }
  it("has a double") { one = double("adder", call: 3); expect([one.call, one]).to eq([3, one]) }
  it("is known") { |example| expect(example.description).to eq("is known") }
  it("is not done") { pending "later"; expect(sum(1, 1)).to eq(3) }
  it("skips itself") { skip "no" }
  it("ends early") { next }
  it "is empty"
end
"""


def test_usual_forms_of_examples_are_left_alone(yard: Yard) -> None:
    judge = {"grading/sum_spec.rb": IDIOMS}
    ran = yard.run("rspec", "grading/sum_spec.rb", work={"lib/sum.rb": GOOD}, judge=judge)
    assert (ran.passed, ran.report.done) == (True, (6, 0)), ran.printed


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (2, 1), ())
    broken = run(yard, "def sum(")
    assert (broken.passed, broken.judged.tampering) == (False, ())


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, source)
    assert not ran.passed, ran.printed
    assert {one.kind.value for one in ran.judged.tampering} == ({kind} if kind else set())


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, "-e", "nothing").judged.reason == "no test was run"
