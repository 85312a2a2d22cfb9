package bootstraptoken

import (
	"regexp"
	"testing"
	"time"

	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
)

func TestToken(t *testing.T) {
	first := New(ID("", "a"), "for a", time.Now())
	t.Run("GLT-1 it has the form that API servers require", func(t *testing.T) {
		if !regexp.MustCompile("^" + bootstrapapi.BootstrapTokenPattern + "$").MatchString(Token(first)) {
			t.Errorf("token has the form %q", bootstrapapi.BootstrapTokenPattern)
		}
	})
	t.Run("GLT-1 its secret is another one each time", func(t *testing.T) {
		if second := New(ID("", "a"), "for a", time.Now()); Token(first) == Token(second) || first.Name != second.Name {
			t.Error("the secret is the same, or the ID differs")
		}
	})
	t.Run("GLT-1 the ID depends on namespace and name", func(t *testing.T) {
		ids := map[string]bool{ID("", "a"): true, ID("", "b"): true, ID("garden", "a"): true, ID("garden", "b"): true}
		if len(ids) != 4 {
			t.Errorf("IDs %v", ids)
		}
	})
}
