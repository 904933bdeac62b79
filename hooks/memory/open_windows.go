package memory

import "os"

const openFlags = os.O_RDONLY
