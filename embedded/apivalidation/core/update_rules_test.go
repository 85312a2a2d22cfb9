package core

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	operationKey = "metadata.annotations[gardener.cloud/operation]"
	forceKey     = "metadata.annotations[confirmation.gardener.cloud/force-deletion]"
	maintainKey  = "metadata.annotations[maintenance.gardener.cloud/operation]"
)

func TestShootUpdateRules(t *testing.T) {
	const created = `{"type":"Create","state":"Succeeded","progress":100,"description":"","lastUpdateTime":null}`
	type at map[string]string // path to value
	for name, tc := range map[string]struct {
		old, change at
		deleting    bool
		want        []string
	}{
		"nothing changes": {},
		"API-22 a pool keeps its zones": {old: at{"spec.provider.workers[0].zones": `["a","b"]`}, change: at{"spec.provider.workers[0].zones": `["a"]`},
			want: []string{"spec.provider.workers[0].zones"}},
		"API-22 a pool may get a zone": {old: at{"spec.provider.workers[0].zones": `["a"]`}, change: at{"spec.provider.workers[0].zones": `["a","b"]`}},
		"a pool stays with its way of updates": {change: at{"spec.provider.workers[0].updateStrategy": `"AutoInPlaceUpdate"`, "spec.provider.workers[0].maxSurge": `0`, "spec.provider.workers[0].maxUnavailable": `1`},
			want: []string{"spec.provider.workers[0].updateStrategy"}},
		"a mask is fixed once set": {old: at{"spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6": `64`}, change: at{"spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6": `80`},
			want: []string{"spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6"}},
		"the region is fixed":    {change: at{"spec.region": `"b"`}, want: []string{"spec.region"}},
		"the provider is fixed":  {change: at{"spec.provider.type": `"b"`}, want: []string{"spec.provider.type"}},
		"the scheduler is fixed": {change: at{"spec.schedulerName": `"b"`}, want: []string{"spec.schedulerName"}},
		"API-35 the exposure class is fixed": {old: at{"spec.exposureClassName": `"a"`}, change: at{"spec.exposureClassName": `"b"`},
			want: []string{"spec.exposureClassName"}},
		"API-23 the domain is fixed": {old: at{"spec.dns": `{"domain":"a.org"}`}, change: at{"spec.dns": `{"domain":"b.org"}`}, want: []string{"spec.dns.domain"}},
		"API-23 the primary provider stays once there is a seed": {old: at{"spec.seedName": `"s"`, "spec.dns": `{"domain":"a.org","providers":[{"type":"a","primary":true}]}`},
			change: at{"spec.dns": `{"domain":"a.org"}`}, want: []string{"spec.dns.providers"}},
		"API-23 its type stays, too": {old: at{"spec.seedName": `"s"`, "spec.dns": `{"domain":"a.org","providers":[{"type":"a","primary":true}]}`},
			change: at{"spec.dns": `{"domain":"a.org","providers":[{"type":"b","primary":true}]}`}, want: []string{"spec.dns.providers[0].type"}},
		"API-24 the ranges are fixed": {old: at{"spec.networking.pods": `"100.96.0.0/11"`}, change: at{"spec.networking.pods": `"100.64.0.0/11"`},
			want: []string{"spec.networking.pods"}},
		"API-24 a second address family may come": {change: at{"spec.networking.ipFamilies": `["IPv4","IPv6"]`}},
		"API-24 the first one stays":              {change: at{"spec.networking.ipFamilies": `["IPv6"]`}, want: []string{"spec.networking.ipFamilies"}},
		"a cluster does not go back":              {change: at{"spec.kubernetes.version": `"1.35.0"`}, want: []string{"spec.kubernetes.version"}},
		"a cluster takes every minor":             {change: at{"spec.kubernetes.version": `"1.38.0"`}, want: []string{"spec.kubernetes.version"}},
		"the failure tolerance of a scheduled cluster is fixed": {old: at{"spec.seedName": `"s"`, "spec.controlPlane.highAvailability.failureTolerance.type": `"node"`},
			change: at{"spec.controlPlane.highAvailability.failureTolerance.type": `"zone"`}, want: []string{"spec.controlPlane.highAvailability.failureTolerance.type"}},

		"a cluster that moves is frozen": {old: at{"spec.seedName": `"b"`, "status.seedName": `"a"`}, change: at{"spec.purpose": `"testing"`}, want: []string{"spec"}},
		"a cluster that is restored is frozen": {old: at{"status.lastOperation": `{"type":"Restore","state":"Error","progress":1,"description":"","lastUpdateTime":null}`},
			change: at{"spec.purpose": `"testing"`}, want: []string{"spec"}},
		"a cluster that has moved is not": {old: at{"spec.seedName": `"b"`, "status.seedName": `"b"`, "status.lastOperation": `{"type":"Restore","state":"Succeeded","progress":1,"description":"","lastUpdateTime":null}`},
			change: at{"spec.purpose": `"testing"`}},
		"a cluster that is being deleted is frozen": {deleting: true, change: at{"spec.purpose": `"testing"`}, want: []string{"spec"}},

		"CAR-3 a rotation begins after the creation": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ca-start"}`}},
		"CAR-3 not before it":                        {change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ca-start"}`}, want: []string{operationKey}},
		"CAR-3 not while one runs": {old: at{"status.lastOperation": created, "status.credentials.rotation.certificateAuthorities.phase": `"Prepared"`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"start-ca-rotation"}`}, want: []string{operationKey}},
		"CAR-3 it ends after its first half": {old: at{"status.lastOperation": created, "status.credentials.rotation.certificateAuthorities.phase": `"Prepared"`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"complete-ca-rotation"}`}},
		"CAR-3 not before": {old: at{"status.lastOperation": created, "status.credentials.rotation.certificateAuthorities.phase": `"Preparing"`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ca-complete"}`}, want: []string{operationKey}},
		"CAR-3 all rotations at once begin when none runs": {old: at{"status.lastOperation": created, "status.credentials.rotation.serviceAccountKey.phase": `"Completing"`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-credentials-start"}`}, want: []string{operationKey}},
		"CAR-3 all end when all are prepared": {old: at{"status.lastOperation": created, "status.credentials.rotation": `{"certificateAuthorities":{"phase":"Prepared"},"serviceAccountKey":{"phase":"Prepared"},"etcdEncryptionKey":{"phase":"Completed"}}`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-credentials-complete"}`}},
		"CAR-3 an operation that is there already is not asked again": {old: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ca-start"}`, "status.credentials.rotation.certificateAuthorities.phase": `"Preparing"`},
			change: at{"spec.purpose": `"testing"`}},
		"CAR-3 the maintenance is asked, too": {change: at{"metadata.annotations": `{"maintenance.gardener.cloud/operation":"rotate-ca-start"}`}, want: []string{maintainKey}},
		"workers roll out where a rotation waits for them": {old: at{"status.lastOperation": created, "status.credentials.rotation.certificateAuthorities.phase": `"WaitingForWorkersRollout"`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-rollout-workers=local"}`}},
		"and nowhere else": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-rollout-workers=local"}`}, want: []string{operationKey}},
		"some operations go alone": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"reconcile;rotate-ssh-keypair"}`},
			want: []string{operationKey}},
		"operations exclude each other": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ca-start;rotate-ca-start-without-workers-rollout"}`},
			want: []string{operationKey}},
		"workers roll out with and without rotations in one cluster only": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-credentials-start;rotate-ca-start-without-workers-rollout"}`},
			want: []string{operationKey}},
		"CAR-3 single rotations may stand beside that of all": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-credentials-start;rotate-ca-start;rotate-ssh-keypair"}`}},
		"all pools roll out": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rollout-workers=*"}`}},
		"a pool rolls out":   {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rollout-workers=local"}`}},
		"a pool that is not there does not": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rollout-workers=local,other"}`},
			want: []string{operationKey}},
		"pools do not roll out in the maintenance": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"maintenance.gardener.cloud/operation":"rollout-workers=*"}`},
			want: []string{maintainKey}},
		"a retry does not wait for the maintenance": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"maintenance.gardener.cloud/operation":"retry"}`},
			want: []string{maintainKey}},
		"the same is not asked twice": {old: at{"status.lastOperation": created}, change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-ssh-keypair","maintenance.gardener.cloud/operation":"rotate-ssh-keypair"}`},
			want: []string{maintainKey}},
		"an unknown operation is refused": {change: at{"metadata.annotations": `{"gardener.cloud/operation":"x"}`}, want: []string{operationKey}},
		"CAR-14 a sleeping cluster rotates no keys": {old: at{"status.lastOperation": created, "spec.hibernation.enabled": `true`},
			change: at{"metadata.annotations": `{"gardener.cloud/operation":"rotate-etcd-encryption-key"}`}, want: []string{operationKey}},

		"API-26 no sleep while the encryption key is rotated": {old: at{"status.credentials.rotation.etcdEncryptionKey.phase": `"Prepared"`}, change: at{"spec.hibernation.enabled": `true`},
			want: []string{"spec.hibernation.enabled"}},
		"API-26 no sleep while the service account key is rotated": {old: at{"status.credentials.rotation.serviceAccountKey.phase": `"Completing"`}, change: at{"spec.hibernation.enabled": `true`},
			want: []string{"spec.hibernation.enabled"}},
		"API-26 no sleep before objects are encrypted": {old: at{"spec.kubernetes.kubeAPIServer.encryptionConfig": `{"resources":["configmaps"],"provider":{}}`, "status.credentials.encryptionAtRest": `{"resources":["secrets"],"provider":{"type":"aescbc"}}`},
			change: at{"spec.hibernation.enabled": `true`}, want: []string{"spec.hibernation.enabled"}},
		"API-26 no sleep while the maintenance waits for a rotation": {old: at{"metadata.annotations": `{"maintenance.gardener.cloud/operation":"rotate-credentials-start"}`}, change: at{"spec.hibernation.enabled": `true`},
			want: []string{maintainKey}},
		"what is encrypted stays while keys are rotated": {old: at{"status.credentials.rotation.etcdEncryptionKey.phase": `"Preparing"`},
			change: at{"spec.kubernetes.kubeAPIServer.encryptionConfig": `{"resources":["configmaps"],"provider":{}}`}, want: []string{"spec.kubernetes.kubeAPIServer.encryptionConfig.resources"}},
		"the cipher stays while keys are rotated": {old: at{"status.credentials.rotation.etcdEncryptionKey.phase": `"Prepared"`},
			change: at{"spec.kubernetes.kubeAPIServer.encryptionConfig": `{"resources":[],"provider":{"type":"secretbox"}}`}, want: []string{"spec.kubernetes.kubeAPIServer.encryptionConfig.provider.type"}},
		"what is encrypted stays while the cluster sleeps": {old: at{"status.hibernated": `true`},
			change: at{"spec.kubernetes.kubeAPIServer.encryptionConfig": `{"resources":["configmaps"],"provider":{}}`}, want: []string{"spec.kubernetes.kubeAPIServer.encryptionConfig.resources"}},
		"what is encrypted changes one after the other": {old: at{"spec.kubernetes.kubeAPIServer.encryptionConfig": `{"resources":["configmaps"],"provider":{}}`, "status.credentials.encryptionAtRest": `{"resources":["secrets"],"provider":{"type":"aescbc"}}`},
			change: at{"spec.kubernetes.kubeAPIServer.encryptionConfig.resources": `["configmaps","pods"]`}, want: []string{"spec.kubernetes.kubeAPIServer.encryptionConfig.resources"}},

		"force needs a deletion": {change: at{"metadata.annotations": `{"confirmation.gardener.cloud/force-deletion":"true"}`}, want: []string{forceKey}},
		"force needs a problem":  {deleting: true, change: at{"metadata.annotations": `{"confirmation.gardener.cloud/force-deletion":"true"}`}, want: []string{forceKey}},
		"force with a problem": {deleting: true, old: at{"status.lastErrors": `[{"description":"d","codes":["ERR_INFRA_DEPENDENCIES"]}]`},
			change: at{"metadata.annotations": `{"confirmation.gardener.cloud/force-deletion":"true"}`}},
		"force cannot be taken back": {deleting: true, old: at{"metadata.annotations": `{"confirmation.gardener.cloud/force-deletion":"true"}`},
			change: at{"metadata.annotations": `{}`}, want: []string{forceKey}},
	} {
		t.Run(name, func(t *testing.T) {
			old := validShoot()
			for path, value := range tc.old {
				set(t, old, path, value)
			}
			if tc.deleting {
				old.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			shoot := old.DeepCopy()
			for path, value := range tc.change {
				set(t, shoot, path, value)
			}
			shoot.DeletionTimestamp = old.DeletionTimestamp
			rule{want: append([]string{}, tc.want...)}.check(t, ValidateShootUpdate(shoot, old))
		})
	}
}

func TestSeedRules(t *testing.T) {
	for _, r := range []rule{
		{"API-8 services have a mask of 8 bits", "spec.networks.services", `"64.0.0.0/4"`, nil},
		{"API-8 blocked ranges are ranges", "spec.networks.blockCIDRs", `["x"]`, []string{"spec.networks.blockCIDRs[0]"}},
		{"API-8 defaults are ranges", "spec.networks.shootDefaults.pods", `"x"`, nil},
		{"API-8 volumes have a size", "spec.volume", `{"minimumSize":"-1","providers":[{"purpose":"","name":""}]}`, []string{"spec.volume.minimumSize", "spec.volume.providers[0].name", "spec.volume.providers[0].purpose"}},
		{"API-8 volumes have one provider per purpose", "spec.volume", `{"providers":[{"purpose":"a","name":"b"},{"purpose":"a","name":"c"}]}`, []string{"spec.volume.providers[1].purpose"}},
		{"API-8 a backup elsewhere has a region", "spec.backup", `{"provider":"other","secretRef":{"name":"a","namespace":"b"}}`, []string{"spec.backup.region"}},
		{"API-8 taints are unique", "spec.taints", `[{"key":"a"},{"key":"a"}]`, []string{"spec.taints[1]"}},
		{"API-8 what is reserved is something", "spec.settings.excessCapacityReservation", `{"configs":[{"resources":{}},{"resources":{"cpu":"0"}}]}`, []string{"spec.settings.excessCapacityReservation.configs[0].resources", "spec.settings.excessCapacityReservation.configs[1].resources[cpu]"}},
		{"API-8 load balancers have a known policy", "spec.settings.loadBalancerServices.externalTrafficPolicy", `"x"`, nil},
		{"API-8 routing by zones needs two", "spec.settings.topologyAwareRouting.enabled", `true`, nil},
		{"API-8 recommendations are of CPU and memory", "spec.settings.verticalPodAutoscaler", `{"enabled":true,"maxAllowed":{"x":"1"}}`, []string{"spec.settings.verticalPodAutoscaler.maxAllowed[x]"}},
		{"API-8 a mode of zones is known", "spec.settings.zoneSelection.mode", `"x"`, nil},
		{"restrictions have names", "spec.accessRestrictions", `[{"name":"a"},{"name":"a"}]`, []string{"spec.accessRestrictions[1].name"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			seed := validSeed()
			set(t, seed, r.path, r.value)
			r.check(t, ValidateSeed(seed))
		})
	}
}
