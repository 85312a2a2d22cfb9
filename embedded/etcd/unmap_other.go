//go:build !linux

package etcd

func unmapFile(string) error { return nil }
