import { BODY_BYTES, JSON_DEPTH_MAX, JSON_PARTS_MAX } from "../../platform/limits.ts"

/** Applies the limits of contract/json-text.ts to a value that was not parsed from a text. */
export const findPayloadLimitViolation = (payload: unknown): string | undefined => {
  const stack = [{ value: payload, depth: 0 }]
  let parts = 0
  let characters = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value === "string") characters += value.length
    if (typeof value === "object" && value !== null) {
      if (depth === JSON_DEPTH_MAX) return `nested deeper than ${JSON_DEPTH_MAX} levels`
      for (const name in value) {
        parts += 1
        characters += name.length
        if (parts > JSON_PARTS_MAX) return `more than ${JSON_PARTS_MAX} fields and elements`
      }
      for (const each of Object.values(value)) stack.push({ value: each, depth: depth + 1 })
    }
    if (characters > BODY_BYTES) return `more than ${BODY_BYTES} characters`
  }
  return undefined
}
