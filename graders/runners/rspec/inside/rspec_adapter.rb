# Runs RSpec and tells whether it came to its end: `ruby -e SOURCE -- ARGUMENTS`. The protocol is described in
# graders/runners/adapter.py. RSpec 3.
#
# The token is kept as small numbers in variables of this file: they are not objects that ObjectSpace lists. What is called
# at the end is taken before any code under test is loaded. Whoever searches the memory of the process can still find it.

first = second = third = fourth = 0
8.times { first = first * 16 + $stdin.sysread(1).hex }
8.times { second = second * 16 + $stdin.sysread(1).hex }
8.times { third = third * 16 + $stdin.sysread(1).hex }
8.times { fourth = fourth * 16 + $stdin.sysread(1).hex }
$stdin.sysread(1)
# Not for child processes: F_DUPFD_CLOEXEC is 1030 on Linux.
channel = IO.for_fd(3, "w", autoclose: false)
report = IO.for_fd(channel.fcntl(1030, 100), "w")
channel.autoclose = true
channel.close
write = report.method(:syswrite)
format = Kernel.method(:format)
leave = Process.method(:exit!)

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

say = ->(words) { write.call(format.call("%08x%08x%08x%08x %s\n", first, second, third, fourth, words)) }
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
