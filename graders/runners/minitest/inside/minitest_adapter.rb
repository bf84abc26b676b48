# Runs a file of minitest's tests and tells whether it came to its end: `ruby -e SOURCE -- OPTIONS FILE ARGUMENTS`, with
# -I, -r, -w and -W as options. The protocol is described in graders/runners/adapter.py. Minitest 5. `token.rb` comes first.
#
# Minitest is loaded before anything of the workspace, and run when the file has been. A file without any test of minitest
# is a program, whose end is the end.

begin
  require "minitest"
  # No second run at exit.
  Minitest.class_variable_set(:@@installed_at_exit, true)
  require "minitest/autorun"
rescue LoadError
  # An image without it: the file says what it misses.
end
directories = []
libraries = []
while ARGV.first&.start_with?("-")
  word = ARGV.shift
  value = -> { word.length > 2 ? word[2..] : ARGV.shift }
  case word
  when /\A-I/ then directories += value.call.split(File::PATH_SEPARATOR).map { |one| File.expand_path(one) }
  when /\A-r/ then libraries << value.call
  when "-w", "-W", "-W2" then $VERBOSE = true
  when "-W0" then $VERBOSE = nil
  end
end
$LOAD_PATH.unshift(*directories)
$0 = File.expand_path(ARGV.shift)

assert = Object.new.extend(Minitest::Assertions) if defined?(Minitest::Assertions)
assert&.define_singleton_method(:assertions) { 0 }
assert&.define_singleton_method(:assertions=) { |_| }
failing = %i[assert assert_nil assert_empty assert_equal assert_includes assert_in_delta assert_match assert_raises]
failing = failing.zip([[false], [1], [[1]], [1, 2], [[1], 2], [1.0, 2.0], [/1/, "2"], []])
ran = failed = 0
skipped = []
keep = Class.new(Minitest::AbstractReporter) do
  define_method(:record) do |result|
    ran += 1 unless result.skipped?
    failed += 1 unless result.passed? || result.skipped?
    skipped << result if result.skipped?
  end
end if assert

begin
  libraries.each { |library| require library }
  load $0
  if assert && Minitest::Runnable.runnables.any? { |each| each.methods_matching(/\Atest_/).any? }
    Minitest.define_singleton_method(:plugin_gradebox_init) { |_| reporter << keep.new }
    Minitest.extensions << "gradebox"
    status = Minitest.run(ARGV) ? 0 : 1
  else
    ran = 1
    status = 0
  end
rescue SystemExit => exit
  # Honest programs leave so, too.
  write.call("exited\n")
  leave.call(exit.status)
end

skipped.each do |result|
  # The words of the test itself, or the code under test, as the first place outside of minitest.
  place = result.failure.backtrace&.find { |line| !line.include?("/lib/minitest") } || ""
  next if File.expand_path(place[/\A[^:]*/]) == File.expand_path(result.source_location.first)

  say.call("skipped #{result.class_name}##{result.name}".tr("\n", " "))
end
(assert ? failing : []).each do |name, values|
  assert.public_send(name, *values) { 1 }
  say.call("control #{name} passed")
rescue Minitest::Assertion
  # As it must.
end
say.call("done #{ran} #{failed}")
$stdout.flush
leave.call(status)
