package pod

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Ready is a readiness probe with a period of one second, since whole flows wait for it. A component that hangs is not ready after
// at most seven seconds, so the landscape can report it within ten.
func Ready(path string, port int32, headers ...corev1.HTTPHeader) *corev1.Probe {
	probe := httpsProbe(path, port, headers)
	probe.PeriodSeconds, probe.FailureThreshold, probe.TimeoutSeconds = 1, 2, 3
	return probe
}

// Live is a liveness probe that gives slow machines enough time to start. Restarting a component that is still starting
// does not help, and several API servers that start at once on two busy cores need more than a minute.
func Live(path string, port int32, headers ...corev1.HTTPHeader) *corev1.Probe {
	probe := httpsProbe(path, port, headers)
	probe.InitialDelaySeconds, probe.PeriodSeconds, probe.FailureThreshold, probe.TimeoutSeconds = 120, 10, 3, 15
	return probe
}

// Plain makes a probe speak HTTP.
func Plain(probe *corev1.Probe) *corev1.Probe {
	probe.HTTPGet.Scheme = corev1.URISchemeHTTP
	return probe
}

func httpsProbe(path string, port int32, headers []corev1.HTTPHeader) *corev1.Probe {
	return &corev1.Probe{
		SuccessThreshold: 1,
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt32(port), Scheme: corev1.URISchemeHTTPS, HTTPHeaders: headers,
		}},
	}
}
