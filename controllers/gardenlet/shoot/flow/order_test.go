package flow

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

var rewrite = flag.Bool("rewrite", false, "write the orders as they are into testdata")

func shootWithWorkers(change ...func(*gardencorev1beta1.Shoot)) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky"},
		Spec: gardencorev1beta1.ShootSpec{
			Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
			Provider:   gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{{Name: "ray", Minimum: 1, Maximum: 2}}},
		},
	}
	for _, f := range change {
		f(shoot)
	}
	return shoot
}

func hibernated(shoot *gardencorev1beta1.Shoot) {
	shoot.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
}

func workerless(shoot *gardencorev1beta1.Shoot) { shoot.Spec.Provider.Workers = nil }

func deleted(shoot *gardencorev1beta1.Shoot) {
	shoot.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
}

// rotating puts the rotations of all credentials into a phase.
func rotating(phase gardencorev1beta1.CredentialsRotationPhase) func(*gardencorev1beta1.Shoot) {
	return func(shoot *gardencorev1beta1.Shoot) {
		shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
			CertificateAuthorities: &gardencorev1beta1.CARotation{Phase: phase},
			ServiceAccountKey:      &gardencorev1beta1.ServiceAccountKeyRotation{Phase: phase},
			ETCDEncryptionKey:      &gardencorev1beta1.ETCDEncryptionKeyRotation{Phase: phase},
		}}
	}
}

// complete are the facts about a shoot that runs.
var complete = facts.Facts{
	NamespaceActive: true, APIServerExists: true, APIServerRuns: true, ControllersExist: true,
	InfrastructureExists: true, InfrastructureUsable: true, ControlPlaneExists: true, EtcdExists: true, Owner: facts.OwnerHere,
}

// owner are the complete facts with another state of the record of the owner.
func owner(is facts.Owner) facts.Facts {
	out := complete
	out.Owner = is
	return out
}

func planFor(shoot *gardencorev1beta1.Shoot, found facts.Facts) *Plan {
	return New(Config{Operation: on(earth(), shoot), Facts: found})
}

// earth is a seed on which etcds are backed up and check their owners.
func earth() *gardencorev1beta1.Seed {
	return &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth"}, Spec: gardencorev1beta1.SeedSpec{
		Backup: &gardencorev1beta1.Backup{Provider: "local"}, Settings: &gardencorev1beta1.SeedSettings{OwnerChecks: &gardencorev1beta1.SeedSettingOwnerChecks{Enabled: true}},
	}}
}

func on(seed *gardencorev1beta1.Seed, shoot *gardencorev1beta1.Shoot) *operation.Operation {
	return &operation.Operation{
		Shoot: shoot, Project: "sky", Seed: seed, CloudProfile: &gardencorev1beta1.CloudProfile{},
		Domains: operation.Domains{Internal: &operation.Domain{Name: "sun.sky.internal"}},
	}
}

// unchecked is the plan on a seed on which etcds do not check their owners.
func unchecked(shoot *gardencorev1beta1.Shoot, found facts.Facts) *Plan {
	seed := earth()
	seed.Spec.Settings = nil
	return New(Config{Operation: on(seed, shoot), Facts: found})
}

// restored is the plan for a shoot that comes from another seed.
func restored(shoot *gardencorev1beta1.Shoot) *Plan {
	return New(Config{Operation: on(earth(), shoot), Restored: &gardencorev1beta1.ShootState{}})
}

