package main

import (
	"fmt"
	"os"
	"strings"
)

// peakMemory is the largest resident size so far of a running process, in
// bytes, 0 where the system does not tell. (What a finished process reports is
// no less than the size of whoever started it.)
func peakMemory(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	return 0
}
