// Package keyreload shortens the time after which API servers of this process read a changed encryption configuration.
package keyreload

import (
	"sync"
	"time"

	"k8s.io/apiserver/pkg/server/options/encryptionconfig/controller"
)

// Interval is how often the files are read. A rotation of the key waits for it.
const Interval = time.Second

// Enable sets the interval of all API servers that start after it.
var Enable = sync.OnceFunc(func() { controller.EncryptionConfigFileChangePollDuration = Interval })
