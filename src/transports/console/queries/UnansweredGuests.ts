import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../../contract/page.ts"
import { listedOf } from "../../../domain/guests/conversations/about.ts"
import { ListedConversation } from "../../../domain/guests/conversations/contract.ts"
import { OffsetSecond } from "../../../domain/row-fields.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import type { PageOf } from "../../../platform/database/rows.ts"
import { MESSAGE_SEEN } from "../../../platform/limits.ts"
import { latelySaid, unanswered } from "./unanswered.ts"

// Who waits for an answer, page by page.

type Sql = SqlClient.SqlClient

const Waiting = Schema.Struct({
  ...ListedConversation.fields,
  last_message_at: OffsetSecond,
  /** How the guest's last message begins. */
  said: Schema.String
})
export type Waiting = typeof Waiting.Type

interface Asked {
  readonly operatorId: number
  /** The operator's own day. */
  readonly today: string
  readonly threadsSince: Date
}

const lastSaid = (sql: Sql) => sql`(
  SELECT left(m.content, ${sql.literal(String(MESSAGE_SEEN))}) FROM messages m
  WHERE m.operator_id = page.operator_id AND m.conversation_id = page.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)`

const pageOf = (sql: Sql) =>
  pagesOf(sql, Waiting, (asked: Givens<Asked>) => {
    const listed = listedOf(sql, asked.today)
    return {
      ...listed,
      matching: sql`SELECT c.operator_id, c.id, c.last_message_at FROM ${unanswered(sql, asked)}`,
      columns: { ...listed.columns, said: lastSaid(sql) }
    }
  })

/** Conversations in which the guest had the last word, among the latest. */
export class UnansweredGuests extends Context.Service<
  UnansweredGuests,
  {
    /** As it is at an instant, which is on that day of the operator's. */
    readonly page: (operatorId: number, today: string, now: Date, page: Page) => Effect.Effect<PageOf<Waiting>>
  }
>()("latchkey/desk/UnansweredGuests") {
  static readonly layer = Layer.effect(
    UnansweredGuests,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const find = pageOf(sql)
      return UnansweredGuests.of({
        page: (operatorId, today, now, page) => find({ operatorId, today, threadsSince: latelySaid(now) }, page)
      })
    })
  )
}
