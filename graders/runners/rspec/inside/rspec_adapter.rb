# Runs RSpec and tells whether it came to its end: `ruby -e SOURCE -- ARGUMENTS`. The protocol is described in
# graders/runners/adapter.py. RSpec 3. `token.rb` comes first.
#
# Each example notes itself that its block has ended. One that passed without is no example that ran.

require "rspec/core"
begin
  require "rspec/expectations"
rescue LoadError
  # Examples may have other expectations.
end
RSpec::Core::Runner.disable_autorun!

def self.watch(examples, ended)
  examples.each do |example|
    body = example.instance_variable_get(:@example_block)
    next unless body

    watched = proc { |*given| instance_exec(*given, &body).tap { ended[example] = true } }
    example.instance_variable_set(:@example_block, watched)
  end
end

# What `eq` finds equal must not equal everything.
def self.watch_matchers(bent)
  return unless defined?(RSpec::Matchers::BuiltIn::Eq)

  program = self
  compared = Module.new do
    define_method(:match) do |expected, actual|
      super(expected, actual).tap { |found| bent << "a value that equals everything" if found && program.equals_all?(actual) }
    end
  end
  RSpec::Matchers::BuiltIn::Eq.prepend(compared)
end

def self.controls
  control = RSpec.describe("a control") { it("must fail") { expect(1).to eq(2) } }
  example = control.examples.first
  example.run(control.new, RSpec::Core::NullReporter)
  example.execution_result.status == :failed ? [] : ["control an example that must fail passed"]
end

def self.tests_run
  filters = %w[-e --example -E --example-matches -t --tag --only-failures -n --next-failure --fail-fast]
  chosen = ARGV.any? { |word| filters.include?(word[/\A[^=]*/]) || word.match?(/[\[:]\d/) }
  ended = {}.compare_by_identity
  bent = []
  watch_matchers(bent)
  of_root, replaced = watch_methods("RSpec", *[RSpec::Core::ExampleGroup, defined?(RSpec::Matchers) && RSpec::Matchers].grep(Module))
  begin
    runner = RSpec::Core::Runner.new(RSpec::Core::ConfigurationOptions.new(ARGV))
    runner.setup($stderr, $stdout)
    world = runner.world
    if world.wants_to_quit
      status = runner.configuration.reporter.exit_early(runner.exit_code)
      return [], status.zero? ? 1 : status
    end
    put_off = world.all_examples.select(&:skipped?)
    watch(world.all_examples, ended)
    status = runner.run_specs(world.ordered_example_groups)
    results = world.all_examples.map { |example| [example, example.execution_result.status] }
  rescue SystemExit => exit
    return nil, exit.status
  end

  left_out = results.select { |example, result| result.nil? && !chosen }
  skipped = results.select { |example, result| result == :pending && example.skipped? && !put_off.include?(example) }
  # A file of tests that skips some while they run says so.
  skipped.reject! { |example, _| File.read(example.metadata[:absolute_file_path]).match?(/\bskip\b/) }
  lines = (left_out + skipped).first(5).map { |example, _| "skipped #{example.full_description}" }
  unrun = results.select { |example, result| result == :passed && !ended[example] && !example.pending? }
  lines += unrun.first(5).map { |example, _| "control an example passed that did not run: #{example.full_description}" }
  # Groups that are the submission's own may change what they like.
  own = world.all_example_groups.select { |group| of_root.call(group.metadata[:absolute_file_path]) }
  lines += replaced.call(own).first(5).map { |what| "control #{what}" }
  lines += bent.uniq.map { |what| "control #{what}" } + controls
  failed = results.count { |_, result| result == :failed }
  [lines << "done #{failed + results.count { |_, result| result == :passed }} #{failed}", status]
end

adapted
