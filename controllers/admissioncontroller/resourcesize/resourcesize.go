// Package resourcesize limits the size of objects in the garden. The status and managed fields of an object do not count,
// since its author does not write them.
package resourcesize

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/metrics"
)

// Handler checks objects that are written.
type Handler struct {
	Limits *config.ResourceAdmissionConfiguration
}

// Handle implements admission.Handler. An update that does not enlarge an object passes, so that an object from before the
// limit can be made smaller and deleted.
func (h Handler) Handle(ctx context.Context, request admission.Request) admission.Response {
	limit := h.limit(request)
	if limit == nil || int64(len(request.Object.Raw)) <= limit.Value() || h.unrestricted(request.UserInfo) {
		return admission.Allowed("")
	}
	size, err := Size(request.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if size <= limit.Value() {
		return admission.Allowed("")
	}
	if len(request.OldObject.Raw) > 0 {
		before, err := Size(request.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if size <= before {
			return admission.Allowed("")
		}
	}
	metrics.Oversized(string(h.Limits.OperationMode), request.Resource.Group, request.Resource.Resource)
	log.FromContext(ctx).Info("Object is larger than its limit", "resource", request.Resource.Resource, "namespace", request.Namespace, "name", request.Name,
		"user", request.UserInfo.Username, "bytes", size, "limit", limit.Value(), "mode", h.Limits.OperationMode)
	if h.Limits.OperationMode == config.ModeLog {
		return admission.Allowed("")
	}
	return admission.Denied(fmt.Sprintf("the object has %d bytes without its status, the limit is %d (%s): make it smaller", size, limit.Value(), limit))
}

// limit returns the first limit for the request.
func (h Handler) limit(request admission.Request) *resource.Quantity {
	for _, limit := range h.Limits.Limits {
		at := request.Resource
		if limit.Size != nil && listed(limit.APIGroups, at.Group) && listed(limit.APIVersions, at.Version) && listed(limit.Resources, at.Resource) {
			return limit.Size
		}
	}
	return nil
}

func listed(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// Size returns the number of bytes of an object in JSON without its status and managed fields.
func Size(raw []byte) (int64, error) {
	object, metadata := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &object); err != nil {
		return 0, fmt.Errorf("decode object: %w", err)
	}
	delete(object, "status")
	if content, found := object["metadata"]; found {
		if err := json.Unmarshal(content, &metadata); err != nil {
			return 0, fmt.Errorf("decode metadata: %w", err)
		}
		delete(metadata, "managedFields")
		rest, err := json.Marshal(metadata)
		if err != nil {
			return 0, fmt.Errorf("encode metadata: %w", err)
		}
		object["metadata"] = rest
	}
	rest, err := json.Marshal(object)
	if err != nil {
		return 0, fmt.Errorf("encode object: %w", err)
	}
	return int64(len(rest)), nil
}
