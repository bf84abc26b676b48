// What tests usually import: `go vet` looks at all of it before it looks at a test.
package warm

import (
	_ "bufio"
	_ "bytes"
	_ "container/heap"
	_ "context"
	_ "encoding/json"
	_ "errors"
	_ "fmt"
	_ "io"
	_ "math"
	_ "math/rand"
	_ "net/http/httptest"
	_ "os"
	_ "path/filepath"
	_ "reflect"
	_ "regexp"
	_ "slices"
	_ "sort"
	_ "strconv"
	_ "strings"
	_ "sync"
	"testing"
	_ "testing/quick"
	_ "time"
)

func TestNothing(*testing.T) {}