// TestOrders keeps the orders of the flows as text, so that a change of them is seen. A line has a mark for steps that are
// skipped, the round in which the step can run at the earliest, its name and its predecessors.
func TestOrders(t *testing.T) {
	for name, tc := range map[string]struct {
		plan  *Plan
		build func(*Plan) (*graph.Graph, error)
	}{
		"ARC-3 create":                 {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Reconcile},
		"GLT-40 fall asleep":           {planFor(shootWithWorkers(hibernated), complete), (*Plan).Reconcile},
		"create workerless":            {planFor(shootWithWorkers(workerless), facts.Facts{}), (*Plan).Reconcile},
		"GLT-34 delete":                {planFor(shootWithWorkers(deleted), complete), (*Plan).Delete},
		"GLT-34 force a deletion":      {planFor(shootWithWorkers(deleted), complete), (*Plan).ForceDelete},
		"delete workerless":            {planFor(shootWithWorkers(deleted, workerless), complete), (*Plan).Delete},
		"delete what never was":        {planFor(shootWithWorkers(deleted), facts.Facts{}), (*Plan).Delete},
		"CAR-8 prepare a rotation":     {planFor(shootWithWorkers(rotating("Preparing")), complete), (*Plan).Reconcile},
		"CAR-10 complete a rotation":   {planFor(shootWithWorkers(rotating("Completing")), complete), (*Plan).Reconcile},
		"CAR-4 delete in a rotation":   {planFor(shootWithWorkers(deleted, rotating("Completing")), complete), (*Plan).Delete},
		"MIG-3 migrate":                {planFor(shootWithWorkers(), complete), (*Plan).Migrate},
		"MIG-3 migrate workerless":     {planFor(shootWithWorkers(workerless), complete), (*Plan).Migrate},
		"MIG-24 migrate unchecked":     {unchecked(shootWithWorkers(), owner(facts.OwnerUnchecked)), (*Plan).Migrate},
		"MIG-25 migrate what is given": {planFor(shootWithWorkers(), owner(facts.OwnerElsewhere)), (*Plan).Migrate},
		"MIG-25 migrate what is kept":  {planFor(shootWithWorkers(), owner(facts.OwnerGone)), (*Plan).Migrate},
		"MIG-25 migrate a sleeper":     {planFor(shootWithWorkers(hibernated), facts.Facts{NamespaceActive: true, APIServerExists: true, EtcdExists: true}), (*Plan).Migrate},
		"MIG-25 migrate without etcd":  {planFor(shootWithWorkers(), facts.Facts{NamespaceActive: true}), (*Plan).Migrate},
		"MIG-25 migrate what is gone":  {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Migrate},
		"MIG-4 restore":                {restored(shootWithWorkers()), (*Plan).Reconcile},
		"MIG-20 stop for another seed": {nil, func(*Plan) (*graph.Graph, error) { return Left{}.Idle() }},
		"MIG-15 leave to another seed": {nil, func(*Plan) (*graph.Graph, error) { return Left{ReleaseBackups: nothing}.Leave() }},
		"sleep on":                     {planFor(shootWithWorkers(hibernated), facts.Facts{NamespaceActive: true, APIServerExists: true}), (*Plan).Reconcile},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.build(tc.plan)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", filepath.Base(t.Name())+".txt")
			if *rewrite {
				if err := os.WriteFile(file, []byte(steps.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), steps.String()); diff != "" {
				t.Errorf("order (-want +got), -rewrite accepts it:\n%s", diff)
			}
		})
	}
}

// TestOwnerOfEtcd follows predecessors: an etcd whose record is not there does not begin.
func TestOwnerOfEtcd(t *testing.T) {
	for name, tc := range map[string]struct {
		plan  *Plan
		build func(*Plan) (*graph.Graph, error)
		runs  []string // of the steps about the owner
		owned bool
	}{
		"MIG-12 a new shoot has an owner before its etcd":                 {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Reconcile, []string{OwnerDNS}, true},
		"MIG-12 so has a shoot that sleeps":                               {planFor(shootWithWorkers(hibernated), complete), (*Plan).Reconcile, []string{OwnerDNS}, true},
		"MIG-12 so has a shoot that comes from another seed":              {restored(shootWithWorkers()), (*Plan).Reconcile, []string{OwnerDNS}, true},
		"MIG-12 a shoot that is deleted has one until its etcd is gone":   {planFor(shootWithWorkers(deleted), complete), (*Plan).Delete, []string{OwnerDNS, OwnerDNSDestroy}, true},
		"MIG-13 the source of a migration does not publish its owner":     {planFor(shootWithWorkers(), complete), (*Plan).Migrate, nil, true},
		"MIG-12 a shoot on a seed that does not check has none":           {unchecked(shootWithWorkers(), complete), (*Plan).Reconcile, []string{OwnerDNSDestroy}, false},
		"MIG-12 deletion on a seed that does not check removes leftovers": {unchecked(shootWithWorkers(deleted), complete), (*Plan).Delete, []string{OwnerDNSDestroy}, false},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.build(tc.plan)
			if err != nil {
				t.Fatal(err)
			}
			order := steps.String()
			var runs []string
			for line := range strings.Lines(order) {
				for _, step := range []string{OwnerDNS, OwnerDNSDestroy} {
					if strings.Contains(line, " "+step+" <-") && !strings.HasPrefix(line, "-") {
						runs = append(runs, step)
					}
				}
			}
			slices.Sort(runs)
			if diff := cmp.Diff(tc.runs, runs); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			before := predecessors(order)
			if slices.Contains(tc.runs, OwnerDNS) && !before(Etcd, OwnerDNS) {
				t.Error("the etcd begins before its owner is published")
			}
			if len(tc.runs) == 2 && (!before(OwnerDNSDestroy, EtcdGone) || !before(NamespaceDelete, OwnerDNSDestroy)) {
				t.Error("the record is removed before the etcd, or with the namespace")
			}
			if owner := tc.plan.etcd.Owner; (owner != nil) != tc.owned || tc.owned && owner.Name != "owner.sun.sky.internal" {
				t.Errorf("the etcd checks %+v", owner)
			}
		})
	}
}

