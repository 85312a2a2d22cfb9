package shootbackups

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/azure/azuretest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/gcs/gcstest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

const (
	namespace = "shoot--p--sun"
	entryName = namespace + "--uid"
	bucket    = "bucket"
)

var shootKey = types.NamespacedName{Namespace: "garden-p", Name: "sun"}

// world has a shoot with backups.
type world struct {
	provider string
	// Secrets of the seed and of the garden; nil if there is none.
	inSeed, inGarden map[string][]byte
	// seedLost is why the seed cannot be asked.
	seedLost error
	dir      string
	// without leaves the objects of this name out.
	without string
}

func (w world) finder(t *testing.T) Finder {
	t.Helper()
	cluster := func(add func(*runtime.Scheme) error, objects ...client.Object) client.Client {
		scheme := runtime.NewScheme()
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
		builder := fake.NewClientBuilder().WithScheme(scheme)
		for _, object := range objects {
			if secret, is := object.(*corev1.Secret); object.GetName() != w.without && !(is && secret.Data == nil) {
				builder = builder.WithObjects(object)
			}
		}
		return builder.Build()
	}
	garden := cluster(install.AddGarden,
		&gardencorev1beta1.Shoot{
			ObjectMeta: metav1.ObjectMeta{Namespace: shootKey.Namespace, Name: shootKey.Name},
			Status:     gardencorev1beta1.ShootStatus{TechnicalID: namespace, UID: "uid"},
		},
		&gardencorev1beta1.BackupEntry{
			ObjectMeta: metav1.ObjectMeta{Namespace: shootKey.Namespace, Name: entryName},
			Spec:       gardencorev1beta1.BackupEntrySpec{BucketName: bucket, SeedName: ptr.To("seed")},
		},
		&gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: bucket}, Spec: gardencorev1beta1.BackupBucketSpec{
			Provider:       gardencorev1beta1.BackupBucketProvider{Type: w.provider, Region: "here"},
			CredentialsRef: &corev1.ObjectReference{Namespace: "garden", Name: "backup"},
		}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "backup"}, Data: w.inGarden},
	)
	seed := cluster(install.AddSeed, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-backup"}, Data: w.inSeed})
	return Finder{
		Garden: garden, Dir: func(string) string { return w.dir },
		Seed: func(context.Context, string) (client.Reader, error) { return seed, w.seedLost },
	}
}

// stored are the snapshots in the bucket, which the test writes.
func stored(t *testing.T, config store.Config) []snapshot.Snapshot {
	t.Helper()
	config.Container, config.Prefix = bucket, entryName+"/etcd-main"
	s, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out []snapshot.Snapshot
	for i := range int64(3) {
		one := snapshot.Snapshot{Kind: snapshot.Full, End: i, Created: time.Unix(1700000000+i, 0).UTC(), Size: 4}
		if _, err := s.Write(t.Context(), one, func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err }); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func TestList(t *testing.T) {
	ofS3, ofGoogle, ofAzure := s3test.Start(t, bucket), gcstest.Start(t, bucket), azuretest.Start(t, bucket)
	keys := map[string][]byte{"accessKeyID": []byte("id"), "secretAccessKey": []byte("confidential"), "endpoint": []byte(ofS3.URL), "s3ForcePathStyle": []byte("true")}
	complete := map[string][]byte{"region": []byte("there")}
	for name, value := range keys {
		complete[name] = value
	}
	lost := errors.New("the seed is lost")
	for name, tc := range map[string]struct {
		world
		write store.Config
	}{
		"a directory":                    {world{provider: "local", dir: t.TempDir()}, store.Config{}},
		"S3":                             {world{provider: "S3", inSeed: complete}, store.Config{Secret: complete}},
		"S3 by the Secret of the garden": {world{provider: "aws", inGarden: keys}, store.Config{Secret: complete}},
		"Google":                         {world{provider: "gcp", inSeed: ofGoogle.Secret(t)}, store.Config{Secret: ofGoogle.Secret(t)}},
		"Google while the seed is lost":  {world{provider: "gcp", inGarden: ofGoogle.Secret(t), seedLost: lost}, store.Config{Secret: ofGoogle.Secret(t)}},
		"Azure":                          {world{provider: "azure", inSeed: ofAzure.Secret(), inGarden: keys}, store.Config{Secret: ofAzure.Secret()}},
	} {
		t.Run("BKP-4 snapshots are listed in "+name, func(t *testing.T) {
			tc.write.Provider, tc.write.Dir = tc.provider, tc.dir
			want := stored(t, tc.write)
			got, err := tc.finder(t).List(t.Context(), shootKey)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v; snapshots (-want +got):\n%s", err, diff)
			}
		})
	}
	t.Run("BKP-4 a refusal names bucket and Secret, and no key", func(t *testing.T) {
		ofS3.Refuse(func(*http.Request) (int, string) { return http.StatusForbidden, "AccessDenied" })
		_, err := world{provider: "S3", inSeed: complete}.finder(t).List(t.Context(), shootKey)
		if err == nil || strings.Contains(err.Error(), "confidential") {
			t.Fatalf("error %v", err)
		}
		for _, want := range []string{`bucket "bucket" of provider "S3"`, `Secret shoot--p--sun/etcd-backup of seed "seed"`, "AccessDenied"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %v lacks %s", err, want)
			}
		}
	})
}

func TestWithoutBackups(t *testing.T) {
	for name, tc := range map[string]struct {
		world
		want error
		text string
	}{
		"there is no shoot":              {world{provider: "S3", without: "sun"}, ErrNoShoot, "shoot garden-p/sun"},
		"the shoot has no entry":         {world{provider: "S3", without: entryName}, ErrNotBackedUp, "shoot garden-p/sun"},
		"this binary knows no provider":  {world{provider: "openstack"}, store.ErrUnsupported, `"openstack": it has those of local, s3, gcs, abs`},
		"nobody has credentials":         {world{provider: "S3"}, ErrNoCredentials, `read Secret garden/backup of the garden`},
		"the seed is lost with the keys": {world{provider: "S3", seedLost: errors.New("the seed is lost")}, ErrNoCredentials, "the seed is lost"},
	} {
		t.Run("BKP-4 "+name, func(t *testing.T) {
			if _, err := tc.finder(t).List(t.Context(), shootKey); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error %v, want %v with %q", err, tc.want, tc.text)
			}
		})
	}
}
