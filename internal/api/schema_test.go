package api

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// fits fails the test if a value is not as a schema says.
func (d *openAPI) fits(t *testing.T, at string, schema map[string]any, v any) {
	t.Helper()
	if err := d.check(schema, v, ""); err != nil {
		t.Errorf("%s: %v", at, err)
	}
}

// check holds a value against a schema: the keywords that the document uses, no others.
func (d *openAPI) check(s map[string]any, v any, at string) error {
	if name, ok := s["$ref"].(string); ok {
		target, ok := d.Parts.Schemas[strings.TrimPrefix(name, "#/components/schemas/")]
		if !ok {
			return fmt.Errorf("%s: no schema %s", at, name)
		}
		return d.check(target, v, at)
	}
	if either, ok := s["anyOf"].([]any); ok {
		var err error
		for _, one := range either {
			if err = d.check(one.(map[string]any), v, at); err == nil {
				return nil
			}
			if v != nil {
				return err
			}
		}
		return err
	}
	if err := checkType(s, v, at); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return d.checkObject(s, v, at)
	case []any:
		if most, ok := s["maxItems"].(float64); ok && len(v) > int(most) {
			return fmt.Errorf("%s: %d items", at, len(v))
		}
		for i, item := range v {
			if err := d.check(s["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *openAPI) checkObject(s, v map[string]any, at string) error {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Errorf("%s: no %s", at, name)
		}
	}
	for name, value := range v {
		sub, ok := properties[name].(map[string]any)
		if !ok {
			if sub, ok = s["additionalProperties"].(map[string]any); !ok {
				return fmt.Errorf("%s: %s is not documented", at, name)
			}
		}
		if err := d.check(sub, value, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func checkType(s map[string]any, v any, at string) error {
	types := []any{s["type"]}
	if list, ok := s["type"].([]any); ok {
		types = list
	}
	if !slices.Contains(types, any(typeOf(v))) && (typeOf(v) != "integer" || !slices.Contains(types, any("number"))) {
		return fmt.Errorf("%s: %v is no %v", at, v, types)
	}
	if low, ok := s["minimum"].(float64); ok && v != nil && v.(float64) < low {
		return fmt.Errorf("%s: %v is below %v", at, v, low)
	}
	if want, ok := s["const"]; ok && v != want {
		return fmt.Errorf("%s: %v, not %v", at, v, want)
	}
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, v) {
		return fmt.Errorf("%s: %v is not one of %v", at, v, list)
	}
	if s["format"] == "date-time" {
		if _, err := time.Parse(time.RFC3339, v.(string)); err != nil || !strings.HasSuffix(v.(string), "Z") {
			return fmt.Errorf("%s: %q is no time in UTC", at, v)
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
