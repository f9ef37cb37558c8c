import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { textUpTo } from "../../../contract/fields.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { randomAddressToken } from "../../../platform/random-text.ts"

// A conversation as other families name it.

/** Draws what callers name a conversation, or a message, by: so many random bits that a 403 tells a guesser nothing. */
export const newPublicCode = randomAddressToken

/** Characters of such a name that are looked at; a real one is shorter. */
const PUBLIC_CODE_MAX_LENGTH = 64

/** The name of a conversation; opaque. */
export const ConversationId = textUpTo(PUBLIC_CODE_MAX_LENGTH)

/** An operator's conversation: at most one row. */
export const conversationByCodeSql = (sql: SqlClient, operatorId: number, code: string): Fragment =>
  sql`SELECT * FROM conversations WHERE operator_id = ${operatorId} AND code = ${code}`

const readExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

/**
 * Whether anybody has a conversation of that name: for who named one that is not its own, and for nothing else, as it is
 * looked for in the rows of all operators.
 */
export const conversationExists =
  (sql: SqlClient) =>
  (code: string): Effect.Effect<boolean> =>
    Effect.map(
      readExists(sql`SELECT EXISTS (SELECT FROM conversations WHERE code = ${code}) AS known`),
      ({ known }) => known
    )

/** What was found of the caller's conversation; why there is nothing, where there is nothing. `field` is what names it in the call. */
export const requireOwnConversation = <Row>(
  row: Row | undefined,
  belongsToAnother: Effect.Effect<boolean>,
  field: string
): Effect.Effect<Row, Forbidden | NotFound> =>
  row === undefined
    ? Effect.flatMap(
        belongsToAnother,
        (existsForAnother): Effect.Effect<never, Forbidden | NotFound> =>
          existsForAnother
            ? new Forbidden({ message: `${field}: the conversation belongs to another account.` })
            : new NotFound({ message: `${field}: no such conversation.` })
      )
    : Effect.succeed(row)

/** What of a conversation is needed to reach its guest. */
export const ConversationRecipient = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  thread_id: Schema.String
})
export type ConversationRecipient = typeof ConversationRecipient.Type
