package kind

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind. That of a closed store looks only once a second whether it is closed.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/tidwall/buntdb.(*DB).backgroundManager"))
}
