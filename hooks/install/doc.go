// Package install puts ChatRail's hooks where git calls them, and takes them
// away again. What was there before keeps running and is put back as it was:
// its bytes, its mode, or where it linked to. Nothing that somebody else wrote
// or edited is replaced or removed.
//
// It knows no command line and opens no bundle.
package install
