import { Predicate, Result } from "effect"
import { IDEMPOTENCY_KEY } from "../platform/limits.ts"
import { BadRequest } from "./errors.ts"

/** A key as a door found it, and what its sender calls the place. */
export interface GivenKey {
  readonly field: string
  readonly value: unknown
}

/** The header of REST, and its place in `_meta` of a tool call. */
export const KEY_HEADER = "Idempotency-Key"
export const KEY_META = "latchkey/idempotency-key"
/** The header of an answer that is an earlier call's, and its place in the result of a tool. */
export const REPLAYED = "idempotent-replayed"
export const REPLAYED_META = "latchkey/idempotent-replayed"

/** A String of Structured Fields (RFC 9651, 3.3.3): printable ASCII between quotation marks. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
/** Printable ASCII without what would be the syntax of such a field: two headers arrive with a comma between them. */
const BARE = /^[!#-+\--:<-[\]-~]*$/

/** The key of a call (draft-ietf-httpapi-idempotency-key-header): `"abc"` and `abc` are the same. */
export const keyOf = ({ field, value }: GivenKey): Result.Result<string, BadRequest> => {
  const refused = (rule: string) => Result.fail(new BadRequest({ message: `${field}: ${rule}` }))
  if (!Predicate.isString(value)) return refused("must be text.")
  const text = value.trim()
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, "$1")
  const key = quoted ?? text
  if (quoted === undefined && !BARE.test(text)) {
    return refused('must be one key of printable ASCII characters, in "quotation marks" unless it is a plain word.')
  }
  return key.length >= 1 && key.length <= IDEMPOTENCY_KEY
    ? Result.succeed(key)
    : refused(`must have 1 to ${IDEMPOTENCY_KEY} characters.`)
}
