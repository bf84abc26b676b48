# Reads the token, and makes descriptor 3 one that child processes do not get: see graders/runners/adapter.py.
#
# The token is kept as small numbers in variables of one function: they are no objects that ObjectSpace lists, and no
# variables of the program, which TOPLEVEL_BINDING has. No block of this function becomes a Proc, whose binding would have
# them. What is called at the end is taken before any code under test is loaded. Whoever searches the memory of the process
# can still find the token.
#
# `tests_run` follows in the adapter. It returns the lines to report and the status, and no lines after an ordinary exit.

def self.adapted
  first = second = third = fourth = index = 0
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

  lines, status = tests_run
  # Honest programs leave so, too.
  write.call("exited\n") if lines.nil?
  while lines && index < lines.length
    write.call(format.call("%08x%08x%08x%08x %s\n", first, second, third, fourth, lines[index].tr("\n", " ")))
    index += 1
  end
  $stdout.flush
  leave.call(status)
end

# Call this before any code under test is loaded. It returns two functions. The first tells whether a file is root's, as those
# of the image and of the case are. The second takes classes of tests, and returns the methods that other files have replaced
# since: the adapter's own, those of a test runner's modules, and those that the classes have from its class `base`, or get
# of another module.
def self.watch_methods(space, base, more = base)
  owner = File.method(:stat)
  find = Module.instance_method(:instance_method)
  of_root = ->(file) { !file.nil? && File.exist?(file) && owner.call(file).uid.zero? }
  all_of = lambda do |place, *inherited|
    names = place.instance_methods(*inherited) + place.private_instance_methods(*inherited)
    names.to_h { |name| [name, find.bind_call(place, name)] }
  end
  modules = ObjectSpace.each_object(Module).select { |one| one.name&.match?(/\A#{space}(::|\z)/) }
  places = [singleton_class, *modules.flat_map { |one| [one, one.singleton_class] }]
  kept = places.map { |place| [place, all_of.call(place, false)] }
  of_base = [all_of.call(more).merge(all_of.call(base)), all_of.call(base.singleton_class)]
  replaced = lambda do |place, name, was|
    now = find.bind_call(place, name)
    # Programs may define functions, which all objects have.
    now != was && !Object.ancestors.include?(now.owner) && !of_root.call(now.source_location&.first)
  rescue NameError
    false
  end
  find_replaced = lambda do |tests|
    given = [base, *tests].flat_map { |one| [[one, of_base[0]], [one.singleton_class, of_base[1]]] }
    (kept + given).flat_map do |place, methods|
      methods.select { |name, was| replaced.call(place, name, was) }.map { |name, _| "another #{name} of #{place.inspect}" }
    end
  end
  [of_root, find_replaced]
end

# Whether a value equals something that nobody knows, alone or in a list that the tests compare as a whole.
def self.equals_all?(value, depth = 0)
  case value
  when Array then depth < 4 && value.first(100).any? { |each| equals_all?(each, depth + 1) }
  when Hash then depth < 4 && value.first(100).any? { |_, each| equals_all?(each, depth + 1) }
  else (value == Object.new) == true
  end
rescue StandardError
  # Such a value has a comparison of its own that refuses other classes.
  false
end
