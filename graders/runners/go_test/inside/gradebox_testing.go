// A file of the package `testing` of test binaries, in which the author's `Run` has the name `gradeboxRun`. It counts the
// tests, and says so when all have ended.
package testing

import (
	"strconv"
	"strings"
	"sync/atomic"
	_ "unsafe"
)

//go:linkname gradeboxReport
func gradeboxReport(words string)

//go:linkname gradeboxArguments
func gradeboxArguments() []string

// Run runs the tests. It returns an exit code to pass to os.Exit.
func (m *M) Run() int {
	var ran, failed atomic.Int64
	for index := range m.tests {
		run := m.tests[index].F
		m.tests[index].F = func(t *T) {
			// It comes after all other clean-ups, and when all tests inside this one have ended.
			t.Cleanup(func() {
				if t.Failed() {
					failed.Add(1)
				}
				if t.Failed() || !t.Skipped() {
					ran.Add(1)
				}
			})
			run(t)
		}
	}
	gradeboxChoose()
	code := m.gradeboxRun()
	gradeboxReport(" end " + strconv.FormatInt(ran.Load(), 10) + " " + strconv.FormatInt(failed.Load(), 10))
	return code
}

// The command line says which tests are run, not what the code under test made of it when it was loaded.
func gradeboxChoose() {
	chosen := map[string]*string{"list": matchList, "run": match, "skip": skip}
	for _, value := range chosen {
		if value != nil {
			*value = ""
		}
	}
	for _, word := range gradeboxArguments()[1:] {
		option, isOption := strings.CutPrefix(word, "-test.")
		name, value, _ := strings.Cut(option, "=")
		if place := chosen[name]; isOption && place != nil {
			*place = value
		}
	}
}