// TestNetworkIsEarly follows predecessors: no node begins before its network is installed.
func TestNetworkIsEarly(t *testing.T) {
	for name, tc := range map[string]struct {
		plan          *Plan
		build         func(*Plan) (*graph.Graph, error)
		later, former string
	}{
		"NWX-3 the network of a new shoot is requested before its workers":     {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Reconcile, Workers, Network},
		"NWX-3 workers wait until it is installed":                             {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Reconcile, Workers, NetworkReady},
		"NWX-3 so do those of a shoot that comes from another seed":            {restored(shootWithWorkers()), (*Plan).Reconcile, Workers, NetworkReady},
		"NWX-3 the resource manager that installs it runs before":              {planFor(shootWithWorkers(), facts.Facts{}), (*Plan).Reconcile, Network, ResourceManagerUp},
		"NWX-3 the resource manager of a deleted shoot stays until it is gone": {planFor(shootWithWorkers(deleted), complete), (*Plan).Delete, ResourceManagerGone, NetworkGone},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.build(tc.plan)
			if err != nil {
				t.Fatal(err)
			}
			if order := steps.String(); !strings.Contains(order, " "+tc.later+" <- ") || !predecessors(order)(tc.later, tc.former) {
				t.Errorf("%q does not come after %q:\n%s", tc.later, tc.former, order)
			}
		})
	}
}

// TestWithoutBackups has a seed without settings for backups.
func TestWithoutBackups(t *testing.T) {
	bare := earth()
	bare.Spec.Backup = nil
	for name, plan := range map[string]*Plan{
		"BKP-1 a new shoot":                          New(Config{Operation: on(bare, shootWithWorkers())}),
		"BKP-1 a shoot that comes from another seed": New(Config{Operation: on(bare, shootWithWorkers()), Restored: &gardencorev1beta1.ShootState{}}),
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := plan.Reconcile()
			if err != nil {
				t.Fatal(err)
			}
			etcd := false
			for line := range strings.Lines(steps.String()) {
				if strings.HasPrefix(line, "-") {
					continue
				}
				step, _, _ := strings.Cut(line, " <-")
				for _, about := range []string{BackupEntry, BackupEntryReady, SourceEntry, SourceEntryReady, SourceKeysKept, SourceKeysDropped, BackupsCopied, BackupsAreCopied} {
					if strings.HasSuffix(step, " "+about) {
						t.Errorf("the step %q runs", about)
					}
				}
				etcd = etcd || strings.HasSuffix(step, " "+Etcd)
			}
			if !etcd {
				t.Error("the etcds are not deployed")
			}
		})
	}
}

// TestKeysOfTheSourceStayAsLongAsNeeded follows predecessors: no etcd begins before the keys of the copies are kept, and the access to the source ends after that. They
// go when an etcd runs, in that flow or in a later one: a shoot that sleeps restores its copies when it wakes.
func TestKeysOfTheSourceStayAsLongAsNeeded(t *testing.T) {
	asleep := facts.Facts{NamespaceActive: true, APIServerExists: true, EtcdExists: true}
	for name, tc := range map[string]struct {
		plan          *Plan
		kept, dropped bool
	}{
		"MIG-17 a shoot that comes from another seed":              {restored(shootWithWorkers()), true, true},
		"MIG-17 one that sleeps while it comes":                    {restored(shootWithWorkers(hibernated)), true, false},
		"MIG-17 one that sleeps on":                                {planFor(shootWithWorkers(hibernated), asleep), false, false},
		"MIG-17 one that wakes, also after a run that did not end": {planFor(shootWithWorkers(), asleep), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.plan.Reconcile()
			if err != nil {
				t.Fatal(err)
			}
			order := steps.String()
			runs := func(step string) bool {
				for line := range strings.Lines(order) {
					if strings.Contains(line, " "+step+" <-") {
						return !strings.HasPrefix(line, "-")
					}
				}
				return false
			}
			if runs(SourceKeysKept) != tc.kept || runs(SourceKeysDropped) != tc.dropped {
				t.Errorf("kept %v, dropped %v:\n%s", runs(SourceKeysKept), runs(SourceKeysDropped), order)
			}
			before := predecessors(order)
			if !before(Etcd, SourceKeysKept) || !before(SourceEntryDestroy, SourceKeysKept) || !before(SourceKeysDropped, EtcdReady) {
				t.Errorf("the keys are kept too late, or dropped too early:\n%s", order)
			}
		})
	}
}

