# Reads the token, and makes descriptor 3 one that child processes do not get: see graders/runners/adapter.py.
#
# The token is kept as small numbers in variables of this file: they are no objects that ObjectSpace lists. What is called
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
say = ->(words) { write.call(format.call("%08x%08x%08x%08x %s\n", first, second, third, fourth, words)) }
