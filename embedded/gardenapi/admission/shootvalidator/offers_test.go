package shootvalidator

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// offers is a profile with something of everything.
func offers() *core.CloudProfileSpec {
	size := func(text string) *resource.Quantity { q := resource.MustParse(text); return &q }
	version := func(v string) core.ExpirableVersion { return core.ExpirableVersion{Version: v} }
	containerd := core.CRI{Name: core.CRINameContainerD, ContainerRuntimes: []core.ContainerRuntime{{Type: "gvisor"}}}
	return &core.CloudProfileSpec{
		Type: "local",
		Regions: []core.Region{{Name: "r", Zones: []core.AvailabilityZone{
			{Name: "a"}, {Name: "b", UnavailableMachineTypes: []string{"m"}, UnavailableVolumeTypes: []string{"v"}},
		}}},
		MachineTypes: []core.MachineType{
			{Name: "m", Architecture: ptr.To("amd64"), Usable: ptr.To(true)}, {Name: "arm", Architecture: ptr.To("arm64")},
			{Name: "old", Usable: ptr.To(false)}, {Name: "big", Storage: &core.MachineTypeStorage{MinSize: size("50Gi")}},
		},
		VolumeTypes: []core.VolumeType{{Name: "v", MinSize: size("20Gi")}, {Name: "old", Usable: ptr.To(false)}, {Name: "any"}},
		MachineImages: []core.MachineImage{{Name: "i", Versions: []core.MachineImageVersion{
			{ExpirableVersion: version("1.0.0"), CRI: []core.CRI{containerd}, KubeletVersionConstraint: ptr.To("< 1.36")},
			{ExpirableVersion: version("2.0.0"), CRI: []core.CRI{containerd}, KubeletVersionConstraint: ptr.To(">= 1.35")},
			{ExpirableVersion: version("3.0.0"), CRI: []core.CRI{{Name: "docker"}}},
			{ExpirableVersion: version("4.0.0"), KubeletVersionConstraint: ptr.To("nonsense"), Architectures: []string{"arm64"}},
		}}},
	}
}

func pool(changes ...func(*core.Worker)) *core.Worker {
	w := &core.Worker{Name: "w", Machine: core.Machine{Type: "m", Image: &core.ShootMachineImage{Name: "i", Version: ptr.To("2.0.0")}}}
	for _, f := range changes {
		f(w)
	}
	return w
}

