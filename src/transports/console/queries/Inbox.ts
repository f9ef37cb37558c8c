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
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { MESSAGE_PREVIEW_LENGTH } from "../../../platform/limits.ts"
import { recentConversationsStart, unansweredConversationsSql } from "./unanswered-conversations.ts"

type Sql = SqlClient.SqlClient

const InboxConversation = Schema.Struct({
  ...ListedConversation.fields,
  last_message_at: OffsetSecondColumn,
  /** At most {@link MESSAGE_PREVIEW_LENGTH} characters. Empty for an image without a text. Null without a message. */
  last_message_start: Schema.NullOr(Schema.String),
  is_last_message_ours: Schema.Boolean,
  /** The guest had the last word, at most 30 days ago. */
  is_unanswered: Schema.Boolean
})
export type InboxConversation = typeof InboxConversation.Type

interface InboxInput {
  readonly operatorId: number
  readonly today: string
  readonly conversationsSince: Date
  readonly isUnansweredOnly: boolean
}

const lastMessageJoin = (sql: Sql) => sql`LEFT JOIN LATERAL (
  SELECT m.sender_role, left(m.content, ${sql.literal(String(MESSAGE_PREVIEW_LENGTH))}) AS content FROM messages m
  WHERE m.operator_id = page.operator_id AND m.conversation_id = page.id
  ORDER BY m.created_at DESC, m.id DESC LIMIT 1) newest ON true`

const matchingConversationsSql = (sql: Sql, input: InboxInput) =>
  input.isUnansweredOnly
    ? sql`SELECT c.operator_id, c.id, c.last_message_at FROM ${unansweredConversationsSql(sql, input)}`
    : sql`SELECT operator_id, id, last_message_at FROM conversations
        WHERE operator_id = ${genericPlanParameter(sql, "bigint", input.operatorId)}`

const makeFindPage = (sql: Sql) => {
  const columns = conversationListColumns(sql)
  return makePageReader(
    sql,
    InboxConversation,
    (input: InboxInput) => {
      const { joins, ...parts } = conversationListParts(sql, input.today)
      return {
        ...parts,
        pageQuery: sql`
          SELECT each.*, each.last_message_at >= ${input.conversationsSince} AS is_recent FROM (${parts.pageQuery}) each`,
        joins: sql`${joins} ${lastMessageJoin(sql)}`,
        matchingRows: matchingConversationsSql(sql, input)
      }
    },
    {
      ...columns,
      last_message_start: sql`newest.content`,
      is_last_message_ours: sql`newest.sender_role IS NOT DISTINCT FROM 'host'`,
      is_unanswered: sql`newest.sender_role IS NOT DISTINCT FROM 'guest' AND page.is_recent`
    }
  )
}

export class Inbox extends Context.Service<Inbox>()("latchkey/transports/console/queries/Inbox", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const findPage = makeFindPage(sql)
    return {
      /** `today` is the date of `now` in the operator's time zone. */
      page: (filter: { readonly today: string; readonly now: Date; readonly isUnansweredOnly: boolean }, page: Page) =>
        CurrentCaller.use(({ operatorId }) =>
          findPage(
            {
              operatorId,
              today: filter.today,
              conversationsSince: recentConversationsStart(filter.now),
              isUnansweredOnly: filter.isUnansweredOnly
            },
            page
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(Inbox, Inbox.make)
}
