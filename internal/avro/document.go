package avro

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"
)

// Document reads a payload whole, for a look at what is in it: objects are maps, times RFC
// 3339, decimals numbers. Names are those it was written with. It is slow.
func (s *Schema) Document(payload []byte) (any, error) {
	var v any
	rest, err := s.writer.schema.Decode(payload, &v)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("the value is followed by %d bytes more", len(rest))
	}
	return plain(v), nil
}

// plain is a value as JSON can have it.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case *big.Rat:
		digits, _ := v.FloatPrec()
		return json.Number(v.FloatString(digits))
	case float32:
		return finite(float64(v))
	case float64:
		return finite(v)
	case nil, bool, int32, int64, string, json.Number:
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	default:
		return fmt.Sprint(v)
	}
	return v
}

// finite is a number, or the name of what JSON has no number for.
func finite(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}
