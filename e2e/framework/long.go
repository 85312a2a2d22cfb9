package framework

import "os"

// LongVariable of the environment asks for what takes too long for each change: make soak sets it.
const LongVariable = "GARDENER_TEST_LONG"

// Long tells whether somebody has asked for what takes long.
func Long() bool { return os.Getenv(LongVariable) != "" }
