import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../../contract/page.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { InstantColumn } from "../../column-schemas.ts"
import { ChannelAccount, type search_channel_accounts } from "./contract.ts"

/** Which accounts a search means; what is not given does not narrow it. */
export type ChannelAccountSearch = Pick<typeof search_channel_accounts.payloadSchema.Type, "id" | "channel_type">

const ChannelAccountRow = Schema.Struct({ ...ChannelAccount.fields, created_at: InstantColumn })

const toSearchParameters = (operatorId: number, { id, channel_type }: ChannelAccountSearch) => ({
  operatorId,
  id,
  channel_type
})

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    ChannelAccountRow,
    ({ operatorId, id, channel_type }: Givens<ReturnType<typeof toSearchParameters>>) => {
      // The host's own site is no account that a caller could do anything about.
      const conditions = [sql`operator_id = ${operatorId}`, sql`channel_type <> 'booking_site'`]
      if (id !== undefined) conditions.push(sql`id = ${id}`)
      if (channel_type !== undefined) conditions.push(sql`channel_type = ${channel_type}`)
      return { matchingRows: sql`SELECT * FROM channel_accounts WHERE ${sql.and(conditions)}`, orderBy: sql`id` }
    }
  )
  return (operatorId: number, filter: ChannelAccountSearch, pageRequest: Page) =>
    selectPage(toSearchParameters(operatorId, filter), pageRequest)
}

/** The SQL of finding accounts at channels. */
export class ChannelAccountStore extends Context.Service<ChannelAccountStore>()(
  "latchkey/domain/channels/channel-accounts/ChannelAccountStore",
  { make: Effect.map(SqlClient.SqlClient, (sql) => ({ search: search(sql) })) }
) {
  static readonly layer = Layer.effect(ChannelAccountStore, ChannelAccountStore.make)
}
