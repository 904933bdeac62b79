package main

import "os"

// peakMemory is not told by the system here.
func peakMemory(*os.ProcessState) int64 { return 0 }
