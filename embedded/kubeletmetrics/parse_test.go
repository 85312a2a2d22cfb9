package kubeletmetrics

import (
	"strings"
	"testing"
	"time"
)

func TestGarbageIsAnError(t *testing.T) {
	if _, err := Parse(strings.NewReader("<html>"), time.Now()); err == nil {
		t.Error("no error")
	}
}
