package objects

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

var packTypes = map[Kind]byte{Commit: 1, Tree: 2, Blob: 3}

// encodePack makes a pack of whole objects, without deltas: git makes those
// when it packs the repository the next time.
func (h Hash) encodePack(objs []Object) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("PACK")
	binary.Write(&b, binary.BigEndian, [2]uint32{2, uint32(len(objs))})
	z := zlib.NewWriter(&b)
	for _, o := range objs {
		kind, ok := packTypes[o.Kind]
		if !ok {
			return nil, fmt.Errorf("cannot pack a %s", o.Kind)
		}
		packHeader(&b, kind, len(o.Data))
		z.Reset(&b)
		z.Write(o.Data) // a bytes.Buffer takes everything
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	sum := h.new()
	sum.Write(b.Bytes())
	b.Write(sum.Sum(nil))
	return b.Bytes(), nil
}

// packHeader writes the type in three bits and the size, four bits first, then
// seven at a time, each byte but the last with its high bit set.
func packHeader(b *bytes.Buffer, kind byte, size int) {
	c := kind<<4 | byte(size&0x0f)
	for size >>= 4; size > 0; size >>= 7 {
		b.WriteByte(c | 0x80)
		c = byte(size & 0x7f)
	}
	b.WriteByte(c)
}
