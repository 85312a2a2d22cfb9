// Package daytwo leads one shoot through its later life: its credentials are rotated, it sleeps and wakes up, and it is
// deleted. In the same landscape, others are deleted in the middle of what happens to them.
package daytwo

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const (
	project   = "garden-local"
	technical = "shoot--local--daytwo"
	// objects is the number of Secrets whose content must be readable at every moment.
	objects = 20
	// outage is how long the API server of the shoot may be interrupted: a single etcd is restarted in each phase of a rotation, on a machine
	// that does much else.
	outage = "2m"
)

func TestDayTwo(t *testing.T) {
	manifest, err := filepath.Abs(filepath.Join("testdata", "shoot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l := framework.New(t)
	l.Gardener("up")
	l.Kubectl(l.Garden(), "create", "-f", manifest)
	l.Gardener("shoot", "wait", "daytwo", "-n", project, "--timeout=10m")
	f := &fixture{Landscape: l, t: t}
	f.shoot = l.Shoot(project, "daytwo")
	f.createObjects()
	rotate(t, f)
	f.Eventually(time.Minute, "a webhook is created", func() (bool, string) { // the API server may just restart
		r := f.TryKubectl(f.shoot, "apply", "-f", l.File("strict.yaml", strict))
		return r.Code == 0, r.Stderr
	})
	t.Run("CAR-9 CAR-14 nodes are replaced when the user says so", func(t *testing.T) { rotateByHand(f.For(t)) })
	f.shoot = l.Shoot(project, "daytwo") // another generation of credentials
	t.Run("API-28 GLT-40 a webhook that may block nodes keeps the shoot awake", func(t *testing.T) { f.For(t).stayAwake() })
	t.Run("API-28 GLT-40 the shoot sleeps and keeps what it has", func(t *testing.T) { f.For(t).sleep() })
	t.Run("a failure tolerance is added without an interruption", func(t *testing.T) { tolerate(f.For(t)) })
	t.Run("ETC-10 an etcd that has lost two of three members begins again from its backups on request", func(t *testing.T) { recoverQuorum(f.For(t)) })
	t.Run("CAR-11 members of an etcd are restarted one after the other", func(t *testing.T) { rotateTolerant(f.For(t)) })
	f.shoot = l.Shoot(project, "daytwo")
	t.Run("GLT-34 the shoot is deleted", func(t *testing.T) { f.For(t).remove() })
	deleteInTheMiddle(t, l)
}
