import { Result, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Forbidden, NotFound } from "../../contract/errors.ts"
import { textUpTo } from "../../contract/fields.ts"
import type { Value } from "../../database/forms.ts"
import { unguessable } from "../../random-text.ts"

// A conversation as other families name it.

/** Draws what callers name a conversation, or a message, by: so many random bits that a 403 tells a guesser nothing. */
export const newCode = unguessable

/** Characters of such a name that are looked at; a real one is shorter. */
const CODE_TEXT = 64

/** The name of a conversation; opaque. */
export const ConversationId = textUpTo(CODE_TEXT)

/** Of whatever operator: whoever reads it says whose it must be ({@link ownConversation}). At most one row. */
export const conversationNamed = (sql: SqlClient, code: Value<string>): Fragment =>
  sql`SELECT * FROM conversations WHERE code = ${code}`

/** What was found, if it is the caller's. `field` is what names it in the call. */
export const ownConversation = <Found extends { readonly operator_id: number }>(
  found: Found | undefined,
  operatorId: number,
  field: string
): Result.Result<Found, Forbidden | NotFound> => {
  if (found === undefined) return Result.fail(new NotFound({ message: `${field}: no such conversation.` }))
  return found.operator_id === operatorId
    ? Result.succeed(found)
    : Result.fail(new Forbidden({ message: `${field}: the conversation belongs to another account.` }))
}

/** What of a conversation is needed to reach its guest. */
export const NamedConversation = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  thread_id: Schema.String
})
export type NamedConversation = typeof NamedConversation.Type
