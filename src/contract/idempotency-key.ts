import { Predicate, Result } from "effect"
import { IDEMPOTENCY_KEY_LENGTH } from "../platform/limits.ts"
import { BadRequest } from "./errors.ts"

/** A key as a door found it, and what its sender calls the place. */
export interface ReceivedIdempotencyKey {
  readonly field: string
  readonly value: unknown
}

/** The header of REST, and its place in `_meta` of a tool call. */
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key"
export const IDEMPOTENCY_KEY_META = "latchkey/idempotency-key"
/** The header of an answer that is an earlier call's, and its place in the result of a tool. */
export const REPLAYED_HEADER = "idempotent-replayed"
export const REPLAYED_META = "latchkey/idempotent-replayed"

/** A String of Structured Fields (RFC 9651, 3.3.3): printable ASCII between quotation marks. */
const QUOTED_STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
/** Printable ASCII without what would be the syntax of such a field: two headers arrive with a comma between them. */
const BARE_WORD = /^[!#-+\--:<-[\]-~]*$/

/** The key of a call (draft-ietf-httpapi-idempotency-key-header): `"abc"` and `abc` are the same. */
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
