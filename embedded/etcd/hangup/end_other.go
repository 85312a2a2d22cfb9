//go:build !linux

package hangup

func end(int) (int, error) { return 0, nil }
