import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { textUpTo } from "../../../contract/fields.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { randomAddressToken } from "../../../platform/random-text.ts"

/** A code of another operator returns 403, an unknown one 404. Codes are random, so that guessing finds none. */
export const newPublicCode = randomAddressToken

const PUBLIC_CODE_MAX_LENGTH = 64

export const ConversationId = textUpTo(PUBLIC_CODE_MAX_LENGTH)

export const conversationByCodeSql = (sql: SqlClient, operatorId: number, code: string): Fragment =>
  sql`SELECT * FROM conversations WHERE operator_id = ${operatorId} AND code = ${code}`

const readExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

/** Searches all operators, only to choose between 403 and 404. */
export const conversationExists =
  (sql: SqlClient) =>
  (code: string): Effect.Effect<boolean> =>
    Effect.map(
      readExists(sql`SELECT EXISTS (SELECT FROM conversations WHERE code = ${code}) AS known`),
      ({ known }) => known
    )

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

export const ConversationRecipient = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  thread_id: Schema.String
})
export type ConversationRecipient = typeof ConversationRecipient.Type
