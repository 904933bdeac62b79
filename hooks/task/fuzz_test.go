package task

import (
	"reflect"
	"testing"
)

func FuzzAReceiptIsReadOrRefusedAndSurvivesARewrite(f *testing.F) {
	key := Key("s")
	whole, err := encodeReceipt(Receipt{TaskKey: key, Pin: gitPin(), Warned: []string{"w"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"version":1,"task_key":"` + key + `","bundle":{"path":"/p/.chatrail","kind":"project"},"review":{"id":"x","status":"pending","expected":{"rail":"a","compass":"b"},"stop_blocked":true,"turn_id":null},"warning_fingerprint":"ff","more":[1]}`))
	f.Add([]byte(`{"version":9,"task_key":"` + key + `","turn":{"review":{}},"x":null,"Pin":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeReceipt(data, key)
		if err != nil {
			return
		}
		if r.TaskKey != key || r.Pin != nil && !r.Pin.valid() {
			t.Fatalf("accepted %+v", r)
		}
		again, err := encodeReceipt(r)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		back, err := decodeReceipt(again, key)
		if err != nil {
			t.Fatalf("cannot be read again: %v\n%s", err, again)
		}
		if (back.Pin == nil) != (r.Pin == nil) || !reflect.DeepEqual(back.Turn.Review == nil, r.Turn.Review == nil) || len(back.Extra) < len(r.Extra) {
			t.Fatalf("read %+v, then %+v", r, back)
		}
	})
}

func FuzzAViewIsReadOrAMiss(f *testing.F) {
	f.Add([]byte(`{"version":1,"place":"x","tip":"t","fields":{"a":"b"},"lines":[{"field":"a","text":"b"}],"when":"2026-11-30T00:00:00Z"}`))
	f.Add([]byte(`{"version":1,"when":"yesterday"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := decodeView(data); err == nil && v.Version != viewVersion {
			t.Fatalf("took %+v", v)
		}
	})
}
