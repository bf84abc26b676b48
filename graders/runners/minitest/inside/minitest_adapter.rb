# Runs a file of minitest's tests and tells whether it came to its end: `ruby -e SOURCE -- OPTIONS FILE ARGUMENTS`, with
# -I, -r, -w and -W as options. The protocol is described in graders/runners/adapter.py. Minitest 5. `token.rb` comes first.
#
# Minitest is loaded before anything of the workspace, and run when the file has been. A file without any test of minitest
# is a program, whose end is the end. Each test notes itself that it has ended. One that passed without is no test that ran.

begin
  require "minitest"
  # No second run at exit.
  Minitest.class_variable_set(:@@installed_at_exit, true)
  require "minitest/autorun"
rescue LoadError
  # An image without it: the file says what it misses.
end

# Read the options before the file, and return the libraries to load.
def self.options_read
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
  libraries
end

# Assertions that are taken before any code under test is loaded, and values with which each must fail.
def self.controls
  failing = %i[assert assert_nil assert_empty assert_equal assert_includes assert_in_delta assert_match assert_raises]
  assert = Object.new.extend(Minitest::Assertions)
  assert.define_singleton_method(:assertions) { 0 }
  assert.define_singleton_method(:assertions=) { |_| }
  lambda do
    found = failing.zip([[false], [1], [[1]], [1, 2], [[1], 2], [1.0, 2.0], [/1/, "2"], []]).select do |name, values|
      assert.public_send(name, *values) { 1 }
      true
    rescue Minitest::Assertion
      false
    end
    found.map { |name, _| "control #{name} passed" }
  end
end

# Have the tests note their ends, and return the file of each by its name.
def self.watch(ended)
  Minitest.seed ||= 1
  groups = Minitest::Runnable.runnables.map { |group| [group, group.runnable_methods.grep(/\Atest_/)] }
  tests = groups.flat_map { |group, names| names.map { |name| [group, name, group.instance_method(name)] } }
  tests.to_h do |group, name, body|
    group.define_method(name) { body.bind_call(self).tap { ended["#{self.class.name}##{name}"] = true } }
    ["#{group.name}##{name}", body.source_location.first]
  end
end

# What `assert_equal` and `assert_includes` accept must not equal, or include, everything.
def self.watch_assertions(bent)
  program = self
  Minitest::Assertions.prepend(Module.new do
    define_method(:assert_equal) do |expected, actual, *words|
      super(expected, actual, *words).tap { bent << "a value that equals everything" if program.equals_all?(actual) }
    end
    define_method(:assert_includes) do |all, one, *words|
      super(all, one, *words).tap { bent << "a collection of everything" if program.includes_all?(all) }
    end
  end)
end

def self.includes_all?(collection)
  collection.include?(Object.new) == true
rescue StandardError
  false
end

def self.recorded(results)
  Class.new(Minitest::AbstractReporter) { define_method(:record) { |result| results << result } }
end

# A test may say itself that it is skipped. The code under test, as the first place outside of minitest, may not.
def self.skipped_by_others(results, known)
  results.select(&:skipped?).reject do |result|
    place = result.failure.backtrace&.find { |line| !line.include?("/lib/minitest") } || ""
    file = known["#{result.class_name}##{result.name}"] || result.source_location.first
    # `it` without a block is a method of minitest that skips.
    file.include?("/lib/minitest") || File.expand_path(place[/\A[^:]*/]) == File.expand_path(file)
  end
end

def self.tests_run
  libraries = options_read
  tried = controls if defined?(Minitest::Assertions)
  ended = {}
  bent = []
  results = []
  if tried
    watch_assertions(bent)
    of_root, replaced = watch_methods("Minitest", Minitest::Test)
  end
  file = $0
  begin
    libraries.each { |library| require library }
    load file
    runs = tried && Minitest::Runnable.runnables.any? { |each| each.methods_matching(/\Atest_/).any? }
    return ["done 1 0"], 0 unless runs

    known = watch(ended)
    is_whole = ARGV.empty?
    keep = recorded(results)
    Minitest.define_singleton_method(:plugin_gradebox_init) { |_| reporter << keep.new }
    Minitest.extensions << "gradebox"
    status = Minitest.run(ARGV) ? 0 : 1
  rescue SystemExit => exit
    return nil, exit.status
  end

  name = ->(result) { "#{result.class_name}##{result.name}" }
  unrun = results.select { |result| result.passed? && known.key?(name[result]) && !ended[name[result]] }
  lines = unrun.first(5).map { |result| "control a test passed that did not run: #{name[result]}" }
  lines += bent.uniq.map { |what| "control #{what}" } + tried.call
  # Tests that are the submission's own may change what they like.
  own = known.select { |_, place| of_root.call(place) }.keys.map { |test| test.rpartition("#").first }
  groups = Minitest::Runnable.runnables.select { |group| own.include?(group.name) }
  lines += replaced.call(groups).first(5).map { |what| "control #{what}" } if of_root.call(file)
  lines += skipped_by_others(results, known).map { |result| "skipped #{name[result]}" }
  left_out = is_whole ? known.keys - results.map(&name) : []
  lines += left_out.first(5).map { |each| "skipped #{each}" }
  failed = results.count { |result| !result.passed? && !result.skipped? }
  [lines << "done #{results.count { |result| !result.skipped? }} #{failed}", status]
end

adapted
