package integration

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestVersionPolicy(t *testing.T) {
	p := project(t)
	soon, past := metav1.NewTime(time.Now().Add(48*time.Hour).Truncate(time.Second)), metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	profile := cloudProfile(t)
	versions := []core.ExpirableVersion{
		{Version: "1.36.3", Classification: ptr.To(core.ClassificationPreview)},
		{Version: "1.36.2", Classification: ptr.To(core.ClassificationSupported)},
		{Version: "1.35.9", Classification: ptr.To(core.ClassificationDeprecated), ExpirationDate: &soon},
		{Version: "1.34.9", Classification: ptr.To(core.ClassificationDeprecated), ExpirationDate: &past},
	}
	images := []core.MachineImageVersion{
		{ExpirableVersion: core.ExpirableVersion{Version: "2.0.0", Classification: ptr.To(core.ClassificationSupported)}},
		{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0", Classification: ptr.To(core.ClassificationDeprecated), ExpirationDate: &soon}},
	}
	profile.Spec.Kubernetes.Versions, profile.Spec.MachineImages[0].Versions = versions, images
	if err := admin(t).Update(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
	settle()
	told, c := warned(t)
	try := func(version string, image *core.ShootMachineImage) (*core.Shoot, []string, error) {
		told()
		s := newShoot(p, profile, func(s *core.Shoot) {
			s.Spec.Kubernetes.Version, s.Spec.Provider.Workers[0].Machine.Image = version, image
		})
		err := c.Create(t.Context(), s, client.DryRunAll)
		return s, told(), err
	}
	t.Run("VER-1 versions and images tell class and end", func(t *testing.T) {
		now := &core.CloudProfile{}
		if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(profile), now); err != nil {
			t.Fatal(err)
		}
		for i, want := range versions {
			got := now.Spec.Kubernetes.Versions[i]
			if got.Version != want.Version || *got.Classification != *want.Classification || !got.ExpirationDate.Equal(want.ExpirationDate) {
				t.Errorf("version is %+v, want %+v", got, want)
			}
		}
		for i, want := range images {
			got := now.Spec.MachineImages[0].Versions[i]
			if *got.Classification != *want.Classification || !got.ExpirationDate.Equal(want.ExpirationDate) {
				t.Errorf("image is %+v, want %+v", got, want)
			}
		}
	})
	t.Run("VER-1 there are no other classes", func(t *testing.T) {
		wantStatus(t, tryMerge(t, admin(t), profile.DeepCopy(), `{"spec":{"kubernetes":{"versions":[{"version":"1.36.2","classification":"brandNew"}]}}}`),
			http.StatusUnprocessableEntity, "spec.kubernetes.versions[0].classification")
	})
	t.Run("VER-2 a version whose end has passed counts as expired, whatever its class", func(t *testing.T) {
		_, _, err := try("1.34.9", nil)
		wantStatus(t, err, http.StatusUnprocessableEntity, `spec.kubernetes.version: Unsupported value: "1.34.9"`)
	})
	for wanted, want := range map[string]string{"": "1.36.2", "1.36": "1.36.2"} {
		t.Run(fmt.Sprintf("VER-6 %q means the latest supported version, never a preview", wanted), func(t *testing.T) {
			s, warnings, err := try(wanted, nil)
			if err != nil || s.Spec.Kubernetes.Version != want || *s.Spec.Provider.Workers[0].Machine.Image.Version != "2.0.0" {
				t.Errorf("got %s with %+v: %v", s.Spec.Kubernetes.Version, s.Spec.Provider.Workers[0].Machine.Image, err)
			}
			if text := strings.Join(warnings, "\n"); strings.Contains(text, "deprecated") || strings.Contains(text, "expires") {
				t.Errorf("warnings are %q", warnings)
			}
		})
	}
	t.Run("VER-7 deprecated versions can be used, and their end is told", func(t *testing.T) {
		_, warnings, err := try("1.35.9", &core.ShootMachineImage{Name: "local", Version: ptr.To("1.0.0")})
		if err != nil {
			t.Fatal(err)
		}
		end := " is deprecated and expires on " + soon.UTC().Format(time.DateOnly)
		for _, want := range []string{"spec.kubernetes.version: version 1.35.9" + end, "spec.provider.workers[0].machine.image.version: version 1.0.0" + end} {
			if !strings.Contains(strings.Join(warnings, "\n"), want) {
				t.Errorf("warnings are %q, want %q", warnings, want)
			}
		}
	})
	t.Run("VER-7 it is told once, not with every change", func(t *testing.T) {
		s := create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.35.9" }))
		told()
		if err := tryMerge(t, c, s, `{"spec":{"purpose":"testing"}}`); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(told(), "\n"); strings.Contains(text, "deprecated") {
			t.Errorf("warnings are %s", text)
		}
	})
	t.Run("no pool may outgrow the profile's limit", func(t *testing.T) {
		merge(t, profile, `{"spec":{"limits":{"maxNodesTotal":1}}}`)
		settle()
		_, _, err := try("1.36.2", nil)
		wantStatus(t, err, http.StatusUnprocessableEntity, "spec.provider.workers[0].maximum")
	})
	t.Run("a limit does not sink", func(t *testing.T) {
		merge(t, profile, `{"spec":{"limits":{"maxNodesTotal":3}}}`)
		wantStatus(t, tryMerge(t, admin(t), profile.DeepCopy(), `{"spec":{"limits":{"maxNodesTotal":2}}}`), http.StatusUnprocessableEntity, "spec.limits.maxNodesTotal")
	})
}

// warned returns a client of an administrator, and a function that returns the warnings since its last call.
func warned(t *testing.T) (told func() []string, c client.Client) {
	t.Helper()
	collected := &collector{}
	config := rest.CopyConfig(garden.Config)
	config.WarningHandler = collected
	c, err := client.New(config, client.Options{Scheme: admin(t).Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return collected.take, c
}

type collector struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (c *collector) HandleWarningHeader(_ int, _, text string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.texts = append(c.texts, text)
}

func (c *collector) take() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	texts := c.texts
	c.texts = nil
	return texts
}
