//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the largest resident size of a finished process, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	usage := p.SysUsage().(*syscall.Rusage)
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
