// A file of the package `testing` of test binaries, in which the author's `Run` has the name `gradeboxRun`. It counts the
// tests, and says so when all have ended.
package testing

import (
	"flag"
	"internal/goarch"
	"strconv"
	"strings"
	"sync/atomic"
)

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
	goarch.GradeboxReport(" end " + strconv.FormatInt(ran.Load(), 10) + " " + strconv.FormatInt(failed.Load(), 10))
	return code
}

// The command line says which tests are run, not what the code under test made of it: neither when it was loaded, nor while
// tests run. The flags have other variables from here on.
func gradeboxChoose() {
	if !flag.Parsed() {
		flag.Parse()
	}
	said := map[string]string{}
	for _, word := range goarch.GradeboxArguments()[1:] {
		option, isOption := strings.CutPrefix(word, "-test.")
		name, value, hasValue := strings.Cut(option, "=")
		if isOption && hasValue {
			said[name] = value
		} else if isOption {
			said[name] = "true"
		}
	}
	list, run, left := said["list"], said["run"], said["skip"]
	isShort, _ := strconv.ParseBool(said["short"])
	times := uint(1)
	if number, err := strconv.ParseUint(said["count"], 10, 0); err == nil {
		times = uint(number)
	}
	matchList, match, skip, short, count = &list, &run, &left, &isShort, &times
}
