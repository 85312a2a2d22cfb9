package integration

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission"
)

// behaviour is what users see of a plugin. Its name begins with the rows it stands for.
type behaviour struct {
	name string
	// seen tells whether a request that changes nothing shows it. Its error is another answer than the plugin's presence
	// or absence explains.
	seen func(*testing.T, server) (bool, error)
}

// server is a Gardener API server, reached as an administrator.
type server struct {
	client.Client
	config *rest.Config
}

// as is a client of somebody else.
func (s server) as(t *testing.T, name string) client.Client {
	t.Helper()
	of, err := garden.ConfigFor(name)
	if err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(s.config)
	config.CertFile, config.KeyFile, config.CertData, config.KeyData = "", "", of.CertData, of.KeyData
	return clientFor(t, config)
}

// TestPlugins asks for each plugin a server that has it and one that lacks just this one. A behaviour that is not seen
// on the first, or seen on the second, fails; so does a plugin, or a row of a plugin, without any.
func TestPlugins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admission.yaml")
	if err := os.WriteFile(file, []byte(admissionConfiguration), 0o600); err != nil {
		t.Fatal(err)
	}
	having := func(t *testing.T, but ...string) server {
		_, config := another(t, func(c *gardenapi.Config) {
			c.AdmissionConfigFile, c.DisableAdmissionPlugins = file, but
			c.EnableAdmissionPlugins = slices.DeleteFunc(admission.Names(), func(name string) bool { return slices.Contains(but, name) })
		})
		return server{clientFor(t, config), config}
	}
	behaviours := pluginBehaviours(t)
	with := having(t)
	for _, plugin := range admission.Names() {
		if len(behaviours[plugin]) == 0 {
			t.Errorf("ADM-1 nothing tells whether the plugin %s works", plugin)
			continue
		}
		t.Run(plugin, func(t *testing.T) {
			without := having(t, plugin)
			for _, b := range behaviours[plugin] {
				t.Run(b.name, func(t *testing.T) {
					eventually(t, func() error { // plugins look at caches
						if seen, err := b.seen(t, with); !seen || err != nil {
							return fmt.Errorf("with the plugin: seen %t, error %v", seen, err)
						}
						return nil
					})
					eventually(t, func() error {
						if seen, err := b.seen(t, without); seen || err != nil {
							return fmt.Errorf("without the plugin: seen %t, error %v", seen, err)
						}
						return nil
					})
				})
			}
		})
	}
	t.Run("each row has a behaviour that needs its plugin", func(t *testing.T) {
		rows := map[string]bool{"ADM-1": true} // this test
		for _, list := range behaviours {
			for _, b := range list {
				for _, row := range regexp.MustCompile(`\b(ADM|TOL)-\d+\b`).FindAllString(b.name, -1) {
					rows[row] = true
				}
			}
		}
		for i := 1; i <= 32; i++ {
			if row := fmt.Sprintf("ADM-%d", i); !rows[row] {
				t.Errorf("nothing covers %s", row)
			}
		}
		known := admission.Names()
		for plugin := range maps.Keys(behaviours) {
			if !slices.Contains(known, plugin) {
				t.Errorf("there is no plugin %s", plugin)
			}
		}
	})
}

// refused is seen if a request is refused with a text; otherwise lists texts of refusals by what comes after the plugin.
func refused(request func(*testing.T, server) error, text string, otherwise ...string) func(*testing.T, server) (bool, error) {
	return func(t *testing.T, s server) (bool, error) {
		err := request(t, s)
		switch {
		case err == nil:
			return false, nil
		case strings.Contains(err.Error(), text):
			return true, nil
		case slices.ContainsFunc(otherwise, func(part string) bool { return strings.Contains(err.Error(), part) }):
			return false, nil
		default:
			return false, err
		}
	}
}

// creating is seen if an object, created for trial, comes back changed in a way; otherwise lists texts of refusals of
// objects that lack the change.
func creating[T client.Object](object func() T, changed func(T) bool, otherwise ...string) func(*testing.T, server) (bool, error) {
	return func(t *testing.T, s server) (bool, error) {
		o := object()
		if err := s.Create(t.Context(), o, client.DryRunAll); err != nil {
			if slices.ContainsFunc(otherwise, func(part string) bool { return strings.Contains(err.Error(), part) }) {
				return false, nil
			}
			return false, err
		}
		return changed(o), nil
	}
}

// The requests below are trials: nothing is stored.

func tryCreate[T client.Object](object func() T) func(*testing.T, server) error {
	return func(t *testing.T, s server) error { return s.Create(t.Context(), object(), client.DryRunAll) }
}

func tryDelete(object client.Object) func(*testing.T, server) error {
	return func(t *testing.T, s server) error {
		return s.Delete(t.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

func tryPatch(object client.Object, patch string) func(*testing.T, server) error {
	return func(t *testing.T, s server) error { return trial(t, s.Client, object, patch) }
}

func trial(t *testing.T, c client.Client, object client.Object, patch string) error {
	raw := client.RawPatch("application/merge-patch+json", []byte(patch))
	return c.Patch(t.Context(), object.DeepCopyObject().(client.Object), raw, client.DryRunAll)
}

// deleteHeld begins the deletion of an object that a finalizer keeps until the test ends.
func deleteHeld(t *testing.T, object client.Object) {
	t.Helper()
	merge(t, object, `{"metadata":{"finalizers":["test.example.org/hold"],"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
	if err := admin(t).Delete(t.Context(), object.DeepCopyObject().(client.Object)); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
