// A file of the package `internal/goarch`, by which `runtime` and `testing` of test binaries reach each other. No other code
// can: outside of Go's own packages nothing imports it, and the linker refuses `go:linkname` to it.
package goarch

// GradeboxReport writes a line with the token, in a test binary that was given one.
var GradeboxReport func(words string)

// GradeboxArguments returns the command line of the process, as it was when it started.
var GradeboxArguments func() []string
