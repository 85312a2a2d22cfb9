package storagelimit

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

func TestEtcdsRefusesOverrides(t *testing.T) {
	for _, override := range []string{"events", "/events", "events#https://etcd-events"} {
		_, err := Etcds(t.Context(), storagebackend.TransportConfig{}, []string{override}, logr.Discard())
		if err == nil || !strings.Contains(err.Error(), "--etcd-servers-overrides") {
			t.Errorf("APP-5 %q: error %v", override, err)
		}
	}
}
