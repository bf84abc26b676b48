# Runs RSpec and tells whether it came to its end: `ruby -e SOURCE -- ARGUMENTS`. The protocol is described in
# graders/runners/adapter.py. RSpec 3. `token.rb` comes first.

require "rspec/core"
RSpec::Core::Runner.disable_autorun!
silent = RSpec::Core::NullReporter
filters = %w[-e --example -E --example-matches -t --tag --only-failures -n --next-failure --fail-fast]
chosen = ARGV.any? { |word| filters.include?(word[/\A[^=]*/]) || word.match?(/[\[:]\d/) }

begin
  runner = RSpec::Core::Runner.new(RSpec::Core::ConfigurationOptions.new(ARGV))
  runner.setup($stderr, $stdout)
  world = runner.world
  if world.wants_to_quit
    status = runner.configuration.reporter.exit_early(runner.exit_code)
    leave.call(status.zero? ? 1 : status)
  end
  put_off = world.all_examples.select(&:skipped?)
  status = runner.run_specs(world.ordered_example_groups)
  results = world.all_examples.map { |example| [example, example.execution_result.status] }
rescue SystemExit => exit
  # Honest programs leave so, too.
  write.call("exited\n")
  leave.call(exit.status)
end

left_out = results.select { |example, result| result.nil? && !chosen }
skipped = results.select { |example, result| result == :pending && example.skipped? && !put_off.include?(example) }
(left_out + skipped).first(5).each { |example, _| say.call("skipped #{example.full_description.tr("\n", " ")}") }

control = RSpec.describe("a control") { it("must fail") { expect(1).to eq(2) } }
example = control.examples.first
example.run(control.new, silent)
say.call("control an example that must fail passed") if example.execution_result.status != :failed

failed = results.count { |_, result| result == :failed }
ran = failed + results.count { |_, result| result == :passed }
say.call("done #{ran} #{failed}")
$stdout.flush
leave.call(status)
