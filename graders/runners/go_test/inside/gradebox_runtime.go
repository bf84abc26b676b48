// A file of the package `runtime` of test binaries. It reads the token before any other package is initialised, so that no
// code under test finds it on the descriptor, and keeps it where only the package `testing` reaches it. Whoever
// searches the memory of the process, or has C or assembly in it, can still find it.
package runtime

import (
	"internal/goarch"
	"unsafe"
)

const (
	gradeboxTokenDescriptor  = 8
	gradeboxReportDescriptor = 9
	gradeboxDigits           = 32
	gradeboxSetFlags         = 2
	gradeboxCloseOnExec      = 1
)

// The token, and room for the words after it.
var gradeboxLine [gradeboxDigits + 64]byte

var gradeboxHasToken bool

func init() {
	goarch.GradeboxReport = func(string) {}
	goarch.GradeboxArguments = gradeboxArguments
	if gogetenv("GRADEBOX_GO_TEST") == "" {
		return
	}
	count := read(gradeboxTokenDescriptor, unsafe.Pointer(&gradeboxLine), gradeboxDigits+1)
	closefd(gradeboxTokenDescriptor)
	fcntl(gradeboxReportDescriptor, gradeboxSetFlags, gradeboxCloseOnExec)
	gradeboxHasToken = count == gradeboxDigits+1 && gradeboxLine[gradeboxDigits] == '\n'
	gradeboxReport(" begin")
	goarch.GradeboxReport = gradeboxReport
}

func gradeboxReport(words string) {
	if gradeboxHasToken {
		count := gradeboxDigits + copy(gradeboxLine[gradeboxDigits:len(gradeboxLine)-1], words)
		gradeboxLine[count] = '\n'
		write1(gradeboxReportDescriptor, unsafe.Pointer(&gradeboxLine), int32(count+1))
	}
}

func gradeboxArguments() []string {
	return append([]string{}, argslice...)
}
