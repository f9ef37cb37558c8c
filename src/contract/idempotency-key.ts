import { Predicate, Result } from "effect"
import { IDEMPOTENCY_KEY_LENGTH } from "../platform/limits.ts"
import { BadRequest } from "./errors.ts"

export interface ReceivedIdempotencyKey {
  readonly field: string
  readonly value: unknown
}

export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key"
export const IDEMPOTENCY_KEY_META = "latchkey/idempotency-key"
export const REPLAYED_HEADER = "idempotent-replayed"
export const REPLAYED_META = "latchkey/idempotent-replayed"

/** A String of Structured Fields (RFC 9651, 3.3.3). */
const QUOTED_STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
/** Excludes the comma: HTTP joins two headers of the same name with a comma. */
const BARE_WORD = /^[!#-+\--:<-[\]-~]*$/

/** `"abc"` and `abc` are the same key (draft-ietf-httpapi-idempotency-key-header). */
export const parseIdempotencyKey = ({ field, value }: ReceivedIdempotencyKey): Result.Result<string, BadRequest> => {
  const fail = (rule: string) => Result.fail(new BadRequest({ message: `${field}: ${rule}` }))
  if (!Predicate.isString(value)) return fail("must be text.")
  const text = value.trim()
  const quoted = QUOTED_STRING.exec(text)?.[1]?.replace(/\\(["\\])/g, "$1")
  const key = quoted ?? text
  if (quoted === undefined && !BARE_WORD.test(text)) {
    return fail('must be one key of printable ASCII characters, in "quotation marks" unless it is a plain word.')
  }
  return key.length >= 1 && key.length <= IDEMPOTENCY_KEY_LENGTH
    ? Result.succeed(key)
    : fail(`must have 1 to ${IDEMPOTENCY_KEY_LENGTH} characters.`)
}
