package webhook

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/utils/ptr"
)

// ParseService reads <namespace>/<name>[:<port>], with port 443 by default. It is nil for an empty text.
func ParseService(text string) (*admissionregistrationv1.ServiceReference, error) {
	if text == "" {
		return nil, nil
	}
	rest, port, hasPort := strings.Cut(text, ":")
	namespace, name, found := strings.Cut(rest, "/")
	number, err := int64(443), error(nil)
	if hasPort {
		number, err = strconv.ParseInt(port, 10, 32)
	}
	if err != nil || !found {
		return nil, errors.Join(fmt.Errorf("service of webhooks %q is not <namespace>/<name>[:<port>]", text), err)
	}
	return &admissionregistrationv1.ServiceReference{Namespace: namespace, Name: name, Port: ptr.To(int32(number))}, nil
}
