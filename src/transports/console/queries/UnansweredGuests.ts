import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import type { Page } from "../../../contract/page.ts"
import { OffsetSecondColumn } from "../../../domain/column-schemas.ts"
import { ListedConversation } from "../../../domain/guests/conversations/contract.ts"
import {
  conversationListColumns,
  conversationListParts
} from "../../../domain/guests/conversations/conversation-fragments.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { MESSAGE_PREVIEW_LENGTH } from "../../../platform/limits.ts"
import { recentConversationsStart, unansweredConversationsSql } from "./unanswered-conversations.ts"

type Sql = SqlClient.SqlClient

const UnansweredConversation = Schema.Struct({
  ...ListedConversation.fields,
  last_message_at: OffsetSecondColumn,
  last_message_start: Schema.String
})

interface UnansweredGuestsInput {
  readonly operatorId: number
  readonly today: string
  readonly conversationsSince: Date
}

const lastMessageSql = (sql: Sql) => sql`(
  SELECT left(m.content, ${sql.literal(String(MESSAGE_PREVIEW_LENGTH))}) FROM messages m
  WHERE m.operator_id = page.operator_id AND m.conversation_id = page.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)`

const makeFindPage = (sql: Sql) =>
  makePageReader(
    sql,
    UnansweredConversation,
    (input: UnansweredGuestsInput) => ({
      ...conversationListParts(sql, input.today),
      matchingRows: sql`SELECT c.operator_id, c.id, c.last_message_at FROM ${unansweredConversationsSql(sql, input)}`
    }),
    { ...conversationListColumns(sql), last_message_start: lastMessageSql(sql) }
  )

export class UnansweredGuests extends Context.Service<UnansweredGuests>()(
  "latchkey/transports/console/queries/UnansweredGuests",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const findPage = makeFindPage(sql)
      return {
        /** `today` is the date of `now` in the operator's time zone. */
        page: (today: string, now: Date, page: Page) =>
          CurrentCaller.use(({ operatorId }) =>
            findPage({ operatorId, today, conversationsSince: recentConversationsStart(now) }, page)
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(UnansweredGuests, UnansweredGuests.make)
}
