package garden

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const (
	// seedsPeriod is the time between two looks at Seeds that hold up a deletion.
	seedsPeriod = 10 * time.Second
	// seedsTimeout and seedsBytes bound a look.
	seedsTimeout = 10 * time.Second
	seedsBytes   = 16 << 20
)

// Paths of an API server.
var (
	pathSeeds        = "/apis/" + gardencorev1beta1.SchemeGroupVersion.String() + "/seeds"
	pathRegistration = "/apis/apiregistration.k8s.io/v1/apiservices/" + gardencorev1beta1.SchemeGroupVersion.Version + "." + gardencorev1beta1.SchemeGroupVersion.Group
)

// annotationDestroying, with the UID of the Garden, says that its components are being destroyed: the virtual garden had no Seeds, and may not
// answer any more.
const annotationDestroying = "operator.gardener.cloud/destroying"

// destroying reports whether the deletion has got beyond the question for Seeds.
func destroying(garden *operatorv1alpha1.Garden) bool {
	return garden.Annotations[annotationDestroying] != "" && garden.Annotations[annotationDestroying] == string(garden.UID)
}

// HeldUp says why a Garden cannot be deleted yet; it is empty if nothing stands against it. An error means that nobody can tell.
func (r *Reconciler) HeldUp(ctx context.Context, garden *operatorv1alpha1.Garden) (reason string, _ error) {
	if older, err := r.older(ctx, garden); older != "" || err != nil {
		return "", err
	}
	names, err := r.seeds(ctx, garden)
	if len(names) > 0 {
		reason = "the garden has Seeds, whose clusters and shoots nobody could delete any more: delete the Shoots, and then the Seeds " + strings.Join(names, ", ")
	}
	return reason, err
}

// beginDestroying notes, before anything is destroyed, that nobody needs to be asked any more.
func (r *Reconciler) beginDestroying(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	if r.Host.Destroy == nil || !r.runs(garden) || destroying(garden) {
		return nil
	}
	return patch.Metadata(ctx, r.Runtime, garden, func() {
		metav1.SetMetaDataAnnotation(&garden.ObjectMeta, annotationDestroying, string(garden.UID))
	})
}

// seeds are the names of the Seeds of a garden whose data go with its deletion. A virtual garden that has never served has none. One that does not
// answer may have some, so its deletion waits until it answers, or until its user confirms that nobody needs them. Once the deletion has begun to
// destroy, nobody is asked.
func (r *Reconciler) seeds(ctx context.Context, garden *operatorv1alpha1.Garden) (names []string, _ error) {
	if r.Host.Destroy == nil || !r.runs(garden) || destroying(garden) || garden.Annotations[constants.ConfirmationForceDeletion] == "true" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, seedsTimeout)
	defer cancel()
	config, err := r.Access.Virtual(ctx)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		names, err = seedsOf(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("ask the virtual garden for its Seeds (annotate the Garden with %s=true if it has none that anybody needs): %w", constants.ConfirmationForceDeletion, err)
	}
	return names, nil
}

// seedsOf asks for Seeds without discovery, which leaves out groups whose servers are down. A garden has none only if the API server says so, or if
// Gardener's API is not registered there. The names are at most those of the first page.
func seedsOf(ctx context.Context, virtual *rest.Config) (names []string, _ error) {
	code, body, err := get(ctx, virtual, pathSeeds+"?limit=20")
	if err != nil {
		return nil, err
	}
	switch code {
	case http.StatusOK:
		all := &metav1.PartialObjectMetadataList{}
		if err := json.Unmarshal(body, all); err != nil {
			return nil, fmt.Errorf("decode the list of Seeds: %w", err)
		}
		if all.Kind != "SeedList" && all.Kind != "PartialObjectMetadataList" {
			return nil, fmt.Errorf("its API server answers with kind %q, and not with Seeds", all.Kind)
		}
		for i := range all.Items {
			names = append(names, all.Items[i].Name)
		}
		return names, nil
	case http.StatusNotFound:
		registered, _, err := get(ctx, virtual, pathRegistration)
		if err != nil {
			return nil, err
		}
		if registered != http.StatusNotFound {
			return nil, errors.New("its API server does not serve Seeds now, but has done so")
		}
		return nil, nil
	}
	return nil, fmt.Errorf("its API server answers with status %d", code)
}

// get requests a path and returns the status code and the body, with the metadata of objects only if the server can do that.
func get(ctx context.Context, config *rest.Config, path string) (int, []byte, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, nil, fmt.Errorf("make client: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, nil)
	if err != nil {
		return 0, nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, seedsBytes))
	return response.StatusCode, body, err
}
