package probes

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/kubernetes/pkg/probe"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
)

// maxHookAnswer is how much of the answer to a hook is read.
const maxHookAnswer = 10 << 10

// get makes an HTTP probe.
func get(ctx context.Context, action *corev1.HTTPGetAction, pod Pod, timeout time.Duration) (string, error) {
	request, err := newRequest(ctx, action, pod, "probe")
	if err != nil {
		return "", err
	}
	result, said, err := httpprobe.DoHTTPProbe(request, pod.client(timeout))
	if err == nil && result != probe.Success && result != probe.Warning {
		err = failed(said)
	}
	return said, err
}

// hook makes the request of a hook, whose answer does not matter. A server that does not speak TLS is asked without.
func hook(ctx context.Context, action *corev1.HTTPGetAction, pod Pod) (string, error) {
	request, err := newRequest(ctx, action, pod, "lifecycle")
	if err != nil {
		return "", err
	}
	client := pod.client(0)
	err = ask(client, request)
	if err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		plain := request.Clone(ctx)
		plain.URL.Scheme = "http"
		plain.Header.Del("Authorization")
		if ask(client, plain) == nil {
			return "", nil
		}
	}
	if err != nil {
		return "", failed(err.Error())
	}
	return "", nil
}

func ask(client *http.Client, request *http.Request) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxHookAnswer))
	return response.Body.Close()
}

func newRequest(ctx context.Context, action *corev1.HTTPGetAction, pod Pod, purpose string) (*http.Request, error) {
	own := action.DeepCopy()
	own.Host = ""
	request, err := httpprobe.NewRequestForHTTPGetAction(own, &corev1.Container{}, pod.Address.String(), purpose)
	if err != nil {
		return nil, err
	}
	return request.WithContext(ctx), nil
}

// client connects to the pod only, whatever a request or a redirect names. Certificates are not verified, as by the kubelet.
func (p Pod) client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: httpprobe.RedirectChecker(false),
		Transport: utilnet.SetTransportDefaults(&http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, DisableCompression: true,
			Proxy: http.ProxyURL(nil), DialContext: p.dial,
		}),
	}
}
