package app

import (
	"time"

	"k8s.io/client-go/transport"
)

// certificateInterval is how often clients of a daemon look whether the files of their certificates have changed.
const certificateInterval = 2 * time.Second

// followCertificates shortens that interval for this process, which has few such clients. A rotation of authorities waits that long.
func followCertificates() { transport.CertCallbackRefreshDuration = certificateInterval }