func TestPool(t *testing.T) {
	machine := func(name string) func(*core.Worker) { return func(w *core.Worker) { w.Machine.Type = name } }
	zones := func(names ...string) func(*core.Worker) { return func(w *core.Worker) { w.Zones = names } }
	volume := func(typ, size string) func(*core.Worker) {
		return func(w *core.Worker) { w.Volume = &core.Volume{Type: &typ, VolumeSize: size} }
	}
	data := func(typ, size string) func(*core.Worker) {
		return func(w *core.Worker) { w.DataVolumes = []core.DataVolume{{Name: "d", Type: &typ, VolumeSize: size}} }
	}
	image := func(version string) func(*core.Worker) {
		return func(w *core.Worker) { w.Machine.Image.Version = &version }
	}
	runtime := func(name core.CRIName, types ...string) func(*core.Worker) {
		return func(w *core.Worker) {
			w.CRI = &core.CRI{Name: name}
			for _, typ := range types {
				w.CRI.ContainerRuntimes = append(w.CRI.ContainerRuntimes, core.ContainerRuntime{Type: typ})
			}
		}
	}
	arm := func(w *core.Worker) { w.Machine.Architecture = ptr.To("arm64") }
	for name, tc := range map[string]struct {
		pool, old *core.Worker
		want      string // path of the mistake
	}{
		"all is fine":                                       {pool(zones("a"), volume("v", "20Gi"), data("v", "20Gi")), nil, ""},
		"ADM-24 an unknown machine type":                    {pool(machine("x")), nil, "w.machine.type"},
		"ADM-24 a machine type that is out of use":          {pool(machine("old")), nil, "w.machine.type"},
		"an existing pool keeps its machine type":           {pool(machine("old")), pool(machine("old")), ""},
		"ADM-24 a machine type for another architecture":    {pool(machine("arm")), nil, "w.machine.type"},
		"ADM-24 a machine type that the zone does not have": {pool(zones("a", "b")), nil, "w.machine.type"},
		"ADM-24 an unknown zone":                            {pool(zones("a", "c")), nil, "w.zones[1]"},
		"ADM-24 an unknown volume type":                     {pool(volume("x", "1Gi")), nil, "w.volume.type"},
		"ADM-24 a volume type that is out of use":           {pool(volume("old", "1Gi")), nil, "w.volume.type"},
		"an existing pool keeps its volume type":            {pool(volume("old", "1Gi")), pool(volume("old", "1Gi")), ""},
		"ADM-24 a volume type that the zone does not have":  {pool(machine("big"), zones("b"), volume("v", "50Gi")), nil, "w.volume.type"},
		"ADM-24 a volume that is too small for its type":    {pool(volume("v", "19Gi")), nil, "w.volume.size"},
		"an existing pool keeps its small volume":           {pool(volume("v", "19Gi")), pool(volume("v", "19Gi")), ""},
		"ADM-24 it may not become smaller":                  {pool(volume("v", "18Gi")), pool(volume("v", "19Gi")), "w.volume.size"},
		"ADM-24 a volume that is too small for its machine": {pool(machine("big"), volume("v", "49Gi")), nil, "w.volume.size"},
		"a volume of a type without a least size":           {pool(volume("any", "1Gi")), nil, ""},
		"a volume without type":                             {pool(volume("", "1Gi")), nil, ""},
		"a size that is none is for validation":             {pool(volume("v", "x")), nil, ""},
		"ADM-24 an unknown type of a data volume":           {pool(data("x", "1Gi")), nil, "w.dataVolumes[0].type"},
		"ADM-24 a data volume that is too small":            {pool(data("v", "1Gi")), nil, "w.dataVolumes[0].size"},
		"the machine demands nothing of data volumes":       {pool(machine("big"), data("v", "20Gi")), nil, ""},
		"an existing pool keeps its data volumes":           {pool(data("v", "1Gi")), pool(data("v", "1Gi")), ""},
		"a further data volume":                             {pool(data("v", "1Gi")), pool(), "w.dataVolumes[0].size"},
		"ADM-24 an image for older kubelets":                {pool(image("1.0.0")), nil, "w.machine.image.version"},
		"an existing pool keeps its image":                  {pool(image("1.0.0")), pool(image("1.0.0")), ""},
		"ADM-24 unless it demands more":                     {pool(image("1.0.0"), runtime("containerd", "gvisor")), pool(image("1.0.0")), "w.machine.image.version"},
		"ADM-24 an image without the runtime":               {pool(image("3.0.0")), nil, "w.machine.image.version"},
		"ADM-24 an image without the container runtime":     {pool(runtime("containerd", "kata")), nil, "w.machine.image.version"},
		"an image with the container runtime":               {pool(runtime("containerd", "gvisor")), nil, ""},
		"ADM-24 an image for another architecture":          {pool(image("4.0.0")), nil, "w.machine.image.version"},
		"an image that says little":                         {pool(image("4.0.0"), arm, machine("arm")), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: offers(), shoot: &core.Shoot{Spec: core.ShootSpec{Region: "r", Kubernetes: core.Kubernetes{Version: "1.36.3"}}}, now: now}
			if tc.old != nil {
				c.old = c.shoot.DeepCopy()
				c.old.Spec.Provider.Workers = []core.Worker{*tc.old}
			}
			c.pool(tc.pool).complete(field.NewPath("w"))
			var got string
			if len(c.errs) == 1 {
				got = c.errs[0].Field
			}
			if got != tc.want || len(c.errs) > 1 {
				t.Errorf("mistakes: %v, want %q", c.errs, tc.want)
			}
		})
	}
	t.Run("ADM-26 the latest image that the pool can use", func(t *testing.T) {
		for version, want := range map[string]string{"1.36.3": "2.0.0", "1.34.0": "1.0.0"} {
			c := &check{profile: offers(), shoot: &core.Shoot{Spec: core.ShootSpec{Kubernetes: core.Kubernetes{Version: version}}}, now: now}
			w := pool(func(w *core.Worker) { w.Machine.Image = nil })
			c.pool(w).image(field.NewPath("image"))
			if w.Machine.Image == nil || *w.Machine.Image.Version != want {
				t.Errorf("for %s: %v %v, want %s", version, w.Machine.Image, c.errs, want)
			}
		}
	})
	t.Run("ADM-26 no image that the pool can use", func(t *testing.T) {
		for _, image := range []*core.ShootMachineImage{nil, {Name: "i"}} {
			c := &check{profile: offers(), shoot: &core.Shoot{}, now: now}
			w := pool(runtime("other"), func(w *core.Worker) { w.Machine.Image = image })
			if c.pool(w).image(field.NewPath("image")); len(c.errs) != 1 {
				t.Errorf("mistakes: %v", c.errs)
			}
		}
	})
	t.Run("ADM-24 an unknown region", func(t *testing.T) {
		c := &check{profile: offers(), shoot: &core.Shoot{Spec: core.ShootSpec{Region: "moon"}}, now: now}
		c.region(field.NewPath("region"))
		c.pool(pool(zones("x"))).zones(field.NewPath("zones")) // cannot be told
		c.pool(pool(zones("b"))).machineType(field.NewPath("type"))
		if len(c.errs) != 1 || c.errs[0].Field != "region" {
			t.Errorf("mistakes: %v", c.errs)
		}
	})
}

func TestLimits(t *testing.T) {
	pools := func(bounds ...int32) []core.Worker {
		var all []core.Worker
		for i := 0; i < len(bounds); i += 2 {
			all = append(all, core.Worker{Minimum: bounds[i], Maximum: bounds[i+1]})
		}
		return all
	}
	for name, tc := range map[string]struct {
		most     *int32
		old, now []core.Worker
		want     []string
	}{
		"a profile without a limit":                {nil, nil, pools(100, 200), nil},
		"pools that reach the limit together":      {new(int32(5)), nil, pools(2, 5, 3, 5), nil},
		"a pool that could grow beyond":            {new(int32(5)), nil, pools(1, 5, 1, 6), []string{"workers[1].maximum"}},
		"pools that need more together":            {new(int32(5)), nil, pools(3, 5, 3, 5), []string{"workers"}},
		"pools from before the limit may stay":     {new(int32(5)), pools(9, 9), pools(9, 9), nil},
		"pools that change have to fit":            {new(int32(5)), pools(9, 9), pools(8, 9), []string{"workers[0].maximum", "workers"}},
		"the sum of two numbers does not overflow": {new(int32(math.MaxInt32)), nil, pools(math.MaxInt32, 1, math.MaxInt32, 1), []string{"workers"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: &core.CloudProfileSpec{Limits: &core.Limits{MaxNodesTotal: tc.most}}, shoot: &core.Shoot{}, now: now}
			c.shoot.Spec.Provider.Workers = tc.now
			if tc.old != nil {
				c.old = &core.Shoot{}
				c.old.Spec.Provider.Workers = tc.old
			}
			c.limits(field.NewPath("workers"))
			var got []string
			for _, err := range c.errs {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}
