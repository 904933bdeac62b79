package mem_test

import (
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/mem"
	"chatrail/bundle/storetest"
)

func TestMemoryStoreHoldsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, genesis bundle.Draft) storetest.Fixture {
		s, err := mem.New(genesis)
		if err != nil {
			t.Fatal(err)
		}
		return storetest.Fixture{Store: s, Reopen: func(*testing.T) bundle.Store { return s }}
	})
}
