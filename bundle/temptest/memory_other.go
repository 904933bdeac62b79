//go:build !linux

package temptest

func memory() string { return "" }