// TestReleaseAfterTheFinalSnapshot follows the predecessors of each step, since two steps of different rounds need not wait for each other.
func TestReleaseAfterTheFinalSnapshot(t *testing.T) {
	steps, err := planFor(shootWithWorkers(), complete).Migrate()
	if err != nil {
		t.Fatal(err)
	}
	before := predecessors(steps.String())
	for _, name := range []string{
		ExtensionsMigrate, ControlPlaneMigrate, InfrastructureMigrate, LateMigrate, DNSMigrate, ExtensionsReleased, ControlPlaneReleased,
		InfrastructureReleased, LateReleased, DNSReleased, BackupEntryMigrate, EtcdDestroy, NamespaceDelete,
	} {
		for _, first := range []string{APIServerReleasedGone, OwnerDNSMigrate, FinalSnapshot} {
			if !before(name, first) {
				t.Errorf("MIG-3 MIG-24 %q does not come after %q", name, first)
			}
		}
	}
	if !before(FinalSnapshot, OwnerDNSMigrate) || !before(OwnerDNSMigrate, APIServerReleasedGone) {
		t.Error("MIG-24 the shoot is not given up between the stop of its API server and the final snapshot")
	}
	if !before(FinalSnapshot, APIServerReleasedGone) || !before(APIServerReleased, EarlyReleasedGone) {
		t.Error("MIG-3 the API server does not stop between early extensions and the final snapshot")
	}
	for _, asked := range []string{ExtensionsMigrate, ControlPlaneMigrate, LateMigrate, InfrastructureMigrate, DNSMigrate} {
		if !before(ControllersReleased, asked) {
			t.Errorf("MIG-3 the control plane is scaled down before %q", asked)
		}
	}
	if !before(NamespaceDelete, ControllersReleased) {
		t.Error("MIG-3 the namespace goes before the control plane is scaled down")
	}
	for _, first := range []string{ControlPlaneGoneHere, LateReleasedGone, InfrastructureGone} {
		if !before(SeedManagedDelete, first) {
			t.Errorf("MIG-3 ManagedResources of the seed go before %q", first)
		}
	}
	for _, later := range []string{SecretsReleased, NamespaceDelete} {
		if !before(later, SeedManagedGoneHere) {
			t.Errorf("MIG-3 %q does not wait for ManagedResources of the seed", later)
		}
	}
}

// predecessors reports of two steps of an order whether the second one ends before the first one begins.
func predecessors(order string) func(name, first string) bool {
	direct := map[string][]string{}
	for line := range strings.Lines(order) {
		name, after, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "- 0123456789")), " <- ")
		if after != "" {
			direct[name] = strings.Split(after, " | ")
		}
	}
	var before func(name, first string) bool
	before = func(name, first string) bool {
		for _, one := range direct[name] {
			if one == first || before(one, first) {
				return true
			}
		}
		return false
	}
	return before
}

func TestWhoMaySkipReadiness(t *testing.T) {
	for name, tc := range map[string]struct {
		phase gardencorev1beta1.CredentialsRotationPhase
		skips bool
	}{
		"a run may be asked not to wait":          {"", true},
		"CAR-4 not one that prepares a rotation":  {"Preparing", false},
		"CAR-4 not one that completes a rotation": {"Completing", false},
		"one in between may be asked":             {"Prepared", true},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWithWorkers(rotating(tc.phase))
			shoot.Annotations = map[string]string{constants.ShootSkipReadiness: "true"}
			steps, err := planFor(shoot, complete).Reconcile()
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(steps.String()) {
				if strings.Contains(line, APIServerReady+" <-") && strings.HasPrefix(line, "-") != tc.skips {
					t.Errorf("it skips the wait: %t", !tc.skips)
				}
			}
		})
	}
}

func TestEtcdRunsAsLongAsSomebodyNeedsIt(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		facts facts.Facts
		want  int32
	}{
		"a new shoot needs it":                          {shootWithWorkers(), facts.Facts{}, 1},
		"a shoot that falls asleep needs it to the end": {shootWithWorkers(hibernated), complete, 1},
		"a shoot that sleeps does not":                  {shootWithWorkers(hibernated), facts.Facts{NamespaceActive: true, APIServerExists: true}, 0},
		"a shoot that is deleted in its sleep is woken": {shootWithWorkers(hibernated, deleted), facts.Facts{NamespaceActive: true, APIServerExists: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := planFor(tc.shoot, tc.facts).etcd.Replicas; got != tc.want {
				t.Errorf("replicas are %d, want %d", got, tc.want)
			}
		})
	}
}
